"""What changed in a world's databases between two moments, as the engine's evaluator counts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

IGNORED = frozenset({"supervisor.tasks", "admin.payment_cards"})
"""Tables whose changes the evaluator never counts."""

Row = Mapping[str, object]
Snapshot = Mapping[str, Mapping[int, Row]]
"""Table ("app.table") -> row id -> columns."""


@dataclass(frozen=True, slots=True)
class Change:
    """How one table differs between two snapshots.

    Attributes:
        table: "app.table".
        added: rows that are new, apart from those that equal a removed one in all but their id.
        updated: rows whose columns differ.
        removed: rows that are gone, apart from those that equal an added one.
        columns: names of the columns in which updated rows differ, sorted; the hash only where no other does.
    """

    table: str
    added: int
    updated: int
    removed: int
    columns: tuple[str, ...]

    def __str__(self) -> str:
        """The change in short: "app.table:+1/~2/-0 (updated_at)"."""
        named = f" ({', '.join(self.columns)})" if self.columns else ""
        return f"{self.table}:+{self.added}/~{self.updated}/-{self.removed}{named}"


def rows_of(app: str, connection: Any) -> dict[str, dict[int, Row]]:
    """All rows of an app's tables, of those that the evaluator compares.

    Args:
        app: application.
        connection: SQLite connection to its database.
    """
    return dict(_tables(app, connection))


def differences(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """The tables that changed, sorted by name.

    A row that was removed and put back under another id equals itself here, as it does for the evaluator,
    whose record hashes leave the id out.
    """
    found: list[Change] = []
    for table in sorted(before.keys() | after.keys()):
        old, new = before.get(table, {}), after.get(table, {})
        added = Counter(_content(new[key]) for key in new.keys() - old.keys())
        removed = Counter(_content(old[key]) for key in old.keys() - new.keys())
        updated = [key for key in sorted(old.keys() & new.keys()) if _content(old[key]) != _content(new[key])]
        columns = {name for key in updated for name, value in old[key].items() if new[key].get(name) != value}
        change = Change(
            table,
            (added - removed).total(),
            len(updated),
            (removed - added).total(),
            tuple(sorted(columns - {_HASH} or columns)),
        )
        if change.added or change.updated or change.removed:
            found.append(change)
    return tuple(found)


_HASH = "record_hash"
"""The engine's hash of a row. It differs alone when a value came back in another form, 0 for 0.0."""


def _content(row: Row) -> object:
    """What the evaluator compares of a row: the engine's own hash of it."""
    return row[_HASH]


def _tables(app: str, connection: Any) -> Iterator[tuple[str, dict[int, Row]]]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        columns = [str(column[1]) for column in connection.execute(f"PRAGMA table_info({name})")]
        if not {"id", _HASH} <= set(columns) or f"{app}.{name}" in IGNORED:
            continue
        place = columns.index("id")
        rows = connection.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608 (names of the engine's tables)
        yield f"{app}.{name}", {int(row[place]): dict(zip(columns, row, strict=True)) for row in rows}
