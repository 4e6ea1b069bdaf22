"""A table as data: typed columns, rows of plain values, and the lines that must stand with it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

Cell = str | int | float | bool | None
Row = Mapping[str, Cell]
_WHOLE_FROM = 1000


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its key in the rows, its printed title, decimals of its numbers (None: as they are)."""

    key: str
    title: str
    digits: int | None = None


@dataclass(frozen=True)
class ReportTable:
    """A table with its caption, notes (unit, denominator, intervals) and, if need be, the offline label.

    Raises:
        ValueError: two columns have one title, or a row lacks or exceeds the columns.
    """

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    label: str | None

    def __post_init__(self) -> None:
        titles = [column.title for column in self.columns]
        if len(set(titles)) != len(titles):
            raise ValueError(f"table {self.name}: two columns share a title among {titles}")
        keys = {column.key for column in self.columns}
        for row in self.rows:
            if set(row) != keys:
                raise ValueError(f"table {self.name}: a row differs from the columns by {set(row) ^ keys}")

    def printed(self) -> list[list[str]]:
        """The cells as a reader sees them; "–" for what is missing or undefined."""
        return [
            [printed_cell(row[column.key], column.digits) for column in self.columns] for row in self.rows
        ]


def printed_cell(value: Cell, digits: int | None) -> str:
    """One cell as text: numbers with their decimals (none from 1,000 on), "–" for None, NaN, empty text."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and digits is not None:
        text = f"{value:,.{digits if abs(value) < _WHOLE_FROM else 0}f}"
        return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")
    return str(value)
