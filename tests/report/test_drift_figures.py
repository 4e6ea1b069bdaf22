"""Figures 3-7 and the page of examples: drawn from what there is, the same bytes each time."""

from __future__ import annotations

import pytest
from tests.report.made_intrinsic import POLICY, REPORT, results, row, rows, setting

from holdcourse.report.drift_examples import examples, examples_page
from holdcourse.report.drift_figures import drift_figures
from holdcourse.report.intrinsic_names import INTRINSIC_FIGURES
from holdcourse.report.intrinsic_results import IntrinsicResults
from holdcourse.report.setting import OFFLINE_LABEL
from holdcourse.report.writing import figure_bytes


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    figures = drift_figures(results(), setting(agent="simulated/appworld_agent"), REPORT)
    return {name: figure_bytes(figure, "svg", REPORT).decode() for name, figure in figures.items()}


def test_all_five_are_drawn_and_labelled(drawn: dict[str, str]) -> None:
    assert set(drawn) == set(INTRINSIC_FIGURES)
    for image in drawn.values():
        assert OFFLINE_LABEL in image
        assert "SmolLM2 135M" in image


def test_the_gains_say_how_many_prompts_improve(drawn: dict[str, str]) -> None:
    assert "5 of 10 prompts improve; the paper: all of 100" in drawn["drift_gain_hist"]


def test_the_papers_figures_are_marked_where_it_prints_them(drawn: dict[str, str]) -> None:
    assert "trained, paper" in drawn["drift_components"]
    assert "trained, paper" in drawn["drift_reward_by_node"]
    assert "trained, paper" not in drawn["drift_reward_per_prompt"]


def test_the_same_bytes_twice(drawn: dict[str, str]) -> None:
    again = drift_figures(results(), setting(agent="simulated/appworld_agent"), REPORT)
    assert figure_bytes(again["drift_components"], "svg", REPORT).decode() == drawn["drift_components"]


def test_without_results_a_figure_says_so() -> None:
    figures = drift_figures(IntrinsicResults.of([]), setting(), REPORT)
    assert "no results" in figure_bytes(figures["drift_gain_hist"], "svg", REPORT).decode()


def test_the_page_shows_worst_median_and_best_of_each_node() -> None:
    made = results()
    shown = {
        (POLICY, variant): [found for _, _, name, found in rows() if name == variant]
        for variant in ("base", "trained")
    }
    prompts = {f"n{node}-{number}": ("What <now>?", "{}") for node in range(1, 6) for number in (0, 1)}
    found = examples(made, setting(), shown, prompts)
    assert [example.place for example in found[:3]] == ["worst", "median", "best"]
    assert (found[0].gain, found[2].gain) == (-0.5, 3.0)
    assert len(found) == 15
    page = examples_page(found, setting())
    assert "What &lt;now&gt;?" in page
    assert "<script" not in page
    assert "http" not in page


def test_of_a_prompts_completions_the_typical_one_is_shown() -> None:
    """Rewards 0, 5 and 4: their mean is 3, next to which is 4."""
    told = [row("n1-0", "n1", reward) | {"completion": str(reward)} for reward in (0.0, 5.0, 4.0)]
    made = IntrinsicResults.of(
        (POLICY, 0, variant, found) for variant in ("base", "trained") for found in told
    )
    (first, *_) = examples(
        made, setting(), {(POLICY, "base"): told, (POLICY, "trained"): told}, {"n1-0": ("", "")}
    )
    assert first.base["completion"] == "4.0"
