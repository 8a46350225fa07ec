"""The measurements of gothic bench, with few particles: what the tables hold, not how fast."""

from __future__ import annotations

import csv
import math
import re
import resource
import tomllib
from pathlib import Path

import pytest

from analysis.files import read_attributes
from tests.programs.gothic import Gothic, limited
from tests.programs.snapshots import sphere, write_snapshot

PROVENANCE = ["threads", "device", "revision", "version", "compiler", "command_line"]
SPREAD = ["seconds", "seconds_min", "seconds_max"]
COLUMNS = {
    "peak": [
        *["measurement", "sources", "targets", "interactions", *SPREAD],
        *["interactions/s", "bytes", "bytes/s"],
    ],
    "walk": [
        *["particles", "root", "groups", "cells_judged", "interactions", "interactions/particle"],
        *[f"{stage}_{name}" for stage in ("groups", "moments", "walk") for name in SPREAD],
        *["interactions/s", "direct_interactions/s", "walk_over_direct"],
    ],
    "tree": ["stage", "particles", "cells", "levels", *SPREAD, "ns/particle", "bytes/particle"],
    "sharing": [
        *["active", "choice", "group_size", "lanes_sharing", "groups", "interactions", *SPREAD],
        *["seconds_over_best", "interactions/s"],
    ],
    "balls": [
        *["ball", "group_size", "groups"],
        *[f"radius_over_smallest_{name}" for name in ("mean", "median", "p95", "p99", "max")],
        *[f"{stage}{name}" for stage in ("", "walk_") for name in SPREAD],
        *["interactions", "cells_judged"],
    ],
    "crossover": [
        *["particles", "root"],
        *[f"{stage}_{name}" for stage in ("sort", "walk", "tree", "direct") for name in SPREAD],
        "direct_over_tree",
    ],
    "tune": [
        *["function", "model", "threads_per_block", "sharing_threads", "sharing", "registers"],
        *["list_capacity", "leaf_capacity", "group_size", "ball", "seconds", "seconds_over_best"],
        *["error_99", "chosen"],
    ],
}
HISTOGRAM = ["ball", "radius_low", "radius_high", "ratio_low", "ratio_high", "groups"]
BALLS = ["geo", "ebs", "seb", "com", "cmp"]
ONE_ROW = ("walk", "crossover")
SIZES = ["list_capacity", "leaf_capacity", "group_size", "ball"]
INPUT = {"peak": ["--particles", "256", "--buffer-bytes", "65536"]}
WALK = ["bench", "walk", "--input", "ic.h5"]
QUICK = ["--device", "cpu", "--threads", "1", "--repeats", "2"]

Row = dict[str, str]


def command(word: str) -> list[str]:
    return ["bench", word, *INPUT.get(word, ["--input", "ic.h5"]), *QUICK]


