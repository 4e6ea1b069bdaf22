"""What a task's evaluation compares with, and the tests that compare.

The tests name each record that must be added, updated or removed, with the values that count, and allow no
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdcourse.appworld.engine.evaluation import source
from holdcourse.appworld.engine.template import Scene, Truth

RECORDS = r"""
import re

def stands(part, text):
    # A number may have zeros more behind its point, and no other digits around it.
    if not part.replace(".", "").isdigit():
        return part in text
    zeros = "0*" if "." in part else r"(\.0+)?"
    return re.search(r"(?<![\d.])" + re.escape(part) + zeros + r"(?!\.?\d)", text) is not None

def plain(value):
    return value.strftime("%Y-%m-%dT%H:%M") if hasattr(value, "strftime") else value

def fits(record, wanted):
    for name, value in wanted.items():
        have = plain(getattr(record, name))
        if isinstance(value, dict):
            text = str(have)
            if not all(stands(part, text) for part in value["holds"]):
                return False
            if any(stands(part, text) for part in value["lacks"]):
                return False
        elif have != value:
            return False
    return True

for model, wanted in sorted(private_data.records.items()):
    added, updated, removed = models.changed_records(model)
    with test(f"{model}: the added records are the expected ones"):
        test.case(len(added), "==", len(wanted["added"]))
        for row in wanted["added"]:
            test.case(any(fits(record, row) for record in added), "==", True)
    with test(f"{model}: the updated records are the expected ones, in the expected fields"):
        ids = sorted(record.id for record in updated)
        test.case(ids, "==", sorted(row["id"] for row in wanted["updated"]))
        for row in wanted["updated"]:
            record = next(record for record in updated if record.id == row["id"])
            test.case(fits(record, row), "==", True)
            changed = models.changed_field_names(model, row["id"], ignore=["updated_at"])
            test.case(changed - set(row), "==", set())
    with test(f"{model}: the removed records are the expected ones"):
        test.case(sorted(record.id for record in removed), "==", sorted(wanted["removed"]))
"""

QUESTION = source(())
"""The evaluation of a question: the right answer, and nothing is changed."""


def deed(*changed: str) -> str:
    """The evaluation of a deed that changes records of exactly these models ("app.Model")."""
    return source(changed, RECORDS)


def text(holds: Iterable[str], lacks: Iterable[str] = ()) -> dict[str, list[str]]:
    """A field's wanted value that is given by what the text must hold and must lack; see `stands` above."""
    return {"holds": list(holds), "lacks": list(lacks)}


@dataclass
class Changes:
    """The records that a deed changes, by model.

    Attributes:
        added: fields that count, one mapping a record.
        updated: the same, with "id"; only fields named here may change.
        removed: ids.
    """

    added: dict[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    updated: dict[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    removed: dict[str, Sequence[int]] = field(default_factory=dict)

    @property
    def truth(self) -> Truth:
        """The truth of a deed that makes these changes."""
        models = sorted({*self.added, *self.updated, *self.removed})
        return Truth(
            private_data={
                "records": {
                    model: {
                        "added": [dict(row) for row in self.added.get(model, ())],
                        "updated": [dict(row) for row in self.updated.get(model, ())],
                        "removed": list(self.removed.get(model, ())),
                    }
                    for model in models
                }
            }
        )


def account(scene: Scene, app: str, named: str | None = None) -> int:
    """The id of an account.

    Args:
        scene: the task's start.
        app: application.
        named: e-mail address (phone number in "phone") of the account; the task's person's if None.
    """
    by = "phone_number" if app == "phone" else "email"
    own = scene.person.phone_number if app == "phone" else scene.person.email
    number: int = scene.models[app].User.find_one(**{by: named or own}).id
    return number


def contact_of(scene: Scene) -> Any:
    """The record of the contact whose first name is the value of the field "friend"."""
    return next(entry for entry in scene.person.contacts if entry.first_name == scene.values["friend"])


def mail_sent(scene: Scene, to: str, subject: str, body: object) -> Changes:
    """The changes of one sent mail; `body` is the wanted body or a `text`."""
    sender, receiver = account(scene, "gmail"), account(scene, "gmail", to)
    wanted = {"sender_id": sender, "recipient_ids": [receiver], "subject": subject, "body": body}
    return Changes(
        added={
            "gmail.Email": [wanted],
            "gmail.GlobalEmailThread": [{}],
            "gmail.UserEmailThread": [
                {"user_id": sender, "outgoing": True},
                {"user_id": receiver, "incoming": True},
            ],
        }
    )


def text_sent(scene: Scene, to: str, message: object) -> Changes:
    """The changes of one sent text message; `message` is the wanted message or a `text`."""
    sender, receiver = account(scene, "phone"), account(scene, "phone", to)
    return Changes(
        added={
            "phone.GlobalTextMessage": [{"sender_id": sender, "receiver_id": receiver, "message": message}],
            "phone.UserTextMessage": [{"user_id": sender}, {"user_id": receiver}],
        }
    )


MAIL_SENT = ("gmail.Email", "gmail.GlobalEmailThread", "gmail.UserEmailThread")
TEXT_SENT = ("phone.GlobalTextMessage", "phone.UserTextMessage")
