"""The long table of the recovery, drift/metrics.parquet: a row a cell, backbone, mode, difficulty and metric.

The unit is a task. Task metrics are means over tasks; metrics of the nodes are ratios of sums over the walks
of all tasks. All intervals resample tasks; `excluded` counts tasks that a metric is undefined for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from holdcourse.metrics.count_intervals import count_interval, paired_count_interval
from holdcourse.metrics.episode_outcomes import OUTCOMES, VERDICTS, Row, decided, outcome, verdict
from holdcourse.metrics.intervals import Bootstrap, FloatArray, Interval, mean_interval
from holdcourse.metrics.node_quality import NODE_METRICS, node_counts

COLUMNS = (
    "drift_type",
    "main_agent",
    "backbone",
    "mode",
    "difficulty",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "excluded",
)
ALL = "all"
NO_DRIFT, NO_RECOVERY = "no_drift", "none"
"""Stand as backbones: the run without drift (upper bound), and the drifted run as it ended (lower bound)."""

GAIN = "trained - untrained"
"""Stands as a backbone: the paired difference of the small model's two states."""

WALK = "walk"
"""Stands as the mode of what belongs to the walk, whatever is then done about the world."""

NAN = float("nan")


@dataclass(frozen=True)
class CellResults:
    """What was run of one drift type and main agent.

    Attributes:
        drift_type: Type I, II or III.
        main_agent: "large" or "small".
        drifted: the drifted runs.
        no_drift: the runs of the same tasks without drift, by the same ids.
        episodes: rows by backbone, those of all modes.
    """

    drift_type: str
    main_agent: str
    drifted: Sequence[Row]
    no_drift: Sequence[Row]
    episodes: Mapping[str, Sequence[Row]]

    def of_mode(self, backbone: str, mode: str) -> list[Row]:
        """Episodes of a backbone and mode, in the order of the drifted runs."""
        by_id = {str(row["id"]): row for row in self.episodes[backbone] if row["mode"] == mode}
        return [by_id[str(row["id"])] for row in self.drifted if str(row["id"]) in by_id]

    def modes(self, backbone: str) -> list[str]:
        """Modes that a backbone was run in."""
        return list(dict.fromkeys(str(row["mode"]) for row in self.episodes[backbone]))


Value = Callable[[Row, bool], float]
"""A metric of an episode; the second argument says whether the task succeeds without drift."""


def _counted(row: Row, value: object) -> float:
    return NAN if row["escalated"] else float(bool(value))


def _repair(row: Row, holds: Callable[[Row], bool]) -> float:
    made = cast("Row | None", row["repair"])
    return NAN if made is None else float(holds(made))


def _asked(row: Row, name: str) -> float:
    visits = cast("Sequence[Row]", cast("Row", row["walk"])["visits"])
    return float(sum(cast("float", visit[name]) for visit in visits))


def _came_to(name: str) -> Value:
    return lambda row, _: float(outcome(row) == name)


def _was_worth(name: str) -> Value:
    return lambda row, _: float(verdict(decided(row)) == name)


ACTED: Mapping[str, Value] = {
    "task_goal_completion": lambda row, _: _counted(row, row["success"]),
    "task_goal_completion_all": lambda row, _: float(bool(row["success"])),
    "same_as_no_drift": lambda row, without: _counted(row, bool(row["success"]) == without),
    "escalated": lambda row, _: float(bool(row["escalated"])),
    "drifted_again": lambda row, _: _counted(row, row["drifted_again"]),
    "repair_whole": lambda row, _: _repair(row, lambda made: not made["left"] and not made["residue"]),
    "repair_left": lambda row, _: _repair(row, lambda made: bool(made["left"])),
    "repair_residue": lambda row, _: _repair(row, lambda made: not made["left"] and bool(made["residue"])),
    "agent_calls": lambda row, _: NAN if row["escalated"] else float(cast("int", row["agent_calls"])),
    "agent_tokens": lambda row, _: (
        NAN
        if row["escalated"]
        else float(cast("int", row["agent_prompt_tokens"]) + cast("int", row["agent_completion_tokens"]))
    ),
    **{f"outcome_{name}": _came_to(name) for name in OUTCOMES},
}
"""Metrics of what came of acting on the decision."""

WALKED: Mapping[str, Value] = {
    "calls": lambda row, _: _asked(row, "attempts"),
    "prompt_tokens": lambda row, _: _asked(row, "prompt_tokens"),
    "completion_tokens": lambda row, _: _asked(row, "completion_tokens"),
    "seconds": lambda row, _: _asked(row, "seconds"),
    "refused_replies": lambda row, _: float(
        sum(len(cast("Sequence[str]", visit["refused"])) for visit in _visits(row))
    ),
    **{f"decision_{name}": _was_worth(name) for name in VERDICTS},
}
"""Metrics of the walk alone."""


