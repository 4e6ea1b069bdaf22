"""A task's world opened for trying calls: log-ins made, calls by name, what they change."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from holdcourse.appworld.docs import Docs
from holdcourse.appworld.engine.rooted import at_root
from holdcourse.appworld.engine.tables import Row, rows_of
from holdcourse.errors import HoldcourseError


class CallFailedError(Exception):
    """The app refused a call; the message is the app's."""


class TrialWorld:
    """One task's world in this process, its principal logged in to every app.

    Args:
        root: the world's folder.
        task: id of the task whose start state is used; the first of the world's tasks when empty.

    Raises:
        HoldcourseError: the world has no such task.
    """

    def __init__(self, root: Path, task: str = "") -> None:
        tasks = sorted(path.name for path in (root / "data" / "tasks").glob("[!.]*_*"))
        if not tasks or (task and task not in tasks):
            raise HoldcourseError(f"{root} has no task {task or 'at all'}; build the world first")
        self.root = root
        self.task = task or tasks[0]
        self.docs = Docs.read(root)
        at_root(root)
        from appworld import AppWorld  # here, since it reads the root as it is imported

        self._acting: Mapping[str, str] = {}
        self._experiment = f"restoration_{os.getpid()}"
        self._world: Any = AppWorld(
            task_id=self.task, experiment_name=self._experiment, max_api_calls_per_interaction=10**9
        )
        profile = cast("Mapping[str, str]", self.call("supervisor.show_profile", {}))
        self.principal: Mapping[str, str] = {name: profile[name] for name in ("email", "phone_number")}
        """How apps know the task's principal."""
        self._tokens = self._log_in(self.principal)
        self._of_other = self._log_in(self._other())
        self._acting = self._tokens
        self._pristine: dict[str, sqlite3.Connection] = {}
        self._marks: dict[str, int] = {}
        self._rows: dict[str, tuple[int, dict[str, dict[int, Row]]]] = {}
        for app, models in self._world.models.items():
            self._pristine[app] = sqlite3.connect(":memory:")
            models.SQLModel.db.connection.backup(self._pristine[app])
            self._marks[app] = len(models.SQLModel.db.tracker.changes)

    def close(self) -> None:
        """Remove what the engine wrote about this trial."""
        shutil.rmtree(self.root / "experiments" / "outputs" / self._experiment, ignore_errors=True)

    def start_over(self) -> None:
        """Put every database back as it was when the world was opened."""
        for app, models in self._world.models.items():
            changes = models.SQLModel.db.tracker.changes
            if len(changes) > self._marks[app]:
                self._pristine[app].backup(models.SQLModel.db.connection)
                del changes[self._marks[app] :]
                self._rows.pop(app, None)

    def call(self, operation: str, arguments: Mapping[str, object]) -> object:
        """Make one call, with the tokens it takes.

        Raises:
            CallFailedError: the app refused it.
        """
        documented = self.docs[operation]
        tokens = {
            parameter.name: self._acting.get(
                parameter.name.removesuffix("access_token").rstrip("_") or documented.app, ""
            )
            for parameter in documented.parameters
            if parameter.is_token
        }
        # Codes that the engine draws are the same however many calls were made before.
        random.seed(operation)
        try:
            return cast("object", self._world.apis[documented.app][documented.api](**arguments, **tokens))
        except Exception as error:
            raise CallFailedError(" ".join(str(error).split())) from None

    def writes(self) -> int:
        """How many statements have changed a database so far."""
        return sum(len(models.SQLModel.db.tracker.changes) for models in self._world.models.values())

    def snapshot(self) -> dict[str, dict[int, Row]]:
        """All rows as they are now, of the tables that the evaluator compares."""
        found: dict[str, dict[int, Row]] = {}
        for app, models in self._world.models.items():
            database = models.SQLModel.db
            written = len(database.tracker.changes)
            known = self._rows.get(app)
            if known is None or known[0] != written:
                known = self._rows[app] = (written, rows_of(app, database.connection))
            found.update(known[1])
        return found

    @contextmanager
    def acting(self, by_other: bool) -> Iterator[None]:
        """Make the calls of the body as another person of the world."""
        self._acting = self._of_other if by_other else self._tokens
        try:
            yield
        finally:
            self._acting = self._tokens

    def _log_in(self, person: Mapping[str, str]) -> dict[str, str]:
        admin = self._world.models.admin
        user = admin.MainUser.find_one(email=person["email"])
        tokens: dict[str, str] = {}
        for account in user.account_passwords:
            app = str(account.account_name)
            if f"{app}.login" in self.docs:
                # The phone is the one app that knows its users by number.
                name = person["phone_number" if app == "phone" else "email"]
                login = self.call(f"{app}.login", {"username": name, "password": account.password})
                tokens[app] = cast("Mapping[str, str]", login)["access_token"]
        return tokens

    def _other(self) -> Mapping[str, str]:
        """The contact of the principal who is known in the most apps, and of those the first."""
        with_tokens = self._acting
        self._acting = self._tokens
        contacts = cast("list[Mapping[str, object]]", self.call("phone.search_contacts", {"page_limit": 20}))
        self._acting = with_tokens
        users = self._world.models.admin.MainUser
        for contact in contacts:
            if users.exists(email=contact["email"]):
                return {"email": str(contact["email"]), "phone_number": str(contact["phone_number"])}
        return self.principal
