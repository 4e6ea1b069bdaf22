"""Comparisons that claims are tested with: between arms, over checkpoints, over phase cycles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from holdcourse.metrics.intervals import Interval, mean_interval, paired_interval, seed_interval, seed_values
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import PAPER_K, Setting
from holdcourse.report.table import printed_cell
from holdcourse.report.transfer import arm_deltas, cycle_interval


class NotRunError(Exception):
    """Results that a claim needs are not there; the message names them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What our results say of a claim.

    `interval` is that of the difference `measured`. `holds` is None when the results cannot speak to
    the claim; `reason` says why it does not hold or cannot be told.
    """

    ours: str | None
    interval: Interval | None
    holds: bool | None
    reason: str = ""
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Retention:
    """An arm's phase cycles by their backward transfer.

    `number` counts the cycles, `kept` those of them whose mean is 0 or above; `above` and `below` those
    whose whole interval is 0 or above, or below 0. `mean` is the mean over cycles.
    """

    number: int
    kept: int
    above: int
    below: int
    mean: Interval

    @property
    def lost(self) -> int:
        """Cycles whose mean is below 0."""
        return self.number - self.kept


@dataclass(frozen=True)
class Evidence:
    """All that a claim may be tested on."""

    results: ShiftResults
    setting: Setting


def cell(evidence: Evidence, arm: str, checkpoint: int) -> pd.DataFrame:
    """Task scores of an arm's checkpoint at the paper's k.

    Raises:
        NotRunError: there are none.
    """
    if evidence.setting.k != PAPER_K:
        raise NotRunError(f"this study has no pass^{PAPER_K}")
    scores = evidence.results.cell(arm, checkpoint, PAPER_K)
    if scores["pass_hat_k"].notna().sum() == 0:
        raise NotRunError(f"no pass^{PAPER_K} of {arm} at ℓ_{checkpoint}")
    return scores


def score(evidence: Evidence, arm: str, checkpoint: int) -> str:
    """An arm's pass^3 at a checkpoint, as printed."""
    values = seed_values(cell(evidence, arm, checkpoint), "pass_hat_k")
    return printed_cell(mean_interval(values, evidence.setting.bootstrap).estimate, 3)


def between(evidence: Evidence, first: str, second: str, checkpoint: int) -> Interval:
    """First - second in pass^3 at a checkpoint, paired by task and seed."""
    return _paired(evidence, cell(evidence, first, checkpoint), cell(evidence, second, checkpoint))


def change(evidence: Evidence, arm: str, start: int, end: int) -> Interval:
    """Change of an arm's pass^3 from one checkpoint to another, paired by task and seed."""
    return _paired(evidence, cell(evidence, arm, end), cell(evidence, arm, start))


def against(evidence: Evidence, arm: str, checkpoint: int, other: str, other_checkpoint: int) -> Interval:
    """An arm's checkpoint minus another arm's other checkpoint in pass^3, paired by task and seed."""
    return _paired(evidence, cell(evidence, arm, checkpoint), cell(evidence, other, other_checkpoint))


def peak(evidence: Evidence, arm: str) -> int:
    """The checkpoint with the highest pass^3; the earliest of equals."""
    estimates: dict[int, float] = {}
    for checkpoint in evidence.results.checkpoints(arm):
        values = seed_values(evidence.results.cell(arm, checkpoint, PAPER_K), "pass_hat_k")
        estimate = mean_interval(values, evidence.setting.bootstrap).estimate
        if estimate is not None:
            estimates[checkpoint] = estimate
    if not estimates:
        raise NotRunError(f"no pass^{PAPER_K} of {arm}")
    return max(estimates, key=lambda checkpoint: (estimates[checkpoint], -checkpoint))


def one_sided(
    ours: str, interval: Interval, direction: int, measured: str, zero_counts: bool = False
) -> Finding:
    """A claim that a difference lies above (+1) or below (-1) 0; `zero_counts` if 0 itself is claimed."""
    if interval.low is None:
        return Finding(ours, interval, None, "too few units for an interval", measured)
    holds = _on_side(interval, direction, zero_counts)
    return Finding(ours, interval, holds, "" if holds else _why_not(interval, direction), measured)


