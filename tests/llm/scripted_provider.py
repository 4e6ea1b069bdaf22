"""A provider that follows a script, and the settings of a door to it: no network, no waiting."""

from __future__ import annotations

import threading
from pathlib import Path

from holdcourse.config.compose import compose
from holdcourse.config.llm import DoorSettings, ModelPrice, PricesConfig
from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling, ToolCall, Usage
from holdcourse.llm.hosted import HostedDoor
from holdcourse.llm.provider import Answer

MODEL = "hosted/priced"
REQUEST = ChatRequest("agent", MODEL, (ChatMessage("user", "how is the weather"),), (), Sampling(seed=5))
QUICK = {"first_wait_s": 0.001, "longest_wait_s": 0.002, "longest_retry_after_s": 0.01}
PRICES = PricesConfig(
    date="2026-11", source="made up", models={MODEL: ModelPrice(prompt=1.0, completion=2.0), "null": None}
)


def said(content: str | None = "fine", stop: str = "stop", **more) -> Answer:
    """An answer of 100 prompt tokens and 10 of its own."""
    return Answer(content, more.pop("tool_calls", ()), stop, Usage(100, 10), **more)


CALL = said(None, "tool_calls", tool_calls=(ToolCall("1", "f", {"x": "é", "n": [1.5, None]}),))


class ScriptedProvider:
    """The n-th call gets the n-th act, then the last one for ever; an exception is raised."""

    def __init__(self, *acts: Answer | Exception) -> None:
        self.acts = acts
        self.asked: list[tuple[ChatRequest, float, int]] = []
        self._guard = threading.Lock()

    def ask(self, request: ChatRequest, timeout_s: float, repeat: int) -> Answer:
        with self._guard:
            act = self.acts[min(len(self.asked), len(self.acts) - 1)]
            self.asked.append((request, timeout_s, repeat))
        if isinstance(act, Exception):
            raise act
        return act


def settings(folder: Path, **changes) -> DoorSettings:
    """Settings of a study in `folder`; `changes` are fields of conf/llm/."""
    llm = compose("smoke").llm.model_dump()
    llm |= {"cache": str(folder / "cache"), "call_timeout_s": 5.0}
    llm["retries"] = {**llm["retries"], "attempts": 3, "answer_attempts": 2, **QUICK}
    for name, value in changes.items():
        llm[name] = {**llm[name], **value} if isinstance(value, dict) else value
    return DoorSettings(llm=llm, prices=PRICES, study_folder=str(folder / "study"))


def door_to(folder: Path, provider: ScriptedProvider, **changes) -> HostedDoor:
    return HostedDoor(settings(folder, **changes), folder / "calls.jsonl", lambda model: provider)
