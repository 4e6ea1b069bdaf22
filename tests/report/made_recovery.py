"""A made-up recovery: three tasks a cell, every backbone, with the paper's models or others."""

from __future__ import annotations

from functools import cache

import pandas as pd
from tests.metrics.made_episodes import ESCALATE, episode, label, visit

from holdcourse.config.compose import compose
from holdcourse.config.end_to_end import Cell
from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import Config
from holdcourse.metrics.drift_frames import CellResults, drift_metrics
from holdcourse.metrics.intervals import Bootstrap
from holdcourse.metrics.onset_frames import onset_sensitivity
from holdcourse.report.recovery_results import RecoveryResults, RecoverySetting

NAMES = ("one", "two", "three")
PAPERS = {
    "agent_large": "openai/gpt-4o",
    "agent_small": "openai/gpt-4o-mini",
    "recovery_large": "openai/gpt-4o",
    "recovery_small": "openai/gpt-4o-mini",
}
SIMULATED = {role: f"simulated/{role}" for role in PAPERS}
BOOTSTRAP = Bootstrap(200, 0.95, 0)
VISITS = [visit("n1", 3, {"is_aligned": "N"}), visit("n1", 2, {"is_aligned": "Y"})]
LABELS = [label(1, True), label(2, True), label(3, False)]


def cells() -> tuple[Cell, ...]:
    all_of_them = ("oracle", "rules", "frontier", "untrained", "trained")
    return tuple(
        Cell(
            drift_type=kind,  # type: ignore[arg-type]
            main_agent=agent,  # type: ignore[arg-type]
            backbones=all_of_them,
            modes=modes,  # type: ignore[arg-type]
            warn=kind != "I",
            unwarned=("oracle",) if kind == "II" else (),
        )
        for kind, agent, modes in (
            ("I", "large", ("rollback",)),
            ("II", "small", ("rollback",)),
            ("II", "large", ("rollback",)),
            ("III", "large", ("rollback", "compensate")),
        )
    )


@cache
def config(policy: str = "granite_3_3_2b") -> Config:
    return compose("smoke", (f"policy_model={policy}",))


def setting(
    models: dict[str, str] | None = None, policy: str = "granite_3_3_2b", world: str = "official"
) -> RecoverySetting:
    chosen = SIMULATED if models is None else models
    return RecoverySetting(
        study="smoke",
        cells=cells(),
        models={
            role: RoleModel(model=name, temperature=0.0, max_tokens=None) for role, name in chosen.items()
        },
        policy=config(policy).policy_model,
        world=world,
        evaluation=config().evaluation,
        paper=config().paper_drift,
    )


def _episodes(cell: Cell, backbone: str) -> list[dict[str, object]]:
    rows = []
    for mode in cell.acting(backbone).modes:  # type: ignore[arg-type]
        for difficulty, name in enumerate(NAMES, start=1):
            told = {"visits": VISITS, "labels": LABELS, "difficulty": difficulty, "mode": mode}
            if backbone == "untrained":
                rows.append(episode(name, action=ESCALATE, by="fail_safe", escalated=True, **told))  # type: ignore[arg-type]
            elif cell.drift_type == "III":
                repair = {"calls": [], "left": ["venmo.pay: found irreversible"], "residue": []}
                rows.append(
                    episode(
                        name,
                        action=ESCALATE,
                        right_action=ESCALATE,
                        escalated=mode == "rollback" or name == "three",
                        repair=repair if mode == "compensate" and name == "three" else None,
                        **told,  # type: ignore[arg-type]
                    )
                )
            else:
                warned = mode != "unwarned"
                again = {"success": warned and name != "three", "drifted_again": not warned}
                rows.append(episode(name, **again, **told))  # type: ignore[arg-type]
    return rows


@cache
def results() -> RecoveryResults:
    """Everybody but the untrained model recovers two of three tasks; without drift two succeed too."""
    drifted = [
        {"id": name, "difficulty": place, "evaluation": {"success": False}}
        for place, name in enumerate(NAMES, start=1)
    ]
    without = [{"id": name, "success": name != "three"} for name in NAMES]
    made = [
        CellResults(
            cell.drift_type,
            cell.main_agent,
            drifted,
            without,
            {backbone: _episodes(cell, backbone) for backbone in cell.backbones},
            [{"id": "calm", "difficulty": 1}] if cell.drift_type == "II" else [],
        )
        for cell in cells()
    ]
    walks = {
        (kind, "large", "rules"): [
            {**episode(name, target=2 + max(error, 0)), "error": error}
            for name in NAMES
            for error in (-1, 0, 1)
        ]
        for kind in ("I", "III")
    }
    metrics = drift_metrics(made, {"spotify.like"}, {"spotify.like"}, BOOTSTRAP)
    return RecoveryResults(metrics, onset_sensitivity(walks, (-1, 0, 1), BOOTSTRAP))


def injected() -> list[dict[str, object]]:
    row = {
        "kind": "all",
        "attacks": 8,
        "telling": 4,
        "flipped": 1,
        "misdecided": 0,
        "succeeded": 1,
        "rate": 0.25,
    }
    quiet = {**row, "telling": 0, "flipped": 0, "succeeded": 0, "rate": None}
    return [{"backbone": "rules", "rows": [row]}, {"backbone": "trained", "rows": [quiet]}]


def no_results() -> RecoveryResults:
    whole = results()
    return RecoveryResults(whole.metrics.iloc[:0], pd.DataFrame(columns=whole.onset.columns))
