"""The documented inverse of each write, derived from a world's documentation by rules over paths and names.

Documentation says what exists, not what restores: engine/restoration.py measures that. Both labels are kept
apart (drift paper §4.2, n4, asks for the first). Standard library only, so that the engine's environment can
use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from holdcourse.appworld.docs import Docs, Operation, placeholders
from holdcourse.appworld.preimages import Preimage, preimages_of
from holdcourse.appworld.wording import (
    CLEARING,
    OUTWARD,
    OVERWRITING,
    REMOVING,
    SETTING,
    names_same,
    opposites,
    same_thing,
    swapped,
    thing,
    verb,
)

Category = Literal[
    "toggle",
    "opposite",
    "create",
    "link",
    "move",
    "recreate",
    "update",
    "outward",
    "transfer",
    "no_counterpart",
]
"""How a write is undone, or why it is not:

- toggle: POST and DELETE of one path undo each other;
- opposite: the name with un-, not_ or the opposite verb (mark_read, mark_unread);
- create: undone by deleting under the identity that the response returned;
- link: adds one thing to another, or takes it away; the arguments say all;
- move: the same operation with the two places exchanged;
- recreate: a deletion undone by making the thing anew from its old values, under a new identity;
- update: the same operation with the old values;
- outward: reaches another party; nothing takes that back;
- transfer: moves an amount; the opposite transfer leaves a record of both;
- no_counterpart: no documented operation undoes it.
"""

Group = Literal["inverse", "old_value", "none"]
"""Coarse class: an inverse of its own, the old value put back, or nothing documented."""

GROUPS: dict[Category, Group] = {
    "toggle": "inverse",
    "opposite": "inverse",
    "create": "inverse",
    "link": "inverse",
    "move": "inverse",
    "recreate": "old_value",
    "update": "old_value",
    "outward": "none",
    "transfer": "none",
    "no_counterpart": "none",
}


@dataclass(frozen=True, slots=True)
class Binding:
    """Where one argument of an inverse comes from.

    Attributes:
        parameter: of the inverse.
        source: the write's argument, its response, or the record as it was before.
        name: the argument's name, or the response's key; the parameter's own name for an old value.
    """

    parameter: str
    source: Literal["argument", "response", "preimage"]
    name: str


@dataclass(frozen=True, slots=True)
class Inverse:
    """How one write is undone by the documentation.

    Attributes:
        operation: the write.
        category: see `Category`.
        inverse: the operation that undoes it; None for the three categories without.
        bindings: where its arguments come from.
        preimages: the reads that show the old values, any one of which will do; () when none is needed or
            none shows them.
        missing: parameters that the inverse cannot do without and that no documented read shows.
        each: the inverse is called once for every record that the read shows.
        amend: the update that undoes it instead when the record was there before: adding three mugs to a cart
            that holds two makes five, and taking the mugs out would lose the two.
    """

    operation: str
    category: Category
    inverse: str | None = None
    bindings: tuple[Binding, ...] = ()
    preimages: tuple[Preimage, ...] = ()
    missing: tuple[str, ...] = ()
    each: bool = False
    amend: str | None = None

    @property
    def documented(self) -> bool:
        """Whether a documented operation undoes it."""
        return self.inverse is not None

    @property
    def group(self) -> Group:
        """Its coarse class."""
        return GROUPS[self.category]

    @property
    def needs_preimage(self) -> bool:
        """Whether undoing it takes a value that neither the call nor its response holds."""
        return bool(self.missing) or any(binding.source == "preimage" for binding in self.bindings)

    @property
    def readable(self) -> bool:
        """Whether the old values it needs can be read beforehand with the write's own arguments."""
        return not self.missing and all(not preimage.unknown for preimage in self.preimages)


def inverses(docs: Docs) -> dict[str, Inverse]:
    """The inverse of every write of a world, by the write's name."""
    return {operation.name: inverse_of(operation, docs) for operation in docs.of_kind("write")}


def inverse_of(write: Operation, docs: Docs) -> Inverse:
    """The inverse of one write: the first rule of the categories' order that applies."""
    if verb(write.api) in OUTWARD:
        return Inverse(write.name, "outward")
    if verb(write.api) in CLEARING:
        return Inverse(write.name, "no_counterpart")
    for category, inverse in _candidates(write, docs):
        if category == "transfer":
            return Inverse(write.name, "transfer")
        found = _bound(write, inverse, category, docs)
        return _amended(found, write, docs) if category == "toggle" and write.method == "POST" else found
    return Inverse(write.name, "no_counterpart")


def _candidates(write: Operation, docs: Docs) -> Iterator[tuple[Category, Operation]]:
    app = [one for one in docs.of_app(write.app) if one.kind == "write" and one.method != "GET"]
    for one in app:
        if one.path == write.path and {one.method, write.method} == {"POST", "DELETE"}:
            if _moves_amount(one) and _moves_amount(write):
                yield "transfer", one
            if verb(one.api) not in CLEARING:
                yield "toggle", one
    names = opposites(write.api)
    yield from (("opposite", one) for one in app if one.api in names)
    if verb(write.api) == "move" and any(
        swapped(parameter.name) in _names(write) for parameter in write.inputs
    ):
        yield "move", write
    if write.method == "GET":
        yield from _saved(write, docs)
    elif _removes(write):
        yield from _made_anew(write, app)
    elif write.method == "POST":
        yield from _taken_away(write, app)
    yield from _set_back(write, app)


