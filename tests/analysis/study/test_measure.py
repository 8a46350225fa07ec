from __future__ import annotations

import signal
import sys
from pathlib import Path, PurePath

import gothic
import pytest

from analysis.errors import DataError
from analysis.study.accuracy_unit import acceleration_unit
from analysis.study.attempts import ProgramError
from analysis.study.measure import call, options
from analysis.study.parameters import parameters_of

PATH = (
    "runs/model~{model}/particles~256/seed~1/criterion~multipole/accuracy~2pow-04/step~block/"
    "eta~0.25/softening~{softening}/device~cpu/sharing~0/steps~8/{further}repeat~2"
)


def paired(words: list[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=True))


def test_options_are_those_of_the_path() -> None:
    path = PATH.format(
        model="nfw",
        softening="0.125",
        further="threads~3/ranks~2/rebuild_interval~1/external~a%2Fb.toml/snapshot_times~1,2/",
    )
    of_force, of_run = map(paired, options(parameters_of(PurePath(path)), 1.0, 2))
    assert of_force == {
        "--mac": "multipole",
        "--accuracy": "0.0625",
        "--softening": "0.125",
        "--device": "cpu",
        "--sharing": "0",
        "--threads": "3",
        "--external": "a/b.toml",
    }
    assert of_run == {
        "--step": "block",
        "--eta": "0.25",
        "--steps": "8",
        "--rebuild-interval": "1",
        "--snapshot-times": "1,2",
    }


def test_accuracy_is_left_out_where_an_error_asks_for_one() -> None:
    path = PATH.format(model="m31", softening="0", further="force_error~0.001/")
    of_force, of_run = (paired(words) for words in options(parameters_of(PurePath(path)), 1.0, 2))
    assert of_force["--force-error"] == "0.001"
    assert "--accuracy" not in of_force | of_run


def test_multipole_accuracy_is_in_the_units_of_the_particles() -> None:
    path = PATH.format(model="m31", softening="0", further="")
    unit = acceleration_unit(gothic.GALACTIC)
    assert unit == pytest.approx(977.8**2 / 1e4, rel=1e-3)  # kpc / (km/s) is 977.8 Myr
    assert acceleration_unit(gothic.Units()) == 1
    of_force = paired(options(parameters_of(PurePath(path)), unit, 2)[0])
    assert float(of_force["--accuracy"]) == unit / 16
    assert "--softening" not in of_force
    assert of_force["--threads"] == "2"


def test_launcher_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no-mpirun: is not here; install Open MPI, or name anoth"):
        call(sys.stderr, tmp_path / "gothic", launcher="no-mpirun -n 2")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1])
def test_program_is_told_to_stop_as_launchers_pass_it_on(tmp_path: Path, number: int) -> None:
    program, log = tmp_path / "gothic", tmp_path / "log"
    program.write_text(
        "#!/bin/sh\ntrap 'echo told; exit 3' USR1\n"
        f"kill -{number} $(ps -o ppid= $$)\nwhile :; do sleep 0.1; done\n"
    )
    program.chmod(0o755)
    with log.open("w") as file, pytest.raises(ProgramError) as ended:
        call(file, program)
    assert (ended.value.status, log.read_text()) == (3, "told\n")


def test_program_for_another_processor_is_told(tmp_path: Path) -> None:
    program = tmp_path / "gothic"
    program.write_text("#!/bin/sh\nkill -ILL $$\n")
    program.chmod(0o755)
    with pytest.raises(DataError, match=f"{program}: was built for another processor"):
        call(sys.stderr, program, "run")
