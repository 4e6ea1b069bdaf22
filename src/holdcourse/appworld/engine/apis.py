"""`apis`, as agent code sees it: every documented app but the engine's own, and nothing behind them.

The engine's collection would hand out its requester, and with it the private operations of every app.
"""

from __future__ import annotations

import datetime
import decimal
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import cast

HIDDEN = frozenset({"admin"})

_VALUES: tuple[type, ...] = (str, int, float, bool, type(None), bytes, decimal.Decimal)
_HOLDERS: tuple[type, ...] = (list, tuple, set, frozenset, dict, defaultdict, OrderedDict, Counter)


class Operations(Mapping[str, object]):
    """The operations of one app, or the apps: by attribute or by name, to be read only."""

    __slots__ = ("_found", "_missing")

    def __init__(self, found: Mapping[str, object], missing: Callable[[str], object]) -> None:
        self._found = dict(found)
        self._missing = missing

    def __getattr__(self, name: str) -> object:
        return self[name]

    def __getitem__(self, name: str) -> object:
        if name in self._found:
            return self._found[name]
        # The engine's own error for an unknown name.
        return self._missing(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<{', '.join(self._found)}>"


def agent_apis(
    collection: Mapping[str, Mapping[str, Callable[..., object]]],
    trusted: Callable[[], AbstractContextManager[None]],
) -> Operations:
    """`apis` for agent code.

    Args:
        collection: the engine's own.
        trusted: a context in which the engine's code runs, which may do what agent code may not.
    """

    def missing(name: str) -> object:
        if name in HIDDEN:
            raise KeyError(f"No app named '{name}' found.")
        return getattr(collection, name)

    apps = {
        app: Operations(
            {api: _operation(call, trusted) for api, call in operations.items()},
            _getter(operations),
        )
        for app, operations in collection.items()
        if app not in HIDDEN
    }
    return Operations(apps, missing)


def _getter(operations: object) -> Callable[[str], object]:
    return lambda name: getattr(operations, name)


def _operation(
    call: Callable[..., object], trusted: Callable[[], AbstractContextManager[None]]
) -> Callable[..., object]:
    def operation(**arguments: object) -> object:
        for name, value in arguments.items():
            _check_plain(name, value)
        with trusted():
            return call(**arguments)

    return operation


def _check_plain(name: str, value: object, depth: int = 0) -> None:
    """Arguments are data: an object of the agent's own would have its methods run among the engine's code."""
    kind = type(value)
    if depth > 50:
        raise TypeError(f"argument {name} is nested too deeply")
    if kind in _VALUES or (isinstance(value, datetime.date | datetime.time) and _from_a_library(kind)):
        return
    if kind not in _HOLDERS and not (isinstance(value, dict) and _from_a_library(kind)):
        raise TypeError(f"argument {name} is of the type {kind.__name__}, and a plain value is expected")
    held = cast("Iterable[object]", value)
    inner = (*held.keys(), *held.values()) if isinstance(held, dict) else tuple(held)
    for one in inner:
        _check_plain(name, one, depth + 1)


def _from_a_library(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("datetime", "pendulum", "freezegun", "munch")
