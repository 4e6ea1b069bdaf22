"""When things happened in the invented world."""

from __future__ import annotations

from datetime import datetime
from random import Random

NOW = datetime(2025, 6, 12, 12, 0, 0)
"""When every task is asked: a Thursday."""


def moment(rng: Random, first_month: int = 1, last_month: int = 6) -> datetime:
    """A moment of 2025 before the day of the tasks, on the full minute."""
    month = rng.randint(first_month, last_month)
    last_day = NOW.day - 1 if month == NOW.month else 28
    return datetime(NOW.year, month, rng.randint(1, last_day), rng.randint(8, 21), rng.randint(0, 59))


def day(rng: Random, month: int) -> str:
    """A date in the month after a given one, as YYYY-MM-DD."""
    return f"{NOW.year}-{month + 1:02d}-{rng.randint(5, 25):02d}"
