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
    instruction, and at n3 and n4 the write operations one by one, which are all that these prompts hold.
    """
    found = []
    for name, of in _KINDS.items():
        shared = _values(train, of) & _values(heldout, of)
        if shared:
            listed = ", ".join(sorted(map(str, shared))[:_SHOWN])
            found.append(f"{len(shared)} {name} in both splits, such as {listed}")
    return found


def _values(rows: Iterable[PromptRow], of: Callable[[PromptRow], Iterable[Hashable]]) -> set[Hashable]:
    return {value for row in rows for value in of(row)}


def _origin(row: PromptRow) -> Mapping[str, object]:
    return cast("Mapping[str, object]", row.evidence["origin"])


def _pair(row: PromptRow) -> Iterable[Hashable]:
    origin = _origin(row)
    return [] if origin["payload"] is None else [(str(origin["person"]), str(origin["payload"]))]


def _wording(row: PromptRow) -> Iterable[Hashable]:
    wording = _origin(row)["wording"]
    return [] if wording is None else [str(wording)]


_KINDS: dict[str, Callable[[PromptRow], Iterable[Hashable]]] = {
    "ids": lambda row: [row.id],
    "prompts": lambda row: [prompt_digest_of(row)],
    "tasks": lambda row: [row.task_id],
    "pairs of person and payload": _pair,
    "wordings": _wording,
    "write operations of n3 and n4": operations_asked,
}
