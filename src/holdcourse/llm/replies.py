r"""What roles are given and what they answer: data blocks in a request, one JSON object in a reply.

A request of a non-conversational role quotes its material in blocks, `<tag>` … `</tag>` on lines of
their own; a closing tag inside the material is written `<\/tag>`, so that material never ends its own
block. A reply is one JSON object, fenced or not. A reply that cannot be used is asked again with the
reason, a bounded number of times, and every attempt is paid for in the usage that is handed back.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from holdcourse.llm.chat import ChatMessage, ChatModel, ChatReply, ChatRequest, Usage
from holdcourse.llm.ledger import total_cost
from holdcourse.llm.problems import in_words

Answer = TypeVar("Answer", bound=BaseModel)

_TAG = re.compile(r"[a-z][a-z_]*")
_BLOCK = re.compile(r"^<([a-z][a-z_]*)>\n(.*?)\n</\1>", re.DOTALL | re.MULTILINE)
# A fence line cannot occur inside a JSON string, where line breaks are escaped.
_FENCED_OBJECT = re.compile(r"^[ \t]*```[a-zA-Z]*[ \t]*\r?\n\s*(?=\{)", re.MULTILINE)


class ReplyError(ValueError):
    """A reply (or a block) cannot be read; `reason` is one sentence that can be told to the model."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Answer]):
    """A usable answer. `usage` and `cost_usd` cover all attempts; cost is None when any is unknown."""

    value: Answer
    usage: Usage
    cost_usd: float | None
    attempts: int


@dataclass(frozen=True, slots=True)
class Unparsed:
    """No usable answer within the allowed attempts; `reason` is why the last one failed."""

    reason: str
    usage: Usage
    cost_usd: float | None
    attempts: int


def quote_block(tag: str, text: str) -> str:
    r"""Text as a data block `<tag>` … `</tag>`, its own closing tags neutralised as `<\/tag>`.

    Spellings a reader might take for the closing tag (`</TAG>`, `</tag >`) are neutralised too.

    Raises:
        ValueError: the tag is not made of lower-case letters and underscores.
    """
    if not _TAG.fullmatch(tag):
        raise ValueError(f"block tag {tag!r} must be lower-case letters and underscores")
    closing = re.compile(rf"<(\\*)/({tag}\s*)>", re.IGNORECASE)
    neutral = closing.sub(r"<\\\1/\2>", text)
    return f"<{tag}>\n{neutral}\n</{tag}>"


def json_block(tag: str, value: object) -> str:
    """A data block that holds `value` as JSON, non-ASCII letters kept, one space of indent."""
    return quote_block(tag, json.dumps(value, ensure_ascii=False, indent=1))


def read_block(text: str, tag: str) -> str:
    """The material of block `tag`, exactly as `quote_block` was given it.

    Blocks are read in order, each to its closing tag, so what looks like a block inside another
    block's material is material.

    Raises:
        ReplyError: there is no such block, or more than one.
    """
    found = [match[2] for match in _BLOCK.finditer(text) if match[1] == tag]
    if len(found) != 1:
        raise ReplyError(f"expected one block <{tag}> … </{tag}>, found {len(found)}")
    closing = re.compile(rf"<\\(\\*)/({tag}\s*)>", re.IGNORECASE)
    return closing.sub(r"<\1/\2>", found[0])


def parse_object(text: str) -> dict[str, JsonValue]:
    """Read the one JSON object of a reply; a code fence and prose around it are passed over.

    Stricter than `json.loads`: repeated keys, NaN, infinities and unpaired surrogates are refused,
    for each would be read differently by someone else.

    Raises:
        ReplyError: no object, a broken or cut-off one, more than one, or one of the above.
    """
    fence = _FENCED_OBJECT.search(text)
    start = fence.end() if fence else text.find("{")
    if start < 0:
        raise ReplyError("the reply holds no JSON object")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise ReplyError(f"the JSON object is broken at character {error.pos - start}: {error.msg}") from None
    except RecursionError:
        raise ReplyError("the JSON object is nested too deeply") from None
    except ReplyError:
        raise
    except ValueError as error:
        raise ReplyError(f"the JSON object holds a value that cannot be read: {error}") from None
    if "{" in text[end:]:
        raise ReplyError("the reply holds more than one JSON object")
    _refuse_surrogates(text[start:end], value)
    return {str(key): item for key, item in value.items()}


def ask_json(
    door: ChatModel, request: ChatRequest, model: type[Answer], attempts: int
) -> Parsed[Answer] | Unparsed:
    """Ask until a reply is a JSON object that `model` accepts, at most `attempts` times.

    A bad reply is put back before the model with the reason and asked again. Refused and cut-off
    replies count as bad replies. Errors of the door are not caught.

    Raises:
        ValueError: `attempts` is below 1.
        ModelError: the call itself failed for good.
    """
    if attempts < 1:
        raise ValueError(f"attempts is {attempts}; at least one is needed")
    replies: list[ChatReply] = []
    reason = ""
    for _ in range(attempts):
        reply = door.complete(request)
        replies.append(reply)
        try:
            value = _read(reply, model)
        except ReplyError as error:
            reason = error.reason
            request = _asked_again(request, reply, reason)
            continue
        return Parsed(value, *_paid(replies))
    return Unparsed(reason, *_paid(replies))


def _read(reply: ChatReply, model: type[Answer]) -> Answer:
    if reply.stop_reason == "length":
        raise ReplyError("the reply was cut off before its end; answer more briefly")
    if reply.stop_reason == "refusal":
        raise ReplyError("the reply was a refusal")
    try:
        return model.model_validate(parse_object(reply.content or ""))
    except ValidationError as error:
        raise ReplyError(in_words(error, whole="the object")) from None


def _asked_again(request: ChatRequest, reply: ChatReply, reason: str) -> ChatRequest:
    correction = (
        f"That reply cannot be used: {reason}. Answer the first message again with exactly one JSON "
        "object in the format it asks for, and nothing else."
    )
    # Providers refuse an assistant turn without text, and half a surrogate pair cannot be sent at all.
    said = (reply.content or "").encode(errors="replace").decode().strip() or "(no text)"
    turns = (ChatMessage("assistant", said), ChatMessage("user", correction))
    return replace(request, messages=(*request.messages, *turns))


def _paid(replies: list[ChatReply]) -> tuple[Usage, float | None, int]:
    usage = Usage(
        prompt_tokens=sum(reply.usage.prompt_tokens for reply in replies),
        completion_tokens=sum(reply.usage.completion_tokens for reply in replies),
    )
    return usage, total_cost(reply.cost_usd for reply in replies), len(replies)


def _unique_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    keys = [key for key, _ in pairs]
    repeated = sorted({key for key in keys if keys.count(key) > 1})
    if repeated:
        raise ReplyError(f"the JSON object repeats the key {repeated[0]!r}")
    return dict(pairs)


def _refuse_constant(name: str) -> float:
    raise ReplyError(f"the JSON object holds {name}, which is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ReplyError(f"the JSON object holds {digits}, which is out of range")
    return number


def _refuse_surrogates(source: str, value: object) -> None:
    """A lone surrogate can be read from an escape but written to no file."""
    if "\\u" not in source and source.isascii():
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ReplyError("the JSON object holds an unpaired surrogate") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_finite
)
