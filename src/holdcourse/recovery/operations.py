"""Operations as prompts and answers spell them: `app.api`, joined by " | ", or the word None."""

from __future__ import annotations

import re
from collections.abc import Iterable

from holdcourse.llm.replies import ReplyError

NOTHING = "None"
SEPARATOR = " | "
MOST = 64
"""Operations that one answer may list; more is no answer about one step."""

_OPERATION = re.compile(r"[\w-]{1,80}\.[\w-]{1,80}")
_NAME = re.compile(r"[\w-]{1,80}")


def operations_text(operations: Iterable[str]) -> str:
    """Operations in one line, without repeats."""
    return SEPARATOR.join(dict.fromkeys(operations)) or NOTHING


def operations_of(text: str) -> tuple[str, ...]:
    """Read a line of operations; `apis.` before one and a call's parentheses behind it are passed over.

    Raises:
        ReplyError: an entry is not `app.api`, or the line is empty.
    """
    return tuple(dict.fromkeys(_operation(entry) for entry in _entries(text, "operation")))


def names_of(text: str) -> tuple[str, ...]:
    """Read a line of application names.

    Raises:
        ReplyError: an entry is no name, or there is none.
    """
    names = _entries(text, "application")
    for name in names:
        if not _NAME.fullmatch(name):
            raise ReplyError(f"{name[:80]!r} is no name of an application")
    if not names:
        raise ReplyError("no application is named")
    return tuple(dict.fromkeys(names))


def apps_of(operations: Iterable[str]) -> tuple[str, ...]:
    """Applications that operations belong to, each once, in order."""
    return tuple(dict.fromkeys(operation.partition(".")[0] for operation in operations))


def _entries(text: str, what: str) -> list[str]:
    entries = [entry.strip() for entry in text.split("|")]
    if len(entries) > MOST:
        raise ReplyError(f"{len(entries)} entries are listed; at most {MOST} are read")
    if len(entries) == 1 and entries[0].casefold() == NOTHING.casefold():
        return []
    if not all(entries):
        raise ReplyError(f'an {what} is empty; write {NOTHING} where there is none, else "a | b"')
    return entries


def _operation(entry: str) -> str:
    name = re.sub(r"\(.*\)\Z", "", entry.strip("`'\" "), flags=re.DOTALL).removeprefix("apis.").strip()
    if not _OPERATION.fullmatch(name):
        raise ReplyError(f"{entry[:80]!r} is no operation; write app.api")
    return name
