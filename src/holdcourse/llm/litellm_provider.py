"""Hosted models, and servers that speak OpenAI's protocol, through LiteLLM.

LiteLLM takes seconds to import, so this module is imported only when such a model is first asked. Its own
retries, callbacks, price look-ups and logs stay off: what they would do, the door does.
"""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Mapping
from typing import Any

# Without it LiteLLM asks the network for prices when it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from pydantic import JsonValue

from holdcourse.config.llm import LlmConfig
from holdcourse.llm.chat import ChatMessage, ChatRequest, StopReason, ToolCall, Usage, canonical_json
from holdcourse.llm.failures import MissingKeyError
from holdcourse.llm.hard_limit import hard_limit
from holdcourse.llm.provider import Answer, readable
from holdcourse.llm.provider_errors import no_answer, refusal_in

_STOPS: dict[str, StopReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "safety": "refusal",
}
_NO_KEY = "none"

litellm.suppress_debug_info = True
litellm.telemetry = False
litellm.drop_params = True
litellm.turn_off_message_logging = True
litellm.callbacks = []
litellm.success_callback = []
litellm.failure_callback = []
for _name in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router", "httpx", "openai"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class LitellmProvider:
    """Asks any model that LiteLLM reaches."""

    def __init__(self, config: LlmConfig) -> None:
        self._config = config
        # Connections of a parent process are not to be shared with it.
        litellm.in_memory_llm_clients_cache.flush_cache()  # type: ignore[no-untyped-call]
        self._with_key: set[str] = set()

    def ask(self, request: ChatRequest, timeout_s: float, repeat: int) -> Answer:
        """Ask once; see `Provider.ask`."""
        arguments = self._arguments(request, timeout_s, repeat)
        try:
            with hard_limit(timeout_s):
                response = litellm.completion(**arguments)
        except Exception as error:
            return refusal_in(error, request)
        return _answer(response, request)

    def _arguments(self, request: ChatRequest, timeout_s: float, repeat: int) -> dict[str, Any]:
        sampling = request.sampling
        arguments: dict[str, Any] = {
            "model": request.model,
            "messages": [_message(message) for message in request.messages],
            "temperature": sampling.temperature,
            "timeout": timeout_s,
            "num_retries": 0,
            "max_retries": 0,
        }
        if sampling.max_tokens is not None:
            arguments["max_tokens"] = sampling.max_tokens
        if sampling.seed is not None:
            arguments["seed"] = sampling.seed + repeat
        if sampling.json_reply:
            arguments["response_format"] = {"type": "json_object"}
        if request.tools:
            arguments["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.tools
            ]
        base = self._config.api_base(request.model)
        if base is not None:
            arguments["api_base"] = base
            # A server of one's own may tell roles and repeats apart; a vendor is told neither.
            arguments["extra_headers"] = {
                "x-holdcourse-role": request.role,
                "x-holdcourse-trial": str(request.trial),
            }
        if request.model not in self._with_key:
            missing = missing_keys(request.model)
            if missing and base is None:
                raise MissingKeyError(
                    f"model {request.model} (role {request.role}) needs a key: set "
                    f"{' or '.join(missing)} in the environment (.env.example), or name its server in "
                    "llm.api_bases"
                )
            if missing:
                # A server of one's own seldom asks for a key, but OpenAI's client does.
                arguments["api_key"] = _NO_KEY
            else:
                self._with_key.add(request.model)
        return arguments


def missing_keys(model: str) -> tuple[str, ...]:
    """Names of environment variables one of which a model's provider needs and none of which is set."""
    found: dict[str, Any] = litellm.validate_environment(model)
    return () if found["keys_in_environment"] else tuple(sorted(found["missing_keys"]))


def _message(message: ChatMessage) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.speaker, "content": message.content}
    if message.tool_calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": canonical_json(call.arguments)},
            }
            for call in message.tool_calls
        ]
    elif message.content is None:
        plain["content"] = ""
    if message.tool_call_id is not None:
        plain["tool_call_id"] = message.tool_call_id
    return plain


def _answer(response: Any, request: ChatRequest) -> Answer:
    choices = getattr(response, "choices", None)
    if not choices:
        raise no_answer("an answer without choices", request)
    choice = choices[0]
    message = choice.message
    calls, malformed = _tool_calls(message.tool_calls or ())
    content = None if message.content is None else readable(str(message.content))
    stop = _STOPS.get(str(choice.finish_reason or "stop").lower(), "stop")
    if getattr(message, "refusal", None) and not content and not calls:
        content, stop = readable(str(message.refusal)), "refusal"
    if calls and stop == "stop":
        stop = "tool_calls"
    if stop == "length":
        # Arguments that were cut off are no fault of their form.
        malformed = ""
    return Answer(content, calls, stop, _usage(getattr(response, "usage", None)), malformed)


def _tool_calls(found: Any) -> tuple[tuple[ToolCall, ...], str]:
    calls = []
    for call in found:
        name = readable(str(call.function.name or ""))
        try:
            arguments = _parsed(call.function.arguments)
        except ValueError as error:
            return (), f"the arguments of the tool call {name!r} cannot be read: {error}"
        calls.append(ToolCall(readable(str(call.id or "")), name, arguments))
    return tuple(calls), ""


def _parsed(text: object) -> dict[str, JsonValue]:
    if isinstance(text, Mapping):
        text = json.dumps(dict(text))
    value = json.loads(readable(str(text or "{}")), parse_constant=_no_number, parse_float=_finite)
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, got {type(value).__name__}")
    cleaned = canonical_json(value)
    return value if cleaned.isascii() else _object(json.loads(readable(cleaned)))


def _object(value: object) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is out of range")
    return number


def _usage(found: Any) -> Usage:
    details = getattr(found, "prompt_tokens_details", None)
    return Usage(
        prompt_tokens=_count(getattr(found, "prompt_tokens", 0)),
        completion_tokens=_count(getattr(found, "completion_tokens", 0)),
        cached_prompt_tokens=_count(getattr(details, "cached_tokens", 0)),
    )


def _count(value: object) -> int:
    return max(0, value) if isinstance(value, int) else 0
