from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from analysis.study import PACKAGE, TABLE, Figure, both_modes, code, drawable

ELAPSED = Figure(
    "elapsed",
    "Time",
    tables={"errors": "{model}/errors.csv", "timings": "{model}/timings.csv"},
    models=["nfw", "m31"],
    measured={"errors": "errors_{model}.csv", "timings": "timings_{model}.csv"},
)
SPEEDUP = Figure(
    "speedup",
    "Time",
    tables={"timings": "{model}/timings.csv"},
    models=["nfw"],
    measured={"timings": "timings_{model}.csv"},
    fits=both_modes,
)
RATES = Figure(
    "rates",
    "Time",
    tables={"traces": ["nfw/trace.csv", "m31/trace.csv"], "peak": "peak.csv"},
    measured={"traces": "trace_{model}.csv", "peak": "peak.csv"},
    kinds=TABLE,
)


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """Write the tables of a device."""
    folder = tmp_path / "gpu"
    folder.mkdir()
    for name in ("errors_nfw", "errors_milky_way", "trace_nfw", "trace_m31", "peak"):
        (folder / f"{name}.csv").write_text("step_mode\n")
    (folder / "timings_nfw.csv").write_text("a,step_mode,b\n1,block,2\n1,shared,2\n")
    (folder / "timings_milky_way.csv").write_text("a,step_mode,b\n1,block,2\n")
    return folder


def names(folder: Path) -> set[str]:
    return {name for _, name in drawable(folder, [ELAPSED, SPEEDUP, RATES])}


def test_figures_are_those_whose_tables_are_there(device: Path) -> None:
    elapsed = {"gpu/elapsed_nfw", "gpu/elapsed_milky_way"}
    assert names(device) == elapsed | {"gpu/speedup_nfw", "gpu/rates"}
    (device / "peak.csv").unlink()
    assert names(device) == elapsed | {"gpu/speedup_nfw"}
    (device / "errors_nfw.csv").unlink()
    assert names(device) == {"gpu/elapsed_milky_way", "gpu/speedup_nfw"}


def test_speedup_needs_both_step_modes(device: Path) -> None:
    assert "gpu/speedup_milky_way" not in names(device)


def test_table_of_some_files_needs_one_of_them(device: Path) -> None:
    measured = {"errors": "errors_{model}.csv", "tune": "tune.csv"}
    found = Figure("all", "All", {}, measured=measured, some=True)
    assert [name for _, name in drawable(device, [found])] == ["gpu/all"]
    tables = found.measured_tables(str(device.parent / "{device}"))
    wildcards = SimpleNamespace(device="gpu")
    given = {option: files(wildcards) for option, files in tables.items()}
    assert [Path(path).name for path in given["errors"]] == [
        "errors_milky_way.csv",
        "errors_nfw.csv",
    ]
    assert given["tune"] == []
    whole = Figure("all", "All", {"errors": [], "tune": []}, measured=measured, some=True)
    assert whole.arguments(wildcards, given) == f"--errors {' '.join(given['errors'])}"
    for path in device.glob("errors_*"):
        path.unlink()
    assert drawable(device, [found]) == []


def test_figure_of_the_whole_study_takes_the_tables_of_every_model(device: Path) -> None:
    tables = RATES.measured_tables(str(device.parent / "{device}"))
    found = tables["traces"](SimpleNamespace(device="gpu"))
    assert [Path(path).name for path in found] == ["trace_m31.csv", "trace_nfw.csv"]
    assert tables["peak"] == str(device.parent / "{device}" / "peak.csv")


def test_files_are_named_after_figure_and_model() -> None:
    assert ELAPSED.stems == ["elapsed_nfw", "elapsed_m31"]
    assert ELAPSED.outputs("here")["csv"] == "here/elapsed_{model}.csv"
    assert RATES.stems == ["rates"]
    assert RATES.outputs("here") == {kind: f"here/rates.{kind}" for kind in TABLE}


def test_options_are_those_of_the_tables() -> None:
    given = {"traces": ["a.csv", "b.csv"], "peak": "p.csv"}
    assert RATES.arguments(SimpleNamespace(), given) == "--traces a.csv b.csv --peak p.csv"
    model = Figure("model", "Models", {"check": "c.csv"}, options="--model {wildcards.model}")
    found = model.arguments(SimpleNamespace(model="nfw"), {"check": "c.csv"})
    assert found == "--check c.csv --model nfw"


def test_code_is_everything_that_a_module_imports() -> None:
    found = {path.relative_to(PACKAGE).as_posix() for path in code("figures/speedup.py")}
    assert found == {
        "cli.py",
        "files.py",
        "figures/common.py",
        "figures/speedup.py",
        "paper.mplstyle",
        "published.csv",
        "published.py",
        "step_log.py",
        "sweep.py",
        "tables.py",
    }
