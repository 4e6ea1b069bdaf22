"""The evaluation of one training run, for the page beside its adapter that the model card points to."""

from __future__ import annotations

from dataclasses import replace

from holdcourse.recovery.nodes import NAMES, NODES, NodeId
from holdcourse.report.drift_intrinsic import LABELS
from holdcourse.report.intrinsic_results import IntrinsicResults, IntrinsicSetting
from holdcourse.report.table import Cell, Column, ReportTable


def drift_evaluation(
    results: IntrinsicResults, setting: IntrinsicSetting, policy: str, seed: int, adapter_sha256: str
) -> ReportTable:
    """Composite reward and judge's score of one run on all held-out prompts, and its reward by node.

    The adapter's digest tells a page that is older than the adapter beside it.
    """
    prompts = results.prompts
    run = IntrinsicResults(prompts[(prompts["policy_model"] == policy) & (prompts["seed"] == seed)])
    alone = replace(setting, seeds=(seed,))
    level = f"{setting.evaluation.confidence:.0%}"
    return ReportTable(
        "evaluation",
        f"Evaluation of {setting.policies[policy].label}, seed {seed}, on held-out node prompts",
        (
            Column("quantity", "quantity"),
            Column("node", "node"),
            Column("base", "base", 3),
            Column("trained", "trained", 3),
            Column("gain", "trained − base", 3),
            Column("low", f"{level} low", 3),
            Column("high", f"{level} high", 3),
            Column("prompts", "prompts", 0),
            Column("excluded", "excluded prompts", 0),
            Column("improved", "prompts improved", 0),
            Column("share", "share improved", 2),
        ),
        (
            *(_row(run, alone, policy, quantity, None) for quantity in ("composite", "judge")),
            *(_row(run, alone, policy, "composite", node) for node in NODES),
        ),
        (f"The adapter that was evaluated: SHA-256 {adapter_sha256}, as in the model card.", *alone.notes),
        setting.offline_label,
    )


def _row(
    run: IntrinsicResults, setting: IntrinsicSetting, policy: str, quantity: str, node: NodeId | None
) -> dict[str, Cell]:
    base, trained = (
        run.mean(policy, variant, quantity, setting, node).estimate for variant in ("base", "trained")
    )
    gain, gains = run.gain(policy, quantity, setting, node), run.gains(policy, node, quantity)
    improved = sum(one > 0 for one in gains)
    return {
        "quantity": LABELS[quantity],
        "node": "all" if node is None else f"{node} {NAMES[node]}",
        "base": base,
        "trained": trained,
        "gain": gain.estimate,
        "low": gain.low,
        "high": gain.high,
        "prompts": gain.units,
        "excluded": gain.excluded,
        "improved": improved,
        "share": improved / len(gains) if gains else None,
    }
