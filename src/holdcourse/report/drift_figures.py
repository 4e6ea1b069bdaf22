"""Figures 3-7 of the drift paper drawn from ours: a panel a policy, the paper's figures as hollow marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from holdcourse.config.schema import ReportConfig
from holdcourse.metrics.intervals import Interval
from holdcourse.recovery.nodes import NAMES, NODES
from holdcourse.report.drawing import ABOVE_AXES, GREY, drawing, new_figure, small_words
from holdcourse.report.drift_intrinsic import LABELS, paper_values
from holdcourse.report.intrinsic_results import COMPONENTS, VARIANTS, IntrinsicResults, IntrinsicSetting

_ZERO = "#b3261e"
_WIDTH = 8.5
"""Inches: as wide as the label and the footnote need."""
_OFFSETS = {"base": -0.2, "trained": 0.2}
_MARKERS = {"base": ("o", 4.5), "trained": ("s", 2.5)}
"""Marker and its size in points: base, drawn first, shows around trained where both are equal."""
_PAPER_MARKS = {"Granite": ("D", -0.12), "Qwen": ("^", 0.12)}
"""Marker by model of the paper, and how far from the middle of its column: values may be near."""
_BINS = 25
_NARROWEST = 0.05
"""Reward: gains that differ by less are one bar."""
_LEAST_REACH = 0.5
"""Reward that the axis of gains shows to either side of 0 at least."""

Draw = Callable[[Axes, IntrinsicResults, IntrinsicSetting, str, ReportConfig], None]


def drift_figures(
    results: IntrinsicResults, setting: IntrinsicSetting, report: ReportConfig
) -> dict[str, Figure]:
    """The figures of `names.INTRINSIC_FIGURES`, by name."""
    drawn: Mapping[str, tuple[Draw, str, float]] = {
        "drift_gain_hist": (_gains, "The paper's Fig. 3: gain of each held-out prompt by training", 3.4),
        "drift_reward_by_node": (_by_node("composite"), "The paper's Fig. 4: composite reward by node", 4.2),
        "drift_judge_by_node": (_by_node("judge"), "The paper's Fig. 5: judge sub-score by node", 4.2),
        "drift_components": (_components, "The paper's Fig. 6: components of the composite reward", 4.2),
        "drift_reward_per_prompt": (
            _per_prompt,
            "The paper's Fig. 7: composite reward of each held-out prompt",
            3.6,
        ),
    }
    return {
        name: _panels(results, setting, report, draw, title, height)
        for name, (draw, title, height) in drawn.items()
    }


def _panels(
    results: IntrinsicResults,
    setting: IntrinsicSetting,
    report: ReportConfig,
    draw: Draw,
    title: str,
    height: float,
) -> Figure:
    policies = results.present(setting)
    with drawing(report):
        figure = new_figure(_WIDTH, max(1, len(policies)) * height + 0.6)
        panels = figure.subplots(max(1, len(policies)), 1, squeeze=False)[:, 0]
        for axes, policy in zip(panels, policies, strict=False):
            axes.set_title(setting.policies[policy].label)
            draw(axes, results, setting, policy, report)
        if not policies:
            panels[0].text(0.5, 0.5, "no results", transform=panels[0].transAxes, ha="center", color=GREY)
        figure.suptitle(
            f"{title}\n{setting.offline_label}" if setting.offline_label else title, fontsize="medium"
        )
        figure.supxlabel(_footnote(setting, draw in (_gains, _per_prompt)), fontsize="x-small", color=GREY)
    return figure


def _footnote(setting: IntrinsicSetting, each_prompt: bool) -> str:
    judged = f"Content judged by: {setting.judge}."
    if each_prompt:
        return f"{judged} A prompt's reward is the mean of its {setting.samples} completions."
    return (
        f"{judged} Error bars: {setting.evaluation.confidence:.0%} bootstrap over prompts. –: no value.\n"
        "Hollow marks, in the columns of base and trained: the paper's figures where it prints them (of its "
        "own models if ours is another;\ncomposite rewards are of another scale, since its weights are not "
        "printed)."
    )


def _colours(report: ReportConfig) -> dict[str, tuple[float, float, float]]:
    first, second = sns.color_palette(report.palette, 2)
    return {"base": _rgb(first), "trained": _rgb(second)}


def _rgb(colour: Sequence[float]) -> tuple[float, float, float]:
    return float(colour[0]), float(colour[1]), float(colour[2])


def _gains(
    axes: Axes, results: IntrinsicResults, setting: IntrinsicSetting, policy: str, report: ReportConfig
) -> None:
    gains = results.gains(policy)
    axes.axvline(0.0, color=_ZERO, linestyle="--", linewidth=1.2, label="ΔR = 0")
    if gains:
        axes.hist(gains, bins=_bins(gains), color=_colours(report)["trained"])
    left, right = axes.get_xlim()
    axes.set_xlim(min(left, -_LEAST_REACH), max(right, _LEAST_REACH))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    above = sum(gain > 0 for gain in gains)
    axes.set_xlabel("ΔR = R trained − R base")
    axes.set_ylabel("prompts")
    paper = "; the paper: all of 100" if setting.paper.heldout_prompts == 100 else ""
    axes.legend(
        title=f"{above} of {len(gains)} prompts improve{paper}",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.2),
    )


def _bins(gains: Sequence[float]) -> list[float]:
    """Edges of bins of one width, one of them centred on 0: no gain at all is a bar on the line of 0."""
    low, high = min(0.0, *gains), max(0.0, *gains)
    width = max((high - low) / _BINS, _NARROWEST)
    first, last = (math.floor(end / width + 0.5) for end in (low, high))
    return [(place - 0.5) * width for place in range(first, last + 2)]


def _by_node(quantity: str) -> Draw:
    def draw(
        axes: Axes, results: IntrinsicResults, setting: IntrinsicSetting, policy: str, report: ReportConfig
    ) -> None:
        cells = [(node, f"{node}\n{NAMES[node].replace('_', ' ')}") for node in NODES]
        _bars(axes, results, setting, policy, report, [(quantity, node, label) for node, label in cells])
        if quantity == "judge":
            axes.set_ylim(0.0, 1.05)
        axes.set_ylabel(LABELS[quantity])
        axes.tick_params(axis="x", labelsize="x-small")

    return draw


def _components(
    axes: Axes, results: IntrinsicResults, setting: IntrinsicSetting, policy: str, report: ReportConfig
) -> None:
    _bars(
        axes,
        results,
        setting,
        policy,
        report,
        [(component, None, LABELS[component].removeprefix("r_")) for component in COMPONENTS],
    )
    axes.set_ylim(0.0, 1.05)
    axes.set_ylabel("mean of the component")
    axes.tick_params(axis="x", labelsize="x-small", rotation=20)


def _bars(
    axes: Axes,
    results: IntrinsicResults,
    setting: IntrinsicSetting,
    policy: str,
    report: ReportConfig,
    cells: Sequence[tuple[str, str | None, str]],
) -> None:
    """Base and trained side by side: bars with intervals, the paper's figures beside them."""
    colours = _colours(report)
    for variant in VARIANTS:
        means = [results.mean(policy, variant, quantity, setting, node) for quantity, node, _ in cells]
        places = [place + _OFFSETS[variant] for place in range(len(cells))]
        heights = [mean.estimate if mean.estimate is not None else 0.0 for mean in means]
        axes.bar(places, heights, width=0.36, color=colours[variant], alpha=0.75, label=variant)
        axes.errorbar(places, heights, yerr=_reach(means), fmt="none", ecolor=GREY, capsize=2, linewidth=1)
        for place, mean, (quantity, node, _) in zip(places, means, cells, strict=True):
            if not mean.estimate:
                # What has no height is put into words.
                small_words(axes, "–" if mean.estimate is None else "0", (place, 0.0))
            for model, value in paper_values(setting, policy, variant, quantity, node):
                _paper_mark(axes, place, model, value)
    axes.set_xticks(range(len(cells)), [label for *_, label in cells])
    axes.set_ylim(bottom=0.0)
    handles, labels = axes.get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    axes.legend(named.values(), named, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=4)


