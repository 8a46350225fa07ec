from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from analysis.study.configuration import (
    ROOT,
    Refusal,
    complaints,
    numbered,
    option_values,
    refusal_of,
)

RIGHT = """\
study: small
reference: {targets: 64}
runs:
  defaults: {model: plummer, particles: 2^8, steps: 2}
  grids:
    - accuracy: [2^-3, 2^-5]
      step: [block, shared]
      repeats: 2
  list:
    - {accuracy: 0.5, criterion: opening, time: 0.1}
plots:
  - {x: error_99, y: wall_s, colour: step, where: {steps: 2}}
"""


def judged(*files: Path, refusal: Refusal | None = None, **given: object) -> list[str]:
    """Complaints about files that are put together as Snakemake does, without the last line."""
    config: dict = {}
    for file in files:
        config |= yaml.safe_load(file.read_text())
    lines = complaints(numbered(config | given), files, given, cores=8, refusal=refusal)
    assert not lines or lines[-1].startswith("config/schema")
    return lines[:-1]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(RIGHT)
    return path


@pytest.fixture
def refusal(programs: Path) -> Refusal:
    return refusal_of(programs)


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda p: p.stem)
def test_files_of_the_project_are_right(path: Path, refusal: Refusal) -> None:
    if "study" in yaml.safe_load(path.read_text()):
        assert judged(path, refusal=refusal) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("reference:", "referense:", "2: referense: unknown key; did you mean reference?"),
        ("targets:", "target:", "2: reference.target: unknown key; did you mean targets?"),
        ("step: [", "stepp: [", "7: runs.grids.0.stepp: unknown key; did you mean step?"),
        ("criterion:", "mac:", "10: runs.list.0.mac: unknown key; known are model"),
        ("colour:", "color:", "12: plots.0.color: unknown key; did you mean colour?"),
        ("targets: 64", "targets: [64]", "2: reference.targets: [64] is not of type 'number', 's"),
        ("2^8", "many", "4: runs.defaults.particles: 'many' is not of type 'integer'"),
        ("2^8", "300.5", "4: runs.defaults.particles: 300.5 is not of type 'integer'"),
        ("[block, shared]", "[]", "7: runs.grids.0.step: [] should be non-empty; give"),
        ("repeats: 2", "repeats: 0", "8: runs.grids.0.repeats: 0 is less than the"),
        ("repeats: 2", "repeats: [1, 2]", "8: runs.grids.0.repeats: [1, 2] is not of"),
        ("repeats: 2", "step: block", "8: step: is there already, in line 7; remove"),
        ("plummer", "plumer", "4: runs.defaults.model: 'plumer' is unknown; did you mean plummer?"),
        ("opening,", "opening, dt: 0.1,", "10: runs.list.0.dt: block steps are adaptive;"),
        ("8, steps: 2", "8, steps: 2, dt: 1", "4: runs.defaults.dt: block steps are"),
        ("0.5,", "0.5, ranks: 0,", "10: runs.list.0.ranks: 0 is less than the minimum of 1; Ranks"),
        ("0.5,", "0.5, ranks: two,", "10: runs.list.0.ranks: 'two' is not of type 'integer'; Ra"),
        ("step: [b", "ranks: [1, 1.5]\n      step: [b", "7: runs.grids.0.ranks.1: 1.5 is not of"),
        ("0.5,", "0.5, ranks: 9,", "10: runs.list.0.ranks: 9 ranks need 9 cores; give snakemake"),
        ("study: small", "study: small\nlauncher: srun -n 4", "2: launcher: 'srun -n 4' does not"),
        ("0.5,", "1.5,", "10: runs.list.0.accuracy: an opening angle of 1.5 would"),
        ("accuracy: 0.5, ", "", "10: runs.list.0.accuracy: is missing; give it"),
        ("study: small\n", "", "1: study: is missing; add it"),
        ("error_99", "error99", "12: plots.0.x: the table has no column error99; did"),
        ("{steps: 2}}", "{ball: geo}}", "12: plots.0.where.ball: the table has no"),
        ("plummer", "own.toml", "4: runs.defaults.model: own.toml: there is no such file; paths"),
        ("8, steps", "8, external: a.toml, steps", "4: runs.defaults.external: a.toml: there is"),
        ("0.5, c", "0.5, input: a.h5, c", "10: runs.list.0.input: a.h5: there is no such file"),
        ("reference: {targets: 64}\n", "", "11: plots.0.x: error_99 needs direct sums"),
    ],
)
def test_mistake_is_named_with_its_line(study: Path, old: str, new: str, complaint: str) -> None:
    assert RIGHT.count(old) == 1
    study.write_text(RIGHT.replace(old, new))
    (found,) = judged(study)
    assert found.startswith(f"study.yaml:{complaint}")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("2^-5", "-2", "6: runs.grids.0.accuracy.1: -2 is no number above 0; correct it"),
        ("2^-5", "2**-5", "6: runs.grids.0.accuracy.1: 2**-5 is no number above 0; correct it"),
        ("shared]", "leap]", "7: runs.grids.0.step.1: leap is none of block, shared; correct it"),
        ("time: 0.1", "time: soon", "10: runs.list.0.time: soon is no time above 0, whose unit"),
        ("0.5,", "0.5, group_size: 3,", "10: runs.list.0.group_size: 3 is none of 0, 1, 2, 4, 8"),
        ("0.5,", "0.5, quiet_start: 2,", "10: runs.list.0.quiet_start: 2 is none of true, false"),
        ("0.5,", "0.5, seed: -1,", "10: runs.list.0.seed: -1 is no integer from 0 to 4294967295"),
        ("8, steps: 2", "8, steps: 2.5", "4: runs.defaults.steps: 2.5 is no integer of at least"),
        ("targets: 64", "targets: all", "2: reference.targets: all is no integer from 0 to"),
        ("s: 64", "s: 64, precision: half", "2: reference.precision: half is none of double, s"),
        ("runs:", "checkpoint_interval: soon\nruns:", "3: checkpoint_interval: soon is no time"),
    ],
)
def test_programs_judge_the_values_of_their_options(
    study: Path, refusal: Refusal, old: str, new: str, complaint: str
) -> None:
    assert RIGHT.count(old) == 1
    study.write_text(RIGHT.replace(old, new))
    (found,) = judged(study, refusal=refusal)
    assert found.startswith(f"study.yaml:{complaint}")


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ("cluster.scal", "config/models/plummer.toml has no such key; did you mean cluster.scale?"),
        ("model.softning", "config/models/plummer.toml has no such key; did you mean model.softe"),
        ("x.y", "has no such key; write units.KEY, model.KEY or COMPONENT.KEY, of the components"),
    ],
)
def test_key_that_the_model_does_not_have_is_refused(study: Path, key: str, complaint: str) -> None:
    study.write_text(RIGHT.replace("accuracy: 0.5", f"accuracy: 0.5, {key}: 2"))
    (found,) = judged(study)
    assert found.startswith(f"study.yaml:10: runs.list.0.{key}: ")
    assert complaint in found


