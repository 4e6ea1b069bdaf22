"""Figures over time: pass^k per checkpoint, and backward transfer per phase cycle (GRACE §4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from holdcourse.config.schema import ReportConfig
from holdcourse.metrics.frames import REFERENCE_ARM
from holdcourse.metrics.intervals import Interval, mean_interval, seed_values
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
from holdcourse.report.setting import PAPER_K, Setting
from holdcourse.report.transfer import arm_deltas, cells, cycle_interval

_FIRST_LANE = 9.0
"""Points between our mark and the paper's."""
_LANE = 10.0
"""Points between the paper's marks of two arms at one checkpoint."""


def shift_trajectories(results: ShiftResults, setting: Setting, report: ReportConfig) -> Figure:
    """pass^k of every arm over the checkpoints with its interval, the paper's figures and references."""
    k = report.trajectory_k
    with drawing(report):
        figure = new_figure(7.5, 5.0)
        axes = figure.subplots()
        styles = arm_styles(setting, report)
        for arm, style in styles.items():
            _trajectory(axes, results, setting, arm, style, k)
        if not axes.lines:
            text = f"no pass^{k} in this study"
            axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)
        if k == PAPER_K:
            _paper_points(axes, setting, styles)
        _references(axes, results, setting, k)
        shade_phases(axes, setting)
        checkpoint_axis(axes, setting)
        axes.set_ylim(-0.02, 1.02)
        axes.set_ylabel(f"pass^{k} on the held-out tasks")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")
        return finish(
            figure,
            setting,
            f"pass^{k} over the shift study",
            f"Agent: {setting.model_names['agent']}. Mean over seeds and tasks; band: "
            f"{setting.bootstrap.confidence:.0%} bootstrap over tasks within seed.\n"
            f"Shaded: phase {setting.protocol.phases[1]}. Hollow markers: the paper's figures, beside their "
            "checkpoint, ± sd over its seeds where it prints one.",
        )


def shift_transfer_cycles(results: ShiftResults, setting: Setting, report: ReportConfig) -> Figure:
    """Backward transfer of every arm per phase cycle: the phase's intents left, shared ones right."""
    deltas = arm_deltas(results, setting)
    with drawing(report):
        figure = new_figure(8.5, 4.6)
        panels: Sequence[Axes] = figure.subplots(1, 2, sharey=True)
        styles = arm_styles(setting, report)
        for axes, role, title in zip(
            panels,
            ("phase", "shared"),
            ("the phase's own intents", "intents equal in both phases"),
            strict=True,
        ):
            groups: list[str] = []
            for position, (arm, style) in enumerate(styles.items()):
                points = [
                    (_cycle_title(cell), cycle_interval(cell, setting))
                    for cell in cells(deltas[(deltas["arm"] == arm) & (deltas["role"] == role)])
                ]
                groups += [name for name, _ in points if name not in groups]
                shift = (position - (len(styles) - 1) / 2) * 0.22
                _points(axes, [(groups.index(name) + shift, interval) for name, interval in points], style)
            axes.axhline(0.0, color=GREY, linewidth=0.8)
            axes.set_xticks(range(len(groups)), groups, fontsize="x-small")
            axes.set_xlim(-0.6, max(len(groups), 1) - 0.4)
            axes.set_title(title)
            if not groups:
                axes.text(
                    0.5, 0.5, "no complete phase cycle", transform=axes.transAxes, ha="center", color=GREY
                )
        panels[0].set_ylabel(f"backward transfer in pass^{setting.k}")
        handles, labels = panels[0].get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside right center")
        return finish(
            figure,
            setting,
            "Backward transfer per phase cycle: below 0 is forgetting",
            f"Agent: {setting.model_names['agent']}. Score at the end of the next opposite phase minus at "
            f"the end of the phase itself.\nBars: {setting.bootstrap.confidence:.0%} bootstrap over tasks "
            "within seed. The paper prints no value per cycle.",
        )


