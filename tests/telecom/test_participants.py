from itertools import pairwise

import pytest
from gold_player import GoldPlayer, all_tasks, reply

from holdcourse.llm.chat import ChatMessage, ChatReply, ChatRequest, ToolCall
from holdcourse.telecom.rollout import simulate

ROAMING = "[mobile_data_issue]user_abroad_roaming_disabled_off[PERSONA:Hard]"
LOOKS = {"agent": ("get_customer_by_id", {"customer_id": "C1001"}), "user": ("check_status_bar", {})}


class LookingTwice(GoldPlayer):
    """Makes two calls where the reference solution makes one: it looks, then acts."""

    def complete(self, request: ChatRequest) -> ChatReply:
        answer = super().complete(request)
        if not answer.tool_calls:
            return answer
        name, arguments = LOOKS[request.role]
        return reply(None, ToolCall(f"look{len(request.messages)}", name, arguments), *answer.tool_calls)

    def agent(self, request: ChatRequest, plan: list) -> ChatReply:
        heard = request.messages[2:]
        done = sum(message.speaker == "tool" for message in heard) // 2
        done += sum(message.speaker == "user" and message.content == "done" for message in heard)
        if done == len(plan):
            return reply("finished")
        requestor, name, arguments = plan[done]
        return (
            reply(f"do {done}") if requestor == "user" else reply(None, ToolCall(f"a{done}", name, arguments))
        )


@pytest.fixture
def door(model, limits):
    door = LookingTwice.of([ROAMING])
    simulation = simulate(all_tasks()[ROAMING], "Follow the rules.", door, model, model, limits, 0, 0)
    assert (simulation.reward, simulation.strict, simulation.termination) == (1.0, True, "user_stop")
    return door


def last_messages(door: GoldPlayer, role: str) -> tuple[ChatMessage, ...]:
    return [request.messages for request in door.requests if request.role == role][-1]


def test_the_agent_sees_its_calls_each_answer_and_the_customers_words(door):
    messages = last_messages(door, "agent")
    assert [message.speaker for message in messages] == [
        "system",
        "assistant",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "user",
    ]
    calls, look, act = messages[3:6]
    assert [call.name for call in calls.tool_calls] == ["get_customer_by_id", "enable_roaming"]
    assert [look.tool_call_id, act.tool_call_id] == [call.id for call in calls.tool_calls]
    assert "John Smith" in look.content
    assert "Roaming enabled" in act.content
    assert [message.content for message in messages[6:]] == ["do 1", "done"]


def test_the_customer_sees_itself_as_the_assistant_and_nothing_of_the_agents_tools(door):
    messages = last_messages(door, "user")
    assert [message.speaker for message in messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "user",
    ]
    assert [call.name for call in messages[4].tool_calls] == ["check_status_bar", "toggle_roaming"]
    assert messages[5].content.startswith("Status Bar: ")
    assert messages[6].content.startswith("Data Roaming is now ON.")
    assert not any("Roaming enabled" in (message.content or "") for message in messages[1:])


def test_a_sides_requests_only_ever_grow(door):
    for role in ("agent", "user"):
        histories = [request.messages for request in door.requests if request.role == role]
        for earlier, later in pairwise(histories):
            assert later[: len(earlier)] == earlier
            assert len(later) > len(earlier)
