"""Tasks over several apps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.gmail import from_friend, inbox
from holdcourse.appworld.engine.templates.notes import OTHER_NOTE
from holdcourse.appworld.engine.templates.splitwise import group_of, in_group
from holdcourse.appworld.engine.templates.spotify import liked_by
from holdcourse.appworld.engine.templates.todo import in_project, project_of
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
from holdcourse.appworld.engine.templates.values import NOTE_TITLES, SUBJECTS, some, thresholds
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import across as recipes


def _songs_to_mail(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(
        (
            {
                "friend": rng.choice(person.contacts).first_name,
                "playlist": playlist.title,
                "seconds": limit,
                "subject": rng.choice(SUBJECTS),
            }
            for playlist in person.playlists
            for limit in thresholds((song.seconds for song in playlist.songs), rng, 4, step=5)
        ),
        rng,
    )


def _songs_mailed(scene: Scene) -> Truth:
    app = scene.models.spotify
    playlist = app.Playlist.find_one(user_id=account(scene, "spotify"), title=scene.values["playlist"])
    songs = [app.Song.by_id(entry.song_id) for entry in app.PlaylistSong.find_all(playlist_id=playlist.id)]
    limit = int(scene.values["seconds"])
    body = text(
        [song.title for song in songs if song.duration > limit],
        [song.title for song in songs if song.duration <= limit],
    )
    return mail_sent(scene, contact_of(scene).email, scene.values["subject"], body).truth


def _lists(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(
        (
            {"title": note.title, "project": project.name, "friend": friend.first_name}
            for note in person.notes
            if note.items
            for project in person.projects
            for friend in person.contacts
        ),
        rng,
    )


def _list_turned(scene: Scene) -> Truth:
    user = account(scene, "simple_note")
    note = scene.models.simple_note.Note.find_one(user_id=user, title=scene.values["title"])
    items = [line.removeprefix("- ") for line in note.content.splitlines() if line.startswith("- ")]
    changes = text_sent(scene, contact_of(scene).phone_number, text([str(len(items))]))
    project = project_of(scene)
    changes.added["todoist.Task"] = [{"project_id": project, "title": item} for item in items]
    return changes.truth


def _spendings(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    paid = {payment.receiver for payment in person.transactions if payment.sender == person.email}
    return some(
        (
            {"friend": friend.first_name, "group": group.name}
            for friend in person.contacts
            if friend.email in paid
            for group in person.groups
            if any(expense.payer == person.email for expense in group.expenses)
        ),
        rng,
    )


def _spent(scene: Scene) -> Truth:
    venmo, splitwise = scene.models.venmo, scene.models.splitwise
    friend = account(scene, "venmo", contact_of(scene).email)
    sent = venmo.Transaction.find_all(sender_id=account(scene, "venmo"), receiver_id=friend)
    paid = splitwise.Expense.find_all(group_id=group_of(scene).id, payer_id=account(scene, "splitwise"))
    return Truth(round(sum(payment.amount for payment in sent) + sum(expense.amount for expense in paid), 2))


def _unread(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    senders = {mail.sender for mail in person.mails if not mail.read and not mail.archived}
    return some(
        (
            {"friend": friend.first_name, "project": project.name}
            for friend in person.contacts
            if friend.email in senders
            for project in person.projects
        ),
        rng,
    )


def _mails_turned(scene: Scene) -> Truth:
    sender = account(scene, "gmail", contact_of(scene).email)
    unread = [mail for thread, mail in inbox(scene) if not thread.read and mail.sender_id == sender]
    project = project_of(scene)
    todos = [{"project_id": project, "title": mail.subject} for mail in unread]
    return Changes(added={"todoist.Task": todos}).truth


def _due_dates(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(
        (
            {
                "friend": rng.choice(person.contacts).first_name,
                "task": todo.title,
                "project": project.name,
                "title": rng.choice(NOTE_TITLES),
            }
            for project in person.projects
            for todo in project.todos
            if todo.due is not None
        ),
        rng,
    )


def _date_passed_on(scene: Scene) -> Truth:
    todo = scene.models.todoist.Task.find_one(project_id=project_of(scene), title=scene.values["task"])
    date = todo.due_date.strftime("%Y-%m-%d")
    changes = text_sent(scene, contact_of(scene).phone_number, text([date]))
    note = {"user_id": account(scene, "simple_note"), "title": scene.values["title"], "content": text([date])}
    changes.added["simple_note.Note"] = [note]
    return changes.truth


def _songs_to_note(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    artists = sorted({song.artist for song in person.liked_songs})
    return some(({"title": rng.choice(NOTE_TITLES), "artist": artist} for artist in artists), rng)


def _songs_noted(scene: Scene) -> Truth:
    titles = [song.title for song in liked_by(scene.person, scene.values["artist"])]
    others = [song.title for song in scene.person.liked_songs if song.title not in titles]
    note = {
        "user_id": account(scene, "simple_note"),
        "title": scene.values["title"],
        "content": text(titles, others),
    }
    return Changes(added={"simple_note.Note": [note]}).truth


TEMPLATES = (
    Template(
        recipe=recipes.MAIL_LONG_SONGS,
        difficulty=3,
        evaluation=deed(*MAIL_SENT),
        instances=_songs_to_mail,
        truth=_songs_mailed,
        surfaces={"playlist": Surface(0), "mail": from_friend(3)},
    ),
    Template(
        recipe=recipes.LIST_TO_TODOS,
        difficulty=3,
        evaluation=deed("todoist.Task", *TEXT_SENT),
        instances=_lists,
        truth=_list_turned,
        surfaces={"note": OTHER_NOTE, "todo": in_project(2)},
    ),
    Template(
        recipe=recipes.SPENT_TOGETHER,
        difficulty=3,
        evaluation=QUESTION,
        instances=_spendings,
        truth=_spent,
        # Received from the friend, and paid by another member: neither is what the person spent.
        surfaces={"venmo_feed": Surface(0, {"sender": "{friend}"}), "expense": in_group(2)},
    ),
    Template(
        recipe=recipes.MAILS_TO_TODOS,
        difficulty=3,
        evaluation=deed("todoist.Task"),
        instances=_unread,
        truth=_mails_turned,
        surfaces={"mail": from_friend(1), "todo": in_project(3)},
    ),
    Template(
        recipe=recipes.PASS_ON_DUE_DATE,
        difficulty=3,
        evaluation=deed("simple_note.Note", *TEXT_SENT),
        instances=_due_dates,
        truth=_date_passed_on,
        surfaces={"todo": in_project(1), "text_message": Surface(3, {"sender": "{friend}"})},
    ),
    Template(
        recipe=recipes.NOTE_LIKED_SONGS,
        difficulty=3,
        evaluation=deed("simple_note.Note"),
        instances=_songs_to_note,
        truth=_songs_noted,
        surfaces={"playlist": Surface(0), "note": Surface(2, OTHER_NOTE.options)},
    ),
)
