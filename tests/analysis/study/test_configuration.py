from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from analysis.errors import DataError
from analysis.study.configuration import ROOT, complaints, judged_values, numbered
from analysis.study.judge import Judge
from analysis.study.mistakes import composed

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


def judged(*files: Path, judge: Judge | None = None, **given: object) -> list[str]:
    """Complaints about files that are put together as Snakemake does, without the last line."""
    config: dict = {}
    for file in files:
        config |= yaml.safe_load(file.read_text())
    lines = complaints(numbered(config | given), files, given, cores=8, judge=judge)
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


@pytest.fixture(scope="session")
def judge(programs: Path) -> Judge:
    return Judge(programs)


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda p: p.stem)
def test_files_of_the_project_are_right(path: Path, judge: Judge) -> None:
    if "study" in yaml.safe_load(path.read_text()):
        assert judged(path, judge=judge) == []


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
        ("0.5,", "0.5, 3: 3,", "10: runs.list.0.3: unknown key; known are model"),
        (
            "time: 0.1",
            "time: 1, snapshot_count: 5001",
            "10: runs.list.0.snapshot_count: 5001 is gr",
        ),
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
    study: Path, judge: Judge, old: str, new: str, complaint: str
) -> None:
    assert RIGHT.count(old) == 1
    study.write_text(RIGHT.replace(old, new))
    (found,) = judged(study, judge=judge)
    assert found.startswith(f"study.yaml:{complaint}")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "plummer",
            "bad.toml",
            "4: runs.defaults.model: bad.toml:9: component.mass: is -1; it must",
        ),
        ("0.5,", "0.5, cluster.scale: -1,", "10: runs.list.0.cluster.scale: is -1; it must be"),
        ("0.5,", "0.5, cluster.profile: plumer,", "10: runs.list.0.cluster.profile: unknown prof"),
        ("0.5,", "0.5, model: m31, particles: 2,", "10: runs.list.0.particles: fewer than the mo"),
        ("0.5,", "0.5, model: m31, disc.height: 20,", "10: runs.list.0.disc.height: component 'd"),
        ("0.5,", "0.5, particles: 2^40,", "10: runs.list.0.particles: 1099511627776 is no integer"),
        ("time: 0.1", "myr: 3", "10: runs.list.0.myr: the particles have model units; give a time"),
        ("0.5,", "0.5, softening: 50pc,", "10: runs.list.0.softening: 50pc has a unit, but the p"),
        ("0.5,", "0.5, cluster.table: 5,", "10: runs.list.0.cluster.table: unknown key of plummer"),
        ("time: 0.1", "dynamical_times: .inf", "10: runs.list.0.dynamical_times: inf is no time"),
        ("0.5,", "0.5, external: field.toml,", "10: runs.list.0.external: field.toml:3: potential"),
        (
            "plots:",
            "benches: [{word: order, model: bad.toml}]\nplots:",
            "11: benches.0.model: bad.toml:9: component.mass: is -1",
        ),
        (
            "plots:",
            "figures: [{kind: map, where: {model: m31, particles: 2}}]\nplots:",
            "11: figures.0.where.particles: fewer than the model has components",
        ),
        (
            "plots:",
            "figures: [{kind: map, where: {model: m31, particles: 8, seed: -1}}]\nplots:",
            "11: figures.0.where.seed: -1 is no integer from 0",
        ),
    ],
)
def test_programs_judge_models_and_units(
    study: Path, judge: Judge, old: str, new: str, complaint: str
) -> None:
    model = (ROOT / "config" / "models" / "plummer.toml").read_text()
    field = '[[potential]]\ntype = "nfw"\nscale_mass = -1\nscale = 1\n'
    study.with_name("field.toml").write_text(field)
    study.with_name("bad.toml").write_text(re.sub("mass = .*", "mass = -1", model))
    assert RIGHT.count(old) == 1
    study.write_text(RIGHT.replace(old, new))
    (found,) = judged(study, judge=judge)
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


