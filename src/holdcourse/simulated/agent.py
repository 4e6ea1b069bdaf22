"""The simulated support agent: works through the remedies it recalls, and knows no other.

It looks up the customer, checks before it changes anything (unless a recalled unit says not to),
asks the customer for one thing at a time, verifies at the end, and hands over to a human when the
problem is still there.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.config.schema import CurveConfig
from holdcourse.llm.chat import ChatReply, ChatRequest
from holdcourse.simulated.account import (
    Line,
    LookUp,
    customer_of,
    exceeded_or_look_up,
    line_or_look_up,
    overdue_or_look_up,
)
from holdcourse.simulated.complaint import FINAL_CHECK, WORKS_AGAIN
from holdcourse.simulated.conversation import call, opening_of, say
from holdcourse.simulated.dialogue import Dialogue, dialogue_of
from holdcourse.simulated.lexicon import NETWORK_STATUS, SETTINGS, Setting, Step, ToolUse
from holdcourse.simulated.phrasebook import ask_for
from holdcourse.simulated.recall import Memory, Playbook, recall

TRANSFER_SENTENCE = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
ASK_NUMBER = "I am happy to help. Could you tell me the phone number the problem is about?"
ASK_PLACE = "Are you at home at the moment, or are you travelling abroad?"
ASK_AMOUNT = "You have used up your data. How many gigabytes would you like to add?"
FAREWELL = "I am glad that it works again. Is there anything else I can do for you?"
OWNER_ERRORS_UNTIL_LEARNT = 3
"""Errors from calling the customer's tools after which the agent tries no more of them."""

_RESEAT = ToolUse("reseat_sim_card")


@dataclass(frozen=True, slots=True)
class Words:
    """Say something to the customer."""

    text: str


Move = Words | ToolUse | LookUp
"""What an agent can do in a turn: talk, ask the customer for a tool, call a tool of its own."""

_HAND_OVER = LookUp(
    "transfer_to_human_agents", {"summary": "The problem could not be solved with the steps at hand."}
)


def agent_reply(request: ChatRequest, curve: CurveConfig) -> ChatReply:
    """The agent's next message or tool call.

    Raises:
        MalformedRequestError: the request does not begin with a system message.
    """
    playbook = recall(opening_of(request), curve)
    move = next_move(playbook, dialogue_of(request.messages[1:]))
    if isinstance(move, Words):
        return say(request, move.text)
    if isinstance(move, ToolUse):
        return say(request, ask_for(move))
    return call(request, ToolUse(move.tool), move.arguments)


def next_move(playbook: Playbook, dialogue: Dialogue) -> Move:
    """What to do next, given what is recalled and what has happened."""
    if dialogue.last_called(_HAND_OVER.tool):
        return Words(TRANSFER_SENTENCE)
    if dialogue.phone_number is None:
        return _HAND_OVER if dialogue.said.count(ASK_NUMBER) > 1 else Words(ASK_NUMBER)
    if dialogue.last_called("get_customer_by_phone") is None:
        return LookUp("get_customer_by_phone", {"phone_number": dialogue.phone_number})
    if not customer_of(dialogue):
        return _HAND_OVER
    for setting in SETTINGS:
        memory = playbook.memories.get(setting.name)
        if memory is None or memory.kind == "forbid" or dialogue.complaint not in setting.services:
            continue
        move = _work_on(setting, memory, playbook, dialogue)
        if move is not None:
            return move
    verify = ToolUse(FINAL_CHECK[dialogue.complaint])
    if not dialogue.asked or dialogue.asked[-1].use != verify:
        return verify
    works = WORKS_AGAIN[dialogue.complaint].search(dialogue.asked[-1].report) is not None
    return Words(FAREWELL) if works and FAREWELL not in dialogue.said else _HAND_OVER


