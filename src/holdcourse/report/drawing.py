"""What the figures of a report have in common: style of an arm, shaded phases, the offline label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib as mpl
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from holdcourse.config.paper import PaperFigure
from holdcourse.config.schema import ReportConfig
from holdcourse.metrics.transfer import phase_spans
from holdcourse.report.setting import Setting

_MARKERS = ("o", "s", "^", "v", "P", "X", "<", ">")
_DASHES = ("-", "--", "-.", ":")
_PAPER_MARKER = "D"
SHADE = "0.93"
GREY = "0.35"
ABOVE_AXES = ("data", "axes fraction")
"""Coordinates of a point of the x axis and, at 1, the upper edge of the axes."""

_NAMED_PHASES = 6


@dataclass(frozen=True)
class ArmStyle:
    """How an arm looks in every figure: told apart by colour, marker and line alike."""

    label: str
    colour: tuple[float, float, float]
    marker: str
    line: str


def arm_styles(setting: Setting, report: ReportConfig) -> dict[str, ArmStyle]:
    """A style for each arm, in the order of the study."""
    colours = sns.color_palette(report.palette, max(len(setting.arms), 1))
    return {
        arm: ArmStyle(
            setting.arm_labels[arm],
            (float(colour[0]), float(colour[1]), float(colour[2])),
            _MARKERS[position % len(_MARKERS)],
            _DASHES[position % len(_DASHES)],
        )
        for position, (arm, colour) in enumerate(zip(setting.arms, colours, strict=True))
    }


@contextmanager
def drawing(report: ReportConfig) -> Iterator[None]:
    """Matplotlib's own defaults, whatever the user's matplotlibrc, with the configured font size."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams["font.size"] = report.font_size
        mpl.rcParams["font.family"] = "DejaVu Sans"
        mpl.rcParams["axes.spines.top"] = False
        mpl.rcParams["axes.spines.right"] = False
        mpl.rcParams["axes.titlesize"] = "medium"
        mpl.rcParams["legend.frameon"] = False
        mpl.rcParams["legend.fontsize"] = "small"
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches, apart from pyplot's global state."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def shade_phases(axes: Axes, setting: Setting) -> None:
    """Shade the batches of the second phase and name every phase above the axes.

    Batch t leads from checkpoint t-1 to checkpoint t.
    """
    protocol = setting.protocol
    spans = phase_spans(protocol.batches, protocol.batches_per_phase, protocol.phases)
    for span in spans:
        start, end = span.first_batch - 1, span.last_batch
        if span.phase == protocol.phases[1]:
            axes.axvspan(start, end, color=SHADE, zorder=0, linewidth=0)
        name = f"phase {span.phase}" if len(spans) <= _NAMED_PHASES else span.phase
        small_words(axes, name, ((start + end) / 2, 1.0), ABOVE_AXES)


def small_words(
    axes: Axes, text: str, place: tuple[float, float], coordinates: str | tuple[str, str] = "data"
) -> None:
    """Words that stand on a point, grey and small."""
    axes.annotate(
        text,
        place,
        xycoords=coordinates,
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        color=GREY,
        fontsize="small",
    )


def paper_mark(
    axes: Axes, x: float, figure: PaperFigure, style: ArmStyle, points: float, label: str | None
) -> None:
    """A printed figure with its range or ± sd, a hollow diamond so many points to the right of `x`.

    Points, not data units: marks at one checkpoint stay apart however narrow the axes are drawn.
    """
    low, high = figure.bounds
    half = figure.sd if figure.sd is not None else (high - low) / 2
    middle = (low + high) / 2
    beside = axes.transData + ScaledTranslation(points / 72, 0.0, axes.figure.dpi_scale_trans)
    axes.errorbar(
        [x],
        [middle],
        yerr=half or None,
        color=style.colour,
        marker=_PAPER_MARKER,
        markerfacecolor="white",
        markersize=6,
        capsize=3,
        linestyle="none",
        label=label,
        transform=beside,
        clip_on=False,
    )
    # Matplotlib leaves marks that are shifted in points out of the data's limits.
    axes.update_datalim([(x, middle - half), (x, middle + half)])


def checkpoint_axis(axes: Axes, setting: Setting) -> None:
    """Label the x axis with the study's checkpoints."""
    axes.set_xlim(-0.4, setting.final + 0.6)
    step = max(1, setting.final // 12)
    axes.set_xticks(range(0, setting.final + 1, step))
    axes.set_xlabel(r"checkpoint $t$ of the instruction $\ell_t$ (after batch $t$)")


def finish(figure: Figure, setting: Setting, title: str, footnote: str) -> Figure:
    """Give a figure its title, the offline label if need be, and a footnote."""
    figure.suptitle(
        f"{title}\n{setting.offline_label}" if setting.offline_label else title, fontsize="medium"
    )
    figure.supxlabel(footnote, fontsize="x-small", color=GREY)
    return figure
