"""Early stop of a training run whose policy collapses, and the step to go back to.

A policy may collapse in several ways: its reward falls, it runs away from the base model, it writes until it
is cut off, or it says next to nothing. The rules read window means off the curve, since single steps swing
widely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from holdcourse.config.training import CollapseRules


@dataclass(frozen=True, slots=True)
class StepHealth:
    """What the rules read of one optimizer step.

    Attributes:
        step: 1-based.
        reward: mean over the step's completions; NaN if none could be scored.
        kl: mean divergence from the base model.
        length: mean tokens a completion.
        cut_off: share of completions that reached the token limit.
    """

    step: int
    reward: float
    kl: float
    length: float
    cut_off: float


def collapsed(steps: Sequence[StepHealth], rules: CollapseRules) -> str | None:
    """Why training should stop after these steps, in words; None while all is well."""
    if len(steps) < rules.window:
        return None
    now, start = steps[-rules.window :], steps[: rules.window]
    if rules.reward_fall is not None and len(steps) > rules.window:
        best, reward = _best(steps, rules), _mean([step.reward for step in now])
        # A best of 0 or less cannot fall by a share.
        if best is not None and best[1] > 0 and reward < (1 - rules.reward_fall) * best[1]:
            return (
                f"the mean reward of the last {rules.window} steps, {reward:.3g}, is more than "
                f"{rules.reward_fall:.0%} below the best, {best[1]:.3g} up to step {best[0]}"
            )
    kl = _mean([step.kl for step in now])
    if rules.kl is not None and (kl > rules.kl or math.isinf(kl)):
        return f"the KL divergence from the base model, {kl:.3g}, exceeds {rules.kl:g}"
    cut, before = _mean([step.cut_off for step in now]), _mean([step.cut_off for step in start])
    if rules.cut_off is not None and len(steps) > rules.window and cut > rules.cut_off and cut > before:
        return f"{cut:.0%} of completions reach the token limit without an end"
    length = _mean([step.length for step in now])
    if rules.shortest is not None and length < rules.shortest:
        return f"completions are {length:.1f} tokens long on average, below {rules.shortest}"
    return None


def best_step(steps: Sequence[StepHealth], rules: CollapseRules) -> int:
    """The last step of the window with the highest mean reward; 0 while there is no window."""
    best = _best(steps, rules)
    return 0 if best is None else best[0]


def _best(steps: Sequence[StepHealth], rules: CollapseRules) -> tuple[int, float] | None:
    """Last step and mean reward of the best window; the later of equals."""
    found: tuple[int, float] | None = None
    for end in range(rules.window, len(steps) + 1):
        reward = _mean([step.reward for step in steps[end - rules.window : end]])
        if not math.isnan(reward) and (found is None or reward >= found[1]):
            found = (steps[end - 1].step, reward)
    return found


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan
