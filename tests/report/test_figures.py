"""Figures: marks that would lie on each other are kept apart, the sweep shows every arm and slope."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from tests.report.made_study import make_setting, report_config, sweep

from holdcourse.metrics.intervals import mean_interval, seed_values
from holdcourse.report.competence import shift_competence
from holdcourse.report.figures import shift_figures
from holdcourse.report.names import SHIFT_FIGURES, figure_names
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.size import shift_size
from holdcourse.report.trajectories import shift_trajectories
from holdcourse.report.writing import figure_bytes

REPORT = report_config()
SLOPES = (0.0, 1.0, 4.0)


def bars(axes: Axes) -> dict[str, ErrorbarContainer]:
    """Error bars by label, those without a label left out."""
    found = [bar for bar in axes.containers if isinstance(bar, ErrorbarContainer)]
    return {str(bar.get_label()): bar for bar in found if not str(bar.get_label()).startswith("_")}


@pytest.fixture(scope="module")
def swept(results: ShiftResults, setting: Setting) -> ShiftResults:
    return replace(results, sensitivity=sweep(setting, SLOPES))


def test_every_named_figure_is_drawn_and_the_sweep_only_where_there_was_one(
    results: ShiftResults, swept: ShiftResults, setting: Setting
) -> None:
    assert tuple(shift_figures(results, setting, REPORT)) == figure_names(swept=False)
    assert tuple(shift_figures(swept, setting, REPORT)) == figure_names(swept=True) == tuple(SHIFT_FIGURES)


def test_the_sweep_shows_every_arm_at_every_slope(swept: ShiftResults, setting: Setting) -> None:
    (axes,) = shift_competence(swept, setting, REPORT).axes
    drawn = bars(axes)
    assert list(drawn) == list(setting.arm_labels.values())
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "1", "4"]
    for arm, label in setting.arm_labels.items():
        scores = swept.sensitivity.query("k == 3")
        scores = scores[scores["arm"] == arm]
        expected = [
            mean_interval(seed_values(scores[scores["slope"] == slope], "pass_hat_k"), setting.bootstrap)
            for slope in SLOPES
        ]
        line, _, (stems,) = drawn[label].lines
        assert line.get_ydata() == pytest.approx([interval.estimate for interval in expected])
        ends = [segment[:, 1] for segment in stems.get_segments()]
        assert np.array(ends) == pytest.approx(np.array([(i.low, i.high) for i in expected]))


def test_the_sweep_says_how_many_seeds_it_has(swept: ShiftResults, setting: Setting) -> None:
    assert "(2 seeds, last" in figure_bytes(shift_competence(swept, setting, REPORT), "svg", REPORT).decode()
    one = replace(swept, sensitivity=sweep(setting, SLOPES, seeds=(0,)))
    assert "(1 seed, last" in figure_bytes(shift_competence(one, setting, REPORT), "svg", REPORT).decode()


def test_an_arm_that_was_not_swept_leaves_the_others(swept: ShiftResults, setting: Setting) -> None:
    part = replace(swept, sensitivity=swept.sensitivity.query("arm != 'hce'"))
    assert figure_bytes(shift_competence(part, setting, REPORT), "png", REPORT).startswith(b"\x89PNG")


@pytest.mark.parametrize("width", [3.0, 7.5])
def test_the_papers_marks_at_one_checkpoint_lie_apart_at_any_width(
    results: ShiftResults, setting: Setting, width: float
) -> None:
    figure = shift_trajectories(results, setting, REPORT)
    figure.set_size_inches(width, 4.0)
    figure.canvas.draw()
    (axes,) = figure.axes
    ends = [
        line.get_transform().transform(line.get_xydata())[0]
        for line in axes.lines
        if line.get_marker() == "D" and line.get_xdata()[0] == setting.final
    ]
    assert len(ends) == 3
    # A diamond of 6 points is 6/72 inch wide.
    gaps = np.diff(sorted(x for x, _ in ends)) / figure.dpi * 72
    assert (gaps > 6 * 2**0.5).all()


def test_lengths_stand_on_a_logarithmic_axis_that_holds_ours_and_the_papers(
    results: ShiftResults, setting: Setting
) -> None:
    axes = shift_size(results, setting, REPORT).axes[0]
    low, high = axes.get_ylim()
    assert axes.get_yscale() == "log"
    assert low < results.sizes["characters"].min()
    assert high > 82592
    assert len(axes.get_yticks()) >= 2


def test_an_axis_of_nearly_equal_lengths_still_has_two_ticks(results: ShiftResults) -> None:
    setting = make_setting(arms=("grace",))
    flat = replace(results, sizes=results.sizes.assign(characters=7001))
    axes = shift_size(flat, setting, REPORT).axes[0]
    assert axes.get_yticks().tolist() == [5000.0, 10000.0]
