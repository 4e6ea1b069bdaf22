"""Length components: a short reasoning, a short output (drift paper §4.6)."""

from __future__ import annotations

from holdcourse.config.reward import LengthThresholds, WordThresholds
from holdcourse.training.rewards.reading import Reading, at_most, says_something


def reasoning_length(reading: Reading, thresholds: LengthThresholds, words: WordThresholds) -> float:
    """r_reas-len: 1 up to `reasoning.full` words, `reasoning.partial` for `reasoning.tail` more, then 0.

    A block that is missing, blank or padding (fewer than `words.fewest_different` different words of letters)
    earns nothing, and a run of more than `words.longest` characters counts as several words.
    Source: drift paper §4.6 (full bonus below a small cap, partial on a tail, zero above); figures ours.
    """
    if reading.reasoning is None:
        return 0.0
    earned = _graded(reading.reasoning, thresholds, words)
    return earned if earned and says_something(reading.reasoning, words.fewest_different) else 0.0


def total_length(reading: Reading, thresholds: LengthThresholds, words: WordThresholds) -> float:
    """r_tot-len: 1 up to `total.full` words of the whole output, `total.partial` for a tail, then 0.

    Tags and JSON count. An output without both blocks, or with a blank one, earns nothing: silence is not
    brevity.
    Source: drift paper §4.6; figures ours.
    """
    if not (reading.reasoning or "").strip() or not (reading.answer or "").strip():
        return 0.0
    return _graded(reading.text, thresholds, words)


def _graded(text: str, thresholds: LengthThresholds, words: WordThresholds) -> float:
    if at_most(text, thresholds.full, words.longest):
        return 1.0
    in_tail = at_most(text, thresholds.full + thresholds.tail, words.longest)
    return thresholds.partial if in_tail else 0.0
