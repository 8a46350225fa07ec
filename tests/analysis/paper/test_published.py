from __future__ import annotations

import pandas as pd
import pytest

from analysis.paper.published import FILE, comparable, published, sentence, size


def test_every_number_tells_unit_or_ratio_and_source() -> None:
    table = pd.read_csv(FILE)
    assert pd.to_numeric(table["value"]).notna().all()
    assert table["source"].notna().all()
    keys = ["quantity", "model", "particles", "hardware"]
    assert not table.duplicated(keys).any()


def test_values_are_selected_by_quantity_and_model() -> None:
    rows = published("elapsed_per_step", "m31")
    titan = rows[rows["hardware"] == "GTX TITAN X"].set_index("particles")["value"]
    assert titan.to_dict() == {2**23: 0.14, 2**24: 0.30}
    assert set(published("elapsed_per_step")["model"]) == {"m31", "nfw"}
    assert published("elapsed_per_step", "king").empty


def test_sizes_within_a_factor_of_two_are_comparable() -> None:
    rows = pd.DataFrame({"particles": [2**17, 2**23, 2**24, float("nan")]})
    assert list(comparable(rows, 2**23)) == [False, True, False, False]
    assert list(comparable(rows, [2**10, 2**25])) == [True, True, True, False]


def test_sentence_groups_by_size_and_source() -> None:
    text = sentence(published("elapsed_per_step", "nfw"), "elapsed time per step")
    assert text.startswith("Published elapsed time per step: 0.58 s (M2090), 0.38 s (K20X), ")
    assert "0.21 s (GTX TITAN X) with 2^23 particles, Miki & Umemura (2017)" in text
    assert "0.44 s (GTX TITAN X) with 2^24 particles" in text
    assert sentence(published("nothing"), "nothing") == ""


@pytest.mark.parametrize(
    ("number", "text"), [(2**23, "2^23"), (25 * 2**20, "25 * 2^20"), (1000, "1000")]
)
def test_sizes_are_written_as_powers(number: int, text: str) -> None:
    assert size(number) == text
