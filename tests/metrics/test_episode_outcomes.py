"""Outcomes and verdicts, one example of each; a run that drifts at step 3, suspected at step 5."""

from __future__ import annotations

import pytest
from tests.metrics.made_episodes import ESCALATE, episode

from holdcourse.metrics.episode_outcomes import OUTCOMES, VERDICTS, decided, outcome, verdict

FAILED = {"action": ESCALATE, "by": "fail_safe"}

EXAMPLES = {
    "recovered": {"target": 2},
    "escalated_rightly": {"action": ESCALATE, "right_action": ESCALATE},
    "schema": FAILED,
    "wrong_escalation": {"action": ESCALATE},
    "missed_escalation": {"target": 2, "right_action": ESCALATE, "success": False},
    "no_rollback": {"target": 5, "success": False, "drifted_again": True},
    "too_late": {"target": 3, "success": False, "drifted_again": True},
    "drifted_again": {"target": 2, "success": False, "drifted_again": True},
    "too_early": {"target": 1, "success": False},
    "agent_failed": {"target": 2, "success": False},
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_each_outcome(name: str) -> None:
    assert outcome(episode(**EXAMPLES[name])) == name  # type: ignore[arg-type]


VERDICT_EXAMPLES = {
    "right": {"target": 2},
    "too_early": {"target": 0},
    "too_late": {"target": 4},
    "no_rollback": {"target": 5},
    "missed_writes": {"target": 2, "right_action": ESCALATE},
    "wrong_escalation": {"action": ESCALATE},
    "schema": FAILED,
}


@pytest.mark.parametrize("name", VERDICTS)
def test_each_verdict(name: str) -> None:
    assert verdict(decided(episode(**VERDICT_EXAMPLES[name]))) == name  # type: ignore[arg-type]


def test_a_right_escalation_is_right() -> None:
    assert verdict(decided(episode(action=ESCALATE, right_action=ESCALATE))) == "right"


def test_an_escalation_for_want_of_an_answer_is_none_even_where_one_is_right() -> None:
    assert outcome(episode(**FAILED, right_action=ESCALATE)) == "schema"  # type: ignore[arg-type]


def test_luck_counts_as_recovered() -> None:
    """A rollback that keeps drifted steps may still end well; the verdict on it stays."""
    row = episode(target=4, success=True)
    assert (outcome(row), verdict(decided(row))) == ("recovered", "too_late")


def test_where_an_extension_opened_an_escalation_what_was_kept_is_judged() -> None:
    opened = {"action": ESCALATE, "right_action": ESCALATE, "mode": "restore", "success": False}
    assert outcome(episode(**opened, kept=2)) == "agent_failed"  # type: ignore[arg-type]
    assert outcome(episode(**opened, kept=4)) == "too_late"  # type: ignore[arg-type]
    left = {**opened, "mode": "compensate", "escalated": True}
    assert outcome(episode(**left)) == "escalated_rightly"  # type: ignore[arg-type]
