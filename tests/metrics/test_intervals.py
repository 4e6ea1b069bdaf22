"""Bootstrap intervals: degenerate cases by hand, pairing, clustering by task, determinism, coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.metrics.intervals import (
    Bootstrap,
    Interval,
    SeedSpread,
    joint_interval,
    mean_interval,
    paired_interval,
    seed_interval,
    seed_spread,
    seed_values,
    unpaired_interval,
)

BOOTSTRAP = Bootstrap(resamples=1000, confidence=0.95, seed=11)


def values(**by_seed: list[float]) -> dict[int, np.ndarray]:
    return {int(name[1:]): np.array(numbers, dtype=float) for name, numbers in by_seed.items()}


def frame(by_seed: dict[int, dict[str, float]]) -> pd.DataFrame:
    return pd.DataFrame(
        [{"seed": seed, "task": task, "v": v} for seed, tasks in by_seed.items() for task, v in tasks.items()]
    )


def test_equal_tasks_leave_no_width() -> None:
    assert mean_interval(values(s0=[0.5, 0.5, 0.5]), BOOTSTRAP) == Interval(0.5, 0.5, 0.5, 3, 0, 1)


def test_one_task_leaves_no_width() -> None:
    assert mean_interval(values(s0=[1.0]), BOOTSTRAP) == Interval(1.0, 1.0, 1.0, 1, 0, 1)


def test_seeds_are_kept_so_that_seeds_alone_differing_leave_no_width() -> None:
    interval = mean_interval(values(s0=[0.0, 0.0], s1=[1.0, 1.0]), BOOTSTRAP)
    assert interval == Interval(0.5, 0.5, 0.5, 4, 0, 2)


def test_each_seed_weighs_the_same_however_many_tasks_it_has() -> None:
    assert mean_interval(values(s0=[0.0], s1=[1.0, 1.0, 1.0]), BOOTSTRAP).estimate == 0.5


def test_undefined_values_are_left_out_and_counted() -> None:
    interval = mean_interval(values(s0=[1.0, np.nan, 1.0], s1=[np.nan, np.nan]), BOOTSTRAP)
    assert interval == Interval(1.0, 1.0, 1.0, units=2, excluded=3, seeds=1)


@pytest.mark.parametrize("empty", [{}, {0: np.array([])}, {0: np.array([np.nan])}])
def test_no_value_at_all_is_undefined_not_zero(empty: dict[int, np.ndarray]) -> None:
    interval = mean_interval(empty, BOOTSTRAP)
    assert (interval.estimate, interval.low, interval.high, interval.seeds) == (None, None, None, 0)
    assert interval.sign == 0


def test_two_tasks_give_the_quantiles_of_three_means() -> None:
    # Two draws of {0, 1}: means 0, ½, 1 with chances ¼, ½, ¼.
    wide = mean_interval(values(s0=[0.0, 1.0]), BOOTSTRAP)
    assert (wide.low, wide.estimate, wide.high) == (0.0, 0.5, 1.0)
    narrow = mean_interval(values(s0=[0.0, 1.0]), Bootstrap(1000, 0.3, 11))
    assert (narrow.low, narrow.high) == (0.5, 0.5)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    numbers = values(s0=list(np.linspace(0, 1, 30)))
    assert mean_interval(numbers, BOOTSTRAP) == mean_interval(numbers, Bootstrap(1000, 0.95, 11))
    assert mean_interval(numbers, BOOTSTRAP) != mean_interval(numbers, Bootstrap(1000, 0.95, 12))


def test_seed_0_is_a_seed_of_the_generator() -> None:
    numbers = values(s0=list(np.linspace(0, 1, 30)))
    others = [mean_interval(numbers, Bootstrap(100, 0.95, seed)) for seed in (1, 2, 3)]
    assert mean_interval(numbers, Bootstrap(100, 0.95, 0)) not in others


def test_the_order_of_seeds_is_immaterial() -> None:
    numbers = values(s0=[0.0, 1.0, 1.0], s1=[0.2, 0.4, 0.9])
    backwards = dict(reversed(numbers.items()))
    assert mean_interval(numbers, BOOTSTRAP) == mean_interval(backwards, BOOTSTRAP)


def test_seeds_are_resampled_apart() -> None:
    # Were both seeds drawn alike, opposite tasks would cancel and leave no width.
    interval = mean_interval(values(s0=[0.0, 1.0] * 10, s1=[1.0, 0.0] * 10), BOOTSTRAP)
    assert interval.low is not None
    assert interval.low < 0.45


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8),
    st.lists(st.floats(0, 1), min_size=1, max_size=8),
)
def test_an_interval_holds_its_estimate_between_the_extremes(first: list[float], second: list[float]) -> None:
    interval = mean_interval(values(s0=first, s3=second), Bootstrap(200, 0.99, 3))
    assert interval.low is not None
    assert interval.high is not None
    assert interval.estimate is not None
    low, high = (min(first) + min(second)) / 2, (max(first) + max(second)) / 2
    assert low - 1e-9 <= interval.low <= interval.high <= high + 1e-9
    assert low - 1e-9 <= interval.estimate <= high + 1e-9


def test_coverage_of_a_known_mean_is_near_the_nominal() -> None:
    generator = np.random.default_rng(5)
    boot = Bootstrap(resamples=300, confidence=0.9, seed=1)
    hits = 0
    for _ in range(300):
        drawn = {seed: generator.binomial(1, 0.6, size=40).astype(float) for seed in range(2)}
        interval = mean_interval(drawn, boot)
        assert interval.low is not None
        assert interval.high is not None
        hits += interval.low <= 0.6 <= interval.high
    assert 0.83 <= hits / 300 <= 0.95


# A task with all its seeds


def test_tasks_alike_in_every_seed_widen_the_joint_interval_only() -> None:
    hard = {f"t{i:02d}": float(i % 2) for i in range(20)}
    scores = frame(dict.fromkeys(range(5), hard))
    joint, apart = joint_interval(scores, "v", BOOTSTRAP), mean_interval(seed_values(scores, "v"), BOOTSTRAP)
    alone = joint_interval(scores[scores["seed"] == 0], "v", BOOTSTRAP)
    assert (joint.estimate, joint.units, joint.seeds) == (apart.estimate, 100, 5)
    assert (joint.low, joint.high) == (alone.low, alone.high)
    assert joint.low is not None
    assert apart.low is not None
    assert joint.low < apart.low - 0.05


def test_opposite_tasks_of_two_seeds_cancel_when_drawn_together() -> None:
    scores = frame({0: {"a": 0.0, "b": 1.0}, 1: {"a": 1.0, "b": 0.0}})
    assert joint_interval(scores, "v", BOOTSTRAP) == Interval(0.5, 0.5, 0.5, 4, 0, 2)


def test_a_task_that_a_seed_lacks_is_excluded_there() -> None:
    scores = frame({0: {"a": 1.0, "b": 1.0}, 1: {"a": 1.0}})
    assert joint_interval(scores, "v", BOOTSTRAP) == Interval(1.0, 1.0, 1.0, 3, 1, 2)
    assert joint_interval(scores[:0], "v", BOOTSTRAP).estimate is None


# Pairing


def test_what_the_tasks_share_cancels_between_arms() -> None:
    hard = {f"t{i}": float(i % 2) * 0.5 for i in range(20)}
    better = {task: value + 0.25 for task, value in hard.items()}
    interval = paired_interval(frame({0: better}), frame({0: hard}), "v", BOOTSTRAP)
    assert (interval.estimate, interval.low, interval.high) == (0.25, 0.25, 0.25)
    assert interval.sign == 1


def test_pairs_are_matched_by_task_not_by_row() -> None:
    first = frame({0: {"a": 1.0, "b": 0.0}})
    second = frame({0: {"b": 0.0, "a": 1.0}})
    assert paired_interval(first, second, "v", BOOTSTRAP) == Interval(0.0, 0.0, 0.0, 2, 0, 1)


def test_the_difference_is_first_minus_second() -> None:
    interval = paired_interval(frame({0: {"a": 0.0}}), frame({0: {"a": 1.0}}), "v", BOOTSTRAP)
    assert (interval.estimate, interval.sign) == (-1.0, -1)


def test_only_seeds_and_tasks_of_both_arms_are_compared() -> None:
    first = frame({0: {"a": 1.0, "b": 1.0}, 1: {"a": 0.0}})
    second = frame({0: {"a": 0.0, "b": np.nan}, 2: {"a": 0.0}})
    assert paired_interval(first, second, "v", BOOTSTRAP) == Interval(1.0, 1.0, 1.0, 1, 1, 1)


def test_arms_with_nothing_in_common_have_no_difference() -> None:
    assert paired_interval(frame({0: {"a": 1.0}}), frame({1: {"a": 1.0}}), "v", BOOTSTRAP).estimate is None


def test_a_task_that_stands_twice_is_refused() -> None:
    twice = pd.concat([frame({0: {"a": 1.0}})] * 2)
    with pytest.raises(ValueError, match="task a of seed 0"):
        seed_values(twice, "v")
    with pytest.raises(ValueError, match="task a of seed 0"):
        paired_interval(twice, frame({0: {"a": 1.0}}), "v", BOOTSTRAP)


def test_values_come_in_the_order_of_task_names() -> None:
    assert seed_values(frame({1: {"b": 2.0, "a": 1.0}}), "v")[1].tolist() == [1.0, 2.0]


def test_an_interval_that_touches_zero_has_no_sign() -> None:
    assert Interval(0.1, 0.0, 0.2, 5, 0, 1).sign == 0
    assert Interval(-0.1, -0.2, 0.0, 5, 0, 1).sign == 0
    assert Interval(-0.1, -0.2, -0.05, 5, 0, 1).sign == -1


# Unpaired


def test_an_unpaired_difference_is_first_minus_second_over_the_tasks_of_both() -> None:
    interval = unpaired_interval(values(s0=[0.25, 0.25]), values(s0=[1.0, np.nan, 1.0]), BOOTSTRAP)
    assert interval == Interval(-0.75, -0.75, -0.75, 4, 1, 1)
    assert interval.sign == -1


def test_groups_of_as_many_tasks_are_not_resampled_alike() -> None:
    # Were they, equal groups would cancel and leave no width.
    group = values(s0=[0.0, 1.0] * 10)
    interval = unpaired_interval(group, group, BOOTSTRAP)
    assert interval.estimate == 0.0
    assert interval.low is not None
    assert interval.high is not None
    # The standard error is sqrt(2 · ¼ / 20) = 0.158.
    assert (interval.low, interval.high) == pytest.approx((-0.31, 0.31), abs=0.06)


def test_two_groups_of_one_and_two_tasks_give_the_quantiles_of_three_means() -> None:
    wide = unpaired_interval(values(s0=[0.0, 1.0]), values(s0=[1.0]), BOOTSTRAP)
    assert (wide.low, wide.estimate, wide.high) == (-1.0, -0.5, 0.0)


def test_only_seeds_with_a_value_on_both_sides_are_compared() -> None:
    first = values(s0=[1.0], s1=[0.0], s2=[0.0])
    second = values(s0=[0.5], s1=[np.nan], s3=[0.0])
    assert unpaired_interval(first, second, BOOTSTRAP) == Interval(0.5, 0.5, 0.5, 2, 4, 1)
    assert unpaired_interval(values(s0=[1.0]), values(s1=[1.0]), BOOTSTRAP).estimate is None


# Over seeds


def test_spread_over_seeds_is_the_sample_sd_of_seed_means() -> None:
    spread = seed_spread(values(s0=[0.1, 0.3], s1=[0.4], s2=[0.6, np.nan]))
    assert spread.mean == pytest.approx(0.4)
    assert spread.sd == pytest.approx(0.2)
    assert spread.seeds == 3


def test_one_seed_has_no_spread() -> None:
    assert seed_spread(values(s0=[0.5])) == SeedSpread(0.5, None, 1)


def test_no_defined_seed_has_no_mean() -> None:
    assert seed_spread(values(s0=[np.nan])) == SeedSpread(None, None, 0)


def test_student_interval_over_seeds_by_hand() -> None:
    # mean 2, sd 1, n 3: half width t(0.975, 2) / sqrt(3) = 4.302653 / 1.732051.
    interval = seed_interval({0: 1.0, 1: 2.0, 2: 3.0}, 0.95)
    assert interval.estimate == 2.0
    assert interval.high == pytest.approx(2 + 4.302653 / 3**0.5, abs=1e-5)
    assert interval.low == pytest.approx(2 - 4.302653 / 3**0.5, abs=1e-5)
    assert (interval.units, interval.excluded) == (3, 0)


def test_one_seed_has_a_mean_without_bounds() -> None:
    assert seed_interval({4: 2.0, 5: float("nan")}, 0.95) == Interval(2.0, None, None, 1, 1, 1)
    assert seed_interval({}, 0.95) == Interval(None, None, None, 0, 0, 0)
