"""Keeping a role's edits within the units that it was shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdcourse.evolution.edits import AddEdge, AddNode, Edit, Refusal, RemoveEdge, edit_record
from holdcourse.evolution.graph import STABLE_ID


def split_by_scope(
    edits: Sequence[Edit], shown: Iterable[str]
) -> tuple[tuple[Edit, ...], tuple[Refusal, ...]]:
    """The edits that name only shown nodes or nodes that they add, and a refusal for each other edit."""
    # An addition under a stable id will be refused, and must not open the way to that node.
    added = (edit.id for edit in edits if isinstance(edit, AddNode))
    known = {*shown, *(name for name in added if not STABLE_ID.fullmatch(name))}
    within: list[Edit] = []
    refused: list[Refusal] = []
    for edit in edits:
        beyond = _named(edit) - known
        if beyond:
            refused.append(Refusal(edit_record(edit), f"{', '.join(sorted(beyond))} was not shown"))
        else:
            within.append(edit)
    return tuple(within), tuple(refused)


def _named(edit: Edit) -> frozenset[str]:
    if isinstance(edit, AddNode):
        return frozenset()
    if isinstance(edit, AddEdge | RemoveEdge):
        return frozenset((edit.source, edit.target))
    return frozenset((edit.id,))