def _visits(row: Row) -> Sequence[Row]:
    return cast("Sequence[Row]", cast("Row", row["walk"])["visits"])


def drift_metrics(
    cells: Sequence[CellResults], reversible: Collection[str], bootstrap: Bootstrap
) -> pd.DataFrame:
    """All metrics of all cells; see `COLUMNS`."""
    rows: list[dict[str, object]] = []
    for cell in cells:
        rows += _bounds(cell, bootstrap)
        for backbone in cell.episodes:
            rows += _of_backbone(cell, backbone, reversible, bootstrap)
        if {"trained", "untrained"} <= cell.episodes.keys():
            rows += _gains(cell, reversible, bootstrap)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _bounds(cell: CellResults, bootstrap: Bootstrap) -> list[dict[str, object]]:
    succeeded = _succeeded_without(cell)
    rows = []
    for backbone, values in (
        (NO_DRIFT, [float(succeeded[str(row["id"])]) for row in cell.drifted]),
        (NO_RECOVERY, [float(bool(cast("Row", row["evaluation"])["success"])) for row in cell.drifted]),
    ):
        for difficulty, chosen in _by_difficulty(cell.drifted):
            mean = mean_interval({0: np.array(values)[chosen]}, bootstrap)
            rows.append(_row(cell, backbone, "none", difficulty, "task_goal_completion", mean))
    return rows


def _of_backbone(
    cell: CellResults, backbone: str, reversible: Collection[str], bootstrap: Bootstrap
) -> list[dict[str, object]]:
    modes = cell.modes(backbone)
    walks = cell.of_mode(backbone, modes[0]) if modes else []
    rows = []
    for difficulty, chosen in _by_difficulty(walks):
        for metric, measured in NODE_METRICS.items():
            counts = node_counts(measured, [walks[place] for place in chosen], reversible)
            interval = count_interval(counts, measured.statistic, bootstrap)
            rows.append(_row(cell, backbone, WALK, difficulty, metric, interval))
    groups = [(WALK, walks, WALKED), *((mode, cell.of_mode(backbone, mode), ACTED) for mode in modes)]
    for mode, episodes, metrics in groups:
        for metric, value in metrics.items():
            values = _values(cell, episodes, value)
            for difficulty, chosen in _by_difficulty(episodes):
                mean = mean_interval({0: values[chosen]}, bootstrap)
                rows.append(_row(cell, backbone, mode, difficulty, metric, mean))
    return rows


def _gains(cell: CellResults, reversible: Collection[str], bootstrap: Bootstrap) -> list[dict[str, object]]:
    """Trained minus untrained, paired by task, over the modes that both were run in."""
    rows = []
    modes = [mode for mode in cell.modes("trained") if mode in cell.modes("untrained")]
    for mode in modes:
        trained, untrained = (cell.of_mode(name, mode) for name in ("trained", "untrained"))
        for metric, value in ACTED.items():
            values = _values(cell, trained, value) - _values(cell, untrained, value)
            for difficulty, chosen in _by_difficulty(trained):
                mean = mean_interval({0: values[chosen]}, bootstrap)
                rows.append(_row(cell, GAIN, mode, difficulty, metric, mean))
    if modes:
        trained, untrained = (cell.of_mode(name, modes[0]) for name in ("trained", "untrained"))
        for metric, measured in NODE_METRICS.items():
            first, second = (node_counts(measured, side, reversible) for side in (trained, untrained))
            for difficulty, chosen in _by_difficulty(trained):
                interval = paired_count_interval(first[chosen], second[chosen], measured.statistic, bootstrap)
                rows.append(_row(cell, GAIN, WALK, difficulty, metric, interval))
    return rows


def _values(cell: CellResults, rows: Sequence[Row], value: Value) -> FloatArray:
    succeeded = _succeeded_without(cell)
    return np.array([value(row, succeeded[str(row["id"])]) for row in rows], dtype=np.float64)


def _succeeded_without(cell: CellResults) -> dict[str, bool]:
    return {str(row["id"]): bool(row["success"]) for row in cell.no_drift}


def _by_difficulty(rows: Sequence[Row]) -> list[tuple[str, list[int]]]:
    """Places of the rows of each difficulty that occurs, then of all."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(str(row["difficulty"]), []).append(place)
    return [*sorted(places.items()), (ALL, list(range(len(rows))))] if rows else []


def _row(
    cell: CellResults, backbone: str, mode: str, difficulty: str, metric: str, interval: Interval
) -> dict[str, object]:
    return {
        "drift_type": cell.drift_type,
        "main_agent": cell.main_agent,
        "backbone": backbone,
        "mode": mode,
        "difficulty": difficulty,
        "metric": metric,
        "value": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "n": interval.units,
        "excluded": interval.excluded,
    }
