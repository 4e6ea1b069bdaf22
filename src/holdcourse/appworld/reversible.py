"""The reversibility table for readers."""

from __future__ import annotations

from collections.abc import Sequence

from holdcourse.appworld.reversibility import HEADER, Row, table


def reversibility_page(rows: Sequence[Row]) -> str:
    """The table in Markdown: a line an app and class, counts of write operations."""
    lines = [
        "# Which writes can be undone",
        "",
        "By the documentation (class, need of the old value) and by doing it on the engine: *exact* leaves "
        "the state as it was, *residue* leaves traces. Unit: write operation.",
        "",
        f"| {' | '.join(HEADER)} |",
        "|---|---|" + "---:|" * (len(HEADER) - 2),
        *(f"| {' | '.join(map(str, line))} |" for line in table(rows)),
        "",
    ]
    return "\n".join(lines)
