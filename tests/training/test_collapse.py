"""When training stops early, on curves made by hand."""

from __future__ import annotations

import math

import pytest

from holdcourse.config.training import CollapseRules
from holdcourse.training.collapse import StepHealth, best_step, collapsed

RULES = CollapseRules(window=2, reward_fall=0.5, kl=1.0, cut_off=0.8, shortest=5)


def steps(
    rewards: list[float], kl: float = 0.0, length: float = 20.0, cut_off: float = 0.0
) -> list[StepHealth]:
    return [StepHealth(number, reward, kl, length, cut_off) for number, reward in enumerate(rewards, start=1)]


def test_a_steady_run_goes_on() -> None:
    assert collapsed(steps([1.0, 2.0, 3.0, 3.0]), RULES) is None


def test_one_bad_step_is_no_collapse() -> None:
    # Windows: 4, then 2 = half of 4, which is not more than half below.
    assert collapsed(steps([4.0, 4.0, 0.0]), RULES) is None


def test_a_window_far_below_the_best_stops() -> None:
    said = collapsed(steps([4.0, 4.0, 2.0, 1.0]), RULES)
    assert said is not None
    assert "1.5" in said
    assert "4 up to step 2" in said


def test_nothing_is_said_before_a_window_is_full() -> None:
    assert collapsed(steps([4.0], kl=9.0), RULES) is None


def test_running_away_from_the_base_stops() -> None:
    assert "KL" in str(collapsed(steps([1.0, 1.0], kl=1.5), RULES))
    assert "KL" in str(collapsed(steps([1.0, 1.0], kl=math.inf), RULES))


def test_writing_without_an_end_stops_only_if_it_was_not_so_from_the_start() -> None:
    start, end = steps([1.0, 1.0], cut_off=0.2), steps([1.0, 1.0], cut_off=0.9)
    later = [StepHealth(step.step + 2, *[step.reward, step.kl, step.length, step.cut_off]) for step in end]
    assert "90%" in str(collapsed([*start, *later], RULES))
    assert collapsed(steps([1.0] * 4, cut_off=0.9), RULES) is None


def test_saying_next_to_nothing_stops() -> None:
    assert "3.0 tokens" in str(collapsed(steps([1.0, 1.0], length=3.0), RULES))


def test_rules_can_be_switched_off() -> None:
    off = CollapseRules(window=2, reward_fall=None, kl=None, cut_off=None, shortest=None)
    assert collapsed(steps([9.0, 9.0, 0.0, 0.0], kl=99.0, length=1.0, cut_off=1.0), off) is None


def test_a_step_that_could_not_be_scored_counts_for_nothing() -> None:
    assert collapsed(steps([4.0, 4.0, math.nan, 4.0]), RULES) is None


@pytest.mark.parametrize(
    ("rewards", "best"), [([], 0), ([1.0], 0), ([1.0, 3.0, 1.0, 1.0], 3), ([1.0, 1.0, 1.0], 3)]
)
def test_the_best_window_is_the_later_of_equals(rewards: list[float], best: int) -> None:
    assert best_step(steps(rewards), RULES) == best
