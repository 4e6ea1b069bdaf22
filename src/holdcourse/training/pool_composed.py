"""Further prompts of n3 and n4: write operations drawn from the documentation.

These two nodes are told nothing but write operations (and documentation). The payloads of the trajectories
make few different sets of them, far fewer than the pool needs, so further sets are composed of documented
writes. Apps, inverses and partition are known of them just as well; the rows say `"source": "composed"`.
(ours)
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from holdcourse.config.drift import PoolConfig
from holdcourse.recovery.answers import Answer, RiskAnswer, SearchAnswer, answer_json
from holdcourse.recovery.contexts import Context, RiskContext, SearchContext
from holdcourse.recovery.docs import fetched
from holdcourse.recovery.operations import apps_of
from holdcourse.recovery.rendering import prompt
from holdcourse.training.pool_evidence import evidence_of
from holdcourse.training.pool_rows import SPLITS, Candidate, Material, data_shown
from holdcourse.training.prompt_rows import PromptRow

_ORIGIN = {
    "source": "composed",
    "type": None,
    "carrier": None,
    "wording": None,
    "payload": None,
    "person": None,
}


def split_of(operations: Iterable[str], heldout: float) -> str | None:
    """The split that write operations belong to; None if they belong to both, and no prompt may hold them.

    A prompt of n3 or n4 is nothing but its operations. They are split one by one, so that no operation that
    the held-out prompts ask about was ever asked about in training.

    Args:
        operations: by name.
        heldout: share of all operations that are held out.
    """
    splits = {SPLITS[_drawn(operation) < heldout] for operation in operations}
    return splits.pop() if len(splits) == 1 else None


def _drawn(operation: str) -> float:
    """A number in [0, 1) that depends on the name alone."""
    return hashlib.sha256(operation.encode()).digest()[0] / 256


def composed(
    make: Callable[[tuple[str, ...]], tuple[Context, Answer]],
    split: str,
    sizes: PoolConfig,
    material: Material,
    seed: int,
) -> Iterator[Candidate]:
    """Candidates of one node and split, each set of operations once, until no new one is found.

    Args:
        make: `searched` or `judged`.
        split: only operations that belong to it.
        sizes: how operations are split, and how many a set has at most.
        material: documentation, what can be undone, how the graph asks.
        seed: decides every draw.
    """
    writes = sorted(
        write
        for write in material.undoing.inverses
        if write.partition(".")[0] in material.docs and split_of([write], sizes.heldout_operations) == split
    )
    most = min(sizes.composed_writes, len(writes))
    if most < 1:
        return
    rng = random.Random(f"{seed} {split} {make.__name__}")  # noqa: S311
    seen: set[frozenset[str]] = set()
    in_vain = 0
    while in_vain < _PATIENCE:
        drawn = tuple(rng.sample(writes, rng.randint(1, most)))
        if frozenset(drawn) in seen:
            in_vain += 1
            continue
        in_vain = 0
        seen.add(frozenset(drawn))
        context, answer = make(drawn)
        yield Candidate(_row(context, answer, split, drawn, material), split, 9)


_PATIENCE = 1000
"""Draws in a row without a new set after which there are taken to be no more."""


def searched(material: Material) -> Callable[[tuple[str, ...]], tuple[Context, Answer]]:
    """Makes n3's question and answer of a set of writes."""

    def search(writes: tuple[str, ...]) -> tuple[Context, Answer]:
        return SearchContext(writes), SearchAnswer(apps_of(writes))

    return search


def judged(material: Material) -> Callable[[tuple[str, ...]], tuple[Context, Answer]]:
    """Makes n4's question and answer of a set of writes."""

    def risk(writes: tuple[str, ...]) -> tuple[Context, Answer]:
        reversible = tuple(write for write in writes if write in material.undoing.reversible)
        rest = tuple(write for write in writes if write not in reversible)
        return RiskContext(writes, fetched(material.docs, apps_of(writes))), RiskAnswer(reversible, rest)

    return risk


def _row(
    context: Context, answer: Answer, split: str, writes: Sequence[str], material: Material
) -> PromptRow:
    digest = hashlib.sha256(" ".join(writes).encode()).hexdigest()[:12]
    messages = prompt(context, material.settings)
    evidence = evidence_of(context, answer, data_shown(messages), (), material.undoing.inverses)
    return PromptRow(
        id=f"composed-{context.node}-{digest}",
        node=context.node,
        task_id=f"documentation-{split}",
        trajectory_id=None,
        messages=messages,
        label=answer_json(answer),
        evidence={**evidence, "origin": dict(_ORIGIN)},
    )
