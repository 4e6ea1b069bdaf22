"""How decisions depend on the suspected onset: a panel a drift type, a line a backbone."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from holdcourse.config.schema import ReportConfig
from holdcourse.metrics.onset_frames import SAFE
from holdcourse.report.drawing import GREY, drawing, new_figure
from holdcourse.report.recovery_results import RecoveryResults, RecoverySetting

_MARKERS = ("o", "s", "^", "v", "P")
_TITLES = {"I": "Type I (reads)", "II": "Type II (reads)", "III": "Type III (writes)"}
_MEANINGS = {
    "I": ("right target", SAFE, "right or further back"),
    "II": ("right target", SAFE, "right or further back"),
    "III": ("escalated", "missed_writes", "writes overlooked"),
}
_WIDTH = 8.5
"""Inches at least: as wide as the caption needs."""
_BESIDE = 0.12
"""Steps from a backbone's line to the next one's."""
_THINNER = 0.4
"""Points by which each backbone's line is thinner than the one it may lie on, so that both are seen."""


def onset_figure(results: RecoveryResults, setting: RecoverySetting, report: ReportConfig) -> Figure:
    """Share of right decisions by the error of the suspected onset, with intervals.

    Dotted lines show what a wrong decision is worth: the share that is right or merely further back than need
    be for read drifts, and the share in which writes were overlooked for write drifts.
    """
    frame = results.onset
    types = [kind for kind in _TITLES if (frame["drift_type"] == kind).any()]
    with drawing(report):
        figure = new_figure(max(_WIDTH, 4.0 * len(types)), 4.8)
        panels = figure.subplots(1, max(1, len(types)), sharey=True, squeeze=False)[0]
        for axes, kind in zip(panels, types, strict=False):
            _panel(axes, frame[frame["drift_type"] == kind], kind, setting, report)
        panels[0].set_ylabel("share of drifted runs")
        handles, labels = panels[0].get_legend_handles_labels()
        # The caption is the legend's title: matplotlib keeps no place for both a legend and a label below.
        legend = figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=max(1, min(3, len(labels))),
            title=_caption(frame, setting),
            title_fontproperties={"size": "small"},
        )
        legend.get_title().set(color=GREY, multialignment="center")
        title = "Decisions by the error of the suspected onset"
        figure.suptitle(
            f"{title}\n{setting.offline_label}" if setting.offline_label else title, fontsize="medium"
        )
    return figure


def _caption(frame: pd.DataFrame, setting: RecoverySetting) -> str:
    """What 0 is, since a perfect detector's suspicion is not the last write; how many runs a point has."""
    counts = sorted({int(number) for number in frame["n"] if number > 0})
    runs = "–".join(map(str, dict.fromkeys((counts[0], counts[-1])))) if counts else "0"
    return (
        "0: the first drifted step. The walk goes back from the suspicion, so writes after it are never seen."
        f"\nn = {runs} runs a point; error bars: {setting.level} bootstrap over tasks. Settings stand beside "
        "each other, so that equal ones can be told apart."
    )


def _panel(
    axes: Axes, frame: pd.DataFrame, kind: str, setting: RecoverySetting, report: ReportConfig
) -> None:
    backbones = list(dict.fromkeys(frame["backbone"]))
    colours = sns.color_palette(report.palette, len(backbones))
    solid, metric, dotted = _MEANINGS[kind]
    for place, (backbone, colour) in enumerate(zip(backbones, colours, strict=True)):
        beside = _BESIDE * (place - (len(backbones) - 1) / 2)
        marker = _MARKERS[place % len(_MARKERS)]
        mine = frame[frame["backbone"] == backbone].dropna(subset=["value"])
        right = mine[mine["metric"] == "right"].sort_values("error")
        agent = str(right["main_agent"].iloc[0]) if len(right) else "large"
        axes.errorbar(
            right["error"] + beside,
            right["value"],
            yerr=[right["value"] - right["low"], right["high"] - right["value"]],
            color=colour,
            marker=marker,
            markersize=6,
            capsize=2,
            linewidth=1.2 + _THINNER * (len(backbones) - 1 - place),
            elinewidth=1.2,
            label=setting.named(backbone, agent),
        )
        other = mine[mine["metric"] == metric].sort_values("error")
        axes.plot(
            other["error"] + beside,
            other["value"],
            color=colour,
            linestyle=":",
            marker=marker,
            markersize=9,
            markerfacecolor="none",
        )
    axes.set_title(_TITLES[kind])
    axes.set_xlabel("suspected − true onset (steps)")
    axes.set_xticks(sorted({int(error) for error in frame["error"]}))
    axes.set_ylim(-0.04, 1.04)
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    _explain(axes, solid, dotted)


def _explain(axes: Axes, solid: str, dotted: str) -> None:
    """A legend of the two kinds of line below the panel, for they mean something else in each."""
    axes.legend(
        handles=[
            Line2D([], [], color=GREY, marker="o", markersize=4, label=solid),
            Line2D([], [], color=GREY, linestyle=":", marker="o", markerfacecolor="none", label=dotted),
        ],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.16),
        ncols=2,
        handlelength=3,
    )
