"""Bootstrap intervals of ratios of counts, such as precision and F1: tasks are resampled, not what they hold.

The statistic is taken of the sums over tasks, so that a task with many steps weighs by its steps; a resample
draws whole tasks with all their counts. Paired differences draw both sides alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from holdcourse.metrics.intervals import Bootstrap, FloatArray, Interval

Statistic = Callable[[FloatArray], FloatArray]
"""From sums, (resamples, counts), to values, (resamples,); NaN where it is undefined."""


def share(counts: FloatArray) -> FloatArray:
    """Hits over hits and misses, the two columns."""
    return _ratio(counts[:, 0], counts[:, 0] + counts[:, 1])


def precision(counts: FloatArray) -> FloatArray:
    """Of the columns true positives, false positives, false negatives."""
    return _ratio(counts[:, 0], counts[:, 0] + counts[:, 1])


def recall(counts: FloatArray) -> FloatArray:
    """Of the columns true positives, false positives, false negatives."""
    return _ratio(counts[:, 0], counts[:, 0] + counts[:, 2])


def f1(counts: FloatArray) -> FloatArray:
    """Of the columns true positives, false positives, false negatives."""
    return _ratio(2 * counts[:, 0], 2 * counts[:, 0] + counts[:, 1] + counts[:, 2])


def mean_of_sums(counts: FloatArray) -> FloatArray:
    """A sum over the number of its terms, the two columns."""
    return _ratio(counts[:, 0], counts[:, 1])


def count_interval(counts: FloatArray, statistic: Statistic, bootstrap: Bootstrap) -> Interval:
    """A statistic of the sums over tasks, with its percentile bootstrap interval.

    Args:
        counts: a row a task.
        statistic: what is made of the sums.
        bootstrap: resamples, confidence, seed.

    Returns:
        `units` counts the tasks with any count, `excluded` those without; the estimate is None where the
        statistic is undefined.
    """
    units = int((counts != 0).any(axis=1).sum())
    estimate = float(statistic(counts.sum(axis=0, keepdims=True))[0]) if units else np.nan
    if np.isnan(estimate):
        return Interval(None, None, None, units, len(counts) - units, 1 if units else 0)
    values = statistic(_drawn(len(counts), bootstrap.resamples, bootstrap.seed) @ counts)
    tail = (1.0 - bootstrap.confidence) / 2.0
    low, high = np.nanquantile(values, [tail, 1.0 - tail])
    return Interval(estimate, float(low), float(high), units, len(counts) - units, 1)


def paired_count_interval(
    first: FloatArray, second: FloatArray, statistic: Statistic, bootstrap: Bootstrap
) -> Interval:
    """The difference first - second of a statistic over the same tasks, a row a task in both.

    Raises:
        ValueError: they have not the same shape.
    """
    if first.shape != second.shape:
        raise ValueError(f"paired counts are of the same tasks; got {first.shape} and {second.shape}")
    columns = first.shape[1]

    def difference(counts: FloatArray) -> FloatArray:
        return statistic(counts[:, :columns]) - statistic(counts[:, columns:])

    return count_interval(np.hstack([first, second]), difference, bootstrap)


@lru_cache(maxsize=32)
def _drawn(tasks: int, resamples: int, seed: int) -> FloatArray:
    """How often each task is drawn, (resamples, tasks); kept, because every metric asks for it."""
    generator = np.random.default_rng([seed, 0])
    drawn = generator.multinomial(tasks, np.full(tasks, 1.0 / tasks), resamples).astype(np.float64)
    drawn.setflags(write=False)
    return drawn


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    result: FloatArray = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return result