def read_rows(gothic: Gothic, name: str, columns: list[str]) -> list[Row]:
    """Read a table, which must have these columns."""
    with (gothic.folder / name).open(newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == columns + PROVENANCE
    assert {len(line) for line in lines} == {len(lines[0])}
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def measure(gothic: Gothic, word: str, *options: object) -> list[Row]:
    """Run a measurement and read its table."""
    text = gothic.done(*command(word), *options, "--output", "out.csv")
    assert gothic.names() == {"ic.h5", "out.csv"}
    rows = read_rows(gothic, "out.csv", COLUMNS[word])
    for row in rows:
        assert row["threads"] == "1"
        assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?|unknown", row["revision"])
        assert re.fullmatch(r"\d+\.\d+\.\d+", row["version"])
        assert row["compiler"]
        assert f"bench {word} " in row["command_line"]
        assert text.startswith(f"gothic bench {word}: {row['device']}, threads: 1, revision: ")
    return rows


def expect_spread(row: Row, prefix: str = "") -> float:
    """Expect minimum, median and maximum in order; return the median."""
    low, median, high = (float(row[f"{prefix}seconds{end}"]) for end in ("_min", "", "_max"))
    assert 0 < low <= median <= high < 60
    return median


def number(row: Row, name: str) -> float:
    return float(row[name])


def test_peak_rates_are_pairs_and_bytes_over_seconds(gothic: Gothic) -> None:
    *sums, copy = measure(gothic, "peak")
    names = ["direct_newton", "direct_estimate", "direct_double"]
    assert [row["measurement"] for row in sums] == names
    for row in sums:
        assert row["sources"] == "256"
        assert number(row, "interactions") == 256 * number(row, "targets")
        expected = number(row, "interactions") / expect_spread(row)
        assert number(row, "interactions/s") == pytest.approx(expected)
        assert row["bytes"] == row["bytes/s"] == ""
    assert copy["measurement"] == "copy"
    assert copy["bytes"] == str(2 * 65536)
    assert number(copy, "bytes/s") == pytest.approx(number(copy, "bytes") / expect_spread(copy))
    assert copy["sources"] == copy["interactions"] == ""


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--accuracy", "0.0001"],
        ["--mac", "opening", "--group-size", "8"],
        ["--mac", "multipole", "--leaf-capacity", "4", "--root", "newton"],
    ],
    ids=" ".join,
)
def test_walk_is_that_of_gothic_force(gothic: Gothic, options: list[str]) -> None:
    (row,) = measure(gothic, "walk", *options)
    (gothic.folder / "out.csv").unlink()
    gothic.done(
        "force", "--input", "ic.h5", "--output", "out.h5", "--device", "cpu", "--threads", "1",
        *options,
    )  # fmt: skip
    timing = read_attributes(gothic.folder / "out.h5", "Timing")
    assert row["particles"] == "512"
    assert row["groups"] == str(timing["groups_count"])
    for name in ("interactions", "cells_judged"):
        assert row[name] == str(timing[name])
    assert number(row, "interactions/particle") == number(row, "interactions") / 512
    for stage in ("groups_", "moments_"):
        expect_spread(row, stage)
    rate = number(row, "interactions") / expect_spread(row, "walk_")
    assert number(row, "interactions/s") == pytest.approx(rate)
    assert number(row, "walk_over_direct") == pytest.approx(
        rate / number(row, "direct_interactions/s")
    )
    if "newton" in options:
        assert row["root"] == "newton"


def test_tree_has_its_stages(gothic: Gothic) -> None:
    rows = measure(gothic, "tree", "--leaf-capacity", "8")
    stages = ["keys", "sort", "build", "groups", "moments", "predict"]
    assert [row["stage"] for row in rows] == stages
    for row in rows:
        assert row["particles"] == "512"
        assert 512 / 8 < number(row, "cells") < 2 * 512
        assert 3 <= number(row, "levels") <= 22
        assert number(row, "ns/particle") == pytest.approx(1e9 * expect_spread(row) / 512)
        assert number(row, "bytes/particle") > 100


