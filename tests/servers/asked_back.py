"""A request in OpenAI's format turned back into the `ChatRequest` that it was made from.

Role and trial travel in two headers, which the door sends only to endpoints that the user runs.
"""

from __future__ import annotations

import json

from holdcourse.llm.chat import ROLES, ChatMessage, ChatRequest, Sampling, ToolCall, ToolSpec
from tests.servers.loopback import Asked

ROLE_HEADER = "x-holdcourse-role"
TRIAL_HEADER = "x-holdcourse-trial"

_KNOWN_KEYS = {
    "model",
    "messages",
    "tools",
    "tool_choice",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "response_format",
    "stream",
    "extra_body",
    "n",
}


class NotOursError(ValueError):
    """The request says less or more than a `ChatRequest` does."""


class ReadBack:
    """Reads requests; tools that were offered before are the same objects again."""

    def __init__(self) -> None:
        self._tools: dict[str, tuple[ToolSpec, ...]] = {}

    def __call__(self, asked: Asked) -> ChatRequest:
        body = asked.json
        unknown = set(body) - _KNOWN_KEYS
        role = asked.headers.get(ROLE_HEADER)
        trial = asked.headers.get(TRIAL_HEADER)
        if unknown or role not in ROLES or trial is None:
            raise NotOursError(f"unknown keys {sorted(unknown)}, role {role!r}, trial {trial!r}")
        return ChatRequest(
            role=role,
            model=body["model"],
            messages=tuple(_message(message) for message in body["messages"]),
            tools=self._offered(body.get("tools") or []),
            sampling=Sampling(
                temperature=float(body["temperature"]),
                max_tokens=body.get("max_tokens", body.get("max_completion_tokens")),
                seed=body.get("seed"),
                json_reply=body.get("response_format") == {"type": "json_object"},
            ),
            trial=int(trial),
        )

    def _offered(self, tools: list[dict]) -> tuple[ToolSpec, ...]:
        text = json.dumps(tools)
        if text not in self._tools:
            functions = [tool["function"] for tool in tools]
            self._tools[text] = tuple(
                ToolSpec(function["name"], function.get("description", ""), function["parameters"])
                for function in functions
            )
        return self._tools[text]


def _message(message: dict) -> ChatMessage:
    calls = tuple(
        ToolCall(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in message.get("tool_calls") or ()
    )
    return ChatMessage(message["role"], message.get("content"), calls, message.get("tool_call_id"))
