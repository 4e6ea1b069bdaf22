"""Backward transfer: what is left of a phase's skill after the next opposite phase (GRACE §3, Metrics).

For each phase cycle, the score on the phase's intents at the end of the next opposite phase minus the
score at the end of the phase itself. Below 0 something was forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

import pandas as pd

from holdcourse.config.schema import Intent, Phase, ProtocolConfig

DELTA_COLUMNS = (
    "arm",
    "seed",
    "cycle",
    "phase",
    "intent",
    "role",
    "before_checkpoint",
    "after_checkpoint",
    "task",
    "before",
    "after",
    "delta",
)


@dataclass(frozen=True, slots=True)
class PhaseSpan:
    """A run of batches of one phase, numbered from 1, both ends included."""

    phase: Phase
    first_batch: int
    last_batch: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Cycle:
    """A complete phase followed by a complete opposite one.

    `before` is the checkpoint at the end of the phase, `after` the one at the end of the opposite
    phase; checkpoint t is the instruction after batch t. `intents` dominate the phase's mixture over
    the other's, `shared` weigh the same in both.
    """

    number: int
    phase: Phase
    intents: tuple[Intent, ...]
    shared: tuple[Intent, ...]
    before: int
    after: int


def phase_spans(batches: int, batches_per_phase: int, phases: tuple[Phase, Phase]) -> tuple[PhaseSpan, ...]:
    """Cut batches 1..`batches` into phases that alternate; the last may be incomplete."""
    spans = []
    for index, first in enumerate(range(1, batches + 1, batches_per_phase)):
        last = min(first + batches_per_phase - 1, batches)
        complete = last - first + 1 == batches_per_phase
        spans.append(PhaseSpan(phases[index % 2], first, last, complete))
    return tuple(spans)


def phase_intents(mixture: Mapping[Phase, Mapping[Intent, float]], phase: Phase) -> tuple[Intent, ...]:
    """Intents with a larger share in this phase's mixture than in the other's, by name."""
    own, other = mixture[phase], mixture[_opposite(phase)]
    return tuple(
        sorted(i for i in own if own[i] > other.get(i, 0.0) and not _equal(own[i], other.get(i, 0.0)))
    )


def shared_intents(mixture: Mapping[Phase, Mapping[Intent, float]]) -> tuple[Intent, ...]:
    """Intents with the same share, above 0, in both mixtures, by name."""
    first, second = mixture["A"], mixture["B"]
    return tuple(sorted(i for i in first if first[i] > 0.0 and _equal(first[i], second.get(i, 0.0))))


def phase_cycles(protocol: ProtocolConfig) -> tuple[Cycle, ...]:
    """The protocol's phase cycles: each pair of neighbouring complete phases."""
    spans = phase_spans(protocol.batches, protocol.batches_per_phase, protocol.phases)
    pairs = [
        (span, opposite)
        for span, opposite in pairwise(spans)
        if span.phase != opposite.phase and span.complete and opposite.complete
    ]
    return tuple(
        Cycle(
            number=number,
            phase=span.phase,
            intents=phase_intents(protocol.mixture, span.phase),
            shared=shared_intents(protocol.mixture),
            before=span.last_batch,
            after=opposite.last_batch,
        )
        for number, (span, opposite) in enumerate(pairs, start=1)
    )


def transfer_deltas(scores: pd.DataFrame, cycles: Sequence[Cycle], k: int) -> pd.DataFrame:
    """Each task's pass^k before and after the opposite phase.

    Args:
        scores: the table of `task_scores_frame`, of any arms and seeds.
        cycles: from `phase_cycles`.
        k: the k of pass^k.

    Returns:
        A row an arm, seed, cycle, intent and task (`DELTA_COLUMNS`). `role` is "phase" for the phase's
        own intents and "shared" for those equal in both; a phase with several intents has one more
        group with them all, named with "+". `delta` is NaN where either score is undefined or
        missing.
    """
    chosen = scores[scores["k"] == k]
    places = [
        (cycle.number, cycle.phase, group, role, cycle.before, cycle.after, intent)
        for cycle in cycles
        for group, role, intents in _groups(cycle)
        for intent in intents
    ]
    if not places or chosen.empty:
        return pd.DataFrame(columns=list(DELTA_COLUMNS))
    place = pd.DataFrame(places, columns=[*DELTA_COLUMNS[2:8], "own_intent"]).reset_index(names="place")
    place["place"] = place.groupby(["cycle", "intent", "role"], sort=False).ngroup()
    tasks = chosen.drop_duplicates(["arm", "seed", "task"])[["arm", "seed", "task", "intent"]]
    tasks = tasks.assign(run=tasks.groupby(["arm", "seed"], sort=False).ngroup())
    deltas = tasks.rename(columns={"intent": "own_intent"}).merge(place, on="own_intent")
    for side in ("before", "after"):
        score = chosen[["arm", "seed", "task", "checkpoint", "pass_hat_k"]].rename(
            columns={"checkpoint": f"{side}_checkpoint", "pass_hat_k": side}
        )
        deltas = deltas.merge(score, on=["arm", "seed", "task", f"{side}_checkpoint"], how="left")
    deltas["delta"] = deltas["after"] - deltas["before"]
    return deltas.sort_values(["run", "place", "task"])[list(DELTA_COLUMNS)].reset_index(drop=True)


def _groups(cycle: Cycle) -> list[tuple[str, str, tuple[Intent, ...]]]:
    groups: list[tuple[str, str, tuple[Intent, ...]]] = [(i, "phase", (i,)) for i in cycle.intents]
    if len(cycle.intents) > 1:
        groups.append(("+".join(cycle.intents), "phase", cycle.intents))
    groups.extend((i, "shared", (i,)) for i in cycle.shared)
    return groups


def _equal(first: float, second: float) -> bool:
    return isclose(first, second, abs_tol=1e-9)


def _opposite(phase: Phase) -> Phase:
    return "B" if phase == "A" else "A"
