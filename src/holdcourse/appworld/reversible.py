"""What the reversibility table says in short: which operations can be undone, and the table for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from holdcourse.appworld.reversibility import HEADER, Row, table


def documented_inverses(records: object) -> frozenset[str]:
    """Operations that are reversible by the documentation alone.

    The inverse is documented and needs no value that the write destroyed: what it needs is "accessible" in
    the sense of the paper's Appendix A.4.

    Args:
        records: the rows of reversibility.json.
    """
    rows = cast("Sequence[Mapping[str, object]]", records)
    return frozenset(str(row["operation"]) for row in rows if row["documented"] and not row["needs_preimage"])


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
