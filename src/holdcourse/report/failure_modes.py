"""Table of failure modes: contradictions, redundancies, size and cost of verification (GRACE §4)."""

from __future__ import annotations

import numpy as np

from holdcourse.config.paper import Quantity
from holdcourse.metrics.intervals import seed_interval, seed_spread
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.table import Cell, Column, ReportTable


def shift_failure_modes(results: ShiftResults, setting: Setting) -> ReportTable:
    """What audits found in each arm's audited checkpoints, and how long the instruction grew."""
    rows = [
        _row(results, setting, arm, checkpoint)
        for arm in setting.arms
        for checkpoint in setting.audited
        if results.audit_by_seed(arm, checkpoint, "characters")
        or results.size_by_seed(arm, checkpoint, "characters")
    ]
    level = f"{setting.evaluation.confidence:.0%}"
    columns = (
        Column("arm", "arm"),
        Column("checkpoint", "checkpoint"),
        Column("contradictions_paper", "paper contradictions"),
        Column("contradictions", setting.ours("contradictions", "auditor"), 2),
        Column("contradictions_low", f"contradictions {level} low", 2),
        Column("contradictions_high", f"contradictions {level} high", 2),
        Column("redundancies_paper", "paper redundancies"),
        Column("redundancies", setting.ours("redundancies", "auditor"), 2),
        Column("redundancies_low", f"redundancies {level} low", 2),
        Column("redundancies_high", f"redundancies {level} high", 2),
        Column("characters_paper", "paper characters"),
        Column("characters", "ours characters", 0),
        Column("characters_sd", "characters sd over seeds", 0),
        Column("units", "graph nodes", 1),
        Column("edges", "graph edges", 1),
        Column("verification_tokens", "verification tokens a batch", 0),
        Column("seeds", "audited seeds", 0),
        Column("audits", "audits", 0),
        Column("unparsed", "excluded audits", 0),
    )
    notes = (
        "Unit: a seed. A count is the mean over seeds of the mean over the seed's audits; the denominators "
        "are the columns audited seeds and audits. Excluded: audits whose reply could not be read.",
        f"Intervals: {level} Student t over seeds.",
        "Verification tokens: prompt and completion tokens of structural analysis (graph arms) or of the "
        "consistency guard (HCE), mean over batches and seeds.",
        f"Auditor: {setting.model_names['auditor']}. The paper does not say which model audits, nor which "
        "checkpoint its averages belong to; they stand at the last audited one, its range included.",
    )
    return ReportTable(
        "shift_failure_modes",
        "Contradictions, redundancies and size of the instruction at the audited checkpoints.",
        columns,
        tuple(rows),
        notes,
        setting.offline_label,
    )


def _row(results: ShiftResults, setting: Setting, arm: str, checkpoint: int) -> dict[str, Cell]:
    audits = results.audits
    own = audits[(audits["arm"] == arm) & (audits["checkpoint"] == checkpoint)]
    row: dict[str, Cell] = {"arm": setting.arm_labels[arm], "checkpoint": checkpoint}
    for quantity in ("contradictions", "redundancies"):
        counts = results.audit_by_seed(arm, checkpoint, quantity)
        interval = seed_interval(counts, setting.evaluation.confidence)
        row[f"{quantity}_paper"] = _paper(setting, quantity, arm, checkpoint)
        row[quantity] = interval.estimate
        row[f"{quantity}_low"] = interval.low
        row[f"{quantity}_high"] = interval.high
    characters = results.size_by_seed(arm, checkpoint, "characters") or results.audit_by_seed(
        arm, checkpoint, "characters"
    )
    spread = seed_interval(characters, setting.evaluation.confidence)
    row |= {
        "characters_paper": _paper(setting, "characters", arm, checkpoint),
        "characters": spread.estimate,
        "characters_sd": _sd(characters),
        "units": _mean(results.size_by_seed(arm, checkpoint, "units")),
        "edges": _mean(results.size_by_seed(arm, checkpoint, "edges")),
        "verification_tokens": _mean(results.verification_by_seed(arm)),
        "seeds": len(results.audit_by_seed(arm, checkpoint, "contradictions")),
        "audits": int(own["contradictions"].notna().sum()),
        "unparsed": int(own.drop_duplicates("seed")["unparsed"].sum()),
    }
    return row


def _paper(setting: Setting, quantity: Quantity, arm: str, checkpoint: int) -> str | None:
    """The paper's figure: the one for this checkpoint, else, at the last audited one, its unplaced one."""
    figure = setting.paper.figure(quantity, arm, checkpoint)
    if figure is None and checkpoint == max(setting.audited):
        figure = setting.paper.figure(quantity, arm, None)
    return figure.text if figure else None


def _mean(values: dict[int, float]) -> float | None:
    return sum(values.values()) / len(values) if values else None


def _sd(values: dict[int, float]) -> float | None:
    return seed_spread({seed: np.array([value]) for seed, value in values.items()}).sd
