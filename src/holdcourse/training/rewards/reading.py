"""One reading of a completion, shared by all components, in time linear in its length.

Blocks are found the way a strict reader takes them: a block begins at the first opening tag and ends at the
first closing tag after it. What a completion says twice is never read twice, so there is nothing to gain from
a second try.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from holdcourse.recovery.envelope import TAGS

_WORD = re.compile(r"\S+")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a completion holds.

    Attributes:
        text: the completion.
        counts: how often each of the four tags stands in it.
        reasoning: text between the first <reasoning> and the first </reasoning> after it; None without them.
        answer: the same of <answer>.
        value: the JSON object that the answer is; None where it is not exactly one sound object.
    """

    text: str
    counts: tuple[int, int, int, int]
    reasoning: str | None
    answer: str | None
    value: dict[str, JsonValue] | None


def read(completion: str, answer_characters: int) -> Reading:
    """Read a completion.

    Args:
        completion: any text.
        answer_characters: an answer longer than this is not read as JSON.
    """
    first, second, third, fourth = (completion.count(tag) for tag in TAGS)
    answer = _block(completion, TAGS[2], TAGS[3])
    readable = answer is not None and len(answer) <= answer_characters
    return Reading(
        text=completion,
        counts=(first, second, third, fourth),
        reasoning=_block(completion, TAGS[0], TAGS[1]),
        answer=answer,
        value=json_object(answer) if answer is not None and readable else None,
    )


def json_object(text: str) -> dict[str, JsonValue] | None:
    """The one JSON object that a text is, spaces around it apart; None if it is anything else.

    Repeated keys, NaN, infinities, numbers out of range, unpaired surrogates and nesting that Python refuses
    make it
    unsound: each would be read differently by someone else, or could not be written again.
    """
    try:
        value = _DECODER.decode(text)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, JsonValue]", value) if isinstance(value, dict) else None


def at_most(text: str, most: int, longest: int) -> bool:
    """Whether a text has so few words; a run of more than `longest` characters without a space is several.

    What comes after one word too many is not looked at.
    """
    count = 0
    for word in _WORD.finditer(text):
        count += -(-(word.end() - word.start()) // longest)
        if count > most:
            return False
    return True


def says_something(text: str, fewest_different: int) -> bool:
    """Whether a text has so many different words of letters; less is padding: blanks, dots, a word again.

    One word again and again is read to its end: ask first whether it is short enough.
    """
    seen: set[str] = set()
    for word in _LETTERS.finditer(text):
        seen.add(word[0].casefold())
        if len(seen) >= fewest_different:
            return True
    return False


def _block(text: str, opening: str, closing: str) -> str | None:
    start = text.find(opening)
    if start < 0:
        return None
    start += len(opening)
    end = text.find(closing, start)
    return None if end < 0 else text[start:end]


def _unique(pairs: Sequence[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is repeated")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is out of range")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)


def mean(values: Iterable[float]) -> float:
    """The mean of at least one value."""
    listed = list(values)
    return sum(listed) / len(listed)
