"""What principals have with their companions: mail, messages, payments, shared expenses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import TypeVar

from holdcourse.appworld.engine.world import words
from holdcourse.appworld.engine.world.people import phone_book
from holdcourse.appworld.engine.world.records import (
    Contact,
    Expense,
    Group,
    Mail,
    PaymentRequest,
    Person,
    Text,
    Transaction,
)
from holdcourse.appworld.engine.world.times import day, moment

_Dated = TypeVar("_Dated", Mail, Text, Transaction)

_SENT_MAILS = 4
_GROUPS = 3
_OPEN_REQUESTS = (2, 1)


def with_dealings(person: Person, companions: Sequence[Person], rng: Random) -> Person:
    """Give a principal contacts, and dealings with each of them."""
    contacts = phone_book(companions, rng)
    asked_by, asks = _OPEN_REQUESTS
    asking = rng.sample(contacts, asked_by + asks)
    groups = rng.sample(words.GROUP_NAMES, _GROUPS)
    return replace(
        person,
        contacts=contacts,
        mails=_sorted(_mails(person, contacts, rng), lambda mail: mail.sent),
        sent_mails=_sorted(_sent_mails(person, contacts, rng), lambda mail: mail.sent),
        texts=_sorted(_texts(person, contacts, rng), lambda text: text.sent),
        transactions=_sorted(_transactions(person, contacts, rng), lambda payment: payment.sent),
        requests_received=tuple(_request(other.email, person.email, rng) for other in asking[:asked_by]),
        requests_sent=tuple(_request(person.email, other.email, rng) for other in asking[asked_by:]),
        balance=float(rng.randint(200, 900)),
        groups=tuple(_group(name, person, contacts, rng) for name in groups),
    )


def among_companions(companions: Sequence[Person], rng: Random) -> list[Person]:
    """Let companions pay one another in public, which shows in the feeds of those who know them."""
    payments = []
    for place, person in enumerate(companions):
        other = companions[(place + 1) % len(companions)].email
        reason = rng.choice(words.PAYMENT_REASONS)
        payments.append(
            Transaction(person.email, other, float(rng.randint(4, 60)), reason, moment(rng), False)
        )
    return [
        replace(
            person,
            balance=500.0,
            transactions=tuple(payment for payment in payments if payment.sender == person.email),
        )
        for person in companions
    ]


def _sorted(records: list[_Dated], key: Callable[[_Dated], datetime]) -> tuple[_Dated, ...]:
    return tuple(sorted(records, key=key))


def _mails(person: Person, contacts: Sequence[Contact], rng: Random) -> list[Mail]:
    """Ten to twelve mails on different topics: at least one from each contact, a few marked in some way."""
    count = rng.randint(10, len(words.MAIL_TOPICS))
    topics = rng.sample(words.MAIL_TOPICS, count)
    starred = set(rng.sample(range(count), 3))
    unread = set(rng.sample(range(count), 3))
    archived = rng.randrange(count)
    labelled = set(rng.sample(range(count), 2))
    mails = []
    for place, (subject, body) in enumerate(topics):
        filling = _filling(rng)
        mails.append(
            Mail(
                sender=contacts[place % len(contacts)].email,
                recipients=(person.email,),
                subject=subject.format(**filling),
                body=body.format(**filling),
                sent=moment(rng, first_month=3),
                read=place not in unread,
                starred=place in starred,
                archived=place == archived,
                label="plans" if place in labelled else None,
            )
        )
    return mails


def _sent_mails(person: Person, contacts: Sequence[Contact], rng: Random) -> list[Mail]:
    receivers = rng.sample(contacts, _SENT_MAILS)
    mails = []
    for (subject, body), receiver in zip(rng.sample(words.MAIL_TOPICS, _SENT_MAILS), receivers, strict=True):
        filling = _filling(rng)
        sent = moment(rng, first_month=3)
        mails.append(
            Mail(person.email, (receiver.email,), subject.format(**filling), body.format(**filling), sent)
        )
    return mails


def _filling(rng: Random) -> dict[str, object]:
    return {
        "place": rng.choice(words.PLACES),
        "day": day(rng, 6),
        "month": rng.choice(words.MONTHS),
        "dish": rng.choice(words.DISHES),
        "book": rng.choice(words.BOOKS),
        "amount": rng.randrange(15, 480, 5),
        "number": rng.randint(3, 60),
    }


def _texts(person: Person, contacts: Sequence[Contact], rng: Random) -> list[Text]:
    """One message from each contact, and one to every second."""
    messages = iter(rng.sample(words.TEXT_MESSAGES, len(words.TEXT_MESSAGES)))
    texts = []
    for place, other in enumerate(contacts):
        incoming = (other.phone_number, person.phone_number)
        for sender, receiver in (incoming, incoming[::-1])[: 1 + place % 2]:
            message = next(messages).format(**_filling(rng))
            texts.append(Text(sender, receiver, message, moment(rng, first_month=4)))
    return texts


def _transactions(person: Person, contacts: Sequence[Contact], rng: Random) -> list[Transaction]:
    """One or two payments to and from each contact."""
    payments = []
    for other in contacts:
        for sender, receiver in ((person.email, other.email), (other.email, person.email)):
            for reason in rng.sample(words.PAYMENT_REASONS, rng.randint(1, 2)):
                amount = rng.randint(4, 60) + rng.choice((0.0, 0.0, 0.5, 0.25))
                payments.append(
                    Transaction(sender, receiver, amount, reason, moment(rng), rng.random() < 0.3)
                )
    return payments


def _request(requester: str, payer: str, rng: Random) -> PaymentRequest:
    reason = rng.choice(words.PAYMENT_REASONS)
    return PaymentRequest(requester, payer, float(rng.randint(8, 45)), reason, moment(rng, first_month=5))


def _group(name: str, person: Person, contacts: Sequence[Contact], rng: Random) -> Group:
    others = rng.sample(contacts, rng.randint(2, 3))
    members = (person.email, *(other.email for other in others))
    return Group(name, members, tuple(_expenses(members, rng)))


def _expenses(members: Sequence[str], rng: Random) -> list[Expense]:
    """Expenses of a group; its maker shares in each, since the app shows nobody what they have no part in."""
    maker = members[0]
    expenses = []
    for description in rng.sample(words.EXPENSES, rng.randint(3, 4)):
        payer = rng.choice(members)
        others = [member for member in members[1:] if member != payer]
        least = 1 if payer == maker else 0
        sharers = dict.fromkeys((payer, maker, *rng.sample(others, rng.randint(least, len(others)))))
        # Divisible, so that equal shares are exact to the cent.
        amount = float(len(sharers) * rng.randint(5, 40))
        expenses.append(
            Expense(description, amount, payer, tuple(sorted(sharers)), moment(rng, first_month=4))
        )
    return expenses
