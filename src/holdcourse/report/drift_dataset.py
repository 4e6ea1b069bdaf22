"""The drift dataset in one picture: types, onsets, lengths, and the apps that drifted steps touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from holdcourse.config.schema import ReportConfig
from holdcourse.report.drawing import GREY, drawing, new_figure

Row = Mapping[str, object]
Colour = tuple[float, float, float]

TYPES = ("aligned", "I", "II", "III")
TYPE_NAMES = {
    "aligned": "aligned",
    "I": "Type I, transient read",
    "II": "Type II, persistent read",
    "III": "Type III, write",
}
_HATCHES = {"aligned": "", "I": "//", "II": "..", "III": "xx"}


def dataset_figure(
    splits: Mapping[str, Sequence[Row]], report: ReportConfig, offline_label: str | None
) -> Figure:
    """Four panels over both splits.

    Args:
        splits: trajectories by the split's name.
        report: conf/report/.
        offline_label: what a figure made with the offline language model must say; None for other models.
    """
    rows = [row for split in splits.values() for row in split]
    palette = sns.color_palette(report.palette, len(TYPES))
    colours = {kind: cast("Colour", tuple(colour)) for kind, colour in zip(TYPES, palette, strict=True)}
    with drawing(report):
        figure = new_figure(10, 7.2)
        (top_left, top_right), (bottom_left, bottom_right) = figure.subplots(2, 2)
        _counts(top_left, splits, colours)
        _stacked(top_right, rows, colours, "onset", "step of the drift onset", "drifted trajectories")
        _stacked(bottom_left, rows, colours, "length", "steps of the trajectory", "trajectories")
        _apps(bottom_right, rows, colours)
        handles, labels = bottom_left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(TYPES))
        title = "Drifted trajectories on AppWorld"
        figure.suptitle(f"{title}\n{offline_label}" if offline_label else title, fontsize="medium")
        return figure


def _counts(axes: Axes, splits: Mapping[str, Sequence[Row]], colours: Mapping[str, Colour]) -> None:
    left = [0] * len(splits)
    for kind in TYPES:
        counts = [sum(row["type"] == kind for row in rows) for rows in splits.values()]
        axes.barh(
            list(splits), counts, left=left, color=colours[kind], hatch=_HATCHES[kind], edgecolor="white"
        )
        for place, (count, start) in enumerate(zip(counts, left, strict=True)):
            if count:
                axes.annotate(
                    str(count),
                    (start + count / 2, place),
                    ha="center",
                    va="center",
                    bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
                )
        left = [start + count for start, count in zip(left, counts, strict=True)]
    axes.set_xlabel("trajectories")
    axes.set_ylabel("split")


def _stacked(
    axes: Axes, rows: Sequence[Row], colours: Mapping[str, Colour], what: str, label: str, unit: str
) -> None:
    values = {kind: [_number(row, what) for row in rows if row["type"] == kind] for kind in TYPES}
    known = {kind: [value for value in found if value is not None] for kind, found in values.items()}
    highest = max((value for found in known.values() for value in found), default=1)
    bottom = [0] * highest
    for kind in TYPES:
        counted = Counter(known[kind])
        heights = [counted.get(step, 0) for step in range(1, highest + 1)]
        axes.bar(
            range(1, highest + 1),
            heights,
            bottom=bottom,
            width=0.85,
            color=colours[kind],
            hatch=_HATCHES[kind],
            edgecolor="white",
            label=TYPE_NAMES[kind],
        )
        bottom = [start + height for start, height in zip(bottom, heights, strict=True)]
    axes.set_xlabel(label)
    axes.set_ylabel(unit)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def _number(row: Row, what: str) -> int | None:
    if what == "length":
        return len(cast("Sequence[object]", row["steps"]))
    return cast("int | None", row["onset"])


def _apps(axes: Axes, rows: Sequence[Row], colours: Mapping[str, Colour]) -> None:
    """Drifted trajectories by the apps that their off-task reads and writes touch."""
    touched: dict[str, Counter[str]] = {kind: Counter() for kind in TYPES}
    for row in rows:
        labels = cast("Sequence[Mapping[str, Sequence[str]]]", row["labels"])
        apps = {
            operation.partition(".")[0]
            for label in labels
            for operation in (*label["writes"], *label["reads"])
        }
        touched[str(row["type"])].update(apps)
    totals: Counter[str] = Counter()
    for counter in touched.values():
        totals.update(counter)
    names = [name for name, _ in sorted(totals.items(), key=lambda item: (item[1], item[0]))]
    left = [0] * len(names)
    for kind in TYPES:
        counts = [touched[kind][name] for name in names]
        axes.barh(names, counts, left=left, color=colours[kind], hatch=_HATCHES[kind], edgecolor="white")
        left = [start + count for start, count in zip(left, counts, strict=True)]
    axes.set_xlabel("drifted trajectories that touch the app off task")
    if not names:
        axes.text(0.5, 0.5, "no off-task calls", transform=axes.transAxes, ha="center", color=GREY)
