"""What the report of the recovery consists of, by file name. Light to import: the Snakefile reads it."""

from __future__ import annotations

from collections.abc import Mapping

RECOVERY_TABLES: Mapping[str, str] = {
    "drift_type1_gpt4o": "Table 2: Type I drift, large agent",
    "drift_type2_gpt4o_mini": "Table 3: Type II drift, small agent",
    "drift_type2_gpt4o": "Table 4: Type II drift, large agent",
    "drift_type3_extensions": "Type III drift: restoring and compensating",
    "drift_recovery_quality": "Quality of the nodes",
    "drift_recovery_outcomes": "Outcomes and failure modes",
    "drift_recovery_cost": "Calls, tokens and time",
    "drift_injection_suite": "Texts that address the recovery model",
    "drift_recovery_claims": "Claims about recovery",
}
"""By name: the heading on the page."""

RECOVERY_FIGURES: Mapping[str, str] = {
    "drift_onset_sensitivity": "Dependence on the suspected onset",
}
"""By name: the heading on the page."""

PAPER_TABLES: Mapping[str, tuple[int, str, str]] = {
    "drift_type1_gpt4o": (2, "I", "large"),
    "drift_type2_gpt4o_mini": (3, "II", "small"),
    "drift_type2_gpt4o": (4, "II", "large"),
}
"""By name: the paper's table, its drift type, and which of our main agents stands for its agent."""
