"""Tasks in Simple Note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import QUESTION, Changes, account, deed
from holdcourse.appworld.engine.templates.values import MESSAGES, NOTE_TITLES, mixed, some
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import notes as recipes

OTHER_NOTE = Surface(0, {"title": "{title} (older copy)"})
"""A planted note whose title holds the asked one and is not it."""


def _entries(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(
        (
            {"title": note.title, "item": line.split(": ")[0]}
            for note in person.notes
            for line in note.content.splitlines()
            if ": " in line
        ),
        rng,
    )


def _entry(scene: Scene) -> Truth:
    user = account(scene, "simple_note")
    note = scene.models.simple_note.Note.find_one(user_id=user, title=scene.values["title"])
    entries = dict(line.split(": ", 1) for line in note.content.splitlines())
    return Truth(entries[scene.values["item"]])


def _new_notes(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    tags = sorted({tag for note in person.notes for tag in note.tags})
    return mixed(rng, title=NOTE_TITLES, tag=tags, text=MESSAGES)


def _note_written(scene: Scene) -> Truth:
    note = {
        "user_id": account(scene, "simple_note"),
        "title": scene.values["title"],
        "content": scene.values["text"],
        "tags": [scene.values["tag"]],
    }
    return Changes(added={"simple_note.Note": [note]}).truth


TEMPLATES = (
    Template(
        recipe=recipes.LOOK_UP_IN_NOTE,
        difficulty=1,
        evaluation=QUESTION,
        instances=_entries,
        truth=_entry,
        surfaces={"note": Surface(1, OTHER_NOTE.options)},
    ),
    Template(
        recipe=recipes.WRITE_NOTE,
        difficulty=1,
        evaluation=deed("simple_note.Note"),
        instances=_new_notes,
        truth=_note_written,
        # One note more under the tag: the task only adds its own.
        surfaces={"note": Surface(1, {"tags": "{tag}"})},
    ),
)
