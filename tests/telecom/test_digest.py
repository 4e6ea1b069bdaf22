from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from test_simulation import SIMULATION

from holdcourse.telecom.digest import (
    FIRST_TURNS,
    LAST_TURNS,
    TURN_CHARACTERS,
    conversation_text,
    failure_digests,
)
from holdcourse.telecom.simulation import CallMade, Turn
from holdcourse.telecom.tasks import task_hash

FAILED = replace(SIMULATION, reward=0.0, db_match=False)


def test_a_digest_says_how_it_went_and_what_is_missing():
    assert failure_digests([FAILED]) == [
        {
            "task": task_hash(SIMULATION.task),
            "intent": "mms_issue",
            "conversation": (
                'Agent: calls toggle_data(n=1, deep=[null, "x"])\n'
                "Result for the agent (error): Error: no such tool"
            ),
            "failed_assertions": ["not met: something"],
            "missing_actions": [{"who": "customer", "action": "toggle_wifi_calling", "arguments": {}}],
            "wrong_owner_calls": ["toggle_data"],
            "ended": "user_stop",
        }
    ]


def test_only_scored_failures_are_digested_in_the_order_given():
    other = replace(FAILED, task="[mms_issue]unseat_sim_card[PERSONA:Easy]")
    broken = replace(SIMULATION, outcome="infrastructure", reward=None, db_match=None)
    digests = failure_digests([other, SIMULATION, broken, FAILED])
    assert [digest["task"] for digest in digests] == [task_hash(other.task), task_hash(FAILED.task)]


def test_a_long_conversation_keeps_its_beginning_and_its_end():
    turns = [Turn("customer", f"turn {number}") for number in range(100)]
    lines = conversation_text(turns).split("\n")
    assert lines[:4] == [
        "Customer: turn 0",
        "Customer: turn 1",
        "Customer: turn 2",
        f"[… {100 - FIRST_TURNS - LAST_TURNS} turns left out …]",
    ]
    assert lines[-1] == "Customer: turn 99"
    assert len(lines) == FIRST_TURNS + LAST_TURNS + 1


def test_a_turn_is_one_line():
    status, answer = Turn("customer_tool", "Status:\n  ON\n"), Turn("agent", "Good.\n\nAnything else?")
    text = conversation_text([status, answer])
    assert text == "Result on the customer's phone: Status: ON\nAgent: Good. Anything else?"


turns = st.builds(
    Turn,
    st.sampled_from(["agent", "customer", "agent_tool", "customer_tool"]),
    st.text(max_size=2000),
    st.lists(st.builds(CallMade, st.text(max_size=50), st.just({"x": "y" * 900})), max_size=3).map(tuple),
)


@settings(max_examples=50)
@given(st.lists(turns, max_size=120))
def test_a_conversation_is_bounded_whatever_was_said(conversation):
    text = conversation_text(conversation)
    assert len(text) <= (FIRST_TURNS + LAST_TURNS + 1) * (TURN_CHARACTERS + 50)
    assert len(text.split("\n")) == max(1, min(len(conversation), FIRST_TURNS + LAST_TURNS + 1))
