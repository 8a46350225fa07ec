"""The comparison of expected and actual times."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.expected import main, seconds


@pytest.mark.parametrize(
    ("text", "value"),
    [("3.4 ms", 3.4e-3), ("25 us", 25e-6), ("42 s", 42), ("1 min 05 s", 65), ("2 h 03 min", 7380)],
)
def test_durations_are_read(text: str, value: float) -> None:
    assert seconds(text) == pytest.approx(value)


def test_every_model_and_size_has_a_line(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--particles", "1024", "4096", "--steps", "8", "--repeats", "1"]
    main(["--programs", str(programs), "--models", "plummer", "nfw", *sizes])
    _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["plummer", "1024"],
        ["plummer", "4096"],
        ["nfw", "1024"],
        ["nfw", "4096"],
    ]
    assert all(float(line.split()[2]) > 0 for line in lines)