def _saved(write: Operation, docs: Docs) -> Iterator[tuple[Category, Operation]]:
    """A download that says where it saved a file is undone by whatever app deletes under that very key."""
    keys = _keys(write)
    for one in docs.of_kind("write"):
        if _removes(one) and one.required and one.required <= keys:
            yield "create", one


def _taken_away(write: Operation, app: list[Operation]) -> Iterator[tuple[Category, Operation]]:
    for one in app:
        if verb(one.api) not in REMOVING:
            continue
        returned = [_returned(name, write) for name in one.required - _names(write)]
        made = next((key for key in returned if key), "")
        if all(returned) and same_thing(write.api, one.api, made):
            if made:
                yield "create", one
            elif one.path.startswith(f"{write.path}/"):
                yield "link", one
        elif all(returned) and made and one.path == f"{write.path}/{{{made}}}":
            yield "create", one


def _made_anew(write: Operation, app: list[Operation]) -> Iterator[tuple[Category, Operation]]:
    for one in app:
        if one.method != "POST" or _removes(one) or verb(one.api) in (OUTWARD | SETTING | CLEARING):
            continue
        if same_thing(one.api, write.api) and not one.path.startswith(f"{write.path}/"):
            yield ("link" if one.required and one.required <= _names(write) else "recreate"), one


def _set_back(write: Operation, app: list[Operation]) -> Iterator[tuple[Category, Operation]]:
    """The same call with the old values; where it can only add, the update of the same record."""
    if write.method != "PATCH" and (write.method != "POST" or verb(write.api) not in SETTING):
        return
    one_of_many = [
        one
        for one in app
        if one.method == write.method
        and one.path.startswith(f"{write.path}/{{")
        and {parameter.name for parameter in write.inputs} < _names(one)
    ]
    if one_of_many:
        yield "update", one_of_many[0]
    if verb(write.api) in SETTING:
        yield "update", write
    for one in app:
        if one.method == "PATCH" and verb(one.api) in SETTING and write.path.startswith(f"{one.path}/"):
            yield "update", one


def _bound(write: Operation, inverse: Operation, category: Category, docs: Docs) -> Inverse:
    """Where each argument of the inverse comes from."""
    bindings: list[Binding] = []
    wanted: set[str] = set()
    each = category == "update" and inverse.path.startswith(f"{write.path}/{{")
    kept = (
        set(placeholders(inverse.path)) | _looked_up(write, docs) if category == "update" else _names(write)
    )
    for parameter in inverse.inputs:
        name = parameter.name
        other = swapped(name) if category == "move" else None
        if OVERWRITING.match(name) or (
            category == "move" and other not in _names(write) and not parameter.required
        ):
            continue
        if other in _names(write):
            bindings.append(Binding(name, "argument", str(other)))
        elif name in _names(write) and name in kept:
            bindings.append(Binding(name, "argument", name))
        elif category in ("create", "link") and (key := _returned(name, write)):
            bindings.append(Binding(name, "response", key))
        else:
            wanted.add(name)
    if category in ("create", "move", "link", "opposite"):
        wanted &= inverse.required
    preimages = preimages_of(write, inverse, wanted, docs, each) if wanted else ()
    shown = {name for preimage in preimages for name in preimage.fields}
    if not inverse.required and len(shown) > 1 and category == "recreate":
        # Alternatives: of several ways to name what comes back, the one that names what was taken away.
        shown = {name for name in shown if name.partition("_")[0] in write.api.split("_")} or shown
    bindings += [Binding(name, "preimage", name) for name in sorted(shown)]
    unset = not shown and category == "update"
    missing = sorted(wanted if unset else (wanted & inverse.required) - shown)
    return Inverse(write.name, category, inverse.name, tuple(bindings), preimages, tuple(missing), each)


def _amended(found: Inverse, write: Operation, docs: Docs) -> Inverse:
    """The inverse of an addition whose record an update can change as well."""
    which = set(placeholders(write.path))
    for one in docs.of_app(write.app) if thing(write.api)[1] else ():
        if (
            which
            and one.method == "PATCH"
            and set(placeholders(one.path)) == which
            and thing(one.api)[1] == thing(write.api)[1]
        ):
            shown = preimages_of(write, one, _names(one) - which, docs)
            return replace(found, amend=one.name, preimages=shown) if shown else found
    return found


def _looked_up(write: Operation, docs: Docs) -> set[str]:
    """Parameters under which a read at the same path finds the record: they say which, not what."""
    return {
        name
        for read in docs.of_app(write.app)
        if read.kind == "read" and read.path == write.path
        for name in read.required
    }


def _names(operation: Operation) -> set[str]:
    return {parameter.name for parameter in operation.inputs}


def _keys(operation: Operation) -> set[str]:
    return set(map(str, operation.returns)) if isinstance(operation.returns, dict) else set()


def _returned(parameter: str, write: Operation) -> str:
    """The key of the response that holds what a parameter asks for, or a list of it; "" if none does."""
    for key in sorted(_keys(write)):
        if names_same(key, parameter) or key == f"{parameter}s":
            return key
    return ""


def _removes(operation: Operation) -> bool:
    return operation.method == "DELETE" or verb(operation.api) in REMOVING


def _moves_amount(operation: Operation) -> bool:
    return any(parameter.required and parameter.type == "number" for parameter in operation.inputs)
