"""Table 1 of the drift paper with ours beside it, and the same by node and by component (§5.3.1, §5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from holdcourse.recovery.nodes import NAMES, NODES
from holdcourse.report.intrinsic_results import COMPONENTS, IntrinsicResults, IntrinsicSetting
from holdcourse.report.table import Cell, Column, ReportTable

LABELS = {
    "composite": "R (mean)",
    "judge": "r_judge",
    "xml_count": "r_xml-count",
    "strict": "r_strict",
    "soft": "r_soft",
    "reasoning_length": "r_reas-len",
    "total_length": "r_tot-len",
    "json_valid": "r_json-valid",
    "json_schema": "r_json-schema",
    "json_sanity": "r_json-sanity",
}
"""Quantities as the paper writes them."""


def drift_intrinsic(results: IntrinsicResults, setting: IntrinsicSetting) -> ReportTable:
    """Table 1: mean composite reward and judge's score, base and trained, and how many prompts improve."""
    rows = [
        {**_row(results, setting, policy, quantity, None), **_improved(results, policy, quantity)}
        for policy in results.present(setting)
        for quantity in ("composite", "judge")
    ]
    columns = (
        *_columns(setting),
        Column("improved", "prompts improved", 0),
        Column("share", "share improved", 2),
    )
    return ReportTable(
        "drift_intrinsic",
        "Table 1: held-out node prompts, mean composite reward R and judge sub-score, base and trained.",
        columns,
        tuple(rows),
        (*_other_models(setting), *setting.notes),
        setting.offline_label,
    )


def drift_intrinsic_nodes(results: IntrinsicResults, setting: IntrinsicSetting) -> ReportTable:
    """The composite reward and the judge's score by node (the numbers of Figures 4 and 5)."""
    rows = [
        {
            "node": f"{node} {NAMES[node]}",
            **_row(results, setting, policy, quantity, node),
            **_improved(results, policy, quantity, node),
        }
        for policy in results.present(setting)
        for quantity in ("composite", "judge")
        for node in NODES
    ]
    columns = (
        Column("node", "node"),
        *_columns(setting),
        Column("improved", "prompts improved", 0),
        Column("share", "share improved", 2),
    )
    return ReportTable(
        "drift_intrinsic_nodes",
        "Composite reward R and judge sub-score by node, base and trained.",
        columns,
        tuple(rows),
        (*_other_models(setting), *setting.notes),
        setting.offline_label,
    )


def drift_intrinsic_components(results: IntrinsicResults, setting: IntrinsicSetting) -> ReportTable:
    """Each of the nine components (the numbers of Figure 6)."""
    rows = [
        _row(results, setting, policy, component, None)
        for policy in results.present(setting)
        for component in COMPONENTS
    ]
    return ReportTable(
        "drift_intrinsic_components",
        "The composite reward by its nine components, each in [0, 1], base and trained.",
        _columns(setting),
        tuple(rows),
        (*_other_models(setting), *setting.notes),
        setting.offline_label,
    )


def paper_values(
    setting: IntrinsicSetting, policy: str, variant: str, quantity: str, node: str | None
) -> list[tuple[str, float]]:
    """What the paper prints for a cell: of the policy itself if it trains it, else of each of its models."""
    named = {"granite_3_3_2b": "Granite", "qwen_2_5_1_5b": "Qwen"}
    models = [policy] if policy in setting.paper.policy_models else list(setting.paper.policy_models)
    found = [(model, setting.paper.intrinsic_figure(model, variant, quantity, node)) for model in models]
    return [(named.get(model, model), figure.value) for model, figure in found if figure is not None]


def _columns(setting: IntrinsicSetting) -> tuple[Column, ...]:
    level = f"{setting.evaluation.confidence:.0%}"
    return (
        Column("model", "model"),
        Column("quantity", "quantity"),
        Column("paper_base", "paper base"),
        Column("paper_trained", "paper trained"),
        Column("base", "ours base", 3),
        Column("trained", "ours trained", 3),
        Column("gain", "trained − base", 3),
        Column("low", f"{level} low", 3),
        Column("high", f"{level} high", 3),
        Column("prompts", "prompts", 0),
        Column("excluded", "excluded prompts", 0),
        Column("runs", "training runs", 0),
    )


def _row(
    results: IntrinsicResults, setting: IntrinsicSetting, policy: str, quantity: str, node: str | None
) -> dict[str, Cell]:
    gain = results.gain(policy, quantity, setting, node)
    return {
        "model": setting.policies[policy].label,
        "quantity": LABELS[quantity],
        "paper_base": _printed(paper_values(setting, policy, "base", quantity, node)),
        "paper_trained": _printed(paper_values(setting, policy, "trained", quantity, node)),
        "base": results.mean(policy, "base", quantity, setting, node).estimate,
        "trained": results.mean(policy, "trained", quantity, setting, node).estimate,
        "gain": gain.estimate,
        "low": gain.low,
        "high": gain.high,
        "prompts": gain.units,
        "excluded": gain.excluded,
        "runs": gain.seeds,
    }


def _improved(
    results: IntrinsicResults, policy: str, quantity: str, node: str | None = None
) -> dict[str, Cell]:
    gains = results.gains(policy, node, quantity)
    better = sum(gain > 0 for gain in gains)
    return {"improved": better, "share": better / len(gains) if gains else None}


def _printed(values: Sequence[tuple[str, float]]) -> str | None:
    if len(values) == 1:
        return f"{values[0][1]:.2f}"
    return ", ".join(f"{model} {value:.2f}" for model, value in values) or None


def _other_models(setting: IntrinsicSetting) -> tuple[str, ...]:
    others = [
        policy.label for name, policy in setting.policies.items() if name not in setting.paper.policy_models
    ]
    if not others:
        return ()
    return (
        f"{' and '.join(others)}: not a model of the paper; the paper's figures beside it are those of its "
        "own models, named.",
    )
