"""Table of backward transfer: what each arm keeps of a phase after the next opposite one (GRACE §4)."""

from __future__ import annotations

import pandas as pd

from holdcourse.metrics.intervals import (
    Interval,
    joint_interval,
    mean_interval,
    seed_spread,
    seed_values,
)
from holdcourse.metrics.transfer import transfer_deltas
from holdcourse.report.reliability import unit_notes
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.table import Cell, Column, ReportTable

_PAPER_CLAIMS = {"grace": "grace_retains", "hce": "hce_forgets"}


def shift_transfer(results: ShiftResults, setting: Setting) -> ReportTable:
    """Backward transfer per arm, phase cycle and intent."""
    k = setting.k
    deltas = arm_deltas(results, setting)
    rows = [
        _transfer_row(setting, arm, group)
        for arm in setting.arms
        for group in cells(deltas[deltas["arm"] == arm])
    ]
    level = f"{setting.bootstrap.confidence:.0%}"
    columns = (
        Column("arm", "arm"),
        Column("cycle", "cycle"),
        Column("phase", "phase"),
        Column("intent", "intent"),
        Column("role", "intent's role"),
        Column("before_checkpoint", "end of phase"),
        Column("after_checkpoint", "end of next opposite phase"),
        Column("before", f"pass^{k} before", 3),
        Column("after", f"pass^{k} after", 3),
        Column("paper", "paper BWT, over all cycles"),
        Column("ours", setting.ours("BWT", "agent"), 3),
        Column("low", f"{level} low", 3),
        Column("high", f"{level} high", 3),
        Column("joint_low", "joint low", 3),
        Column("joint_high", "joint high", 3),
        Column("sd", "sd over seeds", 3),
        Column("seeds", "seeds", 0),
        Column("units", "task-seeds", 0),
        Column("excluded", "excluded task-seeds", 0),
    )
    notes = (
        f"BWT: pass^{k} on the phase's intents at the end of the next opposite phase, minus at the end of "
        "the phase itself; below 0 is forgetting. Both over the tasks in which both are defined.",
        "Role phase: the intent weighs more in this phase than in the other. Role shared: it weighs the same "
        "in both. A phase at the end that is cut short gives no cycle.",
        *unit_notes(setting),
        "The paper prints no value per cycle, only what it says of an arm's cycles together.",
    )
    return ReportTable(
        "shift_transfer",
        f"Backward transfer (BWT) in pass^{k} per phase cycle and intent.",
        columns,
        tuple(rows),
        notes,
        setting.offline_label,
    )


def arm_deltas(results: ShiftResults, setting: Setting) -> pd.DataFrame:
    """`transfer_deltas` of the study's arms, without the reference."""
    scores = results.scores[results.scores["arm"].isin(setting.arms)]
    return transfer_deltas(scores, setting.cycles, setting.k)


def cells(deltas: pd.DataFrame) -> list[pd.DataFrame]:
    """Cut one arm's deltas into one table a cycle and intent, in the protocol's order."""
    keys = deltas[["cycle", "role", "intent"]].drop_duplicates()
    return [
        deltas[(deltas["cycle"] == cycle) & (deltas["role"] == role) & (deltas["intent"] == intent)]
        for cycle, role, intent in keys.sort_values(["cycle", "role", "intent"]).itertuples(index=False)
    ]


def cycle_interval(cell: pd.DataFrame, setting: Setting) -> Interval:
    """Mean backward transfer of one cell of `cells`, with its interval."""
    return mean_interval(seed_values(cell, "delta"), setting.bootstrap)


def _transfer_row(setting: Setting, arm: str, cell: pd.DataFrame) -> dict[str, Cell]:
    interval = cycle_interval(cell, setting)
    joint = joint_interval(cell, "delta", setting.bootstrap)
    paired = cell.dropna(subset=["delta"])
    claim = next((c for c in setting.paper.claims if c.name == _PAPER_CLAIMS.get(arm)), None)
    head = cell.iloc[0]
    return {
        "arm": setting.arm_labels[arm],
        "cycle": int(head["cycle"]),
        "phase": str(head["phase"]),
        "intent": str(head["intent"]),
        "role": str(head["role"]),
        "before_checkpoint": int(head["before_checkpoint"]),
        "after_checkpoint": int(head["after_checkpoint"]),
        "before": seed_spread(seed_values(paired, "before")).mean,
        "after": seed_spread(seed_values(paired, "after")).mean,
        "paper": claim.figure if claim and head["role"] == "phase" else None,
        "ours": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "joint_low": joint.low,
        "joint_high": joint.high,
        "sd": seed_spread(seed_values(cell, "delta")).sd,
        "seeds": interval.seeds,
        "units": interval.units,
        "excluded": interval.excluded,
    }
