"""The competence curve: how often a judgement about a request of length L is right."""

from __future__ import annotations

from holdcourse.config.schema import CurveConfig


def competence(curve: CurveConfig, characters: int) -> float:
    """c(L) = floor + (ceiling - floor) / (1 + (L / half_length)^slope).

    Args:
        curve: the four parameters, from conf/simulated/.
        characters: L, the length of what has to be read, in characters.

    Returns:
        A probability between `curve.floor` and `curve.ceiling`; with `slope` 0 it is the same for
        every L, halfway between the two.

    Raises:
        ValueError: `characters` is negative.
    """
    if characters < 0:
        raise ValueError(f"a request has {characters} characters; a length cannot be negative")
    ratio: float = (characters / curve.half_length) ** curve.slope
    return curve.floor + (curve.ceiling - curve.floor) / (1.0 + ratio)
