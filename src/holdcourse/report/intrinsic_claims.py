"""The drift paper's claims about the intrinsic evaluation, tested on ours (§5.3.1, §5.4).

A claim is reproduced when the whole interval of what it is about lies on the claimed side of 0 **(ours: the
paper prints no tests)**; one that compares nodes is about the difference of their gains. A study whose policy
is not one of the paper's, or whose trajectories a simulated model made, tests none of them: our figure is
shown and the verdict says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from holdcourse.metrics.intervals import Interval
from holdcourse.recovery.nodes import NODES
from holdcourse.report.drift_intrinsic import LABELS
from holdcourse.report.intrinsic_results import COMPONENTS, IntrinsicResults, IntrinsicSetting
from holdcourse.report.table import Cell, Column, ReportTable, printed_cell

Found = tuple[str, Interval | None, bool | None]
"""Our figure in words, the interval it rests on, and whether the claim holds (None: cannot be told)."""

Test = Callable[[IntrinsicResults, IntrinsicSetting, str], Found]


def drift_intrinsic_claims(results: IntrinsicResults, setting: IntrinsicSetting) -> ReportTable:
    """Every intrinsic claim of the paper beside ours, a row a policy."""
    rows = [
        _row(results, setting, policy, claim.name)
        for policy in results.present(setting)
        for claim in setting.paper.claims
        if claim.kind == "intrinsic"
    ]
    level = f"{setting.evaluation.confidence:.0%}"
    return ReportTable(
        "drift_intrinsic_claims",
        f"Claims of the {setting.paper.name} paper about training ({setting.paper.citation}).",
        (
            Column("claim", "claim"),
            Column("paper", "paper"),
            Column("model", "model"),
            Column("ours", "ours"),
            Column("verdict", "verdict"),
            Column("reason", "reason"),
            Column("gain", "difference", 3),
            Column("low", f"{level} low", 3),
            Column("high", f"{level} high", 3),
            Column("prompts", "prompts", 0),
            Column("where", "where"),
            Column("file", "file"),
        ),
        tuple(rows),
        (
            "Reproduced: the whole interval lies on the claimed side of 0; where several are named, "
            "each does, and the least favourable is shown. Gains at two nodes are compared by their "
            "difference, unpaired, since the nodes' prompts are others.",
            "A claim about every prompt is told by the count of prompts. Components are ranked by their mean "
            "gains alone, equal ones in the paper's order; no interval decides a rank, and the one shown is "
            "that of the component's own gain.",
            *setting.notes,
            *(
                f"{claim.name}: {claim.note}"
                for claim in setting.paper.claims
                if claim.note and claim.kind == "intrinsic"
            ),
        ),
        setting.offline_label,
    )


def _row(results: IntrinsicResults, setting: IntrinsicSetting, policy: str, name: str) -> dict[str, Cell]:
    claim = next(claim for claim in setting.paper.claims if claim.name == name)
    ours, interval, holds = TESTS[name](results, setting, policy)
    reason = _obstacle(setting, policy) or ("too few prompts" if holds is None else None)
    verdict = "not tested with these models" if reason else ("reproduced" if holds else "not reproduced")
    return {
        "claim": claim.statement,
        "paper": claim.figure,
        "model": setting.policies[policy].label,
        "ours": ours,
        "verdict": verdict,
        "reason": reason,
        "gain": interval.estimate if interval else None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "prompts": interval.units if interval else None,
        "where": claim.where,
        "file": "tables/drift_intrinsic_nodes.csv"
        if "node" in name or "risk" in name
        else "tables/drift_intrinsic.csv",
    }


def _obstacle(setting: IntrinsicSetting, policy: str) -> str | None:
    if policy not in setting.paper.policy_models:
        return f"{setting.policies[policy].label} is not a model of the paper"
    if setting.offline_label:
        return "a simulated model made the trajectories or judges"
    return None


def _improves(quantity: str) -> Test:
    def test(results: IntrinsicResults, setting: IntrinsicSetting, policy: str) -> Found:
        base, trained = (
            printed_cell(results.mean(policy, variant, quantity, setting).estimate, 2)
            for variant in ("base", "trained")
        )
        gain = results.gain(policy, quantity, setting)
        return f"{base} → {trained}", gain, None if gain.low is None else gain.sign > 0

    return test


def _every_prompt(results: IntrinsicResults, setting: IntrinsicSetting, policy: str) -> Found:
    gains = results.gains(policy)
    better = sum(gain > 0 for gain in gains)
    holds = None if not gains else better == len(gains)
    return f"{better} of {len(gains)}", results.gain(policy, "composite", setting), holds


def _every_node(results: IntrinsicResults, setting: IntrinsicSetting, policy: str) -> Found:
    by_node = {node: results.gain(policy, "composite", setting, node) for node in NODES}
    told = {node: gain for node, gain in by_node.items() if gain.estimate is not None}
    ours = ", ".join(f"{node} {gain.estimate:+.2f}" for node, gain in told.items())
    lowest = min(told.values(), key=lambda gain: gain.low if gain.low is not None else 0.0, default=None)
    return ours, lowest, None if len(told) < len(NODES) else all(gain.sign > 0 for gain in told.values())


def _schema_gains_most(results: IntrinsicResults, setting: IntrinsicSetting, policy: str) -> Found:
    gains = {name: results.gain(policy, name, setting) for name in COMPONENTS if name != "judge"}
    order = sorted(gains, key=lambda name: -(gains[name].estimate or 0.0))
    ours = ", ".join(f"{LABELS[name]} {gains[name].estimate or 0.0:+.2f}" for name in order[:3])
    found = gains["json_schema"]
    return ours, found, None if found.estimate is None else "json_schema" in order[:3] and found.sign > 0


def _risk_moves_least(results: IntrinsicResults, setting: IntrinsicSetting, policy: str) -> Found:
    gains = {node: results.gain(policy, "judge", setting, node).estimate for node in ("n1", "n2", "n4")}
    ours = ", ".join(f"{node} {gain:+.2f}" for node, gain in gains.items() if gain is not None)
    told = [results.gain_beside(policy, "judge", setting, "n4", other) for other in ("n1", "n2")]
    worst = max(told, key=lambda one: one.high if one.high is not None else -math.inf)
    known = all(one.high is not None for one in told)
    return ours, worst, all(one.sign < 0 for one in told) if known else None


def _total_length_falls(results: IntrinsicResults, setting: IntrinsicSetting, policy: str) -> Found:
    ours, gain, _ = _improves("total_length")(results, setting, policy)
    return ours, gain, None if gain is None or gain.low is None else gain.sign < 0


TESTS: dict[str, Test] = {
    "composite_improves": _improves("composite"),
    "judge_improves": _improves("judge"),
    "every_prompt_improves": _every_prompt,
    "every_node_improves": _every_node,
    "schema_gains_most": _schema_gains_most,
    "risk_judge_moves_least": _risk_moves_least,
    "total_length_falls": _total_length_falls,
}
"""By the names of conf/paper/drift.yaml."""
