"""Figures 3-7 and the page of examples: drawn from what there is, the same bytes each time."""

from __future__ import annotations

import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation
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
    for name, models in (
        ("drift_components", {"Granite", "Qwen"}),
        ("drift_reward_by_node", {"Granite"}),
        ("drift_reward_per_prompt", set()),
    ):
        assert {model for model in ("Granite", "Qwen") if f"{model} (paper)" in drawn[name]} == models


def test_the_number_of_a_figure_is_said_to_be_the_papers(drawn: dict[str, str]) -> None:
    for number, name in zip(range(3, 8), INTRINSIC_FIGURES, strict=True):
        assert f"The paper's Fig. {number}: " in drawn[name]


def test_equal_gains_are_one_bar_on_0() -> None:
    same = [(POLICY, 0, variant, row("n1-0", "n1", 2.0)) for variant in ("base", "trained")]
    (axes,) = drift_figures(IntrinsicResults.of(same), setting(), REPORT)["drift_gain_hist"].axes
    (bar,) = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_height() > 0]
    assert bar.get_x() + bar.get_width() / 2 == pytest.approx(0.0)
    assert axes.get_xlim() == (-0.5, 0.5)


def test_a_value_of_0_is_printed_and_not_taken_for_a_missing_one() -> None:
    zero = [(POLICY, 0, variant, row("n1-0", "n1", 2.0, 0.0)) for variant in ("base", "trained")]
    (axes,) = drift_figures(IntrinsicResults.of(zero), setting(), REPORT)["drift_judge_by_node"].axes
    said = [(text.get_text(), round(text.xy[0])) for text in axes.texts if isinstance(text, Annotation)]
    assert [place for word, place in said if word == "0"] == [0, 0]
    assert sorted(place for word, place in said if word == "–") == [1, 1, 2, 2, 3, 3, 4, 4]


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
