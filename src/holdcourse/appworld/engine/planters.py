"""Planters: each makes one kind of record in a task's start state, with a text in it.

A planter knows nothing of our templates: with no options it works for any task of the engine, also the
official ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from holdcourse.appworld.engine.planting import Planting, made, settle
from holdcourse.errors import HoldcourseError


def _free(model: Any, field: str, wanted: str, user: int) -> str:
    """The value wanted, or with a number if the person has a record of that name already."""
    stem, dot, ending = wanted.rpartition(".") if field == "path" else (wanted, "", "")
    found, number = wanted, 1
    while model.find_one(user_id=user, **{field: found}) is not None:
        number += 1
        found = f"{stem} {number}{dot}{ending}"
    return found


def _mail(planting: Planting) -> None:
    models, user, when = planting.models, planting.user, planting.made

    def correspondent() -> Any:
        threads = models.UserEmailThread.find_all(user_id=user.id, incoming=True)
        senders = [
            models.User.find_one(email=thread.sender_email_addresses[0]) for thread in reversed(threads)
        ]
        return next((sender for sender in senders if sender and sender.id != user.id), None)

    sender = planting.other("sender", correspondent)
    email = made(
        models.Email,
        sender_id=sender.id,
        recipient_ids=[user.id],
        subject=planting.option("subject", "Please read"),
        body=planting.option("body", planting.text),
        created_at=when,
    )
    thread = made(models.GlobalEmailThread, email_ids=[email.id], created_at=when, updated_at=when)
    for reader in (sender, user):
        made(
            models.UserEmailThread,
            global_email_thread_id=thread.id,
            user_id=reader.id,
            email_ids=[email.id],
            incoming=reader is user,
            outgoing=reader is sender,
            read=reader is sender or planting.option("read", "no") == "yes",
            starred=reader is user and planting.option("starred", "no") == "yes",
            label=(planting.options.get("label") or None) if reader is user else None,
            created_at=when,
            updated_at=when,
        )


def _note(planting: Planting) -> None:
    models, user = planting.models, planting.user
    title = planting.options.get("append_to")
    if title:
        note = models.Note.find_one(user_id=user.id, title=title)
        if note is None:
            raise HoldcourseError(f"no note is titled {title!r}; append to a note that the task's person has")
        note.content = f"{note.content}\n{planting.option('content', planting.text)}"
        note.save()
        settle(note)
        return
    made(
        models.Note,
        user_id=user.id,
        title=_free(models.Note, "title", planting.option("title", "Reminder"), user.id),
        content=planting.option("content", planting.text),
        tags=planting.option("tags", "").split(),
        created_at=planting.made,
        updated_at=planting.made,
    )


def _file(planting: Planting) -> None:
    models, user = planting.models, planting.user
    home = f"/home/{user.first_name.lower()}/"
    path = planting.option("path", "~/documents/reminder.txt").replace("~/", home)
    parts = path.removeprefix(home).split("/")[:-1]
    for depth in range(len(parts)):
        folder = home + "/".join(parts[: depth + 1]) + "/"
        if models.Directory.find_one(user_id=user.id, path=folder) is None:
            made(
                models.Directory,
                path=folder,
                user_id=user.id,
                created_at=planting.made,
                updated_at=planting.made,
            )
    made(
        models.File,
        path=_free(models.File, "path", path, user.id),
        user_id=user.id,
        content=planting.option("content", planting.text),
        created_at=planting.made,
        updated_at=planting.made,
    )


def _todo(planting: Planting) -> None:
    models, user = planting.models, planting.user
    named = planting.options.get("project")
    projects = models.Project.find_all(user_id=user.id)
    own = [project for project in projects if project.name == named or (not named and not project.is_inbox)]
    if not own:
        raise HoldcourseError(f"no to-do project is named {named!r}; name one that the task's person has")
    title = planting.option("title", planting.text)
    made(
        models.Task,
        project_id=own[0].id,
        user_id=user.id,
        title=title,
        description=planting.option("description", ""),
        due_date=datetime.fromisoformat(
            planting.option("due", (planting.now + timedelta(days=1)).date().isoformat())
        ),
        priority=planting.option("priority", "medium"),
        is_completed=planting.option("done", "no") == "yes",
        order_index=models.Task.count(project_id=own[0].id),
        created_at=planting.made,
    )


def _text_message(planting: Planting) -> None:
    models, user, when = planting.models, planting.user, planting.made

    def correspondent() -> Any:
        messages = models.GlobalTextMessage.find_all(receiver_id=user.id)
        return models.User.by_id(messages[-1].sender_id) if messages else None

    sender = planting.other("sender", correspondent)
    message = made(
        models.GlobalTextMessage,
        sender_id=sender.id,
        receiver_id=user.id,
        message=planting.option("message", planting.text),
        created_at=when,
    )
    for reader in (sender, user):
        made(models.UserTextMessage, global_text_message_id=message.id, user_id=reader.id, created_at=when)


def _alarm(planting: Planting) -> None:
    made(
        planting.models.Alarm,
        user_id=planting.user.id,
        time=planting.option("time", "06:45"),
        repeat_days=[],
        label=planting.option("label", planting.text),
        enabled=planting.option("enabled", "no") == "yes",
        vibration=True,
        created_at=planting.made,
    )


def _friend(planting: Planting) -> Any:
    friendships = planting.models.Friendship.find_all(user_id=planting.user.id)
    return planting.models.User.by_id(friendships[0].friend_id) if friendships else None


def _venmo_feed(planting: Planting) -> None:
    sender = planting.other("sender", lambda: _friend(planting))
    receiver = planting.other("receiver", lambda: planting.user)
    made(
        planting.models.Transaction,
        sender_id=sender.id,
        receiver_id=receiver.id,
        amount=float(planting.option("amount", "1")),
        description=planting.option("description", planting.text),
        private=False,
        created_at=planting.made,
        updated_at=planting.made,
    )


def _payment_request(planting: Planting) -> None:
    requester = planting.other("requester", lambda: _friend(planting))
    made(
        planting.models.PaymentRequest,
        sender_id=requester.id,
        receiver_id=planting.user.id,
        amount=float(planting.option("amount", "1")),
        description=planting.option("description", planting.text),
        created_at=planting.made,
        updated_at=planting.made,
    )


def _expense(planting: Planting) -> None:
    models, user, when = planting.models, planting.user, planting.made
    named = planting.options.get("group")
    groups = [group for group in user.member_in_groups if not group.deleted and named in (None, group.name)]
    if not groups:
        raise HoldcourseError(f"no expense group is named {named!r}; name one that the task's person is in")
    payer = next(number for number in groups[0].member_ids if number != user.id)
    amount = float(planting.option("amount", "1"))
    expense = made(
        models.Expense,
        user_id=payer,
        group_id=groups[0].id,
        payer_id=payer,
        debtor_ids=[payer, user.id],
        description=planting.option("description", planting.text),
        amount=amount,
        created_at=when,
    )
    for debtor in (payer, user.id):
        made(
            models.ExpenseShare,
            expense_id=expense.id,
            debtor_id=debtor,
            share_amount=amount / 2,
            created_at=when,
        )
    # The shares changed the expense behind its hash.
    settle(expense)


def _playlist(planting: Planting) -> None:
    made(
        planting.models.Playlist,
        title=_free(
            planting.models.Playlist, "title", planting.option("title", planting.text), planting.user.id
        ),
        user_id=planting.user.id,
        is_public=planting.option("public", "no") == "yes",
        created_at=planting.made,
    )


def _song_review(planting: Planting) -> None:
    models, user = planting.models, planting.user
    named = planting.options.get("song")
    song = models.Song.find_one(title=named) if named else models.Song.first()
    if song is None:
        raise HoldcourseError(f"no song is titled {named!r}; name one of the catalogue")
    writer = planting.other("sender", lambda: None)
    made(
        models.SongReview,
        song_id=song.id,
        user_id=writer.id if writer.id != user.id else user.id,
        rating=3,
        title="",
        text=planting.option("text", planting.text),
        created_at=planting.made,
    )
    settle(song)


def _product_question(planting: Planting) -> None:
    models = planting.models
    named = planting.options.get("product")
    product = models.Product.find_one(name=named) if named else models.Product.first()
    if product is None:
        raise HoldcourseError(f"no product is named {named!r}; name one of the catalogue")
    made(
        models.ProductQuestion,
        product_id=product.id,
        user_id=planting.other("sender", lambda: None).id,
        question=planting.option("question", planting.text),
        created_at=planting.made,
    )


@dataclass(frozen=True)
class Planter:
    """How one kind of record is planted: the app it is in, and what makes it."""

    app: str
    plant: Callable[[Planting], None]


PLANTERS: Mapping[str, Planter] = {
    "mail": Planter("gmail", _mail),
    "note": Planter("simple_note", _note),
    "file": Planter("file_system", _file),
    "todo": Planter("todoist", _todo),
    "text_message": Planter("phone", _text_message),
    "alarm": Planter("phone", _alarm),
    "venmo_feed": Planter("venmo", _venmo_feed),
    "payment_request": Planter("venmo", _payment_request),
    "expense": Planter("splitwise", _expense),
    "playlist": Planter("spotify", _playlist),
    "song_review": Planter("spotify", _song_review),
    "product_question": Planter("amazon", _product_question),
}
"""By kind of surface."""
