"""Stored trajectories as the recovery graph takes them: an incident to walk over, and the truth about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from holdcourse.drift.records import StepLabel, step_of
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
    steps = tuple(step_of(step) for step in cast("Sequence[Mapping[str, object]]", row["steps"]))
    onset = int(cast("int", row["suspected_onset"])) if suspected_onset is None else suspected_onset
    return Incident(str(row["id"]), str(row["instruction"]), onset, steps, docs)


def truth_of(row: Row, reversible: frozenset[str]) -> Truth:
    """The labels of a trajectory.

    Args:
        row: a trajectory of the dataset.
        reversible: operations with a documented inverse.
    """
    return Truth(labels_in(row), reversible)


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
