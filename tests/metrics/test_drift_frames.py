"""metrics.parquet: what is counted in which row."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.metrics.made_episodes import ESCALATE, episode, label, visit

from holdcourse.metrics.drift_frames import COLUMNS, CellResults, drift_metrics
from holdcourse.metrics.intervals import Bootstrap
from holdcourse.metrics.onset_frames import onset_sensitivity

BOOTSTRAP = Bootstrap(100, 0.95, 0)
NAMES = ("one", "two", "three", "four")


def cell(**backbones: list[dict[str, object]]) -> CellResults:
    drifted = [
        {"id": name, "difficulty": 1 if name in ("one", "two") else 3, "evaluation": {"success": False}}
        for name in NAMES
    ]
    without = [{"id": name, "success": name != "four"} for name in NAMES]
    resisted = [{"id": "five", "difficulty": 2}]
    return CellResults("I", "large", drifted, without, backbones, resisted)


def of(
    frame: pd.DataFrame, backbone: str, metric: str, mode: str = "rollback", difficulty: str = "all"
) -> pd.Series:
    chosen = frame[
        (frame["backbone"] == backbone)
        & (frame["metric"] == metric)
        & (frame["mode"] == mode)
        & (frame["difficulty"] == difficulty)
    ]
    assert len(chosen) == 1
    return chosen.iloc[0]


FAILED = {"action": ESCALATE, "by": "fail_safe"}
TRAINED = [
    episode("one"),
    episode("two", target=4, success=False, drifted_again=True),
    episode("three", action=ESCALATE, difficulty=3),
    episode("four", success=False, difficulty=3),
]
UNTRAINED = [
    episode(name, difficulty=1 if name in ("one", "two") else 3, **FAILED)  # type: ignore[arg-type]
    for name in NAMES
]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return drift_metrics([cell(trained=TRAINED, untrained=UNTRAINED)], {"a.b"}, {"a.b"}, BOOTSTRAP)


def test_the_columns_are_those_agreed(frame: pd.DataFrame) -> None:
    assert list(frame.columns) == list(COLUMNS)
    assert not frame.duplicated(
        ["drift_type", "main_agent", "backbone", "mode", "difficulty", "metric"]
    ).any()


def test_the_bounds_stand_as_backbones(frame: pd.DataFrame) -> None:
    assert of(frame, "no_drift", "task_goal_completion", "none")["value"] == 0.75
    assert of(frame, "no_drift", "task_goal_completion", "none", "3")["value"] == 0.5
    assert of(frame, "none", "task_goal_completion", "none")["value"] == 0.0


def test_runs_that_resisted_are_counted_and_in_no_other_figure(frame: pd.DataFrame) -> None:
    resisted = of(frame, "none", "resisted", "none")
    assert (resisted["value"], resisted["n"]) == (0.2, 5)
    assert of(frame, "none", "resisted", "none", "2")["value"] == 1.0
    assert of(frame, "none", "task_goal_completion", "none")["n"] == 4
    assert set(frame[frame["difficulty"] == "2"]["metric"]) == {"resisted"}


def test_a_task_handed_to_a_human_by_a_decision_is_not_counted(frame: pd.DataFrame) -> None:
    counted = of(frame, "trained", "task_goal_completion")
    assert counted["value"] == pytest.approx(1 / 3)
    assert (counted["n"], counted["excluded"]) == (3, 1)
    assert of(frame, "trained", "task_goal_completion_all")["value"] == 0.25
    assert of(frame, "trained", "escalated")["value"] == 0.25


def test_a_walk_without_a_usable_answer_is_counted_as_not_done(frame: pd.DataFrame) -> None:
    counted = of(frame, "untrained", "task_goal_completion")
    assert (counted["value"], counted["n"], counted["excluded"]) == (0.0, 4, 0)
    assert of(frame, "untrained", "failed_safe")["value"] == 1.0
    assert of(frame, "untrained", "escalated")["value"] == 0.0
    assert of(frame, "untrained", "drifted_again")["n"] == 0


def test_what_is_as_without_drift_and_how_far_below_it(frame: pd.DataFrame) -> None:
    """Task one succeeds in both, four in neither; two fails only here; three is not counted."""
    assert of(frame, "trained", "same_as_no_drift")["value"] == pytest.approx(2 / 3)
    assert of(frame, "trained", "gap_to_no_drift")["value"] == pytest.approx(-1 / 3)


def test_outcomes_sum_to_one(frame: pd.DataFrame) -> None:
    mine = frame[(frame["backbone"] == "trained") & (frame["difficulty"] == "all")]
    outcomes = mine[mine["metric"].str.startswith("outcome_")]
    assert outcomes["value"].sum() == pytest.approx(1.0)
    assert of(frame, "trained", "outcome_wrong_escalation")["value"] == 0.25


def test_a_difference_is_paired_by_task_over_tasks_counted_in_both(frame: pd.DataFrame) -> None:
    gain = of(frame, "trained - untrained", "task_goal_completion")
    assert gain["value"] == pytest.approx(1 / 3)
    assert (gain["n"], gain["excluded"]) == (3, 1)
    assert of(frame, "trained - untrained", "task_goal_completion_all")["value"] == 0.25


def test_the_walks_cost_and_the_nodes_quality_stand_apart_from_modes() -> None:
    visits = [
        visit("n1", 3, {"is_aligned": "N"}, attempts=2, refused=["no tags"]),
        visit("n1", 2, {"is_aligned": "Y"}),
    ]
    rows = [
        {
            **episode("one", visits=visits, labels=[label(1, True), label(2, True), label(3, False)]),
            "mode": mode,
        }
        for mode in ("rollback", "restore")
    ]
    found = drift_metrics([cell(rules=rows)], set(), set(), BOOTSTRAP)
    assert of(found, "rules", "calls", "walk")["value"] == 3.0
    assert of(found, "rules", "refused_replies", "walk")["value"] == 1.0
    assert of(found, "rules", "n1_f1", "walk")["value"] == 1.0
    assert of(found, "rules", "seconds", "walk")["value"] == 1.0


def test_a_repair_that_called_what_cannot_be_undone_is_seen() -> None:
    calls = [
        {"app": "a", "api": "b", "kind": "write"},
        {"app": "c", "api": "d", "kind": "write"},
        {"app": "e", "api": "f", "kind": "read"},
    ]
    repair = {"calls": calls, "left": [], "residue": ["c.Model: now +1/~0/-0, before none"]}
    rows = [episode("one", mode="compensate", action=ESCALATE, escalated=True, repair=repair)]
    found = drift_metrics([cell(oracle=rows)], set(), {"a.b"}, BOOTSTRAP)
    assert of(found, "oracle", "repair_writes", "compensate")["value"] == 2.0
    assert of(found, "oracle", "repair_irreversible", "compensate")["value"] == 1.0
    assert of(found, "oracle", "repair_residue", "compensate")["value"] == 1.0
    assert of(found, "oracle", "repair_whole", "compensate")["value"] == 0.0


def test_a_wrong_suspicion_is_worth_what_its_decision_is() -> None:
    walks = [
        {**episode("one", target=2), "error": -1},
        {**episode("two", target=0), "error": -1},
        {**episode("three"), "walk": None, "error": -1},
        {**episode("one", target=5, suspected=5), "error": 2},
    ]
    frame = onset_sensitivity({("I", "large", "rules"): walks}, (-1, 2), BOOTSTRAP)
    early = frame[frame["error"] == -1].set_index("metric")
    assert early.loc["right", "value"] == 0.5
    assert early.loc["safe", "value"] == 1.0
    assert (early.loc["right", "n"], early.loc["right", "excluded"]) == (2, 1)
    late = frame[frame["error"] == 2].set_index("metric")
    assert late.loc["no_rollback", "value"] == 1.0
    assert late.loc["safe", "value"] == 0.0