def _trajectory(
    axes: Axes, results: ShiftResults, setting: Setting, arm: str, style: ArmStyle, k: int
) -> None:
    points = []
    for checkpoint in results.checkpoints(arm):
        interval = mean_interval(
            seed_values(results.cell(arm, checkpoint, k), "pass_hat_k"), setting.bootstrap
        )
        if interval.estimate is not None:
            points.append((checkpoint, interval))
    if not points:
        return
    x = [checkpoint for checkpoint, _ in points]
    low, middle, high = (_values(points, name) for name in ("low", "estimate", "high"))
    axes.plot(x, middle, style.line, color=style.colour, marker=style.marker, markersize=5, label=style.label)
    if len(points) > 1:
        axes.fill_between(x, low, high, color=style.colour, alpha=0.18, linewidth=0)
    else:
        axes.vlines(x, low, high, color=style.colour, alpha=0.5, linewidth=3)


def _paper_points(axes: Axes, setting: Setting, styles: Mapping[str, ArmStyle]) -> None:
    """The paper's figures beside our points; those of one checkpoint each in a lane of its own."""
    lanes: Counter[int] = Counter()
    named: set[str] = set()
    for arm, style in styles.items():
        for figure in setting.paper.figures:
            checkpoint = figure.checkpoint
            if figure.quantity != "pass_hat_3" or figure.arm != arm or checkpoint is None:
                continue
            if checkpoint <= setting.final:
                label = None if arm in named else f"{style.label}, paper"
                paper_mark(axes, checkpoint, figure, style, _FIRST_LANE + _LANE * lanes[checkpoint], label)
                lanes[checkpoint] += 1
                named.add(arm)


def _references(axes: Axes, results: ShiftResults, setting: Setting, k: int) -> None:
    reference = results.cell(REFERENCE_ARM, 0, k)
    interval = mean_interval(seed_values(reference, "pass_hat_k"), setting.bootstrap)
    if interval.estimate is not None:
        axes.axhline(
            interval.estimate,
            color="black",
            linestyle=(0, (1, 1.5)),
            linewidth=1.2,
            label=r"stronger model, $\ell_0$",
        )
    if k != PAPER_K:
        return
    for arm, marker, label in (
        ("zero_shot", "*", r"$\ell_0$, paper"),
        (REFERENCE_ARM, "X", "stronger model, paper"),
    ):
        figure = setting.paper.figure("pass_hat_3", arm, 0)
        if figure is not None and figure.value is not None:
            axes.plot(
                [-0.22],
                [figure.value],
                marker=marker,
                color="black",
                markerfacecolor="white",
                markersize=9,
                linestyle="none",
                label=label,
            )


def _points(axes: Axes, points: Sequence[tuple[float, Interval]], style: ArmStyle) -> None:
    defined = [(x, interval) for x, interval in points if interval.estimate is not None]
    if not defined:
        return
    low, middle, high = (_values(defined, name) for name in ("low", "estimate", "high"))
    axes.errorbar(
        [x for x, _ in defined],
        middle,
        yerr=[np.maximum(middle - low, 0.0).tolist(), np.maximum(high - middle, 0.0).tolist()],
        color=style.colour,
        marker=style.marker,
        markersize=6,
        capsize=3,
        linestyle="none",
        label=style.label,
    )


def _values(
    points: Sequence[tuple[float, Interval]], name: str
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([getattr(interval, name) for _, interval in points], dtype=np.float64)


def _cycle_title(cell: pd.DataFrame) -> str:
    head = cell.iloc[0]
    intent = str(head["intent"]).replace("_issue", "").replace("_", " ").replace("+", " +\n")
    start, end = head["before_checkpoint"], head["after_checkpoint"]
    return rf"{head['phase']}: $\ell_{{{start}}}$→$\ell_{{{end}}}$" + f"\n{intent}"
