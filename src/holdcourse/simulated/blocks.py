"""Requests of one system and one user message with data blocks, and the JSON objects that answer them.

How a block is written and read is `holdcourse.llm.replies`' business; what is read out of it is checked here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from pydantic import JsonValue

from holdcourse.llm.chat import ChatRequest, ModelError
from holdcourse.llm.replies import ReplyError, read_block

JsonObject = dict[str, JsonValue]


class MalformedRequestError(ModelError):
    """The request does not have the shape its role asks for."""


def block(request: ChatRequest, tag: str) -> str:
    """The raw text of one data block of the request's user message.

    Raises:
        MalformedRequestError: there is no user message, or not exactly one such block in it.
    """
    text = next((m.content for m in request.messages if m.speaker == "user" and m.content), "")
    try:
        return read_block(text, tag)
    except ReplyError as error:
        raise MalformedRequestError(
            f"a request of role {request.role!r} needs a <{tag}> block in its user message, each tag on "
            f"a line of its own: {error.reason}; got {text[:80]!r}"
        ) from None


def json_block(request: ChatRequest, tag: str) -> JsonValue:
    """The JSON value of one data block.

    Raises:
        MalformedRequestError: the block is missing or not JSON.
    """
    try:
        value: JsonValue = json.loads(block(request, tag))
    except json.JSONDecodeError as error:
        raise MalformedRequestError(
            f"the <{tag}> block of a request of role {request.role!r} is not JSON: {error.msg} at line "
            f"{error.lineno}"
        ) from None
    return value


def object_block(request: ChatRequest, tag: str) -> JsonObject:
    """The JSON object of one data block.

    Raises:
        MalformedRequestError: the block is missing, not JSON or not an object.
    """
    value = json_block(request, tag)
    if not isinstance(value, dict):
        raise MalformedRequestError(f"the <{tag}> block of role {request.role!r} must be a JSON object")
    return value


def objects(value: JsonValue, what: str) -> list[JsonObject]:
    """A list of JSON objects.

    Raises:
        MalformedRequestError: `value` is anything else; `what` names it in the message.
    """
    if not isinstance(value, list) or not _all_objects(value):
        raise MalformedRequestError(f"{what} must be a JSON list of objects, got {json.dumps(value)[:80]}")
    return value


def text_of(row: Mapping[str, JsonValue], key: str) -> str:
    """A string field of an object; an absent one is empty.

    Raises:
        MalformedRequestError: the field is there and is no string.
    """
    value = row.get(key, "")
    if not isinstance(value, str):
        raise MalformedRequestError(f"{key!r} must be a string, got {json.dumps(value)[:80]}")
    return value


def texts_of(row: Mapping[str, JsonValue], key: str) -> list[str]:
    """The strings of a list field of an object; an absent one is empty.

    Raises:
        MalformedRequestError: the field is there and is no list of strings.
    """
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise MalformedRequestError(f"{key!r} must be a list of strings, got {json.dumps(value)[:80]}")
    return [item for item in value if isinstance(item, str)]


def _all_objects(values: Sequence[JsonValue]) -> TypeGuard[list[JsonObject]]:
    return all(isinstance(value, dict) for value in values)
