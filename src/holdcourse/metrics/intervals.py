"""Bootstrap intervals clustered by task within seed, alone and paired, and spread over seeds.

The unit is a task of a seed: its trials stay together, so an interval does not shrink with the number
of trials. Tasks are resampled with replacement within each seed and seeds are kept **(ours)**; the
statistic is the mean over seeds of the mean over tasks. Such an interval speaks of other tasks like
these, not of other seeds: the spread over seeds stands beside it as mean ± sd, as the paper prints it.
Paired intervals resample both arms alike, task by task, so what the tasks have in common cancels.
Unpaired ones, of groups that have no task in common, resample each group by itself.
What has no tasks (an audit, a length) has the seed as its unit and Student's t over seeds **(ours)**.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from holdcourse.config.schema import EvaluationConfig

Stream = tuple[int, ...]
"""Beside the bootstrap's seed, what a generator starts from."""

_SHARED_DRAWS: Stream = (0,)

FloatArray = NDArray[np.float64]
SeedValues = Mapping[int, FloatArray]
"""By seed, one value a task; NaN where a task's value is undefined."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made: number of resamples, confidence level, seed of the generator."""

    resamples: int
    confidence: float
    seed: int

    @classmethod
    def of(cls, evaluation: EvaluationConfig) -> Self:
        """The settings of conf/evaluation/."""
        return cls(evaluation.resamples, evaluation.confidence, evaluation.bootstrap_seed)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval; the mean is None when no unit has a value, the bounds when there is none.

    `units` counts the task-seeds (or seeds) with a value, `excluded` those without, `seeds` the seeds
    with any.
    """

    estimate: float | None
    low: float | None
    high: float | None
    units: int
    excluded: int
    seeds: int

    @property
    def sign(self) -> int:
        """1 when the whole interval lies above 0, -1 when below, 0 when it holds 0 or is undefined."""
        if self.low is None or self.high is None:
            return 0
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """Mean and sample standard deviation (n - 1) over seeds; sd is None for fewer than two seeds."""

    mean: float | None
    sd: float | None
    seeds: int


def seed_values(scores: pd.DataFrame, value: str) -> dict[int, FloatArray]:
    """One column of a table with a row a (seed, task), as arrays by seed in the order of task names.

    Raises:
        ValueError: a task stands twice in a seed, so the table is not one cell's.
    """
    _refuse_repeats(scores)
    ordered = scores.sort_values(["seed", "task"])
    return {
        int(seed): ordered.loc[ordered["seed"] == seed, value].to_numpy(dtype=np.float64)
        for seed in ordered["seed"].unique()
    }


def paired_differences(first: pd.DataFrame, second: pd.DataFrame, value: str) -> dict[int, FloatArray]:
    """Differences, first - second, task by task, over the (seed, task) pairs that both tables have.

    NaN where either value is undefined.
    """
    _refuse_repeats(first)
    _refuse_repeats(second)
    columns = ["seed", "task", value]
    both = first[columns].merge(second[columns], on=["seed", "task"], suffixes=("_first", "_second"))
    return seed_values(both.assign(difference=both[f"{value}_first"] - both[f"{value}_second"]), "difference")


def mean_interval(values: SeedValues, bootstrap: Bootstrap) -> Interval:
    """Mean over seeds of the mean over tasks, with its percentile bootstrap interval.

    The resampling of a seed depends only on the bootstrap's seed, that seed's number and its number of
    tasks. So two cells over the same tasks are resampled alike, and the order of seeds is immaterial.

    Args:
        values: by seed, one value a task.
        bootstrap: resamples, confidence, seed.
    """
    return _interval(values, {seed: (seed,) for seed in values}, bootstrap)


def joint_interval(scores: pd.DataFrame, value: str, bootstrap: Bootstrap) -> Interval:
    """As `mean_interval`, but the cluster is a task with all its seeds: every seed draws the same tasks.

    Args:
        scores: a table with a row a (seed, task); a task that a seed lacks counts as excluded there.
        value: the column.
        bootstrap: resamples, confidence, seed.

    Raises:
        ValueError: a task stands twice in a seed.
    """
    _refuse_repeats(scores)
    table = scores.pivot(index="seed", columns="task", values=value)
    matrix = table.to_numpy(dtype=np.float64)
    values = {int(seed): row for seed, row in zip(table.index, matrix, strict=True)}
    return _interval(values, dict.fromkeys(values, _SHARED_DRAWS), bootstrap)


def paired_interval(first: pd.DataFrame, second: pd.DataFrame, value: str, bootstrap: Bootstrap) -> Interval:
    """Interval of the mean paired difference first - second; see `paired_differences`."""
    return mean_interval(paired_differences(first, second, value), bootstrap)


def unpaired_interval(first: SeedValues, second: SeedValues, bootstrap: Bootstrap) -> Interval:
    """Interval of the mean of first minus that of second, two groups of different tasks.

    Each group is drawn from a stream of its own: two groups of as many tasks would else be resampled alike,
    as if their tasks were pairs. `units` and `excluded` count tasks of both; a seed in which one group has no
    value is excluded.

    Args:
        first: by seed, one value a task.
        second: likewise.
        bootstrap: resamples, confidence, seed.
    """
    known = [
        seed
        for seed in sorted(first.keys() & second.keys())
        if not np.isnan(first[seed]).all() and not np.isnan(second[seed]).all()
    ]
    pairs = [(first[seed], second[seed]) for seed in known]
    units = sum(int((~np.isnan(array)).sum()) for pair in pairs for array in pair)
    excluded = sum(len(array) for group in (first, second) for array in group.values()) - units
    if not known:
        return Interval(None, None, None, 0, excluded, 0)
    estimate = float(np.mean([np.nanmean(one) - np.nanmean(other) for one, other in pairs]))
    means = np.array(
        [
            _resampled_means(first[seed], (seed, 1), bootstrap)
            - _resampled_means(second[seed], (seed, 2), bootstrap)
            for seed in known
        ]
    )
    return Interval(estimate, *_bounds(means, bootstrap), units, excluded, len(known))


def seed_interval(values: Mapping[int, float], confidence: float) -> Interval:
    """Mean over seeds with a Student t interval, for what has one value a seed; NaN is left out.

    The bounds are None with fewer than two seeds.
    """
    defined = [value for _, value in sorted(values.items()) if not math.isnan(value)]
    seeds, excluded = len(defined), len(values) - len(defined)
    if not defined:
        return Interval(None, None, None, 0, excluded, 0)
    mean = math.fsum(defined) / seeds
    if seeds < 2:
        return Interval(mean, None, None, seeds, excluded, seeds)
    quantile = float(stats.t.ppf((1.0 + confidence) / 2.0, seeds - 1))
    half = quantile * float(np.std(defined, ddof=1)) / math.sqrt(seeds)
    return Interval(mean, mean - half, mean + half, seeds, excluded, seeds)


def seed_spread(values: SeedValues) -> SeedSpread:
    """Mean ± sd over seeds of each seed's mean over tasks; seeds with no defined value are left out."""
    means = [float(np.nanmean(array)) for array in values.values() if not np.isnan(array).all()]
    if not means:
        return SeedSpread(None, None, 0)
    sd = float(np.std(means, ddof=1)) if len(means) > 1 else None
    return SeedSpread(math.fsum(means) / len(means), sd, len(means))


