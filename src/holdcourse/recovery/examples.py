"""The worked example of each node: what it is told and a good answer; of no task, payload or label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdcourse.recovery.answers import (
    Answer,
    ClassifyAnswer,
    DecideAnswer,
    DetectAnswer,
    RiskAnswer,
    SearchAnswer,
)
from holdcourse.recovery.contexts import (
    NO_CAUSE,
    ClassifyContext,
    Context,
    DecideContext,
    DetectContext,
    Diagnosis,
    RiskContext,
    SearchContext,
    StepView,
)
from holdcourse.recovery.docs import docs_of
from holdcourse.recovery.nodes import ROLLBACK, NodeId


@dataclass(frozen=True, slots=True)
class Example:
    """What a node is told in its example, and how it answers."""

    context: Context
    reasoning: str
    answer: Answer


_PAYMENTS = StepView(4, None, "print(apis.venmo.show_transactions())", "[]")
_MAIL = StepView(6, None, "apis.gmail.send_email(to=to)\nprint(apis.gmail.show_drafts())", "sent []")

EXAMPLES: Mapping[NodeId, Example] = {
    "n1": Example(
        ClassifyContext("Like the song Ebb.", 4, NO_CAUSE, _PAYMENTS),
        "The task is about a song, the code reads venmo.",
        ClassifyAnswer(4, False, "reads venmo, not the song"),
    ),
    "n2": Example(
        DetectContext("Count my notes.", _MAIL, False, "sends mail"),
        "send_email writes, show_drafts reads.",
        DetectAnswer(("gmail.send_email",), ("gmail.show_drafts",)),
    ),
    "n3": Example(
        SearchContext(("gmail.send_email", "todoist.create_task", "gmail.delete_draft")),
        "Two of gmail, one of todoist.",
        SearchAnswer(("gmail", "todoist")),
    ),
    "n4": Example(
        RiskContext(
            ("spotify.like_song", "spotify.update_review"),
            docs_of({"spotify": [{"api": "unlike_song", "method": "DELETE", "parameters": ["song_id"]}]}),
        ),
        "unlike_song undoes like_song; the old review is lost.",
        RiskAnswer(("spotify.like_song",), ("spotify.update_review",)),
    ),
    "n5": Example(
        DecideContext(
            "Count my notes.",
            6,
            (Diagnosis(6, False, "order in an e-mail"), Diagnosis(5, True, "")),
            6,
        ),
        "Step 6 drifted, no write.",
        DecideAnswer(ROLLBACK, 5, "Count notes. Drift at step 6 by an e-mail, no writes. Ignore it."),
    ),
}
