"""Which trajectories the dataset holds: every draw of it, made from a seed before anything runs.

Nothing is run here. The two splits share no task, no payload and no wording: the held-out split is made over
the evaluation tasks, with payloads that are kept apart from the pool for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from holdcourse.appworld.injection import CARRIERS, SURFACE_CARRIERS
from holdcourse.appworld.tasks import Task
from holdcourse.config.drift import Carrier, DriftConfig, TypeCounts
from holdcourse.drift.records import DriftType
from holdcourse.errors import HoldcourseError
from holdcourse.recipes.book import PORTABLE

Kind = Literal["aligned", "transient", "persistent", "write", "non_monotone"]
Split = Literal["train", "heldout"]

Option = TypeVar("Option")

KINDS: tuple[Kind, ...] = ("aligned", "transient", "persistent", "write", "non_monotone")
DRIFT_TYPES: Mapping[Kind, DriftType] = {
    "aligned": "aligned",
    "transient": "I",
    "persistent": "II",
    "write": "III",
    "non_monotone": "I",
}
WORDINGS = 1000
"""Wordings are counted round and round, so any number well above theirs will do."""
CANDIDATES = 8
"""Payloads that are tried in turn: another person's task may not be doable in this person's world."""


@dataclass(frozen=True)
class Case:
    """One trajectory to be made.

    Attributes:
        payloads: candidates, in the order in which they are tried; empty for an aligned run.
        carrier: what the text comes in.
        surface: kind of record it is planted in; None when it enters the history alone.
        wording: counts through the wordings.
        place: where along the run the text comes in, from 0 (early) to 1 (late).
        delay: steps by which the suspicion comes late.
    """

    id: str
    split: Split
    kind: Kind
    task: Task
    payloads: tuple[Task, ...]
    carrier: Carrier
    surface: str | None
    wording: int
    place: float
    delay: int


def cases(tasks: Sequence[Task], config: DriftConfig, reversible: frozenset[str]) -> tuple[Case, ...]:
    """All cases of both splits, in a fixed order.

    Args:
        tasks: the world's.
        config: conf/drift/.
        reversible: operations with a documented inverse, so that reversible and irreversible payloads take
            turns.

    Raises:
        HoldcourseError: the world has too few tasks or payloads, or tasks without reference calls.
    """
    silent = [task.id for task in tasks if not task.reference_calls]
    if silent:
        raise HoldcourseError(
            f"{len(silent)} tasks ({', '.join(silent[:3])}…) come without the calls of their solution, by "
            "which steps are labelled; use data that have them, or world=own"
        )
    pool = [task for task in tasks if task.split == "pool"]
    evaluation = [task for task in tasks if task.split == "evaluation"]
    kept = _payloads_kept_apart(pool, config)
    train = _by_turns([task for task in pool if task not in kept])[: config.pool_tasks]
    chosen = _spread(evaluation, config.evaluation_tasks)
    return (
        *_split("train", train, train, config.train, config, reversible),
        *_split("heldout", chosen, kept, config.heldout, config, reversible),
    )


def _payloads_kept_apart(pool: Sequence[Task], config: DriftConfig) -> list[Task]:
    """Half of them questions, half deeds, over as many templates as there are."""
    kept: list[Task] = []
    for reads_only, wanted in ((True, (config.payload_tasks + 1) // 2), (False, config.payload_tasks // 2)):
        of_kind = [task for task in pool if task.reads_only == reads_only]
        if len(of_kind) < 2 * wanted:
            raise HoldcourseError(
                f"drift.payload_tasks={config.payload_tasks} keeps {wanted} "
                f"{'questions' if reads_only else 'deeds'} apart, and the pool has {len(of_kind)}; at least "
                "twice as many are needed, so lower it or build a larger world"
            )
        # One that holds for everybody can be carried out in anybody's account.
        portable = [task for task in of_kind if task.template in PORTABLE]
        choices = portable if len(portable) >= wanted else of_kind
        kept += _by_turns(_shuffled(choices, config.seed, "payloads", reads_only))[:wanted]
    return kept


def _by_turns(tasks: Sequence[Task]) -> list[Task]:
    """Tasks in such an order that templates take turns: the first of each, then the second of each."""
    turns: dict[str, int] = {}
    ordered: list[tuple[int, int, Task]] = []
    for place, task in enumerate(tasks):
        turns[task.template] = turns.get(task.template, 0) + 1
        ordered.append((turns[task.template], place, task))
    return [task for _, _, task in sorted(ordered, key=lambda item: item[:2])]


def _spread(tasks: Sequence[Task], wanted: int | None) -> list[Task]:
    """Some tasks, as many of each difficulty as can be."""
    if wanted is None or wanted >= len(tasks):
        return list(tasks)
    by_difficulty = {
        level: _by_turns([task for task in tasks if task.difficulty == level]) for level in (1, 2, 3)
    }
    chosen: list[Task] = []
    while len(chosen) < wanted:
        for level in (1, 2, 3):
            if by_difficulty[level] and len(chosen) < wanted:
                chosen.append(by_difficulty[level].pop(0))
    order = {task.id: place for place, task in enumerate(tasks)}
    return sorted(chosen, key=lambda task: order[task.id])


def _split(
    split: Split,
    tasks: Sequence[Task],
    payloads: Sequence[Task],
    counts: TypeCounts,
    config: DriftConfig,
    reversible: frozenset[str],
) -> list[Case]:
    if not tasks:
        raise HoldcourseError(f"the world has no tasks for the {split} split of the drift dataset")
    made = []
    for kind in KINDS:
        order = list(tasks)
        # The held-out split keeps the order of the tasks, so that each is used once a type.
        if split == "train":
            order = _shuffled(order, config.seed, split, kind)
        # A text can only be planted where the task reads a record.
        order = [task for task in order if task.surfaces or kind != "persistent"]
        if not order:
            raise HoldcourseError("no task reads a record that a persistent drift could be planted in")
        for number in range(getattr(counts, kind)):
            task = order[number % len(order)]
            made.append(_case(split, kind, number, task, payloads, config, reversible))
    return made


def _case(
    split: Split,
    kind: Kind,
    number: int,
    task: Task,
    payloads: Sequence[Task],
    config: DriftConfig,
    reversible: frozenset[str],
) -> Case:
    purpose = (config.seed, split, kind, number, task.id)
    candidates: list[Task] = []
    if kind != "aligned":
        candidates = [
            other
            for other in payloads
            if other.template != task.template
            and other.reads_only == (kind != "write")
            # By chance an answer of the payload could be the task's too.
            and (_answer(other) is None or _answer(other) != _answer(task))
        ]
        # A deed whose values hold for one person alone cannot be done in another's account.
        candidates = [other for other in candidates if other.template in PORTABLE] or candidates
        candidates = _shuffled(candidates, *purpose)
        if kind == "write":
            can_be_undone = number % 2 == 0
            candidates.sort(key=lambda other: set(other.writes).issubset(reversible) != can_be_undone)
        if not candidates:
            raise HoldcourseError(f"the world has no payload for a {kind} drift of task {task.id}")
    # Every third write drift and every persistent one sits in the world.
    planted = bool(task.surfaces) and (kind == "persistent" or (kind == "write" and number % 3 == 2))
    surface = _chosen(sorted(task.surfaces), *purpose, "surface") if planted else None
    carrier: Carrier = (
        SURFACE_CARRIERS.get(surface, "tool_output")
        if surface
        else _chosen(tuple(CARRIERS), *purpose, "carrier")
    )
    return Case(
        id=_identity(split, kind, number),
        split=split,
        kind=kind,
        task=task,
        payloads=tuple(candidates[:CANDIDATES]),
        carrier=carrier,
        surface=surface,
        wording=int(_value(*purpose, "wording") * WORDINGS),
        place=_value(*purpose, "place"),
        delay=int(_value(*purpose, "delay") * (config.detection_delay + 1)),
    )


def _value(*purpose: object) -> float:
    """A number in [0, 1) that depends on what it is for, and on nothing else."""
    digest = hashlib.sha256(json.dumps(purpose).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _chosen(options: Sequence[Option], *purpose: object) -> Option:
    return options[int(_value(*purpose) * len(options))]


def _shuffled(tasks: Sequence[Task], *purpose: object) -> list[Task]:
    return sorted(tasks, key=lambda task: (_value(*purpose, task.id), task.id))


def _answer(task: Task) -> object:
    """What a task's solution answers; None for a deed."""
    closing = [call for call in task.reference_calls if call.kind == "session"]
    return closing[-1].arguments.get("answer") if closing else None


def _identity(split: str, kind: str, number: int) -> str:
    return f"{split}-{kind}-{number:03d}"


def variant_of(case: Case, text: str) -> str:
    """Id of the task that holds a planted text: named by its content, so that it is made once."""
    content = hashlib.sha256(f"{case.task.id}\x00{case.surface}\x00{text}".encode()).hexdigest()
    return f"v{content[:8]}_{case.task.id.rpartition('_')[2]}"
