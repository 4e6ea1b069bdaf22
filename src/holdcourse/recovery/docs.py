"""API documentation as the graph uses it: which calls an application offers (FetchDocs of Algorithm 1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdcourse.errors import HoldcourseError
from holdcourse.recovery.operations import apps_of

_SECRET = {"access_token", "password", "token"}
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class ApiDoc:
    """One documented call: `{app}.{api}`, its HTTP method and path, and the names of its parameters."""

    app: str
    api: str
    method: str
    path: str
    parameters: tuple[str, ...]

    @property
    def operation(self) -> str:
        """The call by name, `app.api`."""
        return f"{self.app}.{self.api}"

    @property
    def reads(self) -> bool:
        """Whether its method promises to change nothing."""
        return self.method.upper() in {"GET", "HEAD"}

    @property
    def line(self) -> str:
        """The call in one line, without what only says who calls."""
        given = ", ".join(name for name in self.parameters if name not in _SECRET)
        return f"{self.operation}({given}) {self.method.upper()} {self.path}".rstrip()


Docs = Mapping[str, tuple[ApiDoc, ...]]
"""Application to its documented calls."""


def docs_of(value: Mapping[str, Sequence[Mapping[str, object]]]) -> Docs:
    """Documentation from plain JSON: `{app: [{"api", "method", "path", "parameters"}]}`.

    `parameters` is a list of names or of objects with a `name`; method, path and parameters may be missing.

    Raises:
        HoldcourseError: it has another shape.
    """
    if not isinstance(value, Mapping):
        raise HoldcourseError(f"documentation must be an object of lists by application, got {_kind(value)}")
    return {
        str(app): tuple(_doc(str(app), entry) for entry in _listed(app, entries))
        for app, entries in value.items()
    }


def fetched(docs: Docs, apps: Sequence[str]) -> Docs:
    """The documentation of the applications named; one that is not documented is left out."""
    return {app: docs[app] for app in apps if app in docs}


def documentation_text(docs: Docs, writes: Sequence[str], limit: int) -> str:
    """Documented calls, a line each, those nearest to the writes first, as many as the limit holds.

    Nearest are calls that change something and whose names or paths share words with a write; the calls
    that only read come last. A last line says how many are left out.
    """
    wanted = {word for write in writes for word in _WORD.findall(write.partition(".")[2])}
    apps = set(apps_of(writes))
    calls = [call for entries in docs.values() for call in entries]
    calls.sort(
        key=lambda call: (call.reads, call.app not in apps, -_nearness(call, wanted, writes), call.operation)
    )
    lines = [call.line for call in calls]
    if not lines:
        return "no documentation found"
    # Room for the line that counts the rest.
    room, kept = limit - 24, 0
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept += 1
    if kept == len(lines):
        return "\n".join(lines)
    return "\n".join([*lines[:kept], f"[… {len(lines) - kept} more …]"])


def _nearness(call: ApiDoc, wanted: set[str], writes: Sequence[str]) -> float:
    # A write itself shares all its words, but what is looked for is the call that undoes it.
    shared = len(wanted & set(_WORD.findall(f"{call.api} {call.path}".lower())))
    return 0.5 if call.operation in writes else shared


def _listed(app: object, entries: object) -> Sequence[Mapping[str, object]]:
    if not isinstance(entries, list | tuple):
        raise HoldcourseError(f"documentation of {app}: expected a list of calls, got {_kind(entries)}")
    return entries


def _doc(app: str, entry: object) -> ApiDoc:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("api"), str):
        raise HoldcourseError(f'documentation of {app}: each call must be an object with its name in "api"')
    parameters = entry.get("parameters", ())
    if not isinstance(parameters, list | tuple):
        raise HoldcourseError(f'documentation of {app}.{entry["api"]}: "parameters" must be a list')
    names = (item.get("name") if isinstance(item, Mapping) else item for item in parameters)
    return ApiDoc(
        app=app,
        api=str(entry["api"]),
        method=str(entry.get("method", "")),
        path=str(entry.get("path", "")),
        parameters=tuple(str(name) for name in names),
    )


def _kind(value: object) -> str:
    return type(value).__name__
