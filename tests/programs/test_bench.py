"""The measurements of gothic bench, with few particles: what the tables hold, not how fast."""

from __future__ import annotations

import csv
import math
import platform
import re
import resource

import pytest
import yaml

from analysis.reading.files import read_attributes
from tests.programs.gothic import Gothic, limited

INPUT = {"peak": ["--particles", "256", "--buffer-bytes", "65536"]}
WALK = ["bench", "walk", "--input", "ic.h5"]
QUICK = ["--device", "cpu", "--threads", "1", "--repeats", "2"]

Row = dict[str, str]


def command(word: str) -> list[str]:
    return ["bench", word, *INPUT.get(word, ["--input", "ic.h5"]), *QUICK]


def read_rows(gothic: Gothic, name: str) -> list[Row]:
    """Read a table without its head."""
    lines = (gothic.folder / name).read_text().splitlines(keepends=True)
    return list(csv.DictReader((line for line in lines if line[0] != "#"), strict=True))


def read_head(gothic: Gothic, name: str) -> dict[str, int | str]:
    """Read what made a table, which stands before it once."""
    lines = (gothic.folder / name).read_text().splitlines(keepends=True)
    return yaml.safe_load("".join(line[2:] for line in lines if line[0] == "#"))


def measure(gothic: Gothic, word: str, *options: object) -> list[Row]:
    """Run a measurement and read its table, which must tell where it comes from."""
    text = gothic.done(*command(word), *options, "--output", "out.csv")
    head = read_head(gothic, "out.csv")
    assert head["threads"] == 1
    assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?|unknown", head["revision"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", head["version"])
    assert head["compiler"]
    assert f"node={platform.node()}, " in head["machine"]
    assert f"bench {word} " in head["command_line"]
    assert text.startswith(f"gothic bench {word}: {head['device']}, threads: 1, revision: ")
    return read_rows(gothic, "out.csv")


def median(row: Row, prefix: str = "") -> float:
    """Return the median of the seconds, which must be between minimum and maximum."""
    low, middle, high = (float(row[f"{prefix}seconds{end}"]) for end in ("_min", "", "_max"))
    assert 0 < low <= middle <= high
    return middle


def number(row: Row, name: str) -> float:
    return float(row[name])


def expect_walk_of_force(gothic: Gothic, row: Row, *options: str) -> None:
    """Expect the counts of gothic force with the same options."""
    gothic.done("force", "--input", "ic.h5", "--output", "out.h5", *QUICK[:4], *options)
    timing = read_attributes(gothic.folder / "out.h5", "Timing")
    assert row["groups"] == str(timing["groups_count"])
    for name in ("interactions", "cells_judged"):
        assert row[name] == str(timing[name])


def test_peak_rates_are_pairs_and_bytes_over_seconds(gothic: Gothic) -> None:
    *sums, copy = measure(gothic, "peak")
    names = ["direct_newton", "direct_estimate", "direct_double"]
    assert [row["measurement"] for row in sums] == names
    for row in sums:
        pairs = 256 * number(row, "targets")
        assert number(row, "interactions") == pairs
        assert number(row, "interactions/s") == pytest.approx(pairs / median(row))
        assert row["bytes"] == row["bytes/s"] == ""
    assert copy["measurement"] == "copy"
    assert copy["bytes"] == str(2 * 65536)
    assert number(copy, "bytes/s") == pytest.approx(2 * 65536 / median(copy))
    assert copy["sources"] == copy["interactions"] == ""


@pytest.mark.parametrize(
    "options",
    ["", "--mac opening --group-size 8", "--mac multipole --leaf-capacity 4 --root newton"],
)
def test_walk_is_that_of_gothic_force(gothic: Gothic, options: str) -> None:
    (row,) = measure(gothic, "walk", *options.split())
    expect_walk_of_force(gothic, row, *options.split())
    assert row["particles"] == "512"
    assert number(row, "interactions/particle") == number(row, "interactions") / 512
    rate = number(row, "interactions") / median(row, "walk_")
    assert number(row, "interactions/s") == pytest.approx(rate)
    over_direct = rate / number(row, "direct_interactions/s")
    assert number(row, "walk_over_direct") == pytest.approx(over_direct)
    assert row["root"] == "newton" or "newton" not in options


