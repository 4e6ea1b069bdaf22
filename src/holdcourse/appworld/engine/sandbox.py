"""The names that agent code finds: plain Python without a way out, and modules without other modules in them.

Standard library only.
"""

from __future__ import annotations

import builtins
import importlib
import types
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType

from holdcourse.appworld.engine.guard import IMPORTS

_TAKEN = """open eval exec compile input breakpoint globals locals vars dir help exit quit copyright
    credits license memoryview setattr delattr getattr hasattr get_ipython display __import__
    __loader__ __spec__ __build_class__"""
_TAKEN_AWAY = frozenset(_TAKEN.split())
_BY_C = frozenset({"time", "_strptime"})
_DOORS = "requester ApiCollection Requester get_ipython open exit quit In Out __builtin__"
# What evaluates text, changes the clock, or reads files, on behalf of its caller.
_INSIDE = MappingProxyType(
    {
        "typing": frozenset({"get_type_hints", "ForwardRef", "NamedTuple", "TypedDict"}),
        "string": frozenset({"Formatter"}),
        "pendulum": frozenset(
            {"set_local_timezone", "set_locale", "test_local_timezone", "travel", "freeze"}
        ),
        "json": frozenset({"load", "dump"}),
    }
)


class NotAllowedError(AttributeError):
    """Agent code asked for something that it is not given."""


def names(record: Callable[[str], None], found: Mapping[str, object]) -> dict[str, object]:
    """What replaces the names of a shell that could lead out of it.

    Args:
        record: is told of every try that was stopped.
        found: the shell's names as the engine made them; its own `print` is kept.
    """
    own = _builtins(record)
    kept: dict[str, object] = {"__builtins__": own}
    for name, value in found.items():
        if isinstance(value, ModuleType) and value.__name__ in IMPORTS:
            kept[name] = _copy(value)
        elif name == "print" and isinstance(value, types.FunctionType):
            # It looks up `json` and `builtins` among its globals, where agent code could put its own.
            around = {"json": importlib.import_module("json"), "builtins": builtins, "__builtins__": builtins}
            kept[name] = types.FunctionType(value.__code__, around, "print")
    return kept


def taken_away(found: Mapping[str, object]) -> list[str]:
    """The names that are removed from a shell's: doors out of it, and IPython's own."""
    doors = {
        "requester",
        "ApiCollection",
        "Requester",
        "get_ipython",
        "open",
        "exit",
        "quit",
        "In",
        "Out",
        "__builtin__",
    }
    modules = {
        name
        for name, value in found.items()
        if isinstance(value, ModuleType) and value.__name__ not in IMPORTS
    }
    return sorted((doors | modules) & set(found))


def _builtins(record: Callable[[str], None]) -> dict[str, object]:
    own: dict[str, object] = {
        name: value
        for name, value in vars(builtins).items()
        if name not in _TAKEN_AWAY and name != "__builtins__"
    }
    copies: dict[str, ModuleType] = {}

    def checked(name: object) -> str:
        if not isinstance(name, str):
            raise TypeError("attribute name must be string")
        if name.startswith("_") and name not in ("__name__", "__doc__"):
            record(f"the attribute {name}")
            raise NotAllowedError(f"the attribute {name} is not allowed")
        return name

    def safe_getattr(value: object, name: object, *default: object) -> object:
        return getattr(value, checked(name), *default)

    def safe_hasattr(value: object, name: object) -> bool:
        return hasattr(value, checked(name))

    def safe_import(
        name: str,
        around: Mapping[str, object] | None = None,
        inside: Mapping[str, object] | None = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if name in _BY_C and isinstance(wanted, list):
            # The interpreter's own code asks with a list, for `strftime`; it takes nothing from the answer.
            importlib.import_module(name)
            return ModuleType(name)
        if level or name not in IMPORTS:
            record(f"the import of {name}")
            raise ImportError(f"the import of {name} is not allowed")
        # `import collections.abc` binds `collections`; `from collections.abc import X` asks that module.
        full = name if wanted else name.partition(".")[0]
        if full not in copies:
            copies[full] = _copy(importlib.import_module(full))
        return copies[full]

    own.update(
        __import__=safe_import,
        __build_class__=builtins.__build_class__,
        __name__="builtins",
        getattr=safe_getattr,
        hasattr=safe_hasattr,
    )
    return own


def _copy(module: ModuleType) -> ModuleType:
    """A module's public names, without the modules that it imported and without what evaluates text."""
    inner = _INSIDE.get(module.__name__, frozenset())
    copy = ModuleType(module.__name__)
    for name, value in vars(module).items():
        if name.startswith("_") or name in inner:
            continue
        if isinstance(value, ModuleType):
            if value.__name__ not in IMPORTS:
                continue
            value = _copy(value)
        setattr(copy, name, value)
    return copy
