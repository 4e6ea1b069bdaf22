"""The five nodes of the recovery graph and the keys of their answers (drift paper §4.2, §4.3)."""

from __future__ import annotations

from typing import Literal, get_args

NodeId = Literal["n1", "n2", "n3", "n4", "n5"]
NODES: tuple[NodeId, ...] = get_args(NodeId)

NAMES: dict[NodeId, str] = {
    "n1": "classify_drift",
    "n2": "detect_drift_operations",
    "n3": "search_api",
    "n4": "evaluate_risk",
    "n5": "aggregate_and_decision",
}

KEYS: dict[NodeId, tuple[str, ...]] = {
    "n1": ("step", "is_aligned", "why"),
    "n2": ("write_operations", "read_operations"),
    "n3": ("apps_name",),
    "n4": ("write_reversible", "write_not_reversible"),
    "n5": ("action", "arguments"),
}
"""The keys of the JSON object in `<answer>`: all of them and no others."""

Action = Literal["rollback_before_drift", "escalate_human"]
ROLLBACK: Action = "rollback_before_drift"
ESCALATE: Action = "escalate_human"
ACTIONS: tuple[Action, ...] = get_args(Action)
