"""The envelope of every answer: one `<reasoning>`, then one `<answer>` with a JSON object (drift paper §4.3).

Strict, since a walk acts on it. Scoring in training reads whatever a text holds: `training.rewards.reading`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.llm.replies import ReplyError, parse_object

TAGS = ("<reasoning>", "</reasoning>", "<answer>", "</answer>")
"""The four tags, in their order (drift paper §4.3)."""

# What a reader could take for one of the tags; the strict reader wants none that is spelled otherwise.
_TAG_LIKE = re.compile(r"<[\s/]*(?:reasoning|answer)\b[^<>]*>", re.IGNORECASE)
_WHOLE = re.compile(r"\s*<reasoning>(.*)</reasoning>\s*<answer>(.*)</answer>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A reply that keeps to the format: its reasoning and the JSON object of its answer."""

    reasoning: str
    answer: dict[str, JsonValue]


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
    except ValueError:
        raise ReplyError("<answer> holds a number of too many digits") from None
    if not answer.lstrip().startswith("{"):
        raise ReplyError("<answer> must hold one JSON object and nothing else")
    return Envelope(reasoning.strip(), parse_object(answer))


def _exact(text: str) -> tuple[str, str] | None:
    if tuple(_TAG_LIKE.findall(text)) != TAGS:
        return None
    whole = _WHOLE.fullmatch(text)
    return (whole[1], whole[2]) if whole else None