def test_own_input_is_chosen_by_the_name_of_its_file(study: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.h5").touch()
    run = "{input: mine.h5, accuracy: 0.5, time: 1, snapshot_count: 2}"
    where = "where: {model: mine}"
    study.write_text(
        f"study: s\nruns: {{list: [{run}]}}\nfigures: [{{kind: movie, {where}}}]\n"
        f"plots: [{{x: eta, y: bulge_r_50, {where}}}]\n"
    )
    assert judged(study) == []


def test_own_input_has_no_model_to_drift_from(study: Path, tmp_path: Path) -> None:
    (tmp_path / "a.h5").touch()
    run = "{input: a.h5, accuracy: 0.5, time: 1, snapshot_count: 2}"
    study.write_text(f"study: small\nruns: {{list: [{run}]}}\nfigures: [{{kind: equilibrium}}]\n")
    (found,) = judged(study)
    assert found.startswith("study.yaml:3: figures.0: equilibrium: compares with a model, which an")


def test_damaged_model_and_missing_table_are_named(study: Path, tmp_path: Path) -> None:
    study.write_text(RIGHT.replace("plummer", "own.toml"))
    (tmp_path / "own.toml").write_text("[[component]]\nname = \n")
    assert "study.yaml:4: runs.defaults.model: own.toml: Invalid value" in judged(study)[0]
    (tmp_path / "own.toml").write_text('[[component]]\nname = "a"\ntable = "gone.txt"\n')
    assert "study.yaml:4: runs.defaults.model: gone.txt: there is no" in judged(study)[0]
    (tmp_path / "gone.txt").touch()
    assert judged(study) == []


def test_values_may_have_units_be_lists_of_times_or_leave_an_option_out(
    study: Path, judge: Judge
) -> None:
    values = 'time: 100Myr, snapshot_times: "1,2", softening: 2^-3 kpc, dt: 0, external: ""'
    run = f"accuracy: 0.5, model: m31, {values}}}"
    study.write_text(RIGHT.replace("accuracy: 0.5, criterion: opening, time: 0.1}", run))
    assert judged(study, judge=judge) == []


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
    model = ROOT / "config" / "models" / "plummer.toml"
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    assert judged_values(numbered(yaml.safe_load(RIGHT))) == [
        f"{os.path.relpath(model)} {digest}",
        "gothic direct --targets 64",
        "gothic run --accuracy 0.03125",
        "gothic run --accuracy 0.125",
        "gothic run --accuracy 0.5",
        "gothic run --mac opening",
        "gothic run --step shared",
        "gothic run --steps 2",
        "gothic run --time 0.1",
        "gothic-ic --particles 256",
        "model~plummer",
    ]


def test_study_without_runs_is_refused(study: Path) -> None:
    study.write_text("study: small\nruns:\n  defaults: {model: plummer}\n")
    assert judged(study) == ["study.yaml:2: runs: there are no runs; give grids or a list"]


@pytest.mark.parametrize("only", ["{model: m31}", "{modell: plummer}"])
def test_part_without_runs_is_refused(study: Path, only: str) -> None:
    run = "{model: plummer, particles: 64, accuracy: 0.1, steps: 1}"
    study.write_text(f"study: small\nruns:\n  only: {only}\n  list:\n  - {run}\n")
    (complaint,) = judged(study)
    assert complaint.startswith("study.yaml:3: runs.only: no run has {")


@pytest.mark.parametrize(
    ("added", "complaint"),
    [
        ("  - {x: error_99, y: wall_s}\n", "1: figures: there are two figures or plots wall_s_vs"),
        (
            "figures: [{kind: speedu}]\n",
            "13: figures.0.kind: 'speedu' is unknown; did you mean speedup?",
        ),
        ("figures: [{kind: crossover}]\n", "13: figures.0: crossover needs the word"),
        ("figures: [{kind: map}]\n", "13: figures.0.where.model: is missing; add it"),
        (
            "figures: [{kind: findings, centre: disc}]\n",
            "13: figures.0.centre: findings takes no centre; remove it",
        ),
        ("figures: [{kind: movie, sides: zz}]\n", "13: figures.0.sides: 'zz' does not match"),
        ("figures: [{kind: movie, width: 0}]\n", "13: figures.0.width: 0 is less than"),
        ("figures: [{kind: movie, colour: red}]\n", "13: figures.0.colour: 'red' is unknown"),
        (
            "figures: [{kind: speedup, where: {steps: 2}}, {kind: speedup, where: {steps: 9}}]\n",
            "13: figures.1: no run has {'steps': 9}; choose others",
        ),
        (
            "figures: [{kind: map, where: {model: m31, particles: 8, hallo.scale: 2}}]\n",
            "13: figures.0.where.hallo.scale: ",
        ),
        (
            "figures: [{kind: map, where: {model: m31, particles: 8, eta: 1}}]\n",
            "13: figures.0.where.eta: does not change particles that are drawn; leave it out",
        ),
        (
            "figures: [{kind: map, where: {model: m31, particles: [8, 16]}}]\n",
            "13: figures.0.where.particles: [8, 16] are several; give one value",
        ),
        (
            "figures: [{kind: speedup}]\n",
            "13: figures.0: speedup: the runs differ in time, 0.1, not set; choose one with where",
        ),
        (
            "figures: [{kind: speedup, where: {step: block, steps: 2}}]\n",
            "13: figures.0: speedup: compares block and shared steps; make runs with both",
        ),
        (
            "figures: [{kind: stages_vs_step, where: {steps: 2}}]\n",
            "13: figures.0: stages_vs_step: the runs differ in step, block, shared; choose",
        ),
        (
            "figures: [{kind: movie, where: {criterion: opening}}]\n",
            "13: figures.0: movie: the run keeps no states; give it a snapshot_count",
        ),
        (
            "figures: [{kind: equilibrium, where: {model: m31}}]\n",
            "13: figures.0: no run has {'model': 'm31'}; choose others",
        ),
        (
            "figures: [{kind: movie, where: {model: plumer}}]\n",
            "13: figures.0.where.model: 'plumer' is unknown; did you mean plummer?",
        ),
        (
            "figures: [{kind: map, where: {model: m31, particles: 8}, centre: dics}]\n",
            "13: figures.0: map: centre dics: did you mean disc?",
        ),
        (
            "benches: [{word: crossover, model: nfw}]\n"
            "figures: [{kind: crossover, where: {model: m31}}]\n",
            "14: figures.0.where.model: the bench crossover has no model m31; add it there",
        ),
        ("benches: [{word: walk}]\n", "13: benches.0.word: 'walk' is unknown; known are"),
        ("benches: [{word: balls}]\n", "13: benches.0.model: is missing; add it"),
        ("benches: [{word: peak}, {word: peak}]\n", "13: benches.1: peak is there"),
    ],
)
def test_figure_that_cannot_be_drawn_is_named(study: Path, added: str, complaint: str) -> None:
    study.write_text(RIGHT + added)
    assert judged(study)[0].startswith(f"study.yaml:{complaint}")


@pytest.mark.parametrize("kind", ["equilibrium", "movie"])
def test_states_of_several_sizes_are_not_drawn_as_one(study: Path, kind: str) -> None:
    grid = "{model: plummer, particles: [8, 16, 32, 64], accuracy: 1, time: 1, snapshot_count: 2}"
    study.write_text(f"study: s\nruns: {{grids: [{grid}]}}\nfigures:\n  - {{kind: {kind}}}\n")
    problem = f"{kind}: the runs differ in particles, 8, 16, 32, 64; choose one with where"
    assert judged(study) == [f"study.yaml:4: figures.0: {problem}"]
    study.write_text(
        study.read_text().replace(f"kind: {kind}", f"kind: {kind}, where: {{particles: 8}}")
    )
    assert judged(study) == []


@pytest.mark.parametrize(
    ("plot", "complaint"),
    [
        ("where: {particles: 7}", "where: no run has {'particles': 7}; choose others"),
        ("where: {wall_s: short}", "where.wall_s: short is no number, as wall_s is; give one, or"),
        ("where: {wall_s: 0..3, steps: 2}", ""),
        ("colour: cluster_r_50", ""),
        ("colour: path", "colour: the table has no column path"),
        ("where: {path: results/a}", ""),
        ("where: {model: plumer}", "where.model: 'plumer' is unknown; did you mean plummer?"),
        ("colour: cluster_r_90_change", "colour: cluster_r_90_change grows with time, but as many"),
        ("colour: cluster_r_90_change, where: {step: block}", ""),
        ("colour: disc_r_50", "colour: no model has a component disc; known are cluster"),
        ("colour: cluster_z_50", "colour: cluster_z_50 needs states of the runs; give them a snap"),
        ("colour: softening_used, average: accuracy", ""),
        ("average: wall_s", "average: wall_s was measured; name a parameter of runs, such as seed"),
        ("average: step, colour: step", "average: step is shown, too; choose another"),
        ("overlay: [{file: a.csv, x: n, y: t, error: e}]", ""),
        ("overlay: [{file: b.csv, x: n, y: t}]", "overlay.0: b.csv: No such file or directory"),
        ("overlay: [{file: a.csv, x: n, y: T}]", "overlay.0: a.csv: there is no column T; there a"),
        ("overlay: [{file: a.csv, x: n, y: who}]", "overlay.0: a.csv: column who has other things"),
    ],
)
def test_plot_is_judged_before_anything_runs(study: Path, plot: str, complaint: str) -> None:
    study.with_name("a.csv").write_text("# of others\nn,t,e,who\n1,2,0.1,me\n")
    study.write_text(
        RIGHT.replace("where: {steps: 2}}", f"name: p}}\n  - {{x: eta, y: wall_s, {plot}}}")
    )
    found = judged(study)
    assert len(found) == bool(complaint)
    assert "".join(found).startswith(f"study.yaml:13: plots.1.{complaint}" if complaint else "")


def test_points_are_not_laid_over_words(study: Path) -> None:
    study.with_name("a.csv").write_text("n,t\n1,2\n")
    overlay = "overlay: [{file: a.csv, x: n, y: t}], where"
    study.write_text(RIGHT.replace("error_99", "step").replace("colour: step, where", overlay))
    problem = "step has words, among which points have no place; remove it"
    assert judged(study) == [f"study.yaml:12: plots.0.overlay: {problem}"]


def test_energy_is_not_plotted_over_sizes_where_softening_and_steps_follow_them(
    study: Path,
) -> None:
    run = "model: nfw, accuracy: 1, steps: 64, particles: [8, 16, 32]"
    plot = "{x: particles, y: energy_drift_max}"
    text = f"study: s\nruns: {{grids: [{{{run}}}]}}\nplots: [{plot}]\n"
    study.write_text(text)
    (found,) = judged(study)
    assert (
        "energy_drift_max grows with time, but as many steps span other times where part" in found
    )
    study.write_text(text.replace("steps", "softening: 0.1, steps"))
    assert judged(study) == []  # whether times differ is known at the end alone
    study.write_text(text.replace("nfw", "plummer"))  # which has a softening of its own
    assert judged(study) == []


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "study.yaml: is empty; write study: NAME"),
        (b"# nothing\n", "study.yaml: is empty; write study: NAME"),
        (b"- a\n", "study.yaml: has other things than keys; write study: NAME"),
        (b"hello", "study.yaml: has other things than keys; write study: NAME"),
        (b"null", "study.yaml: has other things than keys; write study: NAME"),
        (b"a:\tb", r"study.yaml:1: found character '\\t' that cannot start any token; correct"),
        (b"study: \x01", "study.yaml: is no text; write YAML in UTF-8"),
        (b"\xff\xfe\x00", "study.yaml: is no text; write YAML in UTF-8"),
        (b"study: a\n---\nstudy: b\n", "study.yaml:2: but found another document; correct"),
    ],
)
def test_file_that_is_no_mapping_is_refused(study: Path, content: bytes, complaint: str) -> None:
    study.write_bytes(content)
    with pytest.raises(DataError, match=f"^{complaint}"):
        composed(Path("study.yaml"))


def test_all_mistakes_are_told_in_the_order_of_lines(study: Path, judge: Judge) -> None:
    text = RIGHT.replace("plummer", "plumer").replace("step:", "stepp:").replace("0.1}", "-1}")
    study.write_text(text.replace("study: small", "study: small\nstudy: large"))
    lines = [int(line.split(":")[1]) for line in judged(study, judge=judge)]
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
        ("", "study.yaml: is empty; write study: NAME and what docs/studies.md tells"),
        ("study: &a [*a]\n", "study.yaml: an alias stands for what it is in; write it out"),
        ("? [a]\n: 3\n", "study.yaml: Config file is not valid JSON or YAML."),
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