def _interval(values: SeedValues, draws: Mapping[int, Stream], bootstrap: Bootstrap) -> Interval:
    """Percentile bootstrap; `draws` says by seed which stream its tasks are drawn from."""
    defined = {seed: array for seed, array in sorted(values.items()) if not np.isnan(array).all()}
    units = sum(int((~np.isnan(array)).sum()) for array in values.values())
    excluded = sum(len(array) for array in values.values()) - units
    if not defined:
        return Interval(None, None, None, 0, excluded, 0)
    estimate = float(np.mean([np.nanmean(array) for array in defined.values()]))
    means = np.array([_resampled_means(array, draws[seed], bootstrap) for seed, array in defined.items()])
    return Interval(estimate, *_bounds(means, bootstrap), units, excluded, len(defined))


def _bounds(means: FloatArray, bootstrap: Bootstrap) -> tuple[float, float]:
    """Percentiles over resamples of the mean over seeds, of (seeds, resamples)."""
    tail = (1.0 - bootstrap.confidence) / 2.0
    low, high = np.quantile(_mean_over_seeds(means), [tail, 1.0 - tail])
    return float(low), float(high)


def _resampled_means(values: FloatArray, stream: Stream, bootstrap: Bootstrap) -> FloatArray:
    """Mean over the drawn tasks that have a value, one a resample; NaN when none of them has."""
    weights = _task_weights(len(values), bootstrap.resamples, bootstrap.seed, stream)
    has_value = ~np.isnan(values)
    totals = weights @ np.where(has_value, values, 0.0)
    counts = weights @ has_value.astype(np.float64)
    means: FloatArray = np.divide(totals, counts, out=np.full(len(totals), np.nan), where=counts > 0)
    return means


@lru_cache(maxsize=128)
def _task_weights(tasks: int, resamples: int, bootstrap_seed: int, stream: Stream) -> FloatArray:
    """How often each task is drawn, (resamples, tasks); kept, because every cell of a table asks for it."""
    generator = np.random.default_rng([bootstrap_seed, *stream])
    weights = generator.multinomial(tasks, np.full(tasks, 1.0 / tasks), size=resamples).astype(np.float64)
    weights.setflags(write=False)
    return weights


def _mean_over_seeds(means: FloatArray) -> FloatArray:
    """Column means of (seeds, resamples), without the resamples in which no seed has a value."""
    has_value = ~np.isnan(means)
    counts = has_value.sum(axis=0)
    totals = np.where(has_value, means, 0.0).sum(axis=0)
    return np.asarray(totals[counts > 0] / counts[counts > 0], dtype=np.float64)


def _refuse_repeats(scores: pd.DataFrame) -> None:
    repeated = scores[scores.duplicated(["seed", "task"])]
    if len(repeated):
        raise ValueError(
            f"task {repeated['task'].iloc[0]} of seed {repeated['seed'].iloc[0]} stands more than once; "
            "give the rows of one arm, checkpoint and k"
        )
