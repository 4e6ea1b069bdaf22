"""Audits of many runs as one table, a row a readable repeat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from holdcourse.errors import HoldcourseError
from holdcourse.metrics.audit_record import AuditRecord

AUDIT_COLUMNS = (
    "arm",
    "seed",
    "checkpoint",
    "repeat",
    "contradictions",
    "redundancies",
    "characters",
    "units",
    "edges",
    "unparsed",
)


@dataclass(frozen=True)
class AuditedRun:
    """One arm's checkpoint of one seed and its audit."""

    arm: str
    seed: int
    record: AuditRecord


def audit_frame(audits: Iterable[AuditedRun]) -> pd.DataFrame:
    """Audits of many runs as a table.

    Returns:
        A row a readable repeat (`AUDIT_COLUMNS`); `unparsed` is the run's number of unreadable repeats,
        the same in each of its rows. A run with none readable has one row with NaN counts.

    Raises:
        HoldcourseError: a run is given twice.
    """
    rows: list[dict[str, object]] = []
    seen: set[tuple[str, int, int]] = set()
    for run in audits:
        key = (run.arm, run.seed, run.record.checkpoint)
        if key in seen:
            raise HoldcourseError(
                f"the audit of arm {key[0]}, seed {key[1]}, checkpoint {key[2]} is given twice"
            )
        seen.add(key)
        counts: list[tuple[int | None, int | None, int | None]] = [
            (repeat.trial, repeat.contradictions, repeat.redundancies) for repeat in run.record.repeats
        ]
        for trial, contradictions, redundancies in counts or [(None, None, None)]:
            rows.append(
                {
                    "arm": run.arm,
                    "seed": run.seed,
                    "checkpoint": run.record.checkpoint,
                    "repeat": trial,
                    "contradictions": contradictions,
                    "redundancies": redundancies,
                    "characters": run.record.characters,
                    "units": run.record.units,
                    "edges": run.record.edges,
                    "unparsed": run.record.unparsed,
                }
            )
    frame = pd.DataFrame(rows, columns=list(AUDIT_COLUMNS))
    # Missing counts must be NaN for means to leave them out.
    return frame.astype(
        dict.fromkeys(("repeat", "contradictions", "redundancies", "units", "edges"), "float64")
    )
