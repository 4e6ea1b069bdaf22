"""What the report of training consists of, by file name. Light to import: the rules read it when parsed."""

from __future__ import annotations

from collections.abc import Mapping

INTRINSIC_TABLES: Mapping[str, str] = {
    "drift_intrinsic": "Table 1: reward on held-out prompts",
    "drift_intrinsic_nodes": "Reward by node",
    "drift_intrinsic_components": "Reward by component",
    "drift_hyperparameters": "Table 5: training configuration",
    "drift_intrinsic_claims": "Claims about training",
}
"""By name: the heading on the page."""

INTRINSIC_FIGURES: Mapping[str, str] = {
    "drift_gain_hist": "Fig. 3: gain of each prompt",
    "drift_reward_by_node": "Fig. 4: reward by node",
    "drift_judge_by_node": "Fig. 5: judge's score by node",
    "drift_components": "Fig. 6: components",
    "drift_reward_per_prompt": "Fig. 7: reward of each prompt",
}
"""By name: the heading on the page."""