def test_input_leaves_no_room_for_particles(study: Path) -> None:
    study.write_text(RIGHT.replace("model: plummer", "input: a.h5"))
    assert (
        "particles: the particles are those of the input; leave out particles" in judged(study)[0]
    )


def test_own_input_has_no_model_to_drift_from(study: Path, tmp_path: Path) -> None:
    (tmp_path / "a.h5").touch()
    run = "{input: a.h5, accuracy: 0.5, time: 1, snapshot_count: 2}"
    study.write_text(f"study: small\nruns: {{list: [{run}]}}\nfigures: [{{kind: equilibrium}}]\n")
    (found,) = judged(study)
    assert found.startswith("study.yaml:3: figures.0: equilibrium compares with a model, which an")


def test_damaged_model_and_missing_table_are_named(study: Path, tmp_path: Path) -> None:
    study.write_text(RIGHT.replace("plummer", "own.toml"))
    (tmp_path / "own.toml").write_text("[[component]]\nname = \n")
    assert "study.yaml:4: runs.defaults.model: own.toml: Invalid value" in judged(study)[0]
    (tmp_path / "own.toml").write_text('[[component]]\nname = "a"\ntable = "gone.txt"\n')
    assert "study.yaml:4: runs.defaults.model: gone.txt: there is no" in judged(study)[0]
    (tmp_path / "gone.txt").touch()
    assert judged(study) == []


def test_values_may_have_units_be_lists_of_times_or_leave_an_option_out(
    study: Path, refusal: Refusal
) -> None:
    values = 'time: 100Myr, snapshot_times: "1,2", softening: 2^-3 kpc, dt: 0, external: ""'
    study.write_text(RIGHT.replace("time: 0.1}", f"{values}}}"))
    assert judged(study, refusal=refusal) == []


