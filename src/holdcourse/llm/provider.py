"""What a provider is: one try of one request, with neither cache, limits nor retries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from holdcourse.llm.chat import ChatRequest, StopReason, ToolCall, Usage


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered. `malformed` says why its tool calls cannot be read, if they cannot."""

    content: str | None
    tool_calls: tuple[ToolCall, ...]
    stop_reason: StopReason
    usage: Usage
    malformed: str = ""

    @property
    def empty(self) -> bool:
        """Whether it says nothing, though the model finished by itself."""
        return self.stop_reason == "stop" and not self.tool_calls and not (self.content or "").strip()


class Provider(Protocol):
    """Asks a model once."""

    def ask(self, request: ChatRequest, timeout_s: float, repeat: int) -> Answer:
        """Ask once.

        Args:
            request: what to ask.
            timeout_s: how long it may take.
            repeat: how often an unusable answer to this request was asked again already; a provider that
                takes a seed gives another one each time.

        Raises:
            FailedTryError: it failed; says whether another try can help.
            HoldcourseError: the job must stop: no key, no such model.
        """
        ...


def readable(text: str) -> str:
    """Text without unpaired surrogates, which no file can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()
