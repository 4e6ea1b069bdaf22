"""A failed try is made again when that can help, a bounded number of times, after a bounded wait."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from holdcourse.config.llm import RetriesConfig
from holdcourse.llm.deadline import time_limit
from holdcourse.llm.failures import BadRequestError, RateLimitedError, ServerError, TimedOutError
from holdcourse.llm.retries import FailedTryError, retry_after_s, with_retries

CONFIG = RetriesConfig(
    attempts=6, answer_attempts=1, first_wait_s=1.0, longest_wait_s=8.0, longest_retry_after_s=30.0
)


class Failing:
    """Fails a number of times, then answers."""

    def __init__(self, times: int, **how) -> None:
        self.tries, self.times = 0, times
        self.how = {"error": ServerError("oops"), "again": True, **how}

    def __call__(self) -> str:
        self.tries += 1
        if self.tries <= self.times:
            raise FailedTryError(**self.how)
        return "answer"


def test_waits_grow_to_a_bound_and_are_jittered():
    waits = []
    for _ in range(200):
        assert with_retries(CONFIG, Failing(5), waits.append) == "answer"
    rounds = [waits[place::5] for place in range(5)]
    for bound, seen in zip((1, 2, 4, 8, 8), rounds, strict=True):
        assert 0 <= min(seen) < bound / 2 < max(seen) <= bound


def test_it_gives_up_with_the_last_error_after_its_attempts():
    work = Failing(99)
    with pytest.raises(ServerError, match="oops"):
        with_retries(CONFIG, work, lambda _: None)
    assert work.tries == 6


def test_what_cannot_help_is_not_tried_again():
    work = Failing(99, error=BadRequestError("no"), again=False)
    with pytest.raises(BadRequestError):
        with_retries(CONFIG, work, pytest.fail)
    assert work.tries == 1


@pytest.mark.parametrize(
    ("asked", "least", "most"), [(7.0, 7.0, 7.8), (86400.0, 30.0, 30.8), (0.0, 0.0, 0.8)]
)
def test_retry_after_is_obeyed_up_to_its_bound(asked, least, most):
    waits = []
    with_retries(CONFIG, Failing(5, error=RateLimitedError("slow"), retry_after_s=asked), waits.append)
    assert all(least <= wait <= most for wait in waits)


def test_no_wait_outlasts_the_time_limit_around():
    waits = []
    with time_limit(0.5):
        with_retries(CONFIG, Failing(1, retry_after_s=20.0), waits.append)
    assert 0 < waits[0] <= 0.5
    with pytest.raises(TimedOutError), time_limit(0.0):
        with_retries(CONFIG, Failing(1), pytest.fail)


NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-4", 0.0),
        ("Mon, 30 Nov 2026 12:00:20 GMT", 20.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    assert retry_after_s(header, NOW) == seconds
