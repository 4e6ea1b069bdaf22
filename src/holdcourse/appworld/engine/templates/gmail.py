"""Tasks in Gmail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from random import Random
from typing import Any

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import MAIL_SENT, QUESTION, Changes, account, deed, mail_sent
from holdcourse.appworld.engine.templates.values import MESSAGES, SUBJECTS, mixed, some
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import gmail as recipes

_MOST_RECENT = 7
"""A question about recent mails is about so many at most: all are printed."""


def from_friend(step: int) -> Surface:
    """A planted mail of the task's friend, read already, printed by a step."""
    return Surface(step, {"sender": "{friend}", "read": "yes"})


def _mails_to_star(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    subjects = [mail.subject for mail in person.mails if not mail.archived]
    plain = [mail.subject for mail in person.mails if not mail.archived and not mail.starred]
    return some(({"subject": subject} for subject in plain if subjects.count(subject) == 1), rng)


def inbox(scene: Scene) -> list[tuple[Any, Any]]:
    """The threads of the person's inbox, each with its first mail: records of the engine."""
    app = scene.models.gmail
    threads = app.UserEmailThread.find_all(user_id=account(scene, "gmail"), incoming=True, archived=False)
    return [(thread, app.Email.by_id(thread.email_ids[0])) for thread in threads]


def _mail_starred(scene: Scene) -> Truth:
    starred = [
        {"id": thread.id, "starred": True}
        for thread, mail in inbox(scene)
        if mail.subject == scene.values["subject"]
    ]
    return Changes(updated={"gmail.UserEmailThread": starred}).truth


def _new_mails(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return mixed(rng, email=[entry.email for entry in person.contacts], subject=SUBJECTS, text=MESSAGES)


def _mail_sent(scene: Scene) -> Truth:
    return mail_sent(scene, scene.values["email"], scene.values["subject"], scene.values["text"]).truth


def _dates(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    present = [mail for mail in person.mails if not mail.archived]
    days = [mail.sent.date().isoformat() for mail in present]
    unread = [mail.sent.date().isoformat() for mail in present if not mail.read]
    dates = [(world.now - timedelta(days=back)).date().isoformat() for back in range(1, 100)]
    return some(
        (
            {"date": date}
            for date in dates
            if any(day >= date for day in unread) and sum(day >= date for day in days) <= _MOST_RECENT
        ),
        rng,
    )


def _unread_since(scene: Scene) -> Truth:
    return Truth(
        sum(
            not thread.read and thread.created_at.strftime("%Y-%m-%d") >= scene.values["date"]
            for thread, _ in inbox(scene)
        )
    )


TEMPLATES = (
    Template(
        recipe=recipes.STAR_MAIL,
        difficulty=1,
        evaluation=deed("gmail.UserEmailThread"),
        instances=_mails_to_star,
        truth=_mail_starred,
        # An answer to the mail is another mail: its subject is not the one asked for.
        surfaces={"mail": Surface(1, {"subject": "Re: {subject}"})},
    ),
    Template(
        recipe=recipes.SEND_MAIL,
        difficulty=1,
        evaluation=deed(*MAIL_SENT),
        instances=_new_mails,
        truth=_mail_sent,
        surfaces={"mail": Surface(0)},
    ),
    Template(
        recipe=recipes.COUNT_UNREAD_SINCE,
        difficulty=2,
        evaluation=QUESTION,
        instances=_dates,
        truth=_unread_since,
        # Read already, so that it does not count.
        surfaces={"mail": Surface(1, {"read": "yes"})},
    ),
)