class TestSharing:
    """Active particles and group sizes."""

    def test_every_group_size_is_measured(self, gothic: Gothic) -> None:
        rows = measure(gothic, "sharing")
        sizes = {int(row["group_size"]) for row in rows}
        assert sizes >= {1, 2, 4, 8, 16}
        assert sizes <= {1, 2, 4, 8, 16, 32, 64}
        most = max(int(row["lanes_sharing"]) for row in rows)
        for active in (512, 256, 128, 64):
            own = [row for row in rows if row["active"] == str(active)]
            given, equal, (auto,) = (
                [row for row in own if row["choice"] == choice]
                for choice in ("given", "equal", "auto")
            )
            assert own == [*given, *equal, auto]
            for some in (given, equal):
                assert [int(row["group_size"]) for row in some] == sorted(sizes, reverse=True)
                assert min(number(row, "seconds_over_best") for row in some) == 1
            for row in own:
                size = int(row["group_size"])
                assert number(row, "groups") == -(-active // size)
                assert int(row["lanes_sharing"]) == max(1, most // size)
            (same,) = (row for row in equal if row["group_size"] == auto["group_size"])
            assert auto["interactions"] == same["interactions"]
            best = min(number(row, "seconds") for row in equal)
            over_best = number(auto, "seconds") / best
            assert number(auto, "seconds_over_best") == pytest.approx(over_best)
            # Neighbours make the balls of small groups wider.
            assert number(equal[-1], "interactions") > number(given[-1], "interactions")
        assert len(rows) == 4 * (2 * len(sizes) + 1)

    def test_pairs_are_those_of_the_active_particles(self, gothic: Gothic) -> None:
        accurate = ["--mac", "opening", "--accuracy", "1e-6"]
        for row in measure(gothic, "sharing", *accurate):
            assert number(row, "interactions") == 512 * number(row, "active")
            rate = number(row, "interactions") / expect_spread(row)
            assert number(row, "interactions/s") == pytest.approx(rate)

    def test_one_group_size_alone(self, gothic: Gothic) -> None:
        rows = measure(gothic, "sharing", "--group-size", "4")
        assert {row["group_size"] for row in rows if row["choice"] == "given"} == {"4"}


class TestBalls:
    """Enclosing balls of all kinds."""

    def test_smallest_is_the_smallest(self, gothic: Gothic) -> None:
        rows = measure(gothic, "balls")
        assert [row["ball"] for row in rows] == BALLS
        for row in rows:
            radii = [number(row, name) for name in COLUMNS["balls"][3:8]]
            assert radii[1:] == sorted(radii[1:])
            assert min(radii) >= 1
            assert (max(radii) == 1) == (row["ball"] == "seb")
            expect_spread(row)
            expect_spread(row, "walk_")
        assert number(rows[4], "radius_over_smallest_max") <= min(
            number(rows[k], "radius_over_smallest_max") for k in (0, 3)
        )

    @pytest.mark.parametrize("ball", BALLS)
    def test_walk_is_that_of_gothic_force(self, gothic: Gothic, ball: str) -> None:
        (row,) = (row for row in measure(gothic, "balls", "--ball", ball) if row["ball"] == ball)
        (gothic.folder / "out.csv").unlink()
        gothic.done(
            "force", "--input", "ic.h5", "--output", "out.h5", "--device", "cpu", "--ball", ball
        )
        timing = read_attributes(gothic.folder / "out.h5", "Timing")
        assert row["groups"] == str(timing["groups_count"])
        for name in ("interactions", "cells_judged"):
            assert row[name] == str(timing[name])

    def test_histogram_counts_every_group_once(self, gothic: Gothic) -> None:
        gothic.done(*command("balls"), "--output", "out.csv", "--histogram", "histogram.csv")
        assert gothic.names() == {"ic.h5", "out.csv", "histogram.csv"}
        table = {row["ball"]: row for row in read_rows(gothic, "out.csv", COLUMNS["balls"])}
        bins = read_rows(gothic, "histogram.csv", HISTOGRAM)
        assert list(dict.fromkeys(row["ball"] for row in bins)) == BALLS
        for row in bins:
            assert number(row, "radius_high") == pytest.approx(10**0.1 * number(row, "radius_low"))
            if row["ratio_high"]:
                assert number(row, "ratio_high") == pytest.approx(number(row, "ratio_low") + 0.01)
            else:
                assert number(row, "ratio_low") == 2
        for ball in BALLS:
            own = [row for row in bins if row["ball"] == ball]
            total = number(table[ball], "groups")
            assert sum(number(row, "groups") for row in own) == total
            mean = sum(number(row, "groups") * number(row, "ratio_low") for row in own) / total
            exact = number(table[ball], "radius_over_smallest_mean")
            assert mean <= exact * (1 + 1e-12)
            assert exact < mean + 0.01 + sum(not row["ratio_high"] for row in own)

    @pytest.mark.parametrize("model", ["nfw", "m31"])
    def test_smaller_balls_in_galaxies_save_pairs_and_ritters_is_near_the_smallest(
        self, gothic: Gothic, model: str
    ) -> None:
        toml = Path(__file__).parents[2] / f"config/models/{model}.toml"
        made = gothic.call(toml, "--particles", 20000, "--output", "ic.h5", program="gothic-ic")
        assert made.returncode == 0, made.stderr
        rows = {row["ball"]: row for row in measure(gothic, "balls")}
        pairs = {ball: number(row, "interactions") for ball, row in rows.items()}
        assert pairs["seb"] < pairs["geo"] < pairs["com"]
        ebs = rows["ebs"]
        assert number(ebs, "radius_over_smallest_median") < 1.05  # as published
        assert number(ebs, "radius_over_smallest_p95") < 1.16
        assert number(ebs, "radius_over_smallest_max") < 1.25  # published: 1.1

    def test_groups_in_one_point_have_a_ratio_of_one(self, gothic: Gothic) -> None:
        gothic.done(
            *command("balls"), "--group-size", "1",
            "--output", "out.csv", "--histogram", "histogram.csv",
        )  # fmt: skip
        for row in read_rows(gothic, "out.csv", COLUMNS["balls"]):
            assert number(row, "groups") == 512
            assert row["radius_over_smallest_max"] == "1"
        assert len((gothic.folder / "histogram.csv").read_text().splitlines()) == 1

    def test_histogram_has_a_place_of_its_own(self, gothic: Gothic) -> None:
        asked = command("balls")
        message = gothic.refused(*asked, "--histogram", "ic.h5")
        assert "--histogram ic.h5" in message
        assert "is the input" in message
        message = gothic.refused(*asked, "--output", "a.csv", "--histogram", "a.csv")
        assert "--histogram a.csv" in message
        assert "--output" in message


class TestTune:
    """Sizes that are found to be best."""

    def test_chosen_sizes_are_the_fastest(self, gothic: Gothic) -> None:
        write_snapshot(gothic.folder / "other.h5", sphere(600))
        text = gothic.done(*command("tune"), "--input", "other.h5", "--output", "out.csv")
        assert text.startswith("gothic bench tune: ")
        rows = read_rows(gothic, "out.csv", COLUMNS["tune"])
        walks = [row for row in rows if row["function"] == "walk"]
        tried = [row for row in walks if row["model"] == "all"]
        (chosen,) = (row for row in tried if row["chosen"] == "1")
        assert number(chosen, "seconds_over_best") < 1.03
        assert min(number(row, "seconds_over_best") for row in tried) == 1
        for name in SIZES:
            assert len({row[name] for row in tried}) >= 3, name  # groups of 64 need wide vectors
        assert len({tuple(row[name] for name in SIZES) for row in tried}) == len(tried)
        own = [row for row in walks if row["model"] != "all"]
        assert [row["model"] for row in own] == ["ic", "other"]
        for row in own:
            assert [row[name] for name in SIZES] == [chosen[name] for name in SIZES]
        mean = math.prod(number(row, "seconds") for row in own) ** 0.5
        assert number(chosen, "seconds") == pytest.approx(mean)
        others = {row["function"] for row in rows} - {"walk"}
        assert others == {"keys", "sort", "build", "groups", "moments", "predict", "correct"}
        assert all(number(row, "seconds") > 0 for row in rows)

    def test_defaults_are_options(self, gothic: Gothic) -> None:
        gothic.done(*command("tune"), "--output", "out.csv", "--defaults", "best.toml")
        best = tomllib.loads((gothic.folder / "best.toml").read_text())
        assert set(best) - {"group-size"} == {"leaf-capacity", "list-capacity", "ball"}
        (chosen,) = (
            row
            for row in read_rows(gothic, "out.csv", COLUMNS["tune"])
            if row["chosen"] == "1" and row["model"] == "all" and row["function"] == "walk"
        )
        for name, value in best.items():
            assert chosen[name.replace("-", "_")] == str(value)
        force = ["force", "--input", "ic.h5", "--output", "out.h5", "--device", "cpu"]
        gothic.done(*force, "--config", "best.toml")
        options = read_attributes(gothic.folder / "out.h5", "Options")
        assert {name: str(value) for name, value in best.items()}.items() <= options.items()

    def test_defaults_have_a_place_of_their_own(self, gothic: Gothic) -> None:
        assert "is the input" in gothic.refused(*command("tune"), "--defaults", "ic.h5")
        both = ["--output", "a.csv", "--defaults", "a.csv"]
        assert "--defaults a.csv" in gothic.refused(*command("tune"), *both)


def test_crossover_is_tree_beside_direct_sums(gothic: Gothic) -> None:
    for root in ("newton", "estimate"):
        (row,) = measure(gothic, "crossover", "--root", root)
        (gothic.folder / "out.csv").unlink()
        assert row["particles"] == "512"
        assert row["root"] == root
        parts = [expect_spread(row, f"{stage}_") for stage in ("sort", "walk")]
        tree, direct = (expect_spread(row, f"{stage}_") for stage in ("tree", "direct"))
        assert max(parts) < tree
        assert number(row, "direct_over_tree") == pytest.approx(direct / tree)


@pytest.mark.parametrize("word", COLUMNS)
def test_table_is_printed(gothic: Gothic, word: str) -> None:
    lines = gothic.done(*command(word)).splitlines()[1:]
    assert gothic.names() == {"ic.h5"}
    if word in ONE_ROW:  # names and values side by side
        assert [line.split()[0] for line in lines] == COLUMNS[word]
        assert len({len(line) for line in lines}) == 1
    else:
        assert lines[0].split() == COLUMNS[word]
        assert len({len(line) for line in lines}) == 1


def test_options_may_come_from_a_file(gothic: Gothic) -> None:
    (gothic.folder / "bench.toml").write_text('input = "ic.h5"\nrepeats = 1\nthreads = 1\n')
    text = gothic.done("bench", "tree", "--config", "bench.toml")
    assert ", threads: 1, " in text
    (gothic.folder / "bench.toml").write_text("particles = 8\n")
    message = gothic.refused("bench", "tree", "--config", "bench.toml")
    assert "bench.toml: particles: gothic bench tree has no such option" in message


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (
            ["bench"],
            [
                "bench: no such measurement",
                "use peak, walk, tree, sharing, balls, rebuild, extent, crossover or tune",
            ],
        ),
        (
            ["bench", "bogs"],
            [
                "bench bogs",
                "use peak, walk, tree, sharing, balls, rebuild, extent, crossover or tune",
            ],
        ),
        (["bench", "walk"], ["--input"]),
        (["bench", "tree", "--repeats", "3"], ["--input"]),
        (["bench", "sharing"], ["--input"]),
        (["bench", "walk", "--input", "nowhere.h5"], ["nowhere.h5", "no such file"]),
        (["bench", "peak", "--input", "ic.h5"], ["--input"]),
        (["bench", "peak", "--particles", "-1"], ["--particles", "-1"]),
        (["bench", "peak", "--particles", "many"], ["--particles", "many"]),
        (["bench", "peak", "--buffer-bytes", "-1"], ["--buffer-bytes", "-1"]),
        ([*WALK, "--repeats", "0"], ["--repeats", "0"]),
        ([*WALK, "--repeats", "1.5"], ["--repeats", "1.5"]),
        ([*WALK, "--steps", "2"], ["--steps"]),
        ([*WALK, "--particles", "8"], ["--particles"]),
        ([*WALK, "--histogram", "a.csv"], ["--histogram"]),
        ([*WALK, "--ball", "bouncing"], ["--ball", "bouncing", "cmp, com, ebs, geo, seb"]),
        ([*WALK, "--device", "abacus"], ["--device abacus", "use auto, cpu, cuda"]),
        ([*WALK, "--output", "ic.h5"], ["--output ic.h5", "is the input"]),
        ([*WALK, "--output", "nowhere/out.csv"], ["nowhere/out.csv: output: "]),
        ([*WALK, "--output", "."], [".: output: is a folder"]),
    ],
    ids=lambda value: " ".join(value).replace("/", "")[-40:] if "bench" in value else "",
)
def test_wrong_usage_is_refused(
    gothic: Gothic, arguments: list[str], complaints: list[str]
) -> None:
    message = gothic.refused(*arguments)
    for complaint in complaints:
        assert complaint in message


def test_full_disk_leaves_no_file(gothic: Gothic) -> None:
    limit = limited(resource.RLIMIT_FSIZE, 0)
    result = gothic.call(*command("walk"), "--output", "out.csv", limit=limit)
    assert result.returncode == 1
    assert "out.csv: cannot be written: " in result.stderr
    assert "free some space" in result.stderr
    assert gothic.names() == {"ic.h5"}


@pytest.mark.parametrize("word", COLUMNS)
def test_help_explains_every_option(gothic: Gothic, word: str) -> None:
    text = gothic.done("bench", word, "--help")
    for name in ("repeats", "output", "device", "threads", "config"):
        assert re.search(rf"^ +--{name} .*\w", text, re.MULTILINE)
    assert ("--input" in text) == (word != "peak")
    assert re.search(rf"^ +{word} +\w", gothic.done("bench", "--help"), re.MULTILINE)
