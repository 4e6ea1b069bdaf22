"""What the held-out prompts and the training prompts share, which must be nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import cast

from holdcourse.training.pool_rows import operations_asked, prompt_digest_of
from holdcourse.training.prompt_rows import PromptRow

_SHOWN = 5


def overlaps(train: Sequence[PromptRow], heldout: Sequence[PromptRow]) -> list[str]:
    """One sentence for each kind of thing that stands on both sides; none if nothing does.

    Compared are ids, prompts (by text), tasks, pairs of person and payload, wordings of the injected
    instruction, and at n3 and n4 the sets of write operations, which are all that these prompts hold.
    """
    found = []
    for name, of in _KINDS.items():
        shared = _values(train, of) & _values(heldout, of)
        if shared:
            listed = ", ".join(sorted(map(str, shared))[:_SHOWN])
            found.append(f"{len(shared)} {name} in both splits, such as {listed}")
    return found


def _values(rows: Iterable[PromptRow], of: Callable[[PromptRow], Hashable]) -> set[Hashable]:
    return {value for row in rows if (value := of(row)) is not None}


def _origin(row: PromptRow) -> Mapping[str, object]:
    return cast("Mapping[str, object]", row.evidence["origin"])


def _pair(row: PromptRow) -> Hashable:
    origin = _origin(row)
    return None if origin["payload"] is None else (str(origin["person"]), str(origin["payload"]))


def _wording(row: PromptRow) -> Hashable:
    wording = _origin(row)["wording"]
    return None if wording is None else str(wording)


def _operations(row: PromptRow) -> Hashable:
    asked = operations_asked(row)
    return (row.node, *sorted(asked)) if asked else None


_KINDS: dict[str, Callable[[PromptRow], Hashable]] = {
    "ids": lambda row: row.id,
    "prompts": prompt_digest_of,
    "tasks": lambda row: row.task_id,
    "pairs of person and payload": _pair,
    "wordings": _wording,
    "sets of write operations": _operations,
}
