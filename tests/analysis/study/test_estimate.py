from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from analysis.errors import DataError
from analysis.reading.csv_tables import read_table
from analysis.study.configuration import numbered
from analysis.study.estimate import (
    CPU,
    DRAWN,
    EXACT,
    GPU,
    PAIRS_OF_GPU,
    STATE,
    Estimate,
    estimate,
    hours,
    rounded_up,
    seconds_of_run,
    size,
)
from analysis.study.parameters import Parameters, runs_by_path
from analysis.study.samples import Course, Force, Samples
from analysis.study.schema import filled, rules, run_defaults
from tests.conftest import ROOT

PAIR = 2.5e-10  # seconds of a pair on a core of the machines below
FORCE = Force(particles=8192, pairs=1000, walk_s=1000 * PAIR, tree_s=4e-8, step_s=1e-8)
COURSE = Course(steps=100, active=0.1, tree_interval=4, states=3)


def with_speed(force: Force) -> Force:
    """Give a force the speed of one core of an AMD EPYC with AVX-512, revision fb4f859."""
    return replace(force, walk_s=PAIR * force.pairs, tree_s=3e-8, step_s=1.2e-8)


class Told:
    """Samples whose programs tell the same of all runs."""

    def course(self, parameters: Parameters) -> Course:
        return replace(COURSE, steps=parameters.get("steps", COURSE.steps))

    def force(self, _: Parameters) -> Force:
        return FORCE

    def exact_pair(self, _parameters: Parameters, _precision: str) -> float:
        return 2 * PAIR

    def drawing(self, _: Parameters) -> float:
        return 0.5

    def particles(self, parameters: Parameters) -> int:
        return parameters["particles"]


def study(text: str, **given: object) -> dict:
    return filled(numbered(yaml.safe_load(text) | given), rules())


