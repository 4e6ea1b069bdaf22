"""What the report of the recovery consists of, by file name. Light to import: the Snakefile reads it."""

from __future__ import annotations

from collections.abc import Mapping

PAPER_TABLES: Mapping[str, tuple[int, str, str]] = {
    "drift_type1_gpt4o": (2, "I", "large"),
    "drift_type2_gpt4o_mini": (3, "II", "small"),
    "drift_type2_gpt4o": (4, "II", "large"),
}
"""By name: the paper's table, its drift type, and which of our main agents stands for its agent."""

RECOVERY_TABLES = (
    *PAPER_TABLES,
    "drift_type3_extensions",
    "drift_recovery_quality",
    "drift_recovery_nodes",
    "drift_recovery_outcomes",
    "drift_recovery_cost",
    "drift_injection_suite",
    "drift_recovery_claims",
)

RECOVERY_FIGURES = ("drift_onset_sensitivity",)
