"""What the shift study's report consists of, by file name. Light to import: the rules read it when parsed."""

from __future__ import annotations

from collections.abc import Mapping

SHIFT_TABLES: Mapping[str, str] = {
    "shift_reliability": "Reliability over the checkpoints",
    "shift_transfer": "Backward transfer",
    "shift_failure_modes": "Flaws and size of the instruction",
    "shift_reference": "Against the stronger model",
    "claims": "Claims of the paper",
}
"""By name: the heading on the page."""

TABLE_FORMATS = ("csv", "md", "tex")

COMPETENCE_FIGURE = "shift_competence"
SHIFT_FIGURES: Mapping[str, str] = {
    "shift_trajectories": "Reliability over the checkpoints",
    "shift_transfer_cycles": "Backward transfer",
    "shift_size": "Flaws and size of the instruction",
    COMPETENCE_FIGURE: "Dependence on assumed model ability",
}
"""By name: the heading on the page. The last is drawn only where the competence curve was swept."""


def figure_names(swept: bool) -> tuple[str, ...]:
    """The figures of a study, in order; `swept` is whether there was a competence sweep."""
    return tuple(name for name in SHIFT_FIGURES if swept or name != COMPETENCE_FIGURE)