def _paper_mark(axes: Axes, place: float, model: str, value: float) -> None:
    marker, beside = _PAPER_MARKS.get(model, ("v", 0.0))
    axes.plot(
        [place + beside],
        [value],
        marker=marker,
        markersize=5,
        markerfacecolor="white",
        markeredgecolor="black",
        linestyle="none",
        label=f"{model} (paper)",
    )


def _reach(means: Sequence[Interval]) -> list[list[float]]:
    reach: list[list[float]] = [[], []]
    for mean in means:
        known = mean.estimate is not None and mean.low is not None and mean.high is not None
        reach[0].append(max(0.0, (mean.estimate or 0.0) - (mean.low or 0.0)) if known else 0.0)
        reach[1].append(max(0.0, (mean.high or 0.0) - (mean.estimate or 0.0)) if known else 0.0)
    return reach


def _per_prompt(
    axes: Axes, results: IntrinsicResults, setting: IntrinsicSetting, policy: str, report: ReportConfig
) -> None:
    """Both curves over the prompts, node by node, each node's prompts in order of their trained reward."""
    colours = _colours(report)
    trained, base = (
        results.of_policy(policy, variant).groupby(["node", "task"])["composite"].mean()
        for variant in ("trained", "base")
    )
    order = sorted(
        trained.index, key=lambda key: (key[0], trained[key] if trained[key] == trained[key] else -1.0)
    )
    edges = [place for place in range(1, len(order)) if order[place][0] != order[place - 1][0]]
    starts = [0, *edges]
    for variant, values in (("base", base), ("trained", trained)):
        # A line a node: from one node's best prompt to the next one's worst there is no way.
        for start, end in zip(starts, [*edges, len(order)], strict=True):
            axes.plot(
                range(start, end),
                [values.get(key, float("nan")) for key in order[start:end]],
                color=colours[variant],
                marker=_MARKERS[variant][0],
                markersize=_MARKERS[variant][1],
                linewidth=1,
                label=None if start else variant,
            )
    for edge in edges:
        axes.axvline(edge - 0.5, color=GREY, linewidth=0.5, linestyle=":")
    for start, end in zip(starts, [*edges, len(order)], strict=True):
        if order:
            small_words(axes, order[start][0], ((start + end - 1) / 2, 1.0), ABOVE_AXES)
    # The nodes' names stand between the title and the axes, where no line can strike them.
    axes.set_title(axes.get_title(), pad=18)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("held-out prompts, by node, in order of the trained model's reward")
    axes.set_ylabel("R")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
