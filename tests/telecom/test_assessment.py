import pytest
from gold_player import all_tasks

from holdcourse.telecom.assessment import (
    expectation,
    failed_assertions,
    missing_actions,
    transcript,
    wrong_owner_calls,
)
from holdcourse.telecom.engine import (
    AssistantMessage,
    EnvAssertion,
    RewardInfo,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from holdcourse.telecom.simulation import CallMade, MissingAction, Turn

LINE = {"customer_id": "C1001", "line_id": "L1002"}
BOTH_SIDES = all_tasks()["[mobile_data_issue]user_abroad_roaming_disabled_off[PERSONA:Hard]"]


def agent_calls(name: str, **arguments: object) -> AssistantMessage:
    call = ToolCall(id="1", name=name, arguments=arguments, requestor="assistant")
    return AssistantMessage(role="assistant", content=None, tool_calls=[call])


def customer_calls(name: str, **arguments: object) -> UserMessage:
    call = ToolCall(id="1", name=name, arguments=arguments, requestor="user")
    return UserMessage(role="user", content="ok", tool_calls=[call])


def test_an_action_is_missing_until_its_own_side_takes_it():
    roaming = MissingAction("customer", "toggle_roaming", {})
    line = MissingAction("agent", "enable_roaming", LINE)
    assert missing_actions(BOTH_SIDES, []) == (line, roaming)
    assert missing_actions(BOTH_SIDES, [agent_calls("toggle_roaming")]) == missing_actions(BOTH_SIDES, [])
    assert missing_actions(BOTH_SIDES, [customer_calls("toggle_roaming")]) == (line,)
    assert missing_actions(BOTH_SIDES, [agent_calls("enable_roaming", **LINE)]) == (roaming,)
    other_line = LINE | {"line_id": "L1001"}
    assert line in missing_actions(BOTH_SIDES, [agent_calls("enable_roaming", **other_line)])


def test_calls_belong_to_the_side_that_has_the_tool():
    messages = [
        agent_calls("toggle_roaming"),
        agent_calls("enable_roaming", **LINE),
        customer_calls("toggle_roaming"),
        customer_calls("refuel_data"),
        agent_calls("no_such_tool"),
    ]
    assert wrong_owner_calls(messages) == ("toggle_roaming", "refuel_data")


def test_a_conversation_becomes_turns():
    messages = [
        AssistantMessage(role="assistant", content="Hello"),
        customer_calls("set_apn", value=float("inf")),
        ToolMessage(id="1", role="tool", content="Error: no", requestor="user", error=True),
        ToolMessage(id="2", role="tool", content="{}", requestor="assistant"),
    ]
    assert transcript(messages) == (
        Turn("agent", "Hello"),
        Turn("customer", "ok", (CallMade("set_apn", {"value": "inf"}),)),
        Turn("customer_tool", "Error: no", error=True),
        Turn("agent_tool", "{}"),
    )


def test_every_assertion_of_the_shipped_tasks_has_words():
    texts = {
        expectation(assertion)
        for task in all_tasks().values()
        for assertion in task.evaluation_criteria.env_assertions
    }
    assert texts == {
        "the customer's phone can send MMS messages",
        "mobile data works on the customer's phone",
        "a speed test on the customer's phone shows excellent speed",
        "the line was refuelled with 2 GB of data",
        "the overdue bill is paid",
        "the phone's network service is connected",
        "the phone's network service is no service",
    }


def test_an_assertion_without_words_is_given_as_it_is():
    unusual = EnvAssertion(
        env_type="user",
        func_name="assert_can_send_mms",
        arguments={"expected_status": False},
        assert_value=True,
    )
    assert expectation(unusual) == "assert_can_send_mms(expected_status=False) is True"


@pytest.mark.parametrize("checks", [None, []])
def test_where_nothing_was_checked_nothing_is_said_to_have_failed(checks):
    assert failed_assertions(RewardInfo(reward=0.0, env_assertions=checks)) == ()
