"""What processes share through files: locks that end with their holder, limits of a model, money spent."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from holdcourse.config.llm import BudgetConfig, ConcurrencyConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.budget import Budget, Charge, Mean, measured_means
from holdcourse.llm.failures import BudgetReachedError, TimedOutError
from holdcourse.llm.limiter import Limiter, LimiterState, Slot
from holdcourse.llm.shared_record import SharedRecord
from holdcourse.llm.single_flight import hold

UNLIMITED = BudgetConfig(usd=None, calls=None, tokens=None)


def test_a_lock_keeps_others_out_until_it_ends(tmp_path):
    with hold(tmp_path / "a"):
        with hold(tmp_path / "b"):
            pass
        with pytest.raises(TimedOutError, match="longer than 0"), hold(tmp_path / "a", wait_s=0):
            pass
    with hold(tmp_path / "a", wait_s=0):
        pass
    assert list(tmp_path.iterdir()) == []


def test_one_at_a_time_whatever_the_timing(tmp_path):
    inside, most = [], []

    def enter() -> None:
        for _ in range(20):
            with hold(tmp_path / "lock"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 120
    assert set(most) == {1}


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    holder = (
        "import sys, time, pathlib\n"
        "from holdcourse.llm.single_flight import hold\n"
        "with hold(pathlib.Path(sys.argv[1])):\n"
        "    print('held', flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", holder, str(tmp_path / "lock")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout.readline() == "held\n"
    with pytest.raises(TimedOutError), hold(tmp_path / "lock", wait_s=0):
        pass
    process.kill()
    process.wait()
    with hold(tmp_path / "lock", wait_s=5):
        pass


def test_a_record_is_changed_in_place_and_may_shrink(tmp_path):
    record = SharedRecord(tmp_path / "deep" / "r.json")
    assert record.read() == b""
    for content in (b'{"long": "content"}', b"{}"):
        with record.changing() as open_record:
            open_record.replace(content)
        assert record.read().rstrip() == content


@pytest.fixture
def limiter(tmp_path):
    return Limiter(tmp_path, "openai/some model", ConcurrencyConfig(start=8, max=16, simulations=1))


def test_slots_are_as_many_as_the_limit(limiter, tmp_path):
    taken = [limiter.slot(time.monotonic()) for _ in range(8)]
    for slot in taken:
        slot.__enter__()
    with pytest.raises(TimeoutError), limiter.slot(time.monotonic() + 0.02):
        pass
    taken[3].__exit__(None, None, None)
    with limiter.slot(time.monotonic()):
        pass
    other = Limiter(tmp_path, "openai/other", ConcurrencyConfig(start=1, max=1, simulations=1))
    with other.slot(time.monotonic()):
        pass


def test_a_429_halves_once_for_calls_that_were_in_flight_together(limiter):
    together = [Slot(time.time()) for _ in range(5)]
    for slot in together:
        limiter.refused(slot, 0.0)
    assert limiter.state().limit == 4
    limiter.refused(Slot(time.time()), 0.0)
    assert limiter.state().limit == 2
    for _ in range(5):
        limiter.refused(Slot(time.time()), 0.0)
    assert limiter.state().limit == 1


def test_a_round_of_answers_raises_the_limit_by_about_one_up_to_the_most(limiter):
    for _ in range(8):
        limiter.answered(Slot(time.time()))
    assert 8.9 < limiter.state().limit < 9.0
    for _ in range(500):
        limiter.answered(Slot(time.time()))
    assert limiter.state().limit == 16


def test_answers_to_calls_from_before_a_429_do_not_raise_it(limiter):
    before = Slot(time.time())
    limiter.refused(Slot(time.time()), 0.0)
    limiter.answered(before)
    assert limiter.state().limit == 4


def test_retry_after_holds_back_every_caller(limiter, tmp_path):
    limiter.refused(Slot(time.time()), 0.2)
    other = Limiter(tmp_path, "openai/some model", ConcurrencyConfig(start=8, max=16, simulations=1))
    with pytest.raises(TimeoutError), other.slot(time.monotonic() + 0.02):
        pass
    started = time.monotonic()
    with other.slot(time.monotonic() + 5):
        assert time.monotonic() - started > 0.05


def test_a_state_that_cannot_be_read_is_the_start(limiter, tmp_path):
    limiter.refused(Slot(time.time()), 0.0)
    (state,) = tmp_path.rglob("state.json")
    state.write_text("{")
    assert limiter.state() == LimiterState(8.0)


def charge(calls=1, prompt=100, completion=10, usd=0.5):
    return Charge(calls, prompt, completion, usd)


def reserve(budget, estimate, role="agent", model="m"):
    return budget.reserve(role, model, lambda mean: estimate)


def test_an_estimate_counts_until_it_is_settled(tmp_path):
    budget = Budget(tmp_path / "b.json", UNLIMITED)
    estimate = reserve(budget, charge(usd=0.9))
    assert budget.spent().usd == pytest.approx(0.9)
    budget.settle("agent", "m", estimate, charge())
    assert (budget.spent().calls, budget.spent().tokens) == (1, 110)
    assert budget.spent().usd == pytest.approx(0.5)
    budget.settle("agent", "m", reserve(budget, charge()), None)
    assert budget.spent().calls == 1


def test_jobs_share_one_budget_and_none_passes_it(tmp_path):
    config = BudgetConfig(usd=None, calls=40, tokens=None)
    refused = []

    def spend() -> None:
        budget = Budget(tmp_path / "b.json", config)
        for _ in range(15):
            try:
                budget.settle("agent", "m", reserve(budget, charge()), charge())
            except BudgetReachedError:
                refused.append(1)

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Budget(tmp_path / "b.json", config).spent().calls == 40
    assert len(refused) == 20


def test_one_unknown_price_makes_the_sum_unknown(tmp_path):
    budget = Budget(tmp_path / "b.json", UNLIMITED)
    reserve(budget, charge(usd=None))
    reserve(budget, charge())
    assert budget.spent().usd is None
    assert budget.spent().text() == "0.5000 USD and 1 calls of unknown price, 2 calls, 220 tokens"


def test_means_are_of_answered_calls_by_role_and_model(tmp_path):
    budget = Budget(tmp_path / "b.json", UNLIMITED)
    for completion in (10, 30):
        budget.settle("agent", "m", reserve(budget, charge()), charge(completion=completion))
    reserve(budget, charge(completion=999))
    assert measured_means(tmp_path / "b.json") == {("agent", "m"): Mean(2, 100.0, 20.0)}
    assert measured_means(tmp_path / "none.json") == {}


def test_a_damaged_account_is_an_error_not_a_fresh_start(tmp_path):
    (tmp_path / "b.json").write_text('{"version": 1, "li')
    with pytest.raises(HoldcourseError, match="is damaged"):
        Budget(tmp_path / "b.json", UNLIMITED).spent()
