"""What a checkpoint in this process is shown, and how its text is read.

A template that knows tools is given them; else they are described in the first message, with a form to answer
in. Reading is best effort: small models keep to forms loosely.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from holdcourse.llm.chat import ChatMessage, ChatRequest, ToolCall, Usage, canonical_json
from holdcourse.llm.provider import Answer, readable

_MARKED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
_OBJECT = "{"


def rendered(request: ChatRequest, tokenizer: Any) -> str:
    """The prompt: the conversation in the model's chat template, ready for its answer.

    A JSON answer is begun for the model with its opening brace.
    """
    template = getattr(tokenizer, "chat_template", None)
    knows_tools = isinstance(template, dict) or (isinstance(template, str) and "tools" in template)
    prompt = None
    if template and (knows_tools or not _has_tools(request)):
        prompt = _templated(tokenizer, [_native(message) for message in request.messages], request)
    if prompt is None and template:
        prompt = _templated(tokenizer, _plain(request), None)
        if prompt is None:
            prompt = _templated(tokenizer, _alternating(_plain(request)), None)
    if prompt is None:
        turns = "".join(f"{turn['role']}: {turn['content']}\n\n" for turn in _plain(request))
        prompt = f"{turns}assistant: "
    return prompt + (_OBJECT if request.sampling.json_reply else "")


def read_answer(request: ChatRequest, text: str, finished: bool, usage: Usage) -> Answer:
    """The answer that a model's text is."""
    text = readable(_THOUGHT.sub("", (_OBJECT + text) if request.sampling.json_reply else text))
    if not request.tools:
        return Answer(text.strip(), (), "stop" if finished else "length", usage)
    marked = _MARKED.findall(text)
    content = _MARKED.sub("", text).strip() or None
    found = marked or ([text] if _is_call(text, request) else [])
    if not found:
        return Answer(content, (), "stop" if finished else "length", usage)
    if not finished:
        return Answer(content, (), "length", usage)
    calls = []
    for number, body in enumerate(found):
        call = _call(body, f"call_{len(request.messages)}_{number}")
        if isinstance(call, str):
            return Answer(content, (), "tool_calls", usage, malformed=call)
        calls.append(call)
    return Answer(content if marked else None, tuple(calls), "tool_calls", usage)


def _has_tools(request: ChatRequest) -> bool:
    spoken = any(message.tool_calls or message.speaker == "tool" for message in request.messages)
    return bool(request.tools) or spoken


def _templated(tokenizer: Any, turns: Sequence[dict[str, Any]], request: ChatRequest | None) -> str | None:
    tools = (
        [_function(tool.name, tool.description, tool.parameters) for tool in request.tools] if request else []
    )
    try:
        return str(
            tokenizer.apply_chat_template(
                list(turns), tools=tools or None, add_generation_prompt=True, tokenize=False
            )
        )
    except Exception:
        # Templates refuse by whatever their authors raise: roles, their order, contents that are no text.
        return None


def _function(name: str, description: str, parameters: object) -> dict[str, object]:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def _native(message: ChatMessage) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.speaker, "content": message.content or ""}
    if message.tool_calls:
        turn["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        turn["tool_call_id"] = message.tool_call_id
    return turn


def _plain(request: ChatRequest) -> list[dict[str, Any]]:
    """The conversation as text alone, for templates that know no tools."""
    turns = []
    for message in request.messages:
        if message.speaker == "tool":
            turns.append({"role": "user", "content": f"Result of the tool:\n{message.content or ''}"})
        else:
            calls = "\n".join(_call_text(call) for call in message.tool_calls)
            text = "\n".join(part for part in (message.content, calls) if part)
            turns.append({"role": message.speaker, "content": text})
    if request.tools:
        offered = "\n".join(
            f"- {tool.name}: {tool.description} Parameters: {canonical_json(tool.parameters)}"
            for tool in request.tools
        )
        note = (
            f"You may use these tools:\n{offered}\n\nTo use one, answer with nothing but\n"
            '<tool_call>{"name": "NAME", "arguments": {…}}</tool_call>'
        )
        if turns and turns[0]["role"] == "system":
            turns[0] = {"role": "system", "content": f"{turns[0]['content']}\n\n{note}"}
        else:
            turns.insert(0, {"role": "system", "content": note})
    return turns


def _alternating(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """User and assistant in turn, as the strictest templates want it; turns of one side are joined."""
    merged: list[dict[str, Any]] = []
    for turn in turns:
        role = "assistant" if turn["role"] == "assistant" else "user"
        if merged and merged[-1]["role"] == role:
            merged[-1] = {"role": role, "content": f"{merged[-1]['content']}\n\n{turn['content']}"}
        else:
            merged.append({"role": role, "content": turn["content"]})
    return merged


def _call_text(call: ToolCall) -> str:
    return f"<tool_call>{canonical_json({'name': call.name, 'arguments': call.arguments})}</tool_call>"


def _is_call(text: str, request: ChatRequest) -> bool:
    """Whether an unmarked text is a call: one object with the name of an offered tool."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("name") in {tool.name for tool in request.tools}


def _call(body: str, identifier: str) -> ToolCall | str:
    """The call that a text is, or why it is none."""
    try:
        value = json.loads(body)
    except ValueError as error:
        return f"a tool call is no JSON: {error}"
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return "a tool call names no tool"
    arguments = value.get("arguments", value.get("parameters", {}))
    if not isinstance(arguments, dict):
        return f"the arguments of the tool call {value['name']!r} are no JSON object"
    return ToolCall(identifier, value["name"], arguments)
