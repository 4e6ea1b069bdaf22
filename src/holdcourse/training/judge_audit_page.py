"""The page of a judge's audit, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from holdcourse.recovery.nodes import NAMES, NODES
from holdcourse.training.judge_audit import Disagreement, Distribution

_NAMED: dict[str, str] = {node: f"{node} {NAMES[node]}" for node in NODES}


def audit_page(
    policy: str,
    judge: str,
    nodes: Sequence[Distribution],
    windows: Sequence[Distribution],
    other: str | None,
    compared: Sequence[Disagreement],
) -> str:
    """The page.

    Args:
        policy: name of the trained model and its seed.
        judge: name of the run's judge.
        nodes: scores by node.
        windows: scores over the run.
        other: name of the judge it is compared with; None if there is none.
        compared: disagreement by node.
    """
    if other is None:
        disagreement = (
            "Not measured: the run's judge reads execution labels, and conf/drift_models/ names no model as "
            "`judge` that is not simulated, to compare it with."
        )
    else:
        disagreement = (
            f"First judge: {judge}. Second judge: {other}. The same completions, by both.\n\n"
            + _table(
                ("node", "n", "first", "second", "first − second", "distance", "rank correlation", "apart"),
                [
                    (
                        _NAMED.get(row.group, row.group),
                        row.compared,
                        *map(
                            _number,
                            (row.first, row.second, row.difference, row.distance, row.correlation, row.apart),
                        ),
                    )
                    for row in compared
                ],
            )
        )
    return f"""# Audit of the judge: {policy}

Judge of this run: **{judge}**. Scores lie in [0, 1]; a completion without a score is counted as such,
never as 0.

## Scores by node

{_distributions("node", nodes)}

## Scores over the run, by optimizer steps

A judge that is being gamed shows scores that rise with the length of completions, or that gather at 1 while
nothing else improves.

{_distributions("steps", windows)}

## Disagreement with another judge

{disagreement}
"""


def _distributions(first: str, rows: Sequence[Distribution]) -> str:
    return _table(
        (
            first,
            "n",
            "no score",
            "mean",
            "sd",
            "median",
            "at 0",
            "at 1",
            "words",
            "score ~ words",
            "form (sum of 8)",
        ),
        [
            (
                _NAMED.get(row.group, row.group),
                row.scored,
                row.unscored,
                *map(_number, (row.mean, row.deviation, row.median, row.at_0, row.at_1)),
                _number(row.words, 1),
                *map(_number, (row.length_correlation, row.structural)),
            )
            for row in rows
        ],
    )


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
