"""The recovery's results as tables and figures read them, and what they say about how they were made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import pandas as pd

from holdcourse.config.end_to_end import Cell
from holdcourse.config.paper_drift import DriftPaperConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import EvaluationConfig
from holdcourse.config.study_command import DEFAULT_RESULTS, study_command
from holdcourse.config.training import PolicyModelConfig
from holdcourse.llm.door import is_simulated
from holdcourse.metrics.drift_frames import ALL, COLUMNS, NO_DRIFT, NO_RECOVERY
from holdcourse.metrics.intervals import Interval
from holdcourse.report.setting import OFFLINE_LABEL

ORDER = (NO_DRIFT, NO_RECOVERY, "untrained", "frontier", "trained", "rules", "oracle")
"""Settings as the paper's tables order them, then our bounds."""

PAPER_AGENTS = {"large": "gpt-4o", "small": "gpt-4o-mini"}


@dataclass(frozen=True)
class RecoverySetting:
    """What the tables and figures of the recovery say about how their numbers were made.

    Attributes:
        study: its name.
        cells: what was run.
        models: model by role of conf/drift_models/.
        policy: the small model.
        world: whose tasks they are: "own" or "official", AppWorld's.
        evaluation: conf/evaluation/, for the intervals.
        paper: conf/paper/drift.yaml.
        overrides: what the study was composed with beside its file.
        results: the folder of its results/{study}.
    """

    study: str
    cells: Sequence[Cell]
    models: Mapping[str, RoleModel]
    policy: PolicyModelConfig
    world: str
    evaluation: EvaluationConfig
    paper: DriftPaperConfig
    overrides: tuple[str, ...] = ()
    results: str = DEFAULT_RESULTS

    def agent(self, main_agent: str) -> str:
        """The model of a main agent."""
        return self.models[f"agent_{main_agent}"].model

    def frontier(self, main_agent: str) -> str:
        """The frontier model that recovers a main agent."""
        return self.models[f"recovery_{main_agent}"].model

    def named(self, backbone: str, main_agent: str) -> str:
        """A row's setting in words, with the model that recovers."""
        return {
            NO_DRIFT: "no drift",
            NO_RECOVERY: "drift, no recovery",
            "untrained": f"{self.policy.label}, untrained",
            "trained": f"{self.policy.label}, trained",
            "frontier": f"frontier model ({self.frontier(main_agent)})",
            "rules": "rules, no model (bound)",
            "oracle": "labels (bound)",
        }[backbone]

    @property
    def simulated(self) -> bool:
        """Whether a simulated model acts or recovers in any cell."""
        asked = {self.agent(cell.main_agent) for cell in self.cells}
        asked |= {self.frontier(cell.main_agent) for cell in self.cells if "frontier" in cell.backbones}
        return any(map(is_simulated, asked))

    @property
    def offline_label(self) -> str | None:
        """What every file must say when a simulated model took part, else None."""
        return OFFLINE_LABEL if self.simulated else None

    @property
    def level(self) -> str:
        """The intervals' confidence in words."""
        return f"{self.evaluation.confidence:.0%}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands under each table."""
        real = (
            f" The environment, the drift and {self.policy.label} are real; agents and the frontier model "
            "are simulated, and both know the recipes that the tasks are made from."
            if self.simulated
            else ""
        )
        return (
            f"Unit: a task, once a drift type and main agent; {self.tasks}.{real} {self.level} intervals: "
            f"bootstrap over tasks, {self.evaluation.resamples} resamples, paired where two settings are "
            "compared.",
            "The suspected onset is made from the labels, as by a detector that is a few steps late at most "
            "and never before the last drifted write; what an earlier suspicion costs is in "
            "figures/drift_onset_sensitivity.",
            f"Made by: {self.command}",
        )

    @property
    def tasks(self) -> str:
        """Whose tasks these are, in words."""
        if self.world == "official":
            return "tasks of AppWorld's test_normal"
        return "tasks of our own on AppWorld's engine, not AppWorld's"

    @property
    def command(self) -> str:
        """The command that makes the tables."""
        return study_command("drift", self.study, self.overrides, self.results)


@dataclass(frozen=True)
class RecoveryResults:
    """drift/metrics.parquet and drift/onset_sensitivity.parquet as frames."""

    metrics: pd.DataFrame
    onset: pd.DataFrame

    @cached_property
    def _found(self) -> Mapping[tuple[str, ...], Interval]:
        return {
            tuple(str(part) for part in key): Interval(
                _number(value), _number(low), _number(high), int(units), int(excluded), int(units > 0)
            )
            for *key, value, low, high, units, excluded in self.metrics[list(COLUMNS)].itertuples(
                index=False, name=None
            )
        }

    def of(self, cell: Cell, backbone: str, mode: str, metric: str, difficulty: str = ALL) -> Interval:
        """A metric with its interval; without an estimate where there is none."""
        key = (cell.drift_type, cell.main_agent, backbone, mode, difficulty, metric)
        return self._found.get(key, Interval(None, None, None, 0, 0, 0))

    def count(self, cell: Cell, backbone: str, mode: str, metric: str) -> int | None:
        """How many tasks a share of tasks stands for; None where nothing was run."""
        share = self.of(cell, backbone, mode, metric)
        return None if share.estimate is None else round(share.estimate * share.units)

    def backbones(self, cell: Cell) -> list[str]:
        """Backbones of a cell that there are results of, in the order they are shown."""
        frame = self.metrics
        mine = frame[(frame["drift_type"] == cell.drift_type) & (frame["main_agent"] == cell.main_agent)]
        found = set(mine["backbone"])
        return [name for name in ORDER if name in found]

    def modes(self, cell: Cell, backbone: str) -> list[str]:
        """Modes of a cell that a backbone was run in."""
        modes = (*cell.modes, "unwarned")
        return [mode for mode in modes if self.of(cell, backbone, mode, "escalated").estimate is not None]


def _number(value: object) -> float | None:
    number = cast("float | None", value)
    return None if number is None or math.isnan(number) else float(number)
