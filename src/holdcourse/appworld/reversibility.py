"""The reversibility table: for each write, what the documentation promises and what the engine gave.

Two labels, kept apart: "has a documented inverse" and "restores the state". The table holds names and counts
only, no text of the documentation; it is made at run time and never committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, cast, get_args

from holdcourse.appworld.docs import Docs
from holdcourse.appworld.inverses import Category, Group, Inverse, inverses
from holdcourse.errors import HoldcourseError

Measured = Literal["exact", "residue", "failed", "not_tried"]
"""What came of carrying out a write and its inverse:

- exact: the databases are as they were, by the engine's own comparison;
- residue: the inverse calls succeeded and something still differs;
- failed: the write has a documented inverse, and it could not be called or was refused;
- not_tried: there is no documented inverse, or no call of the write succeeded with values found in the world.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One write.

    Attributes:
        operation: `app.api`.
        group: "inverse", "old_value" or "none".
        category: how it is undone, or why not (inverses.Category).
        inverse: the documented operation that undoes it.
        documented: whether there is one.
        needs_preimage: whether undoing it takes a value that had to be read before.
        readable: whether that value can be read with the write's own arguments alone.
        measured: see `Measured`.
        changed: what the write itself changed, a table each.
        residue: what still differed after the inverse, a table each; what the write changed where nothing
        undid it.
        why: the reason for failed and not_tried.
    """

    operation: str
    group: Group
    category: Category
    inverse: str | None
    documented: bool
    needs_preimage: bool
    readable: bool
    measured: Measured
    changed: tuple[str, ...]
    residue: tuple[str, ...]
    why: str

    def record(self) -> dict[str, object]:
        """The row as a JSON object; `class` is the category."""
        record = {**asdict(self), "changed": list(self.changed), "residue": list(self.residue)}
        record["class"] = record.pop("category")
        return record


def rows(docs: Docs, measured: Mapping[str, object]) -> list[Row]:
    """One row for each write of the documentation, by name.

    Args:
        docs: the world's documentation.
        measured: operation -> outcome, as engine/restoration.py writes under "rows".

    Raises:
        HoldcourseError: an outcome is missing or is none of `Measured`.
    """
    return [_row(found, measured) for found in inverses(docs).values()]


Line = tuple[str, str, int, int, int, int, int, int]
HEADER = ("app", "class", "writes", "needs old value", "exact", "residue", "failed", "not tried")


def table(found: Iterable[Row]) -> list[Line]:
    """Lines under `HEADER`: one for each app and class, then one for each class over all apps ("all")."""
    counted = list(found)
    keys = sorted({(row.operation.partition(".")[0], row.category) for row in counted})
    everywhere = [
        ("all", category)
        for category in get_args(Category)
        if any(row.category == category for row in counted)
    ]
    return [_line(app, category, counted) for app, category in [*keys, *everywhere]]


def _line(app: str, category: str, counted: Sequence[Row]) -> Line:
    mine = [
        row
        for row in counted
        if row.category == category and (app == "all" or row.operation.startswith(f"{app}."))
    ]
    exact, residue, failed, not_tried = (
        sum(row.measured == name for row in mine) for name in get_args(Measured)
    )
    return (
        app,
        category,
        len(mine),
        sum(row.needs_preimage for row in mine),
        exact,
        residue,
        failed,
        not_tried,
    )


def _row(found: Inverse, measured: Mapping[str, object]) -> Row:
    outcome = measured.get(found.operation)
    if not isinstance(outcome, Mapping) or outcome.get("measured") not in get_args(Measured):
        raise HoldcourseError(f"{found.operation} was not measured; run the measurement of this world again")
    return Row(
        operation=found.operation,
        group=found.group,
        category=found.category,
        inverse=found.inverse,
        documented=found.documented,
        needs_preimage=found.needs_preimage,
        readable=found.readable,
        measured=cast("Measured", outcome["measured"]),
        changed=tuple(map(str, outcome["changed"])),
        residue=tuple(map(str, outcome["residue"])),
        why=str(outcome["why"]),
    )
