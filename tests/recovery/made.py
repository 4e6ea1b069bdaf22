"""Incidents made for tests, and a model that answers by a table of verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdcourse.config.recovery import RecoveryConfig, named_settings
from holdcourse.drift.records import Call, Step
from holdcourse.llm.chat import ChatReply, ChatRequest, Usage
from holdcourse.recovery.answers import answer_json
from holdcourse.recovery.contexts import Context, DecideContext
from holdcourse.recovery.deciding import by_rules
from holdcourse.recovery.docs import Docs, docs_of
from holdcourse.recovery.envelope import wrap
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.oracle import Truth, true_answer
from holdcourse.recovery.record import Walk
from holdcourse.recovery.walk import Given, answered, walk

TASK = "How many songs are on my Spotify playlist Rain?"
DOCS: Docs = docs_of(
    {
        "spotify": [
            {
                "api": "show_playlist",
                "method": "GET",
                "path": "/spotify/playlists/{id}",
                "parameters": ["id"],
            },
            {
                "api": "like_song",
                "method": "POST",
                "path": "/spotify/songs/{song_id}/like",
                "parameters": ["song_id"],
            },
            {
                "api": "unlike_song",
                "method": "DELETE",
                "path": "/spotify/songs/{song_id}/like",
                "parameters": ["song_id"],
            },
        ],
        "venmo": [
            {"api": "show_payments", "method": "GET", "path": "/venmo/payments", "parameters": []},
            {
                "api": "send_payment",
                "method": "POST",
                "path": "/venmo/payments",
                "parameters": ["email", "amount"],
            },
        ],
    }
)
ALIGNED = Call("spotify", "show_playlist", {"id": 1}, "read", True)
READ = Call("venmo", "show_payments", {}, "read", True)
WRITE = Call("venmo", "send_payment", {"amount": 3}, "write", True)


def settings(**changes: object) -> RecoveryConfig:
    """conf/recovery/short.yaml with changes."""
    return named_settings("short").model_copy(update=changes)


def step_of_calls(number: int, *calls: Call, **changes: object) -> Step:
    """A step whose code is its calls."""
    code = "\n".join(f"print(apis.{call.operation}())" for call in calls)
    return replace(Step(number, None, "", code, "done", calls), **changes)  # type: ignore[arg-type]


def incident(kinds: str, onset: int, name: str = "one") -> Incident:
    """An incident, one letter a step: a aligned; off task r reads, w writes, n makes no call."""
    calls = {"a": (ALIGNED,), "r": (READ,), "w": (WRITE,), "n": ()}
    steps = tuple(step_of_calls(number, *calls[kind]) for number, kind in enumerate(kinds, start=1))
    return Incident(name, TASK, onset, steps, DOCS)


def truth_of(kinds: str) -> Truth:
    """The labels that go with the letters of `incident`."""
    from holdcourse.drift.records import StepLabel

    found = {"a": (True, (), ()), "r": (False, (), (READ.operation,)), "w": (False, (WRITE.operation,), ())}
    found["n"] = (False, (), ())
    return Truth(tuple(StepLabel(number, *found[kind]) for number, kind in enumerate(kinds, start=1)))


def walked(kinds: str, onset: int, config: RecoveryConfig) -> Walk:
    """The walk in which every node is right."""
    about, truth = incident(kinds, onset), truth_of(kinds)
    return answered(walk(about, config, "script"), lambda context: Given(true_answer(context, about, truth)))


def reply(text: str, **changes: object) -> ChatReply:
    """A reply as a provider gives it."""
    made = {"content": text, "tool_calls": (), "stop_reason": "stop", "usage": Usage(100, 20)}
    return ChatReply(**{**made, "cost_usd": 0.0, "latency_s": 0.5, **changes})  # type: ignore[arg-type]


@dataclass
class TableModel:
    """Answers each node from labels, through the prompt: a `ChatModel` and a `BatchModel`.

    `spoil` may replace an answer: it gets the request and the right text.
    """

    kinds: Mapping[str, str]
    spoil: Callable[[ChatRequest, str], str] = lambda request, text: text
    asked: list[ChatRequest] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        return reply(self.spoil(request, right_text(request, next(iter(self.kinds.values())))))

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[ChatReply]:
        self.batches.append(len(requests))
        return [self.complete(request) for request in requests]


def question(request: ChatRequest) -> str:
    """What is asked: the last user message that is no correction."""
    said = [message.content or "" for message in request.messages if message.speaker == "user"]
    return next(text for text in reversed(said) if not text.startswith("That reply cannot be used"))


def asked_first(request: ChatRequest) -> bool:
    """Whether no reply to the question was refused yet."""
    return question(request) == request.messages[-1].content


def right_text(request: ChatRequest, kinds: str) -> str:
    """The right reply to a request in the short wording, for an incident of these letters."""
    system, user = (request.messages[0].content or "", question(request))
    truth = truth_of(kinds)
    if "serve its task" in system:
        number = int(_found(r"^Step (\d+), onset", user))
        verdict = "Y" if truth.labels[number - 1].aligned else "N"
        return wrap("looked", {"step": number, "is_aligned": verdict, "why": "by the table"})
    if "left its task" in system:
        label = truth.labels[int(_found(r"^Step (\d+), aligned", user)) - 1]
        writes, reads = (" | ".join(names) or "None" for names in (label.writes, label.reads))
        return wrap("looked", {"write_operations": writes, "read_operations": reads})
    if "Name the applications" in system:
        return wrap("looked", {"apps_name": "venmo"})
    if "can be undone" in system:
        return wrap("looked", {"write_reversible": "None", "write_not_reversible": WRITE.operation})
    rows = re.findall(r"^step (\d+): aligned=([YN])(?: writes=(\S+))?", user, re.MULTILINE)
    if any(writes not in ("", "None") for _, _, writes in rows):
        return wrap("looked", {"action": "escalate_human", "arguments": {"report": "writes were found"}})
    drifted = [int(number) for number, verdict, _ in rows if verdict == "N"]
    target = min(drifted) - 1 if drifted else int(_found(r"^Onset (\d+)", user))
    arguments = {"rollback_to_step": target, "report": "reads only"}
    return wrap("looked", {"action": "rollback_before_drift", "arguments": arguments})


def answer_by_rules(context: DecideContext) -> dict[str, object]:
    """n5's JSON by the rules."""
    return dict(answer_json(by_rules(context)))


def contents(contexts: Iterable[Context]) -> list[str]:
    """Nodes of contexts, in order."""
    return [context.node for context in contexts]


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    assert match is not None, text
    return match[1]
