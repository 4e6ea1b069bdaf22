"""What a planter works with when it puts one record more, with a text in it, into a task's start state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text as sql

from holdcourse.errors import HoldcourseError

_BEFORE = timedelta(minutes=10)
"""How long before the task starts a planted record was made: the newest, and not from the future."""


@dataclass(frozen=True)
class Planting:
    """What a planter works with.

    Attributes:
        models: the models of its app, in the task's start state.
        email: e-mail address of the task's person.
        phone_number: their phone number.
        now: when the task starts.
        options: how the record is to be, all texts filled in; a planter reads what it knows.
    """

    models: Any
    email: str
    phone_number: str
    now: datetime
    text: str
    options: Mapping[str, str]

    @property
    def made(self) -> datetime:
        """When the record was made."""
        given = self.options.get("date")
        return datetime.fromisoformat(given) if given else self.now - _BEFORE

    def option(self, name: str, default: str) -> str:
        """An option, or its default."""
        return self.options.get(name, default)

    @property
    def user(self) -> Any:
        """The person's account."""
        return _account(self.models, self.phone_number if _by_phone(self.models) else self.email)

    def other(self, name: str, usual: Callable[[], Any]) -> Any:
        """The account of another person: whom an option names, else whoever is usual, else anybody."""
        given = self.options.get(name)
        if given:
            return _account(self.models, given)
        found = usual()
        return found or self.models.User.find_all(id__is_not=self.user.id)[0]


def _by_phone(models: Any) -> bool:
    return "email" not in models.User.field_names()


def _account(models: Any, named: str) -> Any:
    field = "phone_number" if _by_phone(models) else "email"
    found = models.User.find_one(**{field: named}) or models.User.find_one(first_name=named)
    if found is None:
        raise HoldcourseError(f"nobody has an account by {named!r}; name a person of the task's world")
    return found


def settle(record: Any) -> None:
    """Store the hash that the engine computes from the stored record, so that an exact inverse is equal."""
    stored = type(record).by_id(record.id)
    stored.set_record_hash()
    with stored.db.engine.connect() as connection:
        connection.execute(
            sql(f"UPDATE {stored.__tablename__} SET record_hash = :hash WHERE id = :number"),  # noqa: S608
            {"hash": stored.record_hash, "number": stored.id},
        )
        connection.commit()


def made(model: Any, **fields: object) -> Any:
    """Make a record, with the hash of what is stored."""
    record = model.create_save(**fields)
    settle(record)
    return record
