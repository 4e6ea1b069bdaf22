"""The audit of a judge over a training run: what it gave, how that changed, where another one disagrees."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, pstdev, quantiles
from typing import cast

import numpy as np
from pydantic import JsonValue
from scipy.stats import rankdata

from holdcourse.config.reward import JudgeAuditConfig
from holdcourse.errors import HoldcourseError
from holdcourse.recovery.nodes import NODES, NodeId

BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """One completion of the training run as it was scored.

    Attributes:
        step: optimizer step.
        prompt_id: which prompt.
        node: its node.
        completion: the text.
        judge: the judge's score; None where it gave none.
        structural: sum of the eight components of form, unweighted.
    """

    step: int
    prompt_id: str
    node: NodeId
    completion: str
    judge: float | None
    structural: float


@dataclass(frozen=True, slots=True)
class Distribution:
    """Scores of one node, or of one window of the run.

    Attributes:
        group: the node, or the steps of the window.
        scored: completions with a score.
        unscored: completions without.
        mean: of the scores; this and the rest are None where there is no score.
        deviation: standard deviation (population).
        median: of the scores.
        at_0: share of scores up to 0.05.
        at_1: share of scores from 0.95 on.
        bins: scores in [0, 0.1), [0.1, 0.2), … [0.9, 1].
        words: mean length of the scored completions, in words.
        length_correlation: Spearman's rank correlation of score and length; high where length pays.
        structural: mean sum of the components of form.
    """

    group: str
    scored: int
    unscored: int
    mean: float | None
    deviation: float | None
    median: float | None
    at_0: float | None
    at_1: float | None
    bins: tuple[int, ...]
    words: float | None
    length_correlation: float | None
    structural: float | None

    def record(self) -> dict[str, JsonValue]:
        """As a JSON object."""
        return cast("dict[str, JsonValue]", {**asdict(self), "bins": list(self.bins)})


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two judges on the same completions of a node.

    Attributes:
        group: the node.
        compared: completions that both scored.
        first: mean score of the run's judge; this and the rest are None where nothing was compared.
        second: mean score of the other.
        difference: mean of first - second.
        distance: mean of |first - second|.
        correlation: Spearman's rank correlation.
        apart: share of completions on which they are further apart than allowed.
    """

    group: str
    compared: int
    first: float | None
    second: float | None
    difference: float | None
    distance: float | None
    correlation: float | None
    apart: float | None

    def record(self) -> dict[str, JsonValue]:
        """As a JSON object."""
        return cast("dict[str, JsonValue]", asdict(self))


def judged_rows(rows: Sequence[Mapping[str, object]], place: str) -> list[Judged]:
    """Read completions.jsonl of a training run; `place` names it in messages.

    Raises:
        HoldcourseError: the file is empty, or a row is not one of a scored completion.
    """
    if not rows:
        raise HoldcourseError(f"{place} holds no completion; the training run has not made a step yet")
    found = []
    for number, row in enumerate(rows, start=1):
        components = row.get("components")
        if not isinstance(components, Mapping) or "judge" not in components or row.get("node") not in NODES:
            raise HoldcourseError(
                f"{place}, line {number}: no node and components with a judge; run the training stage again"
            )
        form = [value for name, value in components.items() if name not in ("judge", "documentation")]
        judge = components["judge"]
        found.append(
            Judged(
                step=cast("int", row["step"]),
                prompt_id=str(row["prompt_id"]),
                node=cast("NodeId", row["node"]),
                completion=str(row["completion"]),
                judge=None if judge is None else float(judge),
                structural=sum(float(value) for value in form),
            )
        )
    return found


def by_node(rows: Sequence[Judged]) -> list[Distribution]:
    """The scores of each node, and of all together."""
    return [
        *(distribution(node, [row for row in rows if row.node == node]) for node in NODES),
        distribution("all", rows),
    ]


def by_window(rows: Sequence[Judged], windows: int) -> list[Distribution]:
    """The scores over equal parts of the run; of a run with fewer steps each step is a window."""
    steps = sorted({row.step for row in rows})
    parts = np.array_split(np.array(steps), min(windows, len(steps)))
    return [
        distribution(f"{part[0]}–{part[-1]}", [row for row in rows if part[0] <= row.step <= part[-1]])
        for part in parts
    ]


def distribution(group: str, rows: Sequence[Judged]) -> Distribution:
    """Describe the scores of some completions."""
    scored = [
        (row.judge, len(row.completion.split()), row.structural) for row in rows if row.judge is not None
    ]
    scores = [score for score, _, _ in scored]
    lengths = [float(words) for _, words, _ in scored]
    bins = [0] * BINS
    for score in scores:
        bins[min(BINS - 1, int(score * BINS + 1e-9))] += 1
    return Distribution(
        group=group,
        scored=len(scores),
        unscored=len(rows) - len(scores),
        mean=fmean(scores) if scores else None,
        deviation=pstdev(scores) if scores else None,
        median=quantiles(scores, n=2, method="inclusive")[0] if len(scores) > 1 else next(iter(scores), None),
        at_0=fmean(score <= 0.05 for score in scores) if scores else None,
        at_1=fmean(score >= 0.95 for score in scores) if scores else None,
        bins=tuple(bins),
        words=fmean(lengths) if scores else None,
        length_correlation=rank_correlation(scores, lengths),
        structural=fmean(form for _, _, form in scored) if scores else None,
    )


def disagreements(rows: Sequence[Judged], others: Sequence[float | None], apart: float) -> list[Disagreement]:
    """Compare the run's scores with another judge's of the same completions, by node and together."""
    pairs = [
        (row.node, row.judge, other)
        for row, other in zip(rows, others, strict=True)
        if row.judge is not None and other is not None
    ]
    return [
        *(
            _disagreement(node, [(first, second) for of, first, second in pairs if of == node], apart)
            for node in NODES
        ),
        _disagreement("all", [(first, second) for _, first, second in pairs], apart),
    ]


def sampled(rows: Sequence[Judged], config: JudgeAuditConfig) -> list[Judged]:
    """At most `sample` scored completions a node, drawn over the whole run, in its order."""
    chosen: set[int] = set()
    for node in NODES:
        places = [place for place, row in enumerate(rows) if row.node == node and row.judge is not None]
        rng = random.Random(f"{config.seed} {node}")  # noqa: S311
        chosen |= set(rng.sample(places, min(config.sample, len(places))))
    return [rows[place] for place in sorted(chosen)]


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation, ties sharing their mean rank; None where one side does not vary."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])


def _disagreement(group: str, pairs: Sequence[tuple[float, float]], apart: float) -> Disagreement:
    if not pairs:
        return Disagreement(group, 0, *[None] * 6)
    return Disagreement(
        group=group,
        compared=len(pairs),
        first=fmean(first for first, _ in pairs),
        second=fmean(second for _, second in pairs),
        difference=fmean(first - second for first, second in pairs),
        distance=fmean(abs(first - second) for first, second in pairs),
        correlation=rank_correlation(*zip(*pairs, strict=True)),
        apart=fmean(abs(first - second) > apart for first, second in pairs),
    )
