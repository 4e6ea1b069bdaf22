"""Judging two units against each other: the measures that all maintaining roles share."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdcourse.simulated.lexicon import SETTING
from holdcourse.simulated.reading import Reading, StanceKind, read

SAME_SUBJECT = 0.35
"""Share of common content words from which two units without a known setting are on the same subject."""
SAME_STATEMENT = 0.7
"""Share of common content words from which two units say the same, whatever they say."""
COVERED = 0.85
"""Share of the shorter unit's words within the longer from which the longer says it already."""
RELATED_WORDING = 0.25
"""Share of common words below which units of the same stances, or one within another, are not alike."""
FEWEST_WORDS = 4
"""Content words that a unit needs to be a statement at all; "customer ID" in two lists is none."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class Contest(NamedTuple):
    """A setting on which two units cannot both be followed, with the stance of either."""

    setting: str
    first: StanceKind
    second: StanceKind


def similarity(first: Reading, second: Reading) -> float:
    """Common content words as a share of all (Jaccard), in [0, 1]."""
    union = first.words | second.words
    return len(first.words & second.words) / len(union) if union else 0.0


def same_subject(first: Reading, second: Reading) -> bool:
    """Whether two units are about the same thing: a common setting or, without any, common words."""
    if first.topics and second.topics:
        return not first.topics.isdisjoint(second.topics)
    return similarity(first, second) >= SAME_SUBJECT


def contests(first: Reading, second: Reading) -> tuple[Contest, ...]:
    """The settings on which two units contradict each other.

    Any two different stances on a setting do, except that one may both leave a setting alone and
    hand over (unless handing over is its only remedy).
    """
    found = {
        Contest(mine.setting, mine.kind, other.kind)
        for mine in first.stances
        for other in second.stances
        if mine.setting == other.setting and _conflict(mine.setting, mine.kind, other.kind)
    }
    return tuple(sorted(found))


def contradicts(first: Reading, second: Reading) -> bool:
    """Whether two units cannot both be followed."""
    return bool(contests(first, second))


def states(unit: Reading, other: Reading) -> bool:
    """Whether `unit` says already what `other` says."""
    if other.stances:
        return other.stances <= unit.stances
    return not unit.stances and _same_statement(unit, other)


def redundant(first: Reading, second: Reading) -> bool:
    """Whether one of two units adds nothing to the other.

    Of two rules on the same settings one is redundant when both say when they apply, or when neither
    puts anything right; a rule with a condition refines one without, and steps of a remedy that name
    no condition are parts of it. Units without a stance are compared by their words.
    """
    if bool(first.stances) != bool(second.stances):
        return False
    if not first.stances or similarity(first, second) >= SAME_STATEMENT:
        return _same_statement(first, second)
    if not (first.stances <= second.stances or second.stances <= first.stances):
        return False
    if first.conditional != second.conditional or _overlap(first, second) < RELATED_WORDING:
        return False
    return first.conditional or all(stance.kind != "fix" for stance in first.stances | second.stances)


def more_specific(first: Reading, second: Reading) -> bool:
    """Whether the first of two units says more: stances, a condition, who acts, then words."""
    return _detail(first) > _detail(second)


def adds_detail(lesson: Reading, unit: Reading) -> bool:
    """Whether a lesson that repeats a unit names a condition or an actor that the unit leaves out."""
    return (lesson.conditional and not unit.conditional) or (lesson.owner_stated and not unit.owner_stated)


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return _SENTENCE.split(text)


def without_stance(text: str, setting: str, kind: StanceKind) -> str:
    """The text less the sentences that take a stance; empty when none is left."""
    kept = [s for s in sentences(text) if (setting, kind) not in read(s).stances]
    remaining = " ".join(kept)
    return "" if (setting, kind) in read(remaining).stances else remaining


def _conflict(setting: str, first: StanceKind, second: StanceKind) -> bool:
    if first == second:
        return False
    return {first, second} != {"forbid", "transfer"} or not SETTING[setting].steps


def _overlap(first: Reading, second: Reading) -> float:
    shorter = min(len(first.words), len(second.words))
    return len(first.words & second.words) / shorter if shorter else 0.0


def _same_statement(first: Reading, second: Reading) -> bool:
    if first.topics != second.topics or min(len(first.words), len(second.words)) < FEWEST_WORDS:
        return False
    if first.describes_tool or second.describes_tool:
        return first.words == second.words
    alike = similarity(first, second)
    return alike >= SAME_STATEMENT or (_overlap(first, second) >= COVERED and alike >= RELATED_WORDING)


def _detail(reading: Reading) -> tuple[int, bool, bool, int]:
    return len(reading.stances), reading.conditional, reading.owner_stated, len(reading.words)
