"""Lexical similarity of short texts: cosine of word counts, rarer words weighing more."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

# Underscores split words, so that `toggle_airplane_mode` meets "airplane mode".
_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> Counter[str]:
    """The words of a text, case folded, with their counts."""
    return Counter(_WORD.findall(text.casefold()))


def cosine(first: str, second: str, weights: Mapping[str, float] | None = None) -> float:
    """Cosine of the two texts' word counts, in [0, 1]; 0 when either has no word.

    Args:
        first: one text.
        second: the other.
        weights: factor of a word's count; a word without one counts plainly.
    """
    left, right = _vector(first, weights or {}), _vector(second, weights or {})
    lengths = _length(left) * _length(right)
    if not lengths:
        return 0.0
    # Sorted, since a sum of floats depends on its order.
    return min(1.0, sum(left[word] * right[word] for word in sorted(left.keys() & right.keys())) / lengths)


def nearest(text: str, others: Sequence[tuple[str, str]], limit: int) -> tuple[str, ...]:
    """The ids of up to `limit` texts that share words with `text`, most similar first.

    Words are weighted by log(1 + N / n), N texts of which n hold the word, so that function words
    decide little. Ties go to the earlier of `others`.

    Args:
        text: what to compare with.
        others: (id, text) pairs.
        limit: at most so many ids.
    """
    held = Counter(word for _, other in others for word in words(other))
    weights = {word: math.log1p(len(others) / count) for word, count in held.items()}
    scored = [(cosine(text, other, weights), other_id) for other_id, other in others]
    related = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    return tuple(other_id for _, other_id in related[:limit])


def _vector(text: str, weights: Mapping[str, float]) -> dict[str, float]:
    return {word: count * weights.get(word, 1.0) for word, count in words(text).items()}


def _length(vector: Mapping[str, float]) -> float:
    return math.sqrt(sum(vector[word] ** 2 for word in sorted(vector)))
