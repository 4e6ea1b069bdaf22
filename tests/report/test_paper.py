"""The paper's figures: every figure of the summary is there, as printed, with its place."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from tests.report.made_study import paper

from holdcourse.config.paper import PaperConfig, PaperFigure

PRINTED = [
    ("pass_hat_3", "zero_shot", 0, "0.091"),
    ("pass_hat_3", "grace", 10, "0.673 ± 0.136"),
    ("pass_hat_3", "hce", 10, "0.191 ± 0.051"),
    ("pass_hat_3", "hce", None, "0.215"),
    ("pass_hat_3", "grace_no_sa", 6, "0.458"),
    ("pass_hat_3", "grace_no_sa", 10, "0.248 ± 0.144"),
    ("pass_hat_3", "reference", 0, "0.242"),
    ("contradictions", "hce", None, "3.35"),
    ("contradictions", "grace", None, "1.75–1.90"),
    ("redundancies", "grace_no_sa", None, "4.85"),
    ("redundancies", "grace", None, "4.15"),
    ("characters", "hce", None, "82,592"),
]


@pytest.mark.parametrize(("quantity", "arm", "checkpoint", "text"), PRINTED)
def test_figures_as_printed(quantity: str, arm: str, checkpoint: int | None, text: str) -> None:
    figure = paper().figure(quantity, arm, checkpoint)
    assert figure is not None
    assert figure.text == text
    assert figure.where


def test_there_is_no_figure_the_summary_does_not_print() -> None:
    assert len(paper().figures) == len(PRINTED)
    assert paper().figure("characters", "grace", 10) is None


def test_figures_of_the_held_out_set_fit_66_tasks() -> None:
    """0.091 and 0.242 are shares of 66 tasks, to three decimals."""
    for arm, passed in (("zero_shot", 6), ("reference", 16)):
        figure = paper().figure("pass_hat_3", arm, 0)
        assert figure is not None
        assert figure.value == round(passed / 66, 3)


@pytest.mark.parametrize(
    "broken",
    [
        {"value": None},
        {"value": 1.0, "low": 0.5, "high": 2.0},
        {"value": None, "low": 0.5},
        {"value": None, "low": 2.0, "high": 1.0},
        {"value": 1.0, "sd": -1.0},
        {"value": 1.0, "unit": "share"},
    ],
)
def test_a_figure_is_one_value_or_one_range(broken: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PaperFigure.model_validate(
            {"quantity": "contradictions", "arm": "hce", "checkpoint": None, "where": "§4"} | broken
        )


def test_a_figure_or_claim_given_twice_is_refused() -> None:
    tree = paper().model_dump()
    for key in ("figures", "claims"):
        with pytest.raises(ValidationError, match="twice"):
            PaperConfig.model_validate(tree | {key: [*tree[key], tree[key][0]]})
