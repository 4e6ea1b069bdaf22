"""Figure of size: characters over the checkpoints, and what audits counted (GRACE §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from holdcourse.config.paper import PaperFigure, Quantity
from holdcourse.config.schema import ReportConfig
from holdcourse.metrics.intervals import seed_interval
from holdcourse.report.drawing import (
    GREY,
    ArmStyle,
    arm_styles,
    checkpoint_axis,
    drawing,
    finish,
    new_figure,
    paper_mark,
    shade_phases,
)
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting

_BESIDE = 10.0
"""Points between our mark and the paper's."""


def shift_size(results: ShiftResults, setting: Setting, report: ReportConfig) -> Figure:
    """Length of every arm's instruction over the checkpoints, and what audits counted in it."""
    with drawing(report):
        figure = new_figure(9.0, 6.4)
        grid = figure.add_gridspec(2, 2, height_ratios=(1.15, 1.0))
        length = figure.add_subplot(grid[0, :])
        counts = [figure.add_subplot(grid[1, column]) for column in range(2)]
        styles = arm_styles(setting, report)
        for arm, style in styles.items():
            _lengths(length, results, setting, arm, style)
        shade_phases(length, setting)
        checkpoint_axis(length, setting)
        length.set_ylabel("characters (logarithmic)")
        _logarithmic(length)
        if results.sizes.empty:
            length.text(0.5, 0.5, "no lengths", transform=length.transAxes, ha="center", color=GREY)
        _counts(counts[0], results, setting, styles, "contradictions")
        _counts(counts[1], results, setting, styles, "redundancies")
        handles = _legend([length, *counts], styles)
        if handles:
            figure.legend(handles.values(), handles, loc="outside right center")
        return finish(
            figure,
            setting,
            "Size of the instruction and flaws found in it",
            f"Auditor: {setting.model_names['auditor']}. Lines and points: mean over seeds; band: lowest and "
            f"highest seed; bars: {setting.evaluation.confidence:.0%} Student t over seeds.\n"
            "Hollow diamonds: the paper's figures, at the last checkpoint since it names none for them.",
        )


def _lengths(axes: Axes, results: ShiftResults, setting: Setting, arm: str, style: ArmStyle) -> None:
    sizes = results.sizes[results.sizes["arm"] == arm]
    checkpoints = sorted(int(t) for t in sizes["checkpoint"].unique())
    by_seed = [list(results.size_by_seed(arm, t, "characters").values()) for t in checkpoints]
    if checkpoints:
        axes.plot(
            checkpoints,
            [float(np.mean(values)) for values in by_seed],
            style.line,
            color=style.colour,
            marker=style.marker,
            markersize=5,
            label=style.label,
        )
        axes.fill_between(
            checkpoints,
            [min(values) for values in by_seed],
            [max(values) for values in by_seed],
            color=style.colour,
            alpha=0.18,
            linewidth=0,
        )
    _paper(axes, setting.final, setting.paper.figure("characters", arm, None), style)


def _counts(
    axes: Axes, results: ShiftResults, setting: Setting, styles: dict[str, ArmStyle], quantity: Quantity
) -> None:
    for position, (arm, style) in enumerate(styles.items()):
        shift = (position - (len(styles) - 1) / 2) * 0.24
        points = []
        for place, checkpoint in enumerate(setting.audited):
            interval = seed_interval(
                results.audit_by_seed(arm, checkpoint, quantity), setting.evaluation.confidence
            )
            if interval.estimate is not None:
                half = 0.0 if interval.high is None else interval.high - interval.estimate
                points.append((place + shift, interval.estimate, half))
        if points:
            _bars(axes, points, style)
        if setting.audited:
            figure = setting.paper.figure(quantity, arm, None)
            _paper(axes, len(setting.audited) - 1 + shift, figure, style)
    axes.set_xticks(range(len(setting.audited)), [rf"$\ell_{{{t}}}$" for t in setting.audited])
    axes.set_xlim(-0.6, max(len(setting.audited), 1) - 0.4)
    _from_zero(axes)
    axes.set_ylabel(f"{quantity} an audit")
    axes.set_xlabel("audited checkpoint")
    if not results.audits[quantity].notna().any():
        axes.text(0.5, 0.5, "no audits", transform=axes.transAxes, ha="center", color=GREY)


def _logarithmic(axes: Axes) -> None:
    """A logarithmic y axis between round numbers, so that arms stay apart beside the paper's 82,592.

    Ticks at 1, 2 and 5 of every decade; limits at such ticks, so that there are always two.
    """
    low, high = float(axes.dataLim.y0), float(axes.dataLim.y1)
    axes.set_yscale("log")
    if not (np.isfinite(low) and low > 0):
        low = high = 1.0
    decades = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 2)
    ticks = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
    bottom, top = max(tick for tick in ticks if tick < low), min(tick for tick in ticks if tick > high)
    axes.set_yticks([tick for tick in ticks if bottom <= tick <= top])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_ylim(bottom, top)


def _from_zero(axes: Axes) -> None:
    """Let the y axis start just below 0, so that marks at 0 are whole, and end clear of the highest."""
    highest = axes.dataLim.y1
    top = highest * 1.08 if np.isfinite(highest) and highest > 0 else 1.0
    axes.set_ylim(-0.06 * top, top)
    axes.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)


def _legend(panels: Sequence[Axes], styles: Mapping[str, ArmStyle]) -> dict[str, Artist]:
    """Each label once, by arm: ours, then the paper's."""
    found: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    order = [label for style in styles.values() for label in (style.label, f"{style.label}, paper")]
    return {label: found[label] for label in order if label in found}


def _bars(axes: Axes, points: Sequence[tuple[float, float, float]], style: ArmStyle) -> None:
    axes.errorbar(
        [x for x, _, _ in points],
        [middle for _, middle, _ in points],
        # A count is never below 0, whatever Student's t says.
        yerr=[[min(half, middle) for _, middle, half in points], [half for _, _, half in points]],
        color=style.colour,
        marker=style.marker,
        markersize=6,
        capsize=3,
        linestyle="none",
        label=style.label,
    )


def _paper(axes: Axes, x: float, figure: PaperFigure | None, style: ArmStyle) -> None:
    if figure is not None:
        paper_mark(axes, x, figure, style, _BESIDE, f"{style.label}, paper")
