"""Keeping keys out of everything that is written: logs, tracebacks, ledgers, caches and records.

A secret is the value of an environment variable whose name says so, or a text that has the shape of a
well-known key. Values are looked up anew each time, since an environment may be filled late.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Iterable
from functools import lru_cache
from types import TracebackType
from urllib.parse import quote

_SECRET_NAME = re.compile(
    r"(^|_)(API_?KEYS?|ACCESS_KEY(_ID)?|PRIVATE_KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|CREDENTIALS?)$",
    re.IGNORECASE,
)
_KEY_SHAPES = re.compile(
    r"sk-[A-Za-z0-9_\-]{16,}|AIza[A-Za-z0-9_\-]{30,}|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/\-]{12,}=*"
)
_SHORTEST_SECRET = 8
"""Shorter values (a port, a flag, `none`) would redact ordinary text."""


def secret_names() -> tuple[str, ...]:
    """Names of the environment's variables that hold secrets, sorted."""
    named = (name for name in os.environ if _names_a_secret(name))
    return tuple(sorted(name for name in named if len(os.environ.get(name, "").strip()) >= _SHORTEST_SECRET))


@lru_cache(maxsize=4096)
def _names_a_secret(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None


def redact(text: str) -> str:
    """Text with each secret replaced by the name of its variable.

    A secret is also found as it looks inside JSON, a URL or a Basic authorization.
    """
    for spelling, name in _spellings(tuple((name, os.environ.get(name, "")) for name in secret_names())):
        if spelling in text:
            text = text.replace(spelling, f"[{name} redacted]")
    return _KEY_SHAPES.sub("[key redacted]", text)


@lru_cache(maxsize=8)
def _spellings(secrets: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for name, value in secrets:
        value = value.strip()
        encoded = base64.b64encode(value.encode(errors="surrogateescape")).decode()
        quoted = quote(value, safe="", errors="surrogateescape")
        in_json = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
        for spelling in (value, *in_json, repr(value)[1:-1], quoted, encoded):
            found.setdefault(spelling, name)
    # The longest first: one secret may be the start of another.
    return tuple(sorted(found.items(), key=lambda item: (-len(item[0]), item[0])))


class RedactingFilter(logging.Filter):
    """Redacts a record's message, its exception and its stack before any handler writes them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact in place; every record passes."""
        try:
            message = record.getMessage()
        except Exception:
            # logging itself reports a message that does not fit its arguments; it must not print them.
            message, record.exc_info = f"{record.msg} (arguments do not fit)", None
        clean = redact(message)
        if clean != message or record.args:
            record.msg, record.args = clean, None
        if record.exc_info and record.exc_info[1] is not None and not record.exc_text:
            record.exc_text = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
        if record.exc_text:
            record.exc_text = redact(record.exc_text)
        if record.stack_info:
            record.stack_info = redact(record.stack_info)
        return True


def install(handlers: Iterable[logging.Handler] | None = None) -> None:
    """Redact what logging and uncaught exceptions write in this process; once installed, it stays.

    Args:
        handlers: those to guard; the root logger's when not given.
    """
    for handler in logging.getLogger().handlers if handlers is None else handlers:
        if not any(isinstance(found, RedactingFilter) for found in handler.filters):
            handler.addFilter(RedactingFilter())
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def _uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None, where: str = ""
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write(where + redact("".join(traceback.format_exception(kind, error, trace))))


def _uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None and arguments.exc_type is not SystemExit:
        name = arguments.thread.name if arguments.thread else "unknown"
        _uncaught(
            arguments.exc_type,
            arguments.exc_value,
            arguments.exc_traceback,
            f"Exception in thread {name}:\n",
        )
