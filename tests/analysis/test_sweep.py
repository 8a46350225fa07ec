from __future__ import annotations

from pathlib import Path

import pytest

from analysis.sweep import Run, Setting, acceleration_unit, settings


@pytest.mark.parametrize(
    ("setting", "label"),
    [
        (Setting("acceleration", 2.0**-7), "acceleration_2pow-07"),
        (Setting("multipole", 2.0**-19), "multipole_2pow-19"),
        (Setting("multipole", 1.0), "multipole_2pow+00"),
        (Setting("opening", 0.5), "opening_0.5"),
        (Setting("opening", 0.35), "opening_0.35"),
        (Setting("opening", 1.0), "opening_1"),
    ],
)
def test_label_names_the_setting_and_reads_back(setting: Setting, label: str) -> None:
    assert setting.label == label
    assert Setting.from_label(label) == setting


def test_option_is_exact() -> None:
    assert float(Setting("acceleration", 2.0**-19).option()) == 2.0**-19
    assert Setting("opening", 0.1).option() == "0.1"


def test_multipole_criterion_alone_has_units() -> None:
    assert float(Setting("multipole", 0.25).option(95.6)) == 0.25 * 95.6
    assert float(Setting("acceleration", 0.25).option(95.6)) == 0.25
    assert float(Setting("opening", 0.5).option(95.6)) == 0.5


def test_unit_of_acceleration_is_that_of_the_model_or_galactic() -> None:
    models = Path(__file__).parents[2] / "config" / "models"
    assert acceleration_unit(models / "nfw.toml") == 1
    assert acceleration_unit(models / "plummer.toml") == 1
    # kpc / (100 Myr) is 9.777922 km/s.
    assert acceleration_unit(models / "m31.toml") == pytest.approx(9.777922**2, rel=1e-5)


@pytest.mark.parametrize("label", ["acceleration_0.5", "opening_2pow-03", "bonsai_0.5", "opening_"])
def test_foreign_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match=label):
        Setting.from_label(label)


def test_settings_follow_the_configuration() -> None:
    sweep = {"opening": {"angles": [0.9, 0.1]}, "acceleration": {"exponents": [-2, -7]}}
    assert settings(sweep) == [
        Setting("acceleration", 0.25),
        Setting("acceleration", 0.0078125),
        Setting("opening", 0.9),
        Setting("opening", 0.1),
    ]


def test_run_reads_back_from_its_path() -> None:
    run = Run(Setting("opening", 0.5), "shared", 1024, 3)
    assert run.folder == "run/shared_1024steps/opening_0.5/repeat3"
    assert Run.from_path(Path("results/x") / run.folder / "steps.h5") == run


def test_foreign_path_is_refused() -> None:
    with pytest.raises(ValueError, match="elsewhere"):
        Run.from_path(Path("elsewhere/steps.h5"))