@pytest.mark.parametrize("varied", ["eta", "softening", "step", "cluster.scale"])
def test_energy_of_runs_that_reach_different_times_is_not_plotted(study: Path, varied: str) -> None:
    values = "[block, shared]" if varied == "step" else "[0.1, 0.2]"
    text = RIGHT.replace("step: [block, shared]", f"{varied}: {values}")
    energy = text.replace(
        "{x: error_99, y: wall_s, colour: step", f"{{x: {varied}, y: energy_drift"
    )
    study.write_text(energy)
    (found,) = judged(study)
    assert found.startswith("study.yaml:12: plots.0.y: energy_drift grows with time, but as many")
    assert f"where {varied} differ; give these runs a time instead of steps" in found
    study.write_text(energy.replace("8, steps: 2", "8, time: 2").replace("{steps: 2}", "{time: 2}"))
    assert judged(study) == []
    one = "block" if varied == "step" else "0.1"
    study.write_text(energy.replace("where: {", f"where: {{{varied}: {one}, "))
    assert judged(study) == []


def test_values_that_programs_judge_are_those_that_are_given() -> None:
    assert option_values(numbered(yaml.safe_load(RIGHT))) == [
        "gothic direct --targets 64",
        "gothic run --accuracy 0.03125",
        "gothic run --accuracy 0.125",
        "gothic run --accuracy 0.5",
        "gothic run --mac opening",
        "gothic run --step shared",
        "gothic run --steps 2",
        "gothic run --time 0.1",
    ]


def test_study_without_runs_is_refused(study: Path) -> None:
    study.write_text("study: small\nruns:\n  defaults: {model: plummer}\n")
    assert judged(study) == ["study.yaml:2: runs: there are no runs; give grids or a list"]


@pytest.mark.parametrize(
    ("added", "complaint"),
    [
        ("  - {x: error_99, y: wall_s}\n", "1: figures: there are two figures or plots wall_s_vs"),
        (
            "figures: [{kind: speedu}]\n",
            "13: figures.0.kind: 'speedu' is unknown; did you mean speedup?",
        ),
        ("figures: [{kind: crossover}]\n", "13: figures.0: crossover needs the word"),
        ("figures: [{kind: map}]\n", "13: figures.0.where: model is missing; add it"),
        (
            "figures: [{kind: speedup, where: {model: m31}}, {kind: speedup, where: {steps: 9}}]\n",
            "13: figures.1: no run has {'steps': 9}; choose others",
        ),
        (
            "figures: [{kind: map, where: {model: m31, particles: 8, hallo.scale: 2}}]\n",
            "13: figures.0.where.hallo.scale: ",
        ),
        ("benches: [{word: walk}]\n", "13: benches.0.word: 'walk' is unknown; known are"),
        ("benches: [{word: balls}]\n", "13: benches.0.model: is missing; add it"),
        ("benches: [{word: peak}, {word: peak}]\n", "13: benches.1: peak is there"),
    ],
)
def test_figure_that_cannot_be_drawn_is_named(study: Path, added: str, complaint: str) -> None:
    study.write_text(RIGHT + added)
    assert judged(study)[0].startswith(f"study.yaml:{complaint}")


def test_all_mistakes_are_told_in_the_order_of_lines(study: Path, refusal: Refusal) -> None:
    text = RIGHT.replace("plummer", "plumer").replace("step:", "stepp:").replace("0.1}", "-1}")
    study.write_text(text.replace("study: small", "study: small\nstudy: large"))
    lines = [int(line.split(":")[1]) for line in judged(study, refusal=refusal)]
    assert lines == [2, 5, 8, 11]


def test_line_is_that_of_the_file_that_has_the_value(study: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("results: out\nreference: {target: 1}\n")
    assert judged(study, other)[0].startswith("other.yaml:2: reference.target: unknown key;")
    assert judged(other, study, snapshots=3)[0].startswith("--config: snapshots: 3 is unknown;")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("study: small\nruns: [\n  - }\n", "study.yaml:3: expected the node content, but found"),
        ("study: small\nresults: a\n b: 3\n", "study.yaml:3: mapping values are not allowed here"),
        (RIGHT.replace("2^8", "1"), "study.yaml:4: runs.defaults.particles:"),
        (RIGHT.replace("2^-5", "0"), "study.yaml:6: runs.grids.0.accuracy.1: 0 is no number above"),
        (RIGHT, ""),
    ],
)
def test_command_names_the_line_of_a_mistake(
    study: Path, programs: Path, text: str, complaint: str
) -> None:
    study.write_text(text)
    command = [sys.executable, "-m", "analysis.study.configuration", "study.yaml"]
    command += ["--programs", str(programs), "--given", '{"results": "out"}']
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == (2 if complaint else 0)
    assert done.stderr.startswith(complaint)
