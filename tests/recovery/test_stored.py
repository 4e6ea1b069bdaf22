"""Stored trajectories as incidents of the recovery graph, and their labels as its truth."""

from __future__ import annotations

from tests.appworld.made_rows import LIKE, NOTES, PAY, REVERSIBLE, made_row

from holdcourse.drift.records import StepLabel
from holdcourse.recovery.stored import incident_of, labels_in, truth_of

ROW = made_row(kind="write", drift_type="III", payload=(LIKE, PAY), steps=((NOTES,), (LIKE,), (PAY,)))


def test_an_incident_is_the_run_and_its_suspected_onset() -> None:
    incident = incident_of(ROW, {})
    assert (incident.id, incident.task) == ("train-transient-000", "Count my notes.")
    assert incident.suspected_onset == ROW["suspected_onset"] == 3
    assert [call.operation for step in incident.steps for call in step.calls] == [
        "simple_note.search_notes",
        "spotify.like_song",
        "venmo.create_transaction",
    ]
    assert incident_of(ROW, {}, suspected_onset=1).suspected_onset == 1


def test_the_truth_is_the_labels_and_what_can_be_undone() -> None:
    truth = truth_of(ROW, REVERSIBLE)
    assert truth.labels == labels_in(ROW)
    assert truth.labels[1] == StepLabel(2, False, ("spotify.like_song",), ())
    assert truth.reversible == {"spotify.like_song"}
