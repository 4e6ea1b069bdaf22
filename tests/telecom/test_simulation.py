import json
from dataclasses import replace

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.telecom.simulation import CallMade, MissingAction, Simulation, Turn
from holdcourse.telecom.usage import RoleUsage

SIMULATION = Simulation(
    task="[mms_issue]bad_wifi_calling[PERSONA:None]",
    intent="mms_issue",
    issues=("bad_wifi_calling",),
    persona="None",
    transfer_expected=False,
    trial=2,
    outcome="scored",
    reward=1.0,
    db_match=True,
    wrong_owner_calls=("toggle_data",),
    termination="user_stop",
    steps=9,
    usage=(
        RoleUsage("agent", "m", 4, 40, 20, 0.5, 1.0, 5, 1),
        RoleUsage("user", "m", 5, 50, 25, 0.25, 2.0, 5, 0),
    ),
    transcript=(
        Turn("agent", "", (CallMade("toggle_data", {"n": 1, "deep": [None, "x"]}),)),
        Turn("agent_tool", "Error: no such tool", error=True),
    ),
    failed_assertions=("not met: something",),
    missing_actions=(MissingAction("customer", "toggle_wifi_calling", {}),),
)


def changed(**values: object) -> Simulation:
    return Simulation.from_json(SIMULATION.to_json() | values)


def test_the_evaluation_row_has_exactly_the_agreed_columns():
    assert SIMULATION.record() == {
        "task": "[mms_issue]bad_wifi_calling[PERSONA:None]",
        "intent": "mms_issue",
        "issues": ["bad_wifi_calling"],
        "persona": "None",
        "transfer_expected": False,
        "trial": 2,
        "outcome": "scored",
        "reward": 1.0,
        "db_match": True,
        "strict": True,
        "wrong_owner_calls": 1,
        "termination": "user_stop",
        "steps": 9,
        "calls": 9,
        "prompt_tokens": 90,
        "completion_tokens": 45,
        "cost_usd": 0.75,
        "attempts": 1,
    }


def test_the_experience_row_adds_conversation_and_checks():
    row = SIMULATION.detailed_record()
    assert set(row) - set(SIMULATION.record()) == {
        "transcript",
        "failed_assertions",
        "missing_actions",
        "wrong_owner_names",
        "error",
    }
    (call,) = row["transcript"][0]["calls"]
    assert call == {"name": "toggle_data", "arguments": {"n": 1, "deep": [None, "x"]}}
    assert row["wrong_owner_names"] == ["toggle_data"]


def test_a_record_survives_its_journal():
    assert Simulation.from_json(json.loads(json.dumps(SIMULATION.to_json()))) == SIMULATION


def test_a_broken_record_is_refused_by_name():
    with pytest.raises(HoldcourseError, match=r"not a record of a simulation \(steps"):
        changed(steps="many")


@pytest.mark.parametrize(
    ("reward", "db_match", "strict"),
    [(1.0, True, True), (1.0, False, False), (0.0, True, False), (0.0, None, False), (None, None, None)],
)
def test_strict_needs_full_reward_and_the_reference_end_state(reward, db_match, strict):
    assert changed(reward=reward, db_match=db_match).strict is strict


def test_one_unknown_price_makes_the_cost_unknown():
    simulation = replace(SIMULATION, usage=(SIMULATION.usage[0], replace(SIMULATION.usage[1], cost_usd=None)))
    assert simulation.cost_usd is None
    assert simulation.record()["cost_usd"] == "unknown"


def test_attempts_and_what_they_cost_add_up():
    broken = changed(outcome="infrastructure", reward=None, db_match=None, attempts=2)
    both = SIMULATION.after(broken)
    assert (both.outcome, both.attempts) == ("scored", 3)
    assert both.record()["calls"] == 18
    assert both.cost_usd == 1.5