STUDY = """
study: one
snapshots: true
checkpoint_interval: 0
reference: {targets: 1024}
runs:
  defaults: {model: nfw, particles: 2^20, accuracy: 2^-7, steps: 10}
  list: [{repeats: 2}]
"""
NODES = {
    "cores": {"devices": ["cpu"], "threads": 16},
    "cards": {"devices": ["cuda", "auto"], "threads": 4},
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- Work and seconds


def test_few_particles_feel_each_other_and_many_what_the_accuracy_asks_for() -> None:
    assert FORCE.pairs_among(8192) == pytest.approx(1000)
    assert FORCE.pairs_among(16) == pytest.approx(16, rel=1e-3)
    assert 1000 < FORCE.pairs_among(1e9) < 1010
    nearly_direct = replace(FORCE, pairs=8000)
    assert nearly_direct.pairs_among(1e9) > 4 * 8192


def test_run_takes_its_forces_and_its_steps() -> None:
    speed = replace(CPU, threads=2)
    n = 8192
    walk, besides = n * FORCE.walk_s, n * (1e-8 + 4e-8 / 4)
    expected = speed.start + n * speed.file + walk + 100 * (0.1 * walk + besides) / 2
    assert seconds_of_run(n, COURSE, FORCE, speed) == pytest.approx(expected)
    slow = replace(speed, step=7)
    assert seconds_of_run(n, COURSE, FORCE, slow) == pytest.approx(700, rel=0.01)


def test_dry_run_tells_the_course(programs: Path, tmp_path: Path) -> None:
    text = (
        "  each snapshot             229 kB                   3 of them\n"
        "  active particles          7.01 %                   mean of the steps\n"
        "  steps with one tree       2.4\n  steps in all              32\n"
    )
    assert Course.read(text) == Course(32, pytest.approx(0.0701), 2.4, 3)
    with pytest.raises(DataError, match="does not tell steps with one tree; build"):
        Course.read(text.replace("with one", "with 1"))
    samples = Samples(programs, tmp_path / "samples.json")
    run = run_defaults() | {"model": "plummer", "particles": 2**20, "accuracy": 2**-7, "input": ""}
    course = samples.course(run | {"time": 2, "snapshot_count": 4})
    assert 2 / 0.25 <= course.steps <= 2 / 2**-10
    assert course.states == 5
    assert 0.05 < course.active < 1


def test_what_the_programs_told_is_kept(programs: Path, tmp_path: Path) -> None:
    kept = tmp_path / "study" / "samples.json"
    run = run_defaults() | {"model": "plummer", "particles": 64, "accuracy": 2**-7, "input": ""}
    first = Samples(programs, kept)
    told = first.force(run)
    first.keep()
    again = Samples(programs, kept)
    again.call = None  # nothing is drawn anew
    assert again.force(run) == told
    content = json.loads(kept.read_text())
    kept.write_text(json.dumps(content | {"origin": "other programs"}))
    assert Samples(programs, kept).known == {}


def test_input_is_sampled(programs: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "mine.h5"
    model = ROOT / "config" / "models" / "plummer.toml"
    words = [programs / "gothic-ic", model, "--particles", "40000", "--output", drawn]
    subprocess.run(words, check=True, capture_output=True)
    run = run_defaults() | {"input": str(drawn), "accuracy": 2**-7}
    samples = Samples(programs, tmp_path / "samples.json")
    assert samples.particles(run) == 40000
    force = samples.force(run)
    assert 8192 <= force.particles < 16384
    own = run_defaults() | {"model": "plummer", "particles": 40000, "accuracy": 2**-7, "input": ""}
    assert force.pairs == pytest.approx(samples.force(own).pairs, rel=0.2)


# --- Against what studies took


def test_estimate_is_what_runs_on_a_gpu_took(programs: Path, tmp_path: Path) -> None:
    table = read_table(ROOT / "analysis" / "measured" / "h200" / "h200" / "runs.csv")
    table = table[table["wall_s"].notna() & (table["particles"] == 2**23)]
    samples = Samples(programs, tmp_path / "samples.json")
    speed, rows = replace(GPU, threads=PAIRS_OF_GPU * PAIR), []
    for row in table.to_dict("records"):
        names = ("model", "particles", "criterion", "accuracy", "step", "eta", "softening")
        own = {name: row[name] for name in names} | {"steps": int(row["steps"])}
        run = run_defaults() | own | {"order": "point", "input": ""}
        force = with_speed(samples.force(run))
        rows.append(seconds_of_run(row["particles"], samples.course(run), force, speed))
    assert len(rows) > 40
    ratios = np.array(rows) / table["wall_s"]
    assert 0.5 < sum(rows) / table["wall_s"].sum() < 2
    assert 0.6 < np.median(ratios) < 1.6
    assert np.mean((ratios > 1 / 3) & (ratios < 3)) > 0.9


def test_quick_study_takes_two_minutes(programs: Path) -> None:
    """Its runs took 74 s on two cores of an AMD EPYC, revision fb4f859, and all of it 116 s."""

    class Fixed(Samples):
        def force(self, parameters: Parameters) -> Force:
            return with_speed(super().force(parameters))

        def exact_pair(self, _parameters: Parameters, _precision: str) -> float:
            return 6.5e-10

        def drawing(self, parameters: Parameters) -> float:
            super().drawing(parameters)
            return 0.8

    config = study((ROOT / "config" / "quick.yaml").read_text())
    found = Estimate(config, Fixed(programs, Path("samples.json")), 2)
    of_runs = sum(found.run(run).seconds for run in found.runs.values())
    assert 74 / 2 < of_runs < 74 * 2
    assert 116 / 2 < found.needs[""].seconds < 116 * 2
    assert 103e6 / 2 < found.needs[""].disk < 103e6 * 2


def test_memory_is_what_the_dry_run_tells(programs: Path, tmp_path: Path) -> None:
    n = 2**17
    ic = tmp_path / "ic.h5"
    model = ROOT / "config" / "models" / "plummer.toml"
    words = [programs / "gothic-ic", model, "--particles", str(n), "--output", ic]
    subprocess.run(words, check=True, capture_output=True)
    words = ["run", "--input", ic, "--output", "run", "--steps", "1", "--dry-run"]
    done = subprocess.run([programs / "gothic", *words], check=True, capture_output=True, text=True)
    told = float(re.search(r"of the host, at most +(\S+) MB", done.stdout)[1]) * 1e6
    assert CPU.base + n * CPU.particle == pytest.approx(told, rel=0.3)


# --- Studies


def test_needs_are_those_of_all_parts() -> None:
    n = 2**20
    found = Estimate(study(STUDY), Told(), cores=2)
    need = found.needs[""]
    logs = need.disk - n * DRAWN - 1024 * EXACT - 2 * n * STATE
    assert 1e6 < logs < 2e6
    assert need.memory == CPU.base + n * CPU.particle
    one = found.run(next(iter(found.runs.values())))
    assert need.seconds > 2 * one.seconds + n * 1024 * 2 * PAIR / 2
    first, second = found.lines()
    assert first.startswith("study one: 2 runs, 0 benches, 1 direct sum")
    assert second.startswith("  this machine, 2 cores, no GPU: about 1 min, 162 MB on disk, 298 MB")


def test_what_is_done_is_not_counted() -> None:
    config = study(STUDY)
    path = next(iter(runs_by_path(config["runs"], run_defaults())))
    row = Path("results/one/runs") / path / "run.json"
    row.parent.mkdir(parents=True)
    before = Estimate(config, Told(), cores=2)
    row.write_text("{}")
    assert (len(before.runs), len(Estimate(config, Told(), cores=2).runs)) == (2, 1)
    ic = Path("results/one/ic/model~nfw/particles~1048576/seed~1")
    (ic / "softening~0").mkdir(parents=True)
    (ic / "ic.h5").touch()
    (ic / "softening~0" / "reference.h5").touch()
    found = Estimate(config, Told(), cores=2)
    assert (found.drawings(), found.references) == ({}, {})


def test_each_node_type_has_its_work() -> None:
    runs = "  list: [{repeats: 2}, {device: cpu}]"
    config = study(STUDY.replace("  list: [{repeats: 2}]", runs), nodes=NODES)
    found = Estimate(config, Told(), cores=2)
    on_cores, on_cards = found.needs["cores"], found.needs["cards"]
    assert on_cores.memory < on_cards.memory  # the CUDA context
    names = [line.split(":")[0].strip() for line in found.lines()]
    assert names == ["study one", "cards", "cores"]
    assert found.refusal() == ""
    run = next(run for run in found.runs.values() if run["device"] == "cpu")
    alone = Estimate(study(STUDY), Told(), cores=2).run(run)
    assert found.run(run).seconds < alone.seconds


def test_more_threads_and_a_gpu_are_faster() -> None:
    config = study(STUDY.replace("2^20", "2^23"))
    seconds = [
        Estimate(config, Told(), cores, gpu).needs[""].seconds
        for cores, gpu in ((1, False), (2, False), (16, False), (16, True))
    ]
    assert seconds == sorted(seconds, reverse=True)
    assert 1.5 < seconds[0] / seconds[1] <= 2


def test_long_study_is_refused_unless_it_is_allowed() -> None:
    text = STUDY.replace("steps: 10", "steps: 9000000")
    found = Estimate(study(text), Told(), cores=2)
    told = hours(found.needs[""].seconds)
    refusal = found.refusal()
    assert f"would take about {told} here, more than the 24 h" in refusal
    allowed = int(re.search(r"HOURS=(\d+)", refusal)[1])
    assert Estimate(study(text, hours=allowed), Told(), cores=2).refusal() == ""
    assert Estimate(study(text, hours=0), Told(), cores=2).refusal() == ""
    assert Estimate(study(text, nodes=NODES), Told(), cores=2).refusal() == ""
    assert Estimate(study(STUDY), Told(), cores=2).refusal() == ""


def test_study_for_a_gpu_is_refused_where_there_is_none() -> None:
    config = study(STUDY.replace("steps: 10", "steps: 10, device: cuda"))
    refusal = Estimate(config, Told(), cores=2, gpu=False).refusal()
    assert re.search(
        r"runs on device cuda, about \d+ min with one H200, but .* write device: cpu", refusal
    )
    assert Estimate(config, Told(), cores=2, gpu=True).refusal() == ""


def test_time_is_not_told_before_the_programs_are_built() -> None:
    *_, line, last = Estimate(study(STUDY), None, cores=2).lines()
    assert "time unknown, 162 MB on disk, 298 MB" in line
    assert last == "  no time: it is told once the programs are built: make build"


def test_run_that_fails_does_not_stop_the_study(programs: Path) -> None:
    text = STUDY.replace("2^20", "1024").replace("list: [", "list: [{sharing: 32}, ")
    *_, last = estimate(study(text), programs, cores=2).lines()
    assert re.match(r"  no time: sharing: at most \d+ lanes", last)


def judged(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "analysis.study.configuration", *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(ROOT)}
    )


def test_study_of_the_paper_does_not_begin_on_two_cores(programs: Path) -> None:
    given = json.dumps({"programs": str(programs), "runs": {"defaults": {"device": "cpu"}}})
    done = judged(ROOT / "config" / "paper.yaml", "--given", given, "--cores", "2")
    if ", a GPU:" in done.stdout:
        pytest.skip("there is a GPU")
    assert re.search(r"\d{3} runs, 7 benches, \d+ direct sums", done.stdout)
    assert done.returncode == 2
    assert re.fullmatch(r"study paper: would take about \d+ h here.* HOURS=\d+.*\n", done.stderr)
    assert Path("results/paper/samples.json").exists()


def test_numbers_are_short() -> None:
    assert [hours(s) for s in (10, 3000, 5400, 1.3e6)] == ["1 min", "50 min", "1.5 h", "360 h"]
    assert [size(b) for b in (1, 5.5e8, 2.34e9, 5e12)] == ["1 MB", "550 MB", "2.3 GB", "5 TB"]
    assert [rounded_up(x) for x in (0.4, 7.2, 36, 397)] == [1, 8, 36, 400]