def all_above(ours: str, differences: Sequence[tuple[str, Interval]]) -> Finding:
    """A claim that every difference lies above 0; the one with the lowest bound is shown."""
    findings = [one_sided(ours, interval, +1, measured) for measured, interval in differences]
    untold = [finding for finding in findings if finding.holds is None]
    return untold[0] if untold else min(findings, key=_lower_bound)


def largest(
    evidence: Evidence, arm: str, others: Sequence[str], checkpoint: int, quantity: str, digits: int
) -> Finding:
    """A claim that an arm has more of an audited or measured quantity than each of the others."""
    by_arm = {name: _by_seed(evidence, name, checkpoint, quantity) for name in (arm, *others)}
    labels = evidence.setting.arm_labels
    ours = ", ".join(
        f"{labels.get(name, name)} {printed_cell(sum(values.values()) / len(values), digits)}"
        for name, values in by_arm.items()
    )
    differences = []
    for other in others:
        shared = by_arm[arm].keys() & by_arm[other].keys()
        difference = {seed: by_arm[arm][seed] - by_arm[other][seed] for seed in shared}
        interval = seed_interval(difference, evidence.setting.evaluation.confidence)
        name = f"{labels.get(arm, arm)} − {labels.get(other, other)}, {quantity} at ℓ_{checkpoint}"
        differences.append((name, interval))
    return all_above(ours, differences)


def transfer(evidence: Evidence, arm: str) -> Retention:
    """Backward transfer of an arm over its phase cycles.

    A cycle is judged by all its phase's intents together. The mean is over task-seeds, each first
    averaged over its cycles, so that a task's cycles stay together when tasks are resampled.

    Raises:
        NotRunError: the arm has no complete cycle.
    """
    deltas = arm_deltas(evidence.results, evidence.setting)
    own = deltas[(deltas["arm"] == arm) & (deltas["role"] == "phase")]
    parts = []
    for cycle in evidence.setting.cycles:
        part = own[(own["cycle"] == cycle.number) & (own["intent"] == "+".join(cycle.intents))]
        if part["delta"].notna().any():
            parts.append(part)
    if not parts:
        raise NotRunError(f"no complete phase cycle of {arm}")
    intervals = [cycle_interval(part, evidence.setting) for part in parts]
    by_task = pd.concat(parts).groupby(["seed", "task"])[["delta"]].mean().reset_index()
    return Retention(
        number=len(parts),
        kept=sum(interval.estimate is not None and interval.estimate >= 0.0 for interval in intervals),
        above=sum(_on_side(interval, +1, zero_counts=True) for interval in intervals),
        below=sum(_on_side(interval, -1, zero_counts=False) for interval in intervals),
        mean=mean_interval(seed_values(by_task, "delta"), evidence.setting.bootstrap),
    )


def _paired(evidence: Evidence, first: pd.DataFrame, second: pd.DataFrame) -> Interval:
    return paired_interval(first, second, "pass_hat_k", evidence.setting.bootstrap)


def _by_seed(evidence: Evidence, arm: str, checkpoint: int, quantity: str) -> dict[int, float]:
    results = evidence.results
    if quantity == "characters":
        values = results.size_by_seed(arm, checkpoint, quantity)
    else:
        values = results.audit_by_seed(arm, checkpoint, quantity)
    if not values:
        raise NotRunError(f"no {quantity} of {arm} at ℓ_{checkpoint}")
    return values


def _on_side(interval: Interval, direction: int, zero_counts: bool) -> bool:
    """Whether the whole interval lies on one side of 0."""
    if interval.low is None or interval.high is None:
        return False
    nearest = interval.low if direction > 0 else -interval.high
    return nearest > 0.0 or (zero_counts and nearest == 0.0)


def _lower_bound(finding: Finding) -> float:
    low = finding.interval.low if finding.interval else None
    return math.inf if low is None else low


def _why_not(interval: Interval, direction: int) -> str:
    return "the interval holds 0" if interval.sign != -direction else "the difference has the other sign"
