"""The simulated customer: does what the agent asks with the phone's tools and reports what it sees.

It reads τ²'s user prompt: the reason for the call, what it knows, and what it is willing to do. It
stops when its own goal shows in a tool's output, never because the agent says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from holdcourse.llm.chat import ChatReply, ChatRequest
from holdcourse.simulated.blocks import MalformedRequestError
from holdcourse.simulated.complaint import FINAL_CHECK, WORKS_AGAIN, complaint_of
from holdcourse.simulated.conversation import call, opening_of, say
from holdcourse.simulated.lexicon import Service
from holdcourse.simulated.phrasebook import understood

STOP = "###STOP###"
TRANSFER = "###TRANSFER###"
OUT_OF_SCOPE = "###OUT-OF-SCOPE###"
PATIENCE = 5
"""Messages without anything to do that the customer puts up with before giving up."""

_REASON = re.compile(r"Reason for call:\s*(.+)")
_KNOWN = re.compile(r"Known info:\s*(.+)")
_REFUEL = re.compile(r"willing to refuel ([\d.]+) ?GB", re.IGNORECASE)
_TRANSFERRED = re.compile(r"being transferred to (?:a|our) human|transferring you to", re.IGNORECASE)
_WHO = re.compile(r"\b(?:phone number|your name|who (?:am|are)|identify|account)\b", re.IGNORECASE)
_WHERE = re.compile(r"\b(?:abroad|travel\w*|where are you|location)\b", re.IGNORECASE)
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b.*\b(?:data|gb|gigabytes?)\b", re.IGNORECASE | re.DOTALL)
_FIRST_PERSON = (
    (re.compile(r"\bYou (?=mobile data\b)"), "My "),
    (re.compile(r"\b[Yy]ou are\b"), "I am"),
    (re.compile(r"\bYour\b"), "My"),
    (re.compile(r"\byour\b"), "my"),
    (re.compile(r"\b[Yy]ou\b"), "I"),
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a user prompt tells the customer, in the first person."""

    reason: str
    known: str
    goal: Service
    refuel: str | None


@lru_cache(maxsize=4096)
def scenario_of(prompt: str) -> Scenario:
    """Read a user prompt.

    Raises:
        MalformedRequestError: it names no reason for the call.
    """
    reason = _REASON.search(prompt)
    if reason is None:
        raise MalformedRequestError("the user's system message has no line after 'Reason for call:'")
    known = _KNOWN.search(prompt)
    refuel = _REFUEL.search(prompt)
    return Scenario(
        _first_person(reason.group(1).strip()),
        _first_person(known.group(1).strip()) if known else "",
        complaint_of(reason.group(1)),
        refuel.group(1) if refuel else None,
    )


def user_reply(request: ChatRequest) -> ChatReply:
    """The customer's next message or tool call.

    Raises:
        MalformedRequestError: the prompt is no user prompt, or a tool's answer has no call before it.
    """
    scenario = scenario_of(opening_of(request).system)
    last = request.messages[-1]
    if last.speaker == "tool":
        return say(request, _report(request, scenario, last.content or ""))
    return _answer(request, scenario, last.content or "")


def _report(request: ChatRequest, scenario: Scenario, output: str) -> str:
    before = request.messages[-2] if len(request.messages) > 1 else None
    if before is None or not before.tool_calls:
        raise MalformedRequestError("a tool's answer must follow the user's tool call")
    if output.startswith("Error"):
        return f"I tried, but it did not work: {output}"
    text = f"Done. This is what I see: {output}"
    if WORKS_AGAIN[scenario.goal].search(output):
        return f"{text}\nThat solves my problem, thank you! {STOP}"
    if before.tool_calls[0].name == FINAL_CHECK[scenario.goal]:
        return f"{text}\nSo it is still not fixed, I am afraid."
    return text


def _answer(request: ChatRequest, scenario: Scenario, text: str) -> ChatReply:
    spoken = sum(1 for message in request.messages if message.speaker == "assistant")
    if _TRANSFERRED.search(text):
        return say(request, TRANSFER)
    if spoken == 0:
        return say(request, f"Hello. {scenario.reason} {scenario.known}".strip())
    wanted = understood(text)
    if len(wanted) > 1:
        return say(request, "I can only do one thing at a time. Which one should I do first?")
    if wanted:
        if any(tool.name == wanted[0].tool for tool in request.tools):
            return call(request, wanted[0])
        return say(request, "I am sorry, I have no way to do that on my phone.")
    if _HOW_MUCH.search(text):
        amount = (
            f"I am willing to refuel {scenario.refuel} GB."
            if scenario.refuel
            else "I do not want to buy data."
        )
        return say(request, amount)
    if _WHO.search(text) or _WHERE.search(text):
        return say(request, scenario.known or "I do not know, sorry.")
    puzzled = "I am not sure what to do. Could you tell me which step to take on my phone?"
    if sum(1 for message in request.messages if message.content == puzzled) >= PATIENCE:
        return say(request, OUT_OF_SCOPE)
    return say(request, puzzled)


def _first_person(text: str) -> str:
    for pattern, word in _FIRST_PERSON:
        text = pattern.sub(word, text)
    return text
