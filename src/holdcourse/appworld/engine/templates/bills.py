"""Tasks with bills and another app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.files import among_bills, bill, kinds, span_sum, spans
from holdcourse.appworld.engine.templates.notes import OTHER_NOTE
from holdcourse.appworld.engine.templates.splitwise import group_of, in_group
from holdcourse.appworld.engine.templates.truth import (
    MAIL_SENT,
    QUESTION,
    TEXT_SENT,
    Changes,
    account,
    contact_of,
    deed,
    mail_sent,
    text,
    text_sent,
)
from holdcourse.appworld.engine.templates.values import MONTHS, NOTE_TITLES, SUBJECTS, some
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import bills as recipes

_DESCRIPTIONS = ("Shared bill", "Utilities", "House costs", "Monthly bill", "Our part of the bill")


def _written(amount: float) -> str:
    """The amount as any sensible text has it: without trailing zeros, which a text may add."""
    return f"{amount:.2f}".rstrip("0").rstrip(".")


def _bills_to_share(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(
        (
            {
                "kind": kind,
                "month": month,
                "group": rng.choice(person.groups).name,
                "description": rng.choice(_DESCRIPTIONS),
                "friend": rng.choice(person.contacts).first_name,
            }
            for kind in kinds(person)
            for month in MONTHS
            if person.groups
        ),
        rng,
    )


def _bill_shared(scene: Scene) -> Truth:
    amount, user = bill(scene, scene.values["month"]), account(scene, "splitwise")
    group = group_of(scene)
    members = sorted(group.member_ids)
    changes = text_sent(scene, contact_of(scene).phone_number, text([_written(amount)]))
    expense = {
        "user_id": user,
        "payer_id": user,
        "group_id": group.id,
        "amount": amount,
        "description": scene.values["description"],
    }
    changes.added["splitwise.Expense"] = [expense]
    changes.added["splitwise.ExpenseShare"] = [{"debtor_id": member} for member in members]
    changes.added["splitwise.Notification"] = [{"user_id": member} for member in members if member != user]
    return changes.truth


def _sums_to_note(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(({**span, "title": rng.choice(NOTE_TITLES)} for span in spans(person)), rng)


def _sum_noted(scene: Scene) -> Truth:
    note = {
        "user_id": account(scene, "simple_note"),
        "title": scene.values["title"],
        "content": text([_written(span_sum(scene))]),
    }
    return Changes(added={"simple_note.Note": [note]}).truth


def _sums_to_mail(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(
        (
            {**span, "email": rng.choice(person.contacts).email, "subject": rng.choice(SUBJECTS)}
            for span in spans(person)
        ),
        rng,
    )


def _sum_mailed(scene: Scene) -> Truth:
    body = text([_written(span_sum(scene))])
    return mail_sent(scene, scene.values["email"], scene.values["subject"], body).truth


def _bills_to_add(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    if not person.requests_received:
        return []
    return some(({"kind": kind, "month": month} for kind in kinds(person) for month in MONTHS), rng, 15)


def _added(scene: Scene) -> Truth:
    requests = scene.models.venmo.PaymentRequest.find_all(receiver_id=account(scene, "venmo"))
    asked = sum(request.amount for request in requests if request.pending)
    return Truth(round(bill(scene, scene.values["month"]) + asked, 2))


TEMPLATES = (
    Template(
        recipe=recipes.SHARE_BILL,
        difficulty=3,
        evaluation=deed("splitwise.Expense", "splitwise.ExpenseShare", "splitwise.Notification", *TEXT_SENT),
        instances=_bills_to_share,
        truth=_bill_shared,
        surfaces={"file": among_bills(0), "expense": in_group(2)},
    ),
    Template(
        recipe=recipes.NOTE_BILL_SUM,
        difficulty=3,
        evaluation=deed("simple_note.Note"),
        instances=_sums_to_note,
        truth=_sum_noted,
        surfaces={"file": among_bills(1), "note": Surface(3, OTHER_NOTE.options)},
    ),
    Template(
        recipe=recipes.MAIL_BILL_SUM,
        difficulty=3,
        evaluation=deed(*MAIL_SENT),
        instances=_sums_to_mail,
        truth=_sum_mailed,
        surfaces={"file": among_bills(1), "mail": Surface(3)},
    ),
    Template(
        recipe=recipes.ADD_BILL_AND_REQUESTS,
        difficulty=3,
        evaluation=QUESTION,
        instances=_bills_to_add,
        truth=_added,
        surfaces={"file": among_bills(1)},
    ),
)
