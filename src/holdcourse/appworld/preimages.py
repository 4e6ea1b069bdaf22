"""Which read shows the old value that a write's inverse needs, and where in its response the value stands.

A write that is undone with an old value can only be undone if the value was read before. The read is found by
its path (the same place, or one above it, or beside it), the field by its name. Standard library only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdcourse.appworld.docs import Docs, Operation, Parameter, placeholders, segments
from holdcourse.appworld.wording import names_same, thing, words

Field = tuple[str, ...]
"""Keys from a record down to a value; "[]" stands for every item of a list."""

EVERY = "[]"


@dataclass(frozen=True, slots=True)
class Preimage:
    """A read that shows the record a write changes, as it was.

    Attributes:
        read: name of the operation.
        arguments: parameters of the read that take the write's argument of the same name.
        unknown: parameters that the read asks for and the write does not give (the parent of the record): ()
            for a read that can be made from the write alone.
        identity: the write's parameters by which the record is found in the response; () when it is the
            response itself.
        fields: parameter of the inverse -> where its old value stands in the record.
    """

    read: str
    arguments: tuple[str, ...]
    unknown: tuple[str, ...]
    identity: tuple[str, ...]
    fields: Mapping[str, Field]


def preimages_of(
    write: Operation, inverse: Operation, wanted: Collection[str], docs: Docs, each: bool = False
) -> tuple[Preimage, ...]:
    """The reads that show the most of the wanted old values, the nearest by path; several on a tie.

    Args:
        write: the operation to be undone.
        inverse: the operation that undoes it.
        wanted: parameters of the inverse that the write's own arguments do not give.
        docs: the world's documentation.
        each: the write changes many records at once, and each of them is wanted.

    Returns:
        Reads that the write's own arguments allow; if there is none, reads that need the record's parent as
        well.
    """
    values = {parameter.name for parameter in write.inputs}
    types = {parameter.name: parameter for parameter in inverse.inputs}
    found: list[tuple[bool, int, int, Preimage]] = []
    for read in docs.of_app(write.app):
        rank = _nearness(read, write, inverse)
        if read.kind != "read" or rank is None:
            continue
        identity = placeholders(inverse.path) if each else _identity(read, write)
        record = _record_shape(read.returns, identity)
        if record is None:
            continue
        fields = {
            name: field
            for name in sorted(wanted)
            if (field := field_for(types[name], record, segments(write.path)[-1])) is not None
        }
        unknown = tuple(sorted(read.required - values))
        # A parent says which list; without the record's own identity it does not say which record.
        if fields and (identity or not unknown):
            preimage = Preimage(read.name, tuple(sorted(read.required & values)), unknown, identity, fields)
            found.append((bool(unknown), -len(fields), rank, preimage))
    best = min((row[:3] for row in found), default=None)
    return tuple(row[3] for row in found if row[:3] == best)


def records_in(response: object, identity: Collection[str]) -> list[Mapping[str, object]]:
    """Every record of a response that has a key for each of the identity's parameters."""
    return [
        record
        for record in _records(response)
        if all(any(names_same(str(key), name) for key in record) for name in identity)
    ]


def record_in(response: object, identity: Mapping[str, object]) -> Mapping[str, object] | None:
    """The record in a response that carries the identity; the response itself when there is none."""
    if not identity:
        return response if isinstance(response, Mapping) else None
    for record in _records(response):
        if all(
            any(names_same(str(key), name) and value == wanted for key, value in record.items())
            for name, wanted in identity.items()
        ):
            return record
    return None


def value_at(record: object, field: Field) -> object:
    """The value at a field of a record; a list where the field passes through one, None if missing."""
    if not field:
        return record
    if field[0] == EVERY:
        return [value_at(item, field[1:]) for item in record] if isinstance(record, list) else None
    return value_at(record.get(field[0]), field[1:]) if isinstance(record, Mapping) else None


def field_for(parameter: Parameter, record: object, place: str = "") -> Field | None:
    """Where in a record a parameter's old value stands; None if no name fits, or several fit equally.

    Tried in this order: the same name, with the last part of the write's path before it if there is such a
    field (a gift wrap's quantity); the same words (`payer_email` at payer → email); the same words after
    others (`amount` at `paid_amount`); a state named by the verb (`loop` at `is_looping`); the same unit
    (`seek_seconds` at `played_seconds`).
    """
    wanted = words(parameter.name)
    leaves = [
        (field, leaf_words)
        for field in _leaves(record)
        if (EVERY in field) == parameter.type.startswith("list")
        for leaf_words in [tuple(word for key in field if key != EVERY for word in words(key))]
    ]
    tiers = (
        [field for field, _ in leaves if field[-1] == f"{place}_{parameter.name}"],
        [field for field, _ in leaves if tuple(key for key in field if key != EVERY) == (parameter.name,)],
        [field for field, named in leaves if named == wanted],
        [field for field, named in leaves if named[-len(wanted) :] == wanted],
        [field for field, _ in leaves if field[-1].startswith(f"is_{parameter.name}")],
        [
            field
            for field, named in leaves
            if len(wanted) > 1 and named[-1] == wanted[-1] and wanted[-1] in _UNITS and len(field) == 1
        ],
    )
    for tier in tiers:
        if tier:
            return tier[0] if len(tier) == 1 else None
    return None


_UNITS = frozenset({"second", "minute", "hour", "day", "percent"})


def _nearness(read: Operation, write: Operation, inverse: Operation) -> int | None:
    """How near a read stands to a write: smaller is nearer, None if they are no kin."""
    at, undone, seen = segments(write.path), segments(inverse.path), segments(read.path)
    if seen == at:
        return 0
    if seen == undone:
        return 1
    # The app's name alone is no kinship.
    for rank, path in ((2, at), (20, undone)):
        if 1 < len(seen) < len(path) and path[: len(seen)] == seen:
            return rank + len(path) - len(seen)
    shown = thing(read.api)[0]
    for part in thing(write.api):
        if part and shown[-len(part) :] == part:
            return 40 + len(shown) - len(part)
    beside = seen[:-1] == at[:-1] and len(at) > 2 and not placeholders(read.path)
    return 60 if beside else None


def _identity(read: Operation, write: Operation) -> tuple[str, ...]:
    """The parameters of a write that pick its record out of a read's response."""
    named = set(placeholders(write.path)) - read.required
    return tuple(
        parameter.name
        for parameter in write.inputs
        # A choice among stated words says how, not which.
        if parameter.name in named and not any(text.startswith("value in") for text in parameter.constraints)
    )


def _record_shape(returns: object, identity: Sequence[str]) -> object | None:
    if not identity:
        return returns if isinstance(returns, Mapping) else None
    return next(iter(records_in(returns, identity)), None)


def _records(response: object) -> Iterator[Mapping[str, object]]:
    """Every object in a response, outer ones first."""
    if isinstance(response, Mapping):
        yield response
        for value in response.values():
            yield from _records(value)
    elif isinstance(response, list):
        for item in response:
            yield from _records(item)


def _leaves(record: object, above: Field = ()) -> Iterator[Field]:
    """Every field of a record that holds a value, with the way to it."""
    if isinstance(record, Mapping):
        for key, value in record.items():
            yield from _leaves(value, (*above, str(key)))
    elif isinstance(record, list) and record:
        yield from _leaves(record[0], (*above, EVERY))
    elif above:
        yield above
