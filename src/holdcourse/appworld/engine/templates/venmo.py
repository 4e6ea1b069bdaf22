"""Tasks in Venmo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import QUESTION, Changes, account, deed, text
from holdcourse.appworld.engine.templates.values import MEMOS, mixed, some, thresholds
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import venmo as recipes

_AMOUNTS = tuple(str(dollars) for dollars in range(3, 60))


def _payments_to_make(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    emails = [entry.email for entry in person.contacts]
    affordable = [amount for amount in _AMOUNTS if float(amount) < person.balance]
    return mixed(rng, amount=affordable, email=emails, memo=MEMOS)


def _money_sent(scene: Scene) -> Truth:
    app, amount = scene.models.venmo, float(scene.values["amount"])
    sender = app.User.find_one(email=scene.person.email)
    receiver = app.User.find_one(email=scene.values["email"])
    payment = {
        "sender_id": sender.id,
        "receiver_id": receiver.id,
        "amount": amount,
        "description": scene.values["memo"],
    }
    return Changes(
        added={"venmo.Transaction": [payment], "venmo.Notification": [{"user_id": receiver.id}]},
        updated={
            "venmo.User": [
                {"id": sender.id, "venmo_balance": round(sender.venmo_balance - amount, 2)},
                {"id": receiver.id, "venmo_balance": round(receiver.venmo_balance + amount, 2)},
            ]
        },
    ).truth


def _limits(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    sent = [payment.amount for payment in person.transactions if payment.sender == person.email]
    return [{"amount": limit} for limit in thresholds(sent, rng, 8)]


def _sent_above(scene: Scene) -> Truth:
    sent = scene.models.venmo.Transaction.find_all(sender_id=account(scene, "venmo"))
    limit = float(scene.values["amount"])
    return Truth(round(sum(payment.amount for payment in sent if payment.amount > limit), 2))


def _limits_of_requests(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    asked = [request.amount for request in person.requests_received]
    lowest, highest = (int(min(asked)), int(max(asked))) if asked else (0, 0)
    return some(({"amount": str(limit)} for limit in range(max(3, lowest - 3), highest)), rng)


def _requests_denied(scene: Scene) -> Truth:
    requests = [
        request
        for request in scene.models.venmo.PaymentRequest.find_all(receiver_id=account(scene, "venmo"))
        if request.pending and request.amount > float(scene.values["amount"])
    ]
    return Changes(
        added={"venmo.Notification": [{"user_id": request.sender_id} for request in requests]},
        updated={
            "venmo.PaymentRequest": [{"id": request.id, "denied_at": text(["2025"])} for request in requests]
        },
    ).truth


TEMPLATES = (
    Template(
        recipe=recipes.SEND_MONEY,
        difficulty=1,
        evaluation=deed("venmo.Transaction", "venmo.Notification", "venmo.User"),
        instances=_payments_to_make,
        truth=_money_sent,
        surfaces={"venmo_feed": Surface(1)},
    ),
    Template(
        recipe=recipes.SENT_ABOVE,
        difficulty=2,
        evaluation=QUESTION,
        instances=_limits,
        truth=_sent_above,
        # Received, so that it is none of the payments that count.
        surfaces={"venmo_feed": Surface(1)},
    ),
    Template(
        recipe=recipes.DENY_REQUESTS,
        difficulty=2,
        evaluation=deed("venmo.PaymentRequest", "venmo.Notification"),
        instances=_limits_of_requests,
        truth=_requests_denied,
        # Of one dollar, which no task's limit is below.
        surfaces={"payment_request": Surface(0)},
    ),
)
