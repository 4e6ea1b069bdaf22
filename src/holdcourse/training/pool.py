"""The pool of node prompts that the recovery model is trained and tested on (drift paper §4.5, §5.3.1).

Every prompt is one that the recovery graph would ask: its walk is replayed over labelled trajectories, each
node answered truly, so that the inputs of later nodes are the true answers of the earlier ones. Prompts are
split as their trajectories are, by task, and balanced over nodes and answers.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from holdcourse.config.drift import PoolConfig
from holdcourse.config.recovery import RecoveryConfig
from holdcourse.errors import HoldcourseError
from holdcourse.recovery.docs import docs_of
from holdcourse.recovery.nodes import NODES, NodeId
from holdcourse.training.pool_composed import composed, judged, searched, split_of
from holdcourse.training.pool_overlap import overlaps
from holdcourse.training.pool_rows import (
    SPLITS,
    Candidate,
    LeftOut,
    Material,
    hidden,
    operations_asked,
    prompt_digest_of,
    undoing,
    walked,
)
from holdcourse.training.prompt_rows import PromptRow


@dataclass(frozen=True)
class Pool:
    """The prompts of both splits, in the order in which nodes take turns, and what was left out and why."""

    train: tuple[PromptRow, ...]
    heldout: tuple[PromptRow, ...]
    left_out: Mapping[str, int]


def build_pool(
    trajectories: Sequence[Mapping[str, object]],
    docs: Mapping[str, Sequence[Mapping[str, object]]],
    reversibility: Sequence[Mapping[str, object]],
    settings: RecoveryConfig,
    sizes: PoolConfig,
    seed: int,
) -> Pool:
    """Build the pool; the same input and seed give the same pool.

    Args:
        trajectories: rows of dataset/{train,heldout}.jsonl; `split` says which.
        docs: app to its documented calls.
        reversibility: rows of world/reversibility.json.
        settings: how the graph asks: wording, worked example, limits, K.
        sizes: prompts a node, and how operations are split.
        seed: decides which prompts are taken.

    Raises:
        HoldcourseError: a node has too few different prompts, or the splits share something; it says which.
    """
    material = Material(docs_of(docs), undoing(reversibility), settings)
    left_out: LeftOut = Counter()
    ordered = sorted(trajectories, key=lambda trajectory: str(trajectory["id"]))
    unknown = sorted({str(trajectory["split"]) for trajectory in ordered} - set(SPLITS))
    if unknown:
        raise HoldcourseError(
            f"trajectories of an unknown split {', '.join(unknown)}; it is {' or '.join(SPLITS)}"
        )
    wanted = {"train": sizes.train, "heldout": sizes.heldout}
    found = _Found(sizes.heldout_operations)
    for shift in (0, *sizes.onset_shifts):
        if shift == 0 or found.short(wanted):
            counted: LeftOut = left_out if shift == 0 else Counter()
            for trajectory in ordered:
                found.add(walked(trajectory, material, shift, counted), counted)
    for split in SPLITS:
        # Composing for the others takes minutes where much is asked for; these must suffice first.
        found.check(split, wanted[split], _WALKED, "drift.*")
    for split in SPLITS:
        for node, make in zip(_COMPOSED, (searched(material), judged(material)), strict=True):
            more = composed(make, split, sizes, material, seed)
            fit = (candidate for candidate in more if not hidden(candidate.row))
            missing = max(0, wanted[split] - found.count(split, node))
            found.add(islice(fit, _SURPLUS * missing), Counter())
        found.check(split, wanted[split], _COMPOSED, "pool.heldout_operations, pool.composed_writes")
    chosen = {split: _choose(found, split, wanted[split], seed) for split in SPLITS}
    pool = Pool(chosen["train"], chosen["heldout"], dict(sorted(left_out.items())))
    shared = overlaps(pool.train, pool.heldout)
    if shared:
        raise HoldcourseError(
            f"held-out prompts leak into training: {'; '.join(shared)}; check the dataset's split"
        )
    return pool


_COMPOSED: tuple[NodeId, ...] = ("n3", "n4")
"""Nodes that trajectories alone give too few different prompts of."""

_WALKED = tuple(node for node in NODES if node not in _COMPOSED)
"""Nodes that only trajectories give prompts of."""

_SURPLUS = 4
"""So many times more sets are composed than are missing, so that there is a choice among their answers."""


class _Found:
    """Candidates by split and node; each prompt once, in the split it was first found in."""

    def __init__(self, heldout_operations: float) -> None:
        self._heldout = heldout_operations
        self.of: dict[tuple[str, NodeId], list[Candidate]] = defaultdict(list)
        self._seen: set[str] = set()
        self._asked: set[Hashable] = set()

    def add(self, candidates: Iterable[Candidate], left_out: LeftOut) -> None:
        for candidate in candidates:
            row = candidate.row
            asked = operations_asked(row)
            # n3 and n4 are split by the operations they are asked about: see pool_composed.split_of.
            if asked and split_of(asked, self._heldout) != candidate.split:
                left_out[f"{row.node}: an operation belongs to the other split"] += 1
                continue
            known: Hashable = (row.node, asked) if asked else prompt_digest_of(row)
            if known not in self._asked:
                self._asked.add(known)
                self.of[candidate.split, row.node].append(candidate)

    def count(self, split: str, node: NodeId) -> int:
        return len(self.of[split, node])

    def short(self, wanted: Mapping[str, int]) -> bool:
        """Whether a node that only trajectories give prompts of has too few."""
        return any(self._lacking(split, number, _WALKED) for split, number in wanted.items())

    def _lacking(self, split: str, number: int, nodes: Sequence[NodeId]) -> list[NodeId]:
        return [node for node in nodes if self.count(split, node) < number]

    def check(self, split: str, number: int, nodes: Sequence[NodeId], keys: str) -> None:
        """Complain where nodes have too few prompts; `keys` are the settings that allow more."""
        lacking = self._lacking(split, number, nodes)
        if lacking:
            missing = [f"{node} {self.count(split, node)}" for node in lacking]
            raise HoldcourseError(
                f"the {split} split gives too few different prompts: {', '.join(missing)} of {number} "
                f"wanted; allow more of them ({keys}), or ask for fewer prompts a node "
                "(pool.train, pool.heldout)"
            )


def _choose(found: _Found, split: str, number: int, seed: int) -> tuple[PromptRow, ...]:
    by_node = []
    for node in NODES:
        rng = random.Random(f"{seed} {split} {node}")  # noqa: S311
        taken = list(islice(_balanced(found.of[split, node], rng), number))
        rng.shuffle(taken)
        by_node.append([candidate.row for candidate in taken])
    # Nodes take turns, so that any beginning of the pool is balanced too.
    return tuple(row for rows in zip(*by_node, strict=True) for row in rows)


def answer_class(row: PromptRow) -> str:
    """What the answers of a node are balanced over."""
    evidence = row.evidence
    if row.node == "n1":
        return "Y" if evidence["aligned"] else "N"
    if row.node == "n2":
        return "writes" if evidence["writes"] else "None"
    if row.node == "n3":
        return "one app" if len(cast("list[object]", evidence["apps"])) == 1 else "more apps"
    if row.node == "n4":
        parts = [name for name in ("reversible", "irreversible") if evidence[name]]
        return "both" if len(parts) == 2 else parts[0]
    return str(evidence["action"])


def _balanced(candidates: Sequence[Candidate], rng: random.Random) -> Iterator[Candidate]:
    """All candidates: answer classes take turns; within a class those of lower rank first, types in turn."""

    def ranked(some: Sequence[Candidate]) -> Iterator[Candidate]:
        for rank in sorted({candidate.rank for candidate in some}):
            yield from _turns([one for one in some if one.rank == rank], _type, iter)

    shuffled = sorted(candidates, key=lambda candidate: candidate.row.id)
    rng.shuffle(shuffled)
    return _turns(shuffled, lambda candidate: answer_class(candidate.row), ranked)


def _type(candidate: Candidate) -> str:
    origin = cast("Mapping[str, object]", candidate.row.evidence["origin"])
    return f"{origin['type']} {origin['carrier']}"


def _turns(
    some: Sequence[Candidate],
    kind: Callable[[Candidate], str],
    inner: Callable[[Sequence[Candidate]], Iterator[Candidate]],
) -> Iterator[Candidate]:
    groups: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in some:
        groups[kind(candidate)].append(candidate)
    queues = [inner(groups[name]) for name in sorted(groups)]
    while queues:
        left = []
        for queue in queues:
            for candidate in islice(queue, 1):
                yield candidate
                left.append(queue)
        queues = left
