"""How decisions depend on the suspected onset: a panel a drift type, a line a backbone."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from holdcourse.config.schema import ReportConfig
from holdcourse.metrics.onset_frames import SAFE
from holdcourse.report.drawing import GREY, drawing, new_figure
from holdcourse.report.recovery_results import RecoveryResults, RecoverySetting

_MARKERS = ("o", "s", "^", "v", "P")
_TITLES = {"I": "Type I: right target", "II": "Type II: right target", "III": "Type III: writes escalated"}
_OTHER = {"I": (SAFE, "right or further back"), "II": (SAFE, "right or further back")}
_WRITES = ("missed_writes", "writes overlooked")


def onset_figure(results: RecoveryResults, setting: RecoverySetting, report: ReportConfig) -> Figure:
    """Share of right decisions by the error of the suspected onset, with intervals.

    Dotted lines show what a wrong decision is worth: the share that is right or merely further back than need
    be for read drifts, and the share in which writes were overlooked for write drifts.
    """
    frame = results.onset
    types = [kind for kind in ("I", "II", "III") if (frame["drift_type"] == kind).any()]
    with drawing(report):
        figure = new_figure(4.0 * max(1, len(types)), 4.2)
        panels = figure.subplots(1, max(1, len(types)), sharey=True, squeeze=False)[0]
        for axes, kind in zip(panels, types, strict=False):
            _panel(axes, frame[frame["drift_type"] == kind], kind, setting, report)
        panels[0].set_ylabel("share of drifted runs")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=max(1, len(labels)))
        title = "Decisions by the error of the suspected onset"
        figure.suptitle(
            f"{title}\n{setting.offline_label}" if setting.offline_label else title, fontsize="medium"
        )
    return figure


def _panel(
    axes: Axes, frame: pd.DataFrame, kind: str, setting: RecoverySetting, report: ReportConfig
) -> None:
    backbones = list(dict.fromkeys(frame["backbone"]))
    colours = sns.color_palette(report.palette, len(backbones))
    metric, words = _OTHER.get(kind, _WRITES)
    # Side by side, so that lines which coincide can be told apart.
    for place, (backbone, colour) in enumerate(zip(backbones, colours, strict=True)):
        mine = frame[frame["backbone"] == backbone].dropna(subset=["value"])
        right = mine[mine["metric"] == "right"].sort_values("error")
        shifted = right["error"] + 0.12 * (place - (len(backbones) - 1) / 2)
        agent = str(right["main_agent"].iloc[0]) if len(right) else "large"
        axes.errorbar(
            shifted,
            right["value"],
            yerr=[right["value"] - right["low"], right["high"] - right["value"]],
            color=colour,
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=4,
            capsize=2,
            label=setting.named(backbone, agent),
        )
        other = mine[mine["metric"] == metric].sort_values("error")
        axes.plot(other["error"], other["value"], color=colour, linestyle=":")
    axes.set_title(_TITLES[kind])
    axes.set_xlabel(f"suspected − true onset (steps)\ndotted: {words}")
    axes.set_ylim(-0.03, 1.03)
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=0)
