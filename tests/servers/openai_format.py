"""Bodies in the format of OpenAI's chat completions: answers, errors, and requests read back."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.servers.loopback import Answer, Asked


def tool_call(name: str, arguments: dict | str, id: str = "call_1") -> dict:
    """A tool call; `arguments` given as text goes out as it is, however malformed."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def completion(
    content: str | None = "hello",
    *,
    tool_calls: Sequence[dict] = (),
    finish_reason: str | None = None,
    tokens: tuple[int, int] = (11, 7),
    model: str = "scripted",
    message: dict | None = None,
    headers: dict[str, str] | None = None,
    delay_s: float = 0.0,
    cut_after: int | None = None,
) -> Answer:
    """One choice with text, tool calls or both; `message` adds fields such as `refusal`."""
    said: dict = {"role": "assistant", "content": content, **(message or {})}
    if tool_calls:
        said["tool_calls"] = list(tool_calls)
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": said,
                "finish_reason": finish_reason or ("tool_calls" if tool_calls else "stop"),
            }
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }
    return Answer(body=json.dumps(body).encode(), headers=headers or {}, delay_s=delay_s, cut_after=cut_after)


def error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    kind: str = "invalid_request_error",
    headers: dict[str, str] | None = None,
) -> Answer:
    """An error in OpenAI's words."""
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return Answer(status=status, body=json.dumps(body).encode(), headers=headers or {})


def key_refused(asked: Asked) -> Answer:
    """A 401 that quotes the key it was given, as vendors and proxies do."""
    return error(401, f"Incorrect API key provided: {asked.key}.", code="invalid_api_key")


CONTEXT_LENGTH = error(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. "
    "Please reduce the length of the messages.",
    code="context_length_exceeded",
)
