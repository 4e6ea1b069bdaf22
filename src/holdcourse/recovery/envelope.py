"""The envelope of every answer: one `<reasoning>`, then one `<answer>` with a JSON object (drift paper §4.3).

Two readers: `read_strict` is what a walk acts on, `read_tolerant` finds what can be scored in any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.llm.replies import ReplyError, parse_object

TAGS = ("<reasoning>", "</reasoning>", "<answer>", "</answer>")

# What a reader could take for one of the tags; the strict reader wants none that is spelled otherwise.
_TAG_LIKE = re.compile(r"<[\s/]*(?:reasoning|answer)\b[^<>]*>", re.IGNORECASE)
_WHOLE = re.compile(r"\s*<reasoning>(.*)</reasoning>\s*<answer>(.*)</answer>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A reply that keeps to the format: its reasoning and the JSON object of its answer."""

    reasoning: str
    answer: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text holds of the format, however broken it is.

    Attributes:
        counts: how often each of the four tags stands in it.
        reasoning: text of the first pair; None without one.
        answer: text of the first answer behind the reasoning, or of the first at all; None without one.
        value: the JSON object in the answer, a code fence around it passed over; None where there is none.
        trailing: what stands behind the last `</answer>`, without white space at its end.
        in_order: both pairs are there and an answer follows a reasoning.
        exact: the tags are as `read_strict` wants them; says nothing of the JSON.
    """

    counts: dict[str, int]
    reasoning: str | None
    answer: str | None
    value: dict[str, JsonValue] | None
    trailing: str
    in_order: bool
    exact: bool


def wrap(reasoning: str, answer: Mapping[str, JsonValue]) -> str:
    """A reply in the format."""
    told = json.dumps(dict(answer), ensure_ascii=False)
    return f"<reasoning>\n{reasoning}\n</reasoning>\n<answer>\n{told}\n</answer>"


def read_strict(text: str) -> Envelope:
    """Read a reply to act on.

    Raises:
        ReplyError: other than exactly one reasoning and then one answer with one JSON object; in one
            sentence.
    """
    exact = _exact(text)
    if exact is None:
        found = ", ".join(tag for tag in _TAG_LIKE.findall(text)[:8]) or "none of them"
        raise ReplyError(
            "expected <reasoning>…</reasoning> and then <answer>…</answer>, each once and nothing outside "
            f"them; found {found}"
        )
    reasoning, answer = exact
    try:
        json.loads(answer)
    except (json.JSONDecodeError, RecursionError):
        # Says where an object is broken; what is no object at all, or more than one, is left to it too.
        parse_object(answer)
        raise ReplyError("<answer> must hold one JSON object and nothing else") from None
    if not answer.lstrip().startswith("{"):
        raise ReplyError("<answer> must hold one JSON object and nothing else")
    return Envelope(reasoning.strip(), parse_object(answer))


def read_tolerant(text: str) -> Reading:
    """Read whatever a text holds of the format. Never raises; takes time in proportion to the text."""
    reasoning = _pair(text, "reasoning", 0)
    behind = _pair(text, "answer", reasoning.stop) if reasoning else None
    answer = behind or _pair(text, "answer", 0)
    return Reading(
        counts={tag: text.count(tag) for tag in TAGS},
        reasoning=reasoning.text.strip() if reasoning else None,
        answer=answer.text.strip() if answer else None,
        value=_object(answer.text) if answer else None,
        trailing=text.rpartition("</answer>")[2].rstrip() if "</answer>" in text else "",
        in_order=behind is not None,
        exact=_exact(text) is not None,
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    text: str
    stop: int


def _pair(text: str, tag: str, start: int) -> _Pair | None:
    opening, closing = f"<{tag}>", f"</{tag}>"
    begin = text.find(opening, start)
    end = text.find(closing, begin) if begin >= 0 else -1
    if end < 0:
        return None
    return _Pair(text[begin + len(opening) : end], end + len(closing))


def _exact(text: str) -> tuple[str, str] | None:
    if tuple(_TAG_LIKE.findall(text)) != TAGS:
        return None
    whole = _WHOLE.fullmatch(text)
    return (whole[1], whole[2]) if whole else None


def _object(text: str) -> dict[str, JsonValue] | None:
    try:
        return parse_object(text)
    except ReplyError:
        return None
