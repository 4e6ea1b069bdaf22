"""The results of the shift study that tables and figures are made from, and how cells are cut from them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from holdcourse.metrics.audit_frame import audit_frame
from holdcourse.metrics.frames import ALL_INTENTS, RUN_COLUMNS
from holdcourse.metrics.reliability import TASK_SCORE_COLUMNS

SIZE_COLUMNS = ("arm", "seed", "checkpoint", "characters", "units", "edges")
VERIFICATION_COLUMNS = ("arm", "seed", "batch", "verification_tokens")


@dataclass(frozen=True)
class ShiftResults:
    """The shift study's results as tables; all but `scores` may be empty.

    `scores` is `metrics.frames.task_scores_frame` over all arms and the reference. `audits` is
    `metrics.audit_frame.audit_frame`. `sizes` has a row an arm, seed and checkpoint (`SIZE_COLUMNS`; units
    and edges NaN without a graph), `verification` one an arm, seed and batch (`VERIFICATION_COLUMNS`).
    `sensitivity` holds task scores of last checkpoints with the `slope` of the competence curve before them.
    """

    scores: pd.DataFrame
    audits: pd.DataFrame = field(default_factory=lambda: audit_frame(()))
    sizes: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(SIZE_COLUMNS)))
    verification: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(VERIFICATION_COLUMNS))
    )
    sensitivity: pd.DataFrame = field(default_factory=lambda: no_sensitivity())

    def cell(self, arm: str, checkpoint: int, k: int, intent: str = ALL_INTENTS) -> pd.DataFrame:
        """Task scores of one arm's checkpoint over all seeds, for one k; maybe without rows."""
        scores = self.scores
        chosen = (scores["arm"] == arm) & (scores["checkpoint"] == checkpoint) & (scores["k"] == k)
        if intent != ALL_INTENTS:
            chosen &= scores["intent"] == intent
        return scores[chosen]

    def checkpoints(self, arm: str) -> list[int]:
        """The checkpoints an arm was evaluated at."""
        return sorted(int(t) for t in self.scores.loc[self.scores["arm"] == arm, "checkpoint"].unique())

    def intents(self) -> list[str]:
        """All intents of the held-out tasks, by name."""
        return sorted(str(intent) for intent in self.scores["intent"].unique())

    def audit_by_seed(self, arm: str, checkpoint: int, quantity: str) -> dict[int, float]:
        """Mean over readable repeats of a count, by seed."""
        audits = self.audits
        return _mean_by_seed(
            audits[(audits["arm"] == arm) & (audits["checkpoint"] == checkpoint)].dropna(subset=[quantity]),
            quantity,
        )

    def size_by_seed(self, arm: str, checkpoint: int, quantity: str) -> dict[int, float]:
        """Characters, units or edges of an arm's checkpoint, by seed."""
        sizes = self.sizes
        return _mean_by_seed(
            sizes[(sizes["arm"] == arm) & (sizes["checkpoint"] == checkpoint)].dropna(subset=[quantity]),
            quantity,
        )

    def verification_by_seed(self, arm: str) -> dict[int, float]:
        """Mean verification tokens a batch, by seed."""
        verification = self.verification
        return _mean_by_seed(verification[verification["arm"] == arm], "verification_tokens")


def no_sensitivity() -> pd.DataFrame:
    """The sweep of a study that has none."""
    return pd.DataFrame(columns=["slope", *RUN_COLUMNS, *TASK_SCORE_COLUMNS])


def _mean_by_seed(frame: pd.DataFrame, column: str) -> dict[int, float]:
    return {
        int(seed): float(frame.loc[frame["seed"] == seed, column].astype("float64").mean())
        for seed in sorted(frame["seed"].unique())
    }
