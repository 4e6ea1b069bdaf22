"""In which order a run meets its training prompts."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest

from holdcourse.training.prompt_rows import PromptRow


def in_turns(rows: Sequence[PromptRow], seed: int) -> list[PromptRow]:
    """All prompts, nodes taking turns, each node's in an order that the seed decides.

    A run that stops after some steps has then trained each node as often as the others, where chance alone
    would give one node twice what another gets (ours: the paper trains on the whole pool).
    """
    by_node: dict[str, list[PromptRow]] = defaultdict(list)
    for row in rows:
        by_node[row.node].append(row)
    for node in sorted(by_node):
        random.Random(f"{seed} {node}").shuffle(by_node[node])  # noqa: S311
    turns = zip_longest(*(by_node[node] for node in sorted(by_node)))
    return [row for turn in turns for row in turn if row is not None]
