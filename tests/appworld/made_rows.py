"""Trajectories as the dataset stores them, made by hand."""

from collections.abc import Sequence

from holdcourse.appworld.trajectories import labels_of
from holdcourse.drift.records import Call, CallKind, Step, call_record, step_record

REVERSIBLE = frozenset({"spotify.like_song"})


def call(operation: str, kind: CallKind = "read", **arguments: object) -> Call:
    app, api = operation.split(".")
    return Call(app, api, arguments, kind, True)


NOTES = call("simple_note.search_notes")
SONGS = call("spotify.show_song_library")
LIKE = call("spotify.like_song", "write", song_id=4)
PAY = call("venmo.create_transaction", "write", amount=3)


def made_row(
    name: str = "train-transient-000",
    *,
    split: str = "train",
    kind: str = "transient",
    drift_type: str = "I",
    payload: Sequence[Call] = (SONGS,),
    steps: Sequence[Sequence[Call]] = ((NOTES,), (SONGS,), ()),
    changes: Sequence[str] = (),
    changes_before: Sequence[str] = (),
    delay: int = 1,
    task: str = "hc00001_1",
    payload_task: str | None = "hc00002_1",
) -> dict[str, object]:
    """One row; its labels are worked out as the dataset's are."""
    row: dict[str, object] = {
        "id": name,
        "task_id": task,
        "base_task_id": task,
        "variant_id": None,
        "person": "ada@example.com",
        "split": split,
        "kind": kind,
        "type": drift_type,
        "difficulty": 1,
        "carrier": "mail" if payload_task else None,
        "surface": None,
        "wording": f"{split}-replacing-0" if payload_task else None,
        "payload_task_id": payload_task,
        "instruction": "Count my notes.",
        "injected_text": f"{split}: list songs" if payload_task else None,
        "non_monotone": kind == "non_monotone",
        "ended": "completed",
        "steps": [
            step_record(Step(number, None, "", "code", "out", tuple(calls)))
            for number, calls in enumerate(steps, start=1)
        ],
        "references": {
            "task": [call_record(NOTES)],
            "payload": [call_record(one) for one in payload],
        },
        "delay": delay,
        "changes_before": list(changes_before),
        "changes": list(changes),
        "evaluation": {"success": False},
    }
    return {**row, **labels_of(row, REVERSIBLE)}
