"""What came of a simulation, in plain data: who called what, which actions are missing, what failed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import JsonValue

from holdcourse.telecom.engine import AssistantMessage, EnvAssertion, Message, RewardInfo, Task, ToolMessage
from holdcourse.telecom.environment import tool_names
from holdcourse.telecom.simulation import CallMade, MissingAction, Turn

_EXPECTATIONS = {
    "assert_can_send_mms": "the customer's phone can send MMS messages",
    "assert_mobile_data_status": "mobile data works on the customer's phone",
    "assert_internet_speed": "a speed test on the customer's phone shows {expected_desc} speed",
    "assert_data_refueling_amount": "the line was refuelled with {expected_amount:g} GB of data",
    "assert_no_overdue_bill": "the overdue bill is paid",
    "assert_service_status": "the phone's network service is {expected_status}",
}
"""What τ²'s assertions about the end state mean, for a reader who does not know τ²."""


def transcript(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """The conversation turn by turn, tool calls and their answers included."""
    return tuple(_turn(message) for message in messages)


def wrong_owner_calls(messages: Sequence[Message]) -> tuple[str, ...]:
    """Names of tools called by the side that does not own them, in the order of the calls."""
    only_agents, only_customers = tool_names()
    return tuple(
        call.name
        for message in messages
        if not isinstance(message, ToolMessage)
        for call in message.tool_calls or ()
        if call.name in (only_customers if isinstance(message, AssistantMessage) else only_agents)
    )


def missing_actions(task: Task, messages: Sequence[Message]) -> tuple[MissingAction, ...]:
    """Actions of the reference solution that their side never took, by τ²'s own comparison of arguments."""
    calls = [
        call
        for message in messages
        if not isinstance(message, ToolMessage)
        for call in message.tool_calls or ()
    ]
    return tuple(
        MissingAction(
            "agent" if action.requestor == "assistant" else "customer", action.name, dict(action.arguments)
        )
        for action in task.evaluation_criteria.actions or ()
        if not any(
            call.requestor == action.requestor and action.compare_with_tool_call(call) for call in calls
        )
    )


def failed_assertions(reward: RewardInfo) -> tuple[str, ...]:
    """The demands on the end state that were not met, in words.

    Empty where τ² checked nothing, because the conversation did not end by itself.
    """
    return tuple(
        f"not met: {expectation(check.env_assertion)}"
        for check in reward.env_assertions or ()
        if not check.met
    )


def expectation(assertion: EnvAssertion) -> str:
    """What an assertion demands, in words."""
    arguments = dict(assertion.arguments)
    template = _EXPECTATIONS.get(assertion.func_name)
    demanded = assertion.assert_value and arguments.get("expected_status") is not False
    if template is None or not demanded:
        stated = ", ".join(f"{name}={value}" for name, value in arguments.items())
        return f"{assertion.func_name}({stated}) is {assertion.assert_value}"
    return template.format(**arguments).replace("_", " ")


def _turn(message: Message) -> Turn:
    if isinstance(message, ToolMessage):
        by_agent = message.requestor == "assistant"
        return Turn("agent_tool" if by_agent else "customer_tool", message.content or "", error=message.error)
    calls = tuple(CallMade(call.name, _finite(call.arguments)) for call in message.tool_calls or ())
    return Turn(
        "agent" if isinstance(message, AssistantMessage) else "customer", message.content or "", calls
    )


def _finite(arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Arguments that any JSON reader takes: NaN and infinities in words."""
    return {
        name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in arguments.items()
    }
