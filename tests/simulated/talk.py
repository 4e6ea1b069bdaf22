"""Conversations written out as requests, and a phone that answers tool calls from a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from holdcourse.llm.chat import (
    ChatMessage,
    ChatModel,
    ChatReply,
    ChatRequest,
    Role,
    Sampling,
    ToolCall,
    ToolSpec,
)
from holdcourse.simulated.phrasebook import understood

GREETING = "Hi! How can I help you today?"
NUMBER = "555-123-2002"
ABROAD = (
    f"Hello. My mobile data is very slow. I am John Smith with phone number {NUMBER}. I am abroad in France."
)
NO_SERVICE = f"Hello. My phone shows 'No Service'. I am John Smith with phone number {NUMBER}."
NO_PICTURES = f"Hello. I cannot send MMS messages. I am John Smith with phone number {NUMBER}. I am at home."

CUSTOMER = '{"customer_id": "C1", "line_ids": ["L1", "L2"]}'
OTHER_LINE = '{"line_id": "L1", "phone_number": "555-000-0000", "status": "Active"}'
LINE = (
    '{"line_id": "L2", "phone_number": "555-123-2002", "status": "Active", "roaming_enabled": false, '
    '"contract_end_date": "2026-12-31"}'
)
SUSPENDED = LINE.replace('"Active"', '"Suspended"').replace("}", ', "suspension_start_date": "2025-02-25"}')
NETWORK = (
    "Airplane Mode: OFF\nSIM Card Status: active\nCellular Connection: connected\nCellular Signal: good\n"
    "Mobile Data Enabled: Yes\nData Roaming Enabled: Yes"
)


def tools(*names: str) -> tuple[ToolSpec, ...]:
    """Tools by name."""
    return tuple(ToolSpec(name, f"The tool {name}.", {"type": "object"}) for name in names)


def conversation(
    role: Role,
    system: str,
    turns: Iterable[ChatMessage],
    offered: tuple[ToolSpec, ...] = (),
    seed: int = 1,
    trial: int = 0,
) -> ChatRequest:
    """A request of an agent or a user in the middle of a conversation."""
    messages = (ChatMessage("system", system), *turns)
    return ChatRequest(role, f"simulated/{role}", messages, offered, Sampling(seed=seed), trial)


def policy(text: str) -> str:
    """A system prompt with the instruction in its policy element."""
    return f"<instructions>\nHelp the customer.\n</instructions>\n<policy>\n{text}\n</policy>"


def play(
    model: ChatModel,
    instruction: str,
    opening: str,
    results: Mapping[str, str],
    *,
    solved_by: Sequence[str] = (),
    turns: int = 40,
    seed: int = 1,
) -> list[str]:
    """Let the agent talk to a customer who reports `results` by tool, and list what the agent did.

    A tool call is listed by its name, a request to the customer by the agent's words; a tool without
    a result answers with an error. The final check reports success once all of `solved_by` was done.
    """
    messages = [ChatMessage("assistant", GREETING), ChatMessage("user", opening)]
    still_bad = "This is what I see: bad.\nSo it is still not fixed, I am afraid."
    known = {"get_customer_by_phone": CUSTOMER, "transfer_to_human_agents": "Transfer successful", **results}
    done: list[str] = []
    lines = iter((OTHER_LINE, results.get("line", LINE)))
    for _ in range(turns):
        reply = model.complete(conversation("agent", policy(instruction), messages, seed=seed))
        messages.append(_said(reply))
        if reply.tool_calls:
            call = reply.tool_calls[0]
            done.append(call.name)
            looked_up = next(lines, None) if call.name == "get_details_by_id" else known.get(call.name)
            answer = looked_up or "Error: Tool not found"
            messages.append(ChatMessage("tool", answer, (), call.id))
            continue
        uses = understood(reply.content or "")
        done.append(uses[0].tool if uses else reply.content or "")
        if not uses and "TRANSFERRED" in (reply.content or ""):
            break
        tool = uses[0].tool if uses else ""
        if tool in ("can_send_mms", "run_speed_test", "check_status_bar"):
            if solved_by and set(solved_by) <= set(done):
                break
            messages.append(ChatMessage("user", still_bad))
        else:
            messages.append(ChatMessage("user", f"Done. This is what I see: {results.get(tool, 'ok')}"))
    return done


def call(tool: str, identifier: str = "c1") -> ChatMessage:
    """An assistant message that calls a tool."""
    return ChatMessage("assistant", None, (ToolCall(identifier, tool, {}),))


def _said(reply: ChatReply) -> ChatMessage:
    return ChatMessage("assistant", reply.content, reply.tool_calls)
