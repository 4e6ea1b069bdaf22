"""The reversibility table for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdcourse.appworld.inverses import Category
from holdcourse.appworld.reversibility import HEADER, Measured, Row, table

CLASSES: Mapping[Category, str] = {
    "toggle": "adding and taking away at one path undo each other",
    "opposite": "an operation of the opposite name undoes it, such as mark_read and mark_unread",
    "create": "deleted again under the identity that the response returned",
    "link": "one thing added to another or taken away; the arguments say all that undoing needs",
    "move": "the same operation with the two places exchanged",
    "recreate": "a deletion; the thing is made anew from its old values, under a new identity",
    "update": "the same operation with the old values",
    "outward": "reaches another party; nothing takes that back",
    "transfer": "moves an amount; the opposite transfer leaves a record of both",
    "no_counterpart": "no documented operation undoes it",
}
OUTCOMES: Mapping[Measured, str] = {
    "exact": "the databases are as they were",
    "residue": "the inverse succeeded and something still differs",
    "failed": "the documented inverse could not be called or was refused",
    "not_tried": "no documented inverse, or no call of the write succeeded with values found in the world",
}


def reversibility_page(rows: Sequence[Row]) -> str:
    """What the words mean, and the table in Markdown: a line an app and class, counts of writes."""
    lines = [
        "# Which writes can be undone",
        "",
        "By the documentation (class, need of an old value read before) and by doing it on the engine (the "
        "last four columns). Unit: write operation.",
        "",
        *(f"- **{name}**: {meaning}." for name, meaning in CLASSES.items()),
        "",
        *(f"- *{name.replace('_', ' ')}*: {meaning}." for name, meaning in OUTCOMES.items()),
        "",
        f"| {' | '.join(HEADER)} |",
        "|---|---|" + "---:|" * (len(HEADER) - 2),
        *(f"| {' | '.join(map(str, line))} |" for line in table(rows)),
        "",
    ]
    return "\n".join(lines)
