"""What the recovery graph takes from stored files: steps, labels, incidents, and what can be undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from holdcourse.drift.records import Step, StepLabel, step_of
from holdcourse.recovery.docs import Docs
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.oracle import Truth

Row = Mapping[str, object]


def incident_of(row: Row, docs: Docs, suspected_onset: int | None = None) -> Incident:
    """The incident of a trajectory.

    Args:
        row: a trajectory of the dataset.
        docs: documentation of the applications.
        suspected_onset: k_0 in place of the stored one.
    """
    onset = int(cast("int", row["suspected_onset"])) if suspected_onset is None else suspected_onset
    return Incident(str(row["id"]), str(row["instruction"]), onset, steps_in(row), docs)


def truth_of(row: Row, reversible: frozenset[str]) -> Truth:
    """The labels of a trajectory.

    Args:
        row: a trajectory of the dataset.
        reversible: operations with a documented inverse.
    """
    return Truth(labels_in(row), reversible)


def steps_in(row: Row) -> tuple[Step, ...]:
    """The stored steps."""
    return tuple(step_of(step) for step in cast("Sequence[Row]", row["steps"]))


def labels_in(row: Row) -> tuple[StepLabel, ...]:
    """The stored labels, one a step."""
    return tuple(
        StepLabel(
            number=int(cast("int", label["number"])),
            aligned=bool(label["aligned"]),
            writes=tuple(cast("Sequence[str]", label["writes"])),
            reads=tuple(cast("Sequence[str]", label["reads"])),
        )
        for label in cast("Sequence[Mapping[str, object]]", row["labels"])
    )


def reversible_operations(records: object) -> frozenset[str]:
    """Operations that are reversible by the documentation alone.

    The inverse is documented and needs no value that the write destroyed: what it needs is "accessible" in
    the sense of the paper's Appendix A.4.

    Args:
        records: the rows of reversibility.json.
    """
    return frozenset(
        str(row["operation"])
        for row in cast("Sequence[Row]", records)
        if row["documented"] and row["inverse"] is not None and not row["needs_preimage"]
    )