def test_tree_has_its_stages(gothic: Gothic) -> None:
    rows = measure(gothic, "tree", "--leaf-capacity", "8")
    stages = ["keys", "sort", "build", "groups", "moments", "predict", "correct"]
    assert [row["stage"] for row in rows] == stages
    for row in rows:
        assert 512 / 8 < number(row, "cells") < 2 * 512
        assert 3 <= number(row, "levels") <= 22
        assert number(row, "ns/particle") == pytest.approx(1e9 * median(row) / 512)
        assert number(row, "bytes/particle") > 100


def test_sharing_measures_every_group_size(gothic: Gothic) -> None:
    rows = measure(gothic, "sharing", "--mac", "opening", "--accuracy", "1e-6")
    sizes = {int(row["group_size"]) for row in rows}
    assert {1, 2, 4, 8, 16} <= sizes <= {1, 2, 4, 8, 16, 32, 64}
    for active in (512, 256, 128, 64):
        own = [row for row in rows if row["active"] == str(active)]
        given, equal, auto = (
            [row for row in own if row["choice"] == choice] for choice in ("given", "equal", "auto")
        )
        assert own == [*given, *equal, *auto]
        assert len(auto) == 1
        for some in (given, equal):
            assert [int(row["group_size"]) for row in some] == sorted(sizes, reverse=True)
            assert min(number(row, "seconds_over_best") for row in some) == 1
        for row in own:
            assert number(row, "groups") == -(-active // int(row["group_size"]))
            pairs = 512 * active  # so small an opening angle opens every cell
            assert number(row, "interactions") == pairs
            assert number(row, "interactions/s") == pytest.approx(pairs / median(row))
    assert len(rows) == 4 * (2 * len(sizes) + 1)


def test_balls_are_measured_by_the_smallest(gothic: Gothic) -> None:
    rows = measure(gothic, "balls", "--histogram", "histogram.csv")
    assert [row["ball"] for row in rows] == ["geo", "ebs", "seb", "com", "cmp"]
    bins = read_rows(gothic, "histogram.csv")
    assert read_head(gothic, "histogram.csv") == read_head(gothic, "out.csv")
    for row in rows:
        names = ("mean", "median", "p95", "p99", "max")
        radii = [number(row, f"radius_over_smallest_{name}") for name in names]
        assert radii[1:] == sorted(radii[1:])
        assert min(radii) >= 1
        assert (max(radii) == 1) == (row["ball"] == "seb")
        median(row)
        median(row, "walk_")
        counts = [number(one, "groups") for one in bins if one["ball"] == row["ball"]]
        assert sum(counts) == number(row, "groups")


@pytest.mark.parametrize("ball", ["geo", "com"])
def test_walk_with_a_ball_is_that_of_gothic_force(gothic: Gothic, ball: str) -> None:
    (row,) = (row for row in measure(gothic, "balls", "--ball", ball) if row["ball"] == ball)
    expect_walk_of_force(gothic, row, "--ball", ball)


@pytest.mark.parametrize("root", ["newton", "estimate"])
def test_crossover_is_tree_beside_direct_sums(gothic: Gothic, root: str) -> None:
    (row,) = measure(gothic, "crossover", "--root", root)
    assert (row["particles"], row["root"]) == ("512", root)
    sort, walk, tree, direct = (
        median(row, f"{stage}_") for stage in ("sort", "walk", "tree", "direct")
    )
    assert max(sort, walk) < tree
    assert number(row, "direct_over_tree") == pytest.approx(direct / tree)


def test_domains_tell_how_fast_ranks_would_be(gothic: Gothic) -> None:
    rows = measure(gothic, "domains", "--bandwidth", "1e6", "--latency", "0.001")
    assert [int(row["domains"]) for row in rows] == [1, 2, 4, 8]
    for row in rows:
        domains = number(row, "domains")
        assert row["timed_domains"] == row["domains"]
        assert number(row, "particles_mean") == 512 / domains
        assert number(row, "particles_mean") <= number(row, "particles_largest")
        assert number(row, "cost_imbalance") >= 1
        assert (
            number(row, "opened_trees_largest") <= domains - 1 <= number(row, "remote_cells_mean")
        )
        assert number(row, "sent_bytes_mean") == number(row, "received_bytes_mean")
        for kind, part in (("step", "sent"), ("construction", "topology")):
            compute, messages, size, seconds, efficiency = (
                number(row, f"{kind}_{name}")
                for name in ("compute_seconds", "messages", "bytes", "seconds", "efficiency")
            )
            assert messages >= math.log2(domains) + domains - 1
            assert size >= number(row, f"{part}_bytes_largest")
            assert seconds == pytest.approx(compute + 0.001 * messages + 1e-6 * size)
            alone = number(rows[0], f"{kind}_seconds")
            assert efficiency == pytest.approx(alone / (domains * seconds))
    assert number(rows[0], "step_messages") == number(rows[0], "construction_bytes") == 0


def test_domains_are_the_same_on_any_number_of_threads(gothic: Gothic) -> None:
    one = measure(gothic, "domains")
    arguments = ["--input", "ic.h5", "--device", "cpu", "--threads", "2", "--repeats", "1"]
    gothic.done("bench", "domains", *arguments, "--output", "out.csv")
    varies = re.compile(r".*(seconds|efficiency)")
    counts = [{key: row[key] for key in row if not varies.fullmatch(key)} for row in one]
    for row, other in zip(counts, read_rows(gothic, "out.csv"), strict=True):
        assert row == {key: other[key] for key in row}


@pytest.mark.parametrize("word", ["peak", "walk"])  # many rows; one row, printed as a column
def test_table_is_printed(gothic: Gothic, word: str) -> None:
    lines = gothic.done(*command(word), "--output", "out.csv").splitlines()[1:]
    columns = list(read_rows(gothic, "out.csv")[0])
    names = [line.split()[0] for line in lines] if word == "walk" else lines[0].split()
    assert names == columns
    assert len({len(line) for line in lines}) == 1


def test_options_may_come_from_a_file(gothic: Gothic) -> None:
    (gothic.folder / "bench.toml").write_text('input = "ic.h5"\nrepeats = 1\nthreads = 1\n')
    assert ", threads: 1, " in gothic.done("bench", "tree", "--config", "bench.toml")
    assert gothic.names() == {"ic.h5", "bench.toml"}


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (["bench"], ["A subcommand is required", "see gothic bench --help"]),
        (["bench", "bogs"], ["bogs", "peak, walk, tree"]),
        (["bench", "walk"], ["--input"]),
        (["bench", "peak", "--input", "ic.h5"], ["--input"]),
        (["bench", "peak", "--particles", "many"], ["--particles", "many"]),
        ([*WALK, "--repeats", "0"], ["--repeats", "0"]),
        ([*WALK, "--histogram", "a.csv"], ["--histogram"]),
        ([*WALK, "--latency", "1e-6"], ["--latency"]),
        ([*command("domains"), "--bandwidth", "0"], ["--bandwidth", "0"]),
        ([*WALK, "--output", "ic.h5"], ["--output ic.h5", "is the input"]),
        ([*WALK, "--output", "ic.h5/out.csv"], ["ic.h5: the folder cannot be made"]),
        ([*WALK, "--output", "."], [".: output: is a folder"]),
        ([*command("balls"), "--histogram", "ic.h5"], ["--histogram ic.h5", "is the input"]),
        (
            [*command("balls"), "--output", "a.csv", "--histogram", "a.csv"],
            ["--histogram a.csv", "--output"],
        ),
    ],
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
    assert gothic.names() == {"ic.h5"}
