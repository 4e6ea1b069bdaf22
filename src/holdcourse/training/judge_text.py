"""How grounded a free text is in its case: specific, nothing invented, own words (ours; drift paper §4.6).

The paper's anchors are what a model is told: 1.0 concrete and grounded, 0.5 generic but not wrong. Here the
words "concrete" and "grounded" are counted, in a way that a copy of the prompt or a list of its terms does
not fool.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from holdcourse.config.reward import GroundingThresholds
from holdcourse.training.mentions import api_names, stem, words_of

_SMALL = """
a about after again all also an and any are as at be because been before being but by can cannot
could did do does for from had has have he her his how if in instead into is it its itself may more
most must no none nor not nothing of off on one only or other our out over own same she should since
so some such than that the their them then there therefore these they this those though through to
too under until up was were what when where which while who whose why will with within without would
yet
"""
FUNCTION_WORDS = frozenset(_SMALL.split())
"""Words that sentences are made with whatever they are about."""


def grounding(text: str, prompt: str, terms: Collection[str], thresholds: GroundingThresholds) -> float:
    """How grounded a text is, in [0, 1]: specific x faithful x own x prose x brief.

    - specific: different `terms` of the case that it names, over `specifics` (or all terms, if fewer), at
      most 1;
    - faithful: share of the names of APIs in it that stand in the prompt, 1 if it names none;
    - own: share of its runs of `run` words that are copied from the prompt; 1 up to `copied`, then falling to
      0;
    - prose: its share of function words over `function_words`, at most 1;
    - brief: 1 up to `full_words` words, falling to 0 at twice as many.
    """
    text = text[: _CHARACTERS * thresholds.full_words]
    words = words_of(text)
    if not words:
        return 0.0
    return (
        _specific(words, terms, thresholds.specifics)
        * _faithful(text, prompt)
        * _own(words, prompt, thresholds)
        * min(1.0, sum(word in FUNCTION_WORDS for word in words) / len(words) / thresholds.function_words)
        * max(0.0, min(1.0, 2 - len(words) / thresholds.full_words))
    )


_CHARACTERS = 40
"""A text of more characters than this a word is too long in any case; what is over is not looked at."""


def _specific(words: list[str], terms: Collection[str], enough: int) -> float:
    wanted = {stem(term) for term in terms}
    if not wanted:
        return 1.0
    # A function word names nothing, though its stem may be that of a term ("not" and "note").
    named = wanted & {stem(word) for word in words if word not in FUNCTION_WORDS}
    return min(1.0, len(named) / min(enough, len(wanted)))


def _faithful(text: str, prompt: str) -> float:
    named = set(api_names(text))
    if not named:
        return 1.0
    known = _names(prompt)
    return sum(name.rpartition(".")[2] in known for name in named) / len(named)


def _own(words: list[str], prompt: str, thresholds: GroundingThresholds) -> float:
    runs = _runs(words, thresholds.run)
    if not runs:
        return 1.0
    copied = sum(run in _prompt_runs(prompt, thresholds.run) for run in runs) / len(runs)
    return min(1.0, (1 - copied) / (1 - thresholds.copied))


def _runs(words: list[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]


@lru_cache(maxsize=256)
def _prompt_runs(prompt: str, length: int) -> frozenset[tuple[str, ...]]:
    return frozenset(_runs(words_of(prompt), length))


@lru_cache(maxsize=256)
def _names(prompt: str) -> frozenset[str]:
    # An app may have an underscore in its name, and be named without a call.
    return frozenset(part for name in api_names(prompt) for part in name.split("."))
