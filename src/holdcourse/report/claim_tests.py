"""What our results say of each claim of the GRACE paper, one function a claim (GRACE §4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdcourse.config.paper import ClaimName
from holdcourse.metrics.frames import REFERENCE_ARM
from holdcourse.report import evidence as ev
from holdcourse.report.evidence import Evidence, Finding, NotRunError


def _grace_improves(evidence: Evidence) -> Finding:
    final = evidence.setting.final
    ours = f"{ev.score(evidence, 'grace', 0)} → {ev.score(evidence, 'grace', final)}"
    return ev.one_sided(ours, ev.change(evidence, "grace", 0, final), +1, f"GRACE ℓ_{final} − ℓ_0")


def _order_at_end(evidence: Evidence) -> Finding:
    final = evidence.setting.final
    scores = [ev.score(evidence, arm, final) for arm in ("grace", "grace_no_sa", "hce")]
    return ev.all_above(
        f"GRACE {scores[0]}, w/o SA {scores[1]}, HCE {scores[2]}",
        [
            (f"GRACE − w/o SA at ℓ_{final}", ev.between(evidence, "grace", "grace_no_sa", final)),
            (f"w/o SA − HCE at ℓ_{final}", ev.between(evidence, "grace_no_sa", "hce", final)),
        ],
    )


def _grace_above_hce(evidence: Evidence) -> Finding:
    final = evidence.setting.final
    ours = f"{ev.score(evidence, 'grace', final)} against {ev.score(evidence, 'hce', final)}"
    return ev.one_sided(ours, ev.between(evidence, "grace", "hce", final), +1, f"GRACE − HCE at ℓ_{final}")


def _hce_declines(evidence: Evidence) -> Finding:
    final, peak = evidence.setting.final, ev.peak(evidence, "hce")
    ours = f"{ev.score(evidence, 'hce', peak)} (ℓ_{peak}) → {ev.score(evidence, 'hce', final)}"
    if peak in (0, final):
        change = ev.change(evidence, "hce", 0, final)
        where = "ℓ_0" if peak == 0 else "the last checkpoint"
        return Finding(ours, change, False, f"{where} is the highest", f"HCE ℓ_{final} − ℓ_0")
    rise, fall = ev.change(evidence, "hce", 0, peak), ev.change(evidence, "hce", peak, final)
    measured = f"HCE ℓ_{final} − ℓ_{peak}"
    if rise.sign <= 0:
        return Finding(ours, fall, False, "the rise to the peak is not clear of 0", measured)
    return ev.one_sided(ours, fall, -1, measured)


def _no_sa_declines(evidence: Evidence) -> Finding:
    start, final = evidence.setting.paper.peak_checkpoint_no_sa, evidence.setting.final
    if start >= final:
        raise NotRunError(f"this study ends at ℓ_{final}, not after ℓ_{start}")
    scores = f"{ev.score(evidence, 'grace_no_sa', start)} → {ev.score(evidence, 'grace_no_sa', final)}"
    ours = f"{scores}; highest at ℓ_{ev.peak(evidence, 'grace_no_sa')}"
    change = ev.change(evidence, "grace_no_sa", start, final)
    return ev.one_sided(ours, change, -1, f"w/o SA ℓ_{final} − ℓ_{start}")


def _grace_above_reference(evidence: Evidence) -> Finding:
    final = evidence.setting.final
    ours = f"{ev.score(evidence, 'grace', final)} against {ev.score(evidence, REFERENCE_ARM, 0)}"
    difference = ev.against(evidence, "grace", final, REFERENCE_ARM, 0)
    return ev.one_sided(ours, difference, +1, f"GRACE ℓ_{final} − stronger model ℓ_0")


def _hce_most_contradictions(evidence: Evidence) -> Finding:
    return ev.largest(evidence, "hce", ("grace", "grace_no_sa"), _last_audited(evidence), "contradictions", 2)


def _hce_longest(evidence: Evidence) -> Finding:
    final = evidence.setting.final
    return ev.largest(evidence, "hce", ("grace", "grace_no_sa"), final, "characters", 0)


def _no_sa_most_redundant(evidence: Evidence) -> Finding:
    return ev.largest(evidence, "grace_no_sa", ("grace",), _last_audited(evidence), "redundancies", 2)


def _grace_retains(evidence: Evidence) -> Finding:
    return _transfers(evidence, "grace", +1)


def _hce_forgets(evidence: Evidence) -> Finding:
    return _transfers(evidence, "hce", -1)


def _transfers(evidence: Evidence, arm: str, direction: int) -> Finding:
    """Backward transfer of 0 or above (+1) or below 0 (-1) in most cycles, and so on average: one rule."""
    cycles = ev.transfer(evidence, arm)
    agreeing, clear = (cycles.kept, cycles.above) if direction > 0 else (cycles.lost, cycles.below)
    side = "0 or above" if direction > 0 else "below 0"
    against = cycles.below if direction > 0 else cycles.above
    ours = (
        f"{side} in {agreeing} of {cycles.number} cycles (interval on the claimed side in {clear}, on the "
        f"other in {against})"
    )
    label = evidence.setting.arm_labels.get(arm, arm)
    measured = f"{label} mean BWT over cycles"
    if 2 * agreeing <= cycles.number:
        return Finding(ours, cycles.mean, False, "not in most cycles", measured)
    return ev.one_sided(ours, cycles.mean, direction, measured, zero_counts=direction > 0)


def _last_audited(evidence: Evidence) -> int:
    if not evidence.setting.audited:
        raise NotRunError("this study audits no checkpoint")
    return max(evidence.setting.audited)


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """How a claim is tested, the table of the figures it rests on, and the roles whose models it is about."""

    find: Callable[[Evidence], Finding]
    table: str
    roles: tuple[str, ...] = ("agent",)


CLAIM_TESTS: Mapping[ClaimName, ClaimTest] = {
    "grace_improves": ClaimTest(_grace_improves, "shift_reliability"),
    "order_at_end": ClaimTest(_order_at_end, "shift_reliability"),
    "grace_above_hce": ClaimTest(_grace_above_hce, "shift_reliability"),
    "hce_declines": ClaimTest(_hce_declines, "shift_reliability"),
    "no_sa_declines": ClaimTest(_no_sa_declines, "shift_reliability"),
    "grace_above_reference": ClaimTest(
        _grace_above_reference, "shift_reference", ("agent", "reference_agent")
    ),
    "hce_most_contradictions": ClaimTest(_hce_most_contradictions, "shift_failure_modes"),
    "hce_longest": ClaimTest(_hce_longest, "shift_failure_modes"),
    "no_sa_most_redundant": ClaimTest(_no_sa_most_redundant, "shift_failure_modes"),
    "grace_retains": ClaimTest(_grace_retains, "shift_transfer"),
    "hce_forgets": ClaimTest(_hce_forgets, "shift_transfer"),
}