def _work_on(setting: Setting, memory: Memory, playbook: Playbook, dialogue: Dialogue) -> Move | None:
    """The next move on one setting; None when it is in order, done or none of this customer's concern."""
    if memory.kind != "blind":
        state = _state(setting, playbook, dialogue)
        if not isinstance(state, bool):
            return state
        if not state:
            return None
    if memory.kind == "transfer":
        return _HAND_OVER
    position = -1
    for step in setting.steps:
        done_at = _done_at(step, dialogue, position)
        if done_at is None:
            return _perform(step, memory, dialogue)
        position = done_at
    return None


def _state(setting: Setting, playbook: Playbook, dialogue: Dialogue) -> Move | bool:
    """Whether a setting is bad, or the move that finds out."""
    if setting.layer == "connectivity" and dialogue.complaint != "service":
        if dialogue.has_signal is None:
            return NETWORK_STATUS
        if dialogue.has_signal and setting.check != NETWORK_STATUS:
            return False
    if setting.name in ("roaming_line", "roaming_phone"):
        if dialogue.abroad is None and ASK_PLACE not in dialogue.said:
            return Words(ASK_PLACE)
        if not dialogue.abroad:
            return False
    if setting.check is None:
        return _account_state(setting.name, playbook, dialogue)
    reseated = dialogue.last_asked(_RESEAT) if setting.name == "sim_lock" else None
    check = dialogue.last_asked(setting.check, after=reseated.at if reseated else -1)
    if check is None:
        return setting.check
    return setting.bad is not None and setting.bad.search(check.report) is not None


def _account_state(name: str, playbook: Playbook, dialogue: Dialogue) -> Move | bool:
    """Whether something is wrong with the customer's line, or the call that finds out."""
    line = line_or_look_up(dialogue)
    if not isinstance(line, Line):
        return line if line is not None else False
    if name == "roaming_line":
        return not line.roaming_enabled
    if name == "data_usage":
        return exceeded_or_look_up(dialogue, line)
    if not line.suspended:
        return False
    if name == "contract_end":
        # A line's suspension began today or earlier, so it can stand in for a date the text does not give.
        return bool(line.contract_end) and line.contract_end < (playbook.today or line.suspended_since)
    if name == "overdue_bill" and dialogue.last_called("send_payment_request") is None:
        overdue = overdue_or_look_up(dialogue, line)
        return overdue if isinstance(overdue, LookUp) else bool(overdue)
    return True


def _done_at(step: Step, dialogue: Dialogue, after: int) -> int | None:
    """Where in the conversation a step was taken after a position; None when it was not."""
    if step.owner == "customer":
        asked = dialogue.last_asked(step.use, after)
        return asked.at if asked else None
    called = dialogue.last_called(step.use.tool, after)
    return called.at if called else None


def _perform(step: Step, memory: Memory, dialogue: Dialogue) -> Move | None:
    if step.owner == "customer":
        errors = [c for c in dialogue.called if c.failed and c.tool != "get_customer_by_phone"]
        tried = dialogue.last_called(step.use.tool) is not None
        if memory.mistakes_owner and not tried and len(errors) < OWNER_ERRORS_UNTIL_LEARNT:
            return LookUp(step.use.tool, {**dict(step.use.arguments)})
        return step.use
    line = line_or_look_up(dialogue)
    if not isinstance(line, Line):
        return line
    arguments: dict[str, JsonValue] = line.arguments
    if step.use.tool == "refuel_data":
        amount = dialogue.gigabytes(ASK_AMOUNT)
        if amount is None:
            return None if ASK_AMOUNT in dialogue.said else Words(ASK_AMOUNT)
        arguments["gb_amount"] = amount
    if step.use.tool == "send_payment_request":
        overdue = overdue_or_look_up(dialogue, line)
        if isinstance(overdue, LookUp):
            return overdue
        if not overdue:
            return None
        arguments = {"customer_id": line.customer_id, "bill_id": overdue[0]}
    return LookUp(step.use.tool, arguments)
