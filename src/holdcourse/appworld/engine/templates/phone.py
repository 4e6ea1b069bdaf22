"""Tasks in the phone app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import TEXT_SENT, Changes, account, deed, text_sent
from holdcourse.appworld.engine.templates.values import ALARM_LABELS, MESSAGES, mixed
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import phone as recipes

_TIMES = tuple(f"{hour:02d}:{minute:02d}" for hour in range(6, 23) for minute in (5, 20, 35, 50))


def _new_alarms(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return mixed(rng, time=_TIMES, label=ALARM_LABELS)


def _alarm_set(scene: Scene) -> Truth:
    alarm = {
        "user_id": account(scene, "phone"),
        "time": scene.values["time"],
        "label": scene.values["label"],
        "enabled": True,
    }
    return Changes(added={"phone.Alarm": [alarm]}).truth


def _new_texts(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return mixed(rng, message=MESSAGES, phone=[entry.phone_number for entry in person.contacts])


def _text_sent(scene: Scene) -> Truth:
    return text_sent(scene, scene.values["phone"], scene.values["message"]).truth


TEMPLATES = (
    Template(
        recipe=recipes.SET_ALARM,
        difficulty=1,
        evaluation=deed("phone.Alarm"),
        instances=_new_alarms,
        truth=_alarm_set,
        # Both tasks only add: what was there before does not matter.
        surfaces={"alarm": Surface(0), "text_message": Surface(1)},
    ),
    Template(
        recipe=recipes.SEND_TEXT,
        difficulty=1,
        evaluation=deed(*TEXT_SENT),
        instances=_new_texts,
        truth=_text_sent,
        surfaces={"text_message": Surface(0)},
    ),
)
