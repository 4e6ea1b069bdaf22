"""What the report of training consists of, by file name. Light to import: the rules read it when parsed."""

from __future__ import annotations

INTRINSIC_TABLES = (
    "drift_intrinsic",
    "drift_intrinsic_nodes",
    "drift_intrinsic_components",
    "drift_hyperparameters",
    "drift_intrinsic_claims",
)
"""Table 1, by node, by component, Table 5, the paper's claims."""

INTRINSIC_FIGURES = (
    "drift_gain_hist",
    "drift_reward_by_node",
    "drift_judge_by_node",
    "drift_components",
    "drift_reward_per_prompt",
)
"""Figures 3-7, in their order."""
