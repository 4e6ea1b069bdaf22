import os
import threading
import time

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.llm.deadline import StoppedError, remaining_s
from holdcourse.telecom.parallel import unordered
from holdcourse.telecom.threads import in_threads


def test_items_are_in_hand_together():
    together = threading.Barrier(5, timeout=10)

    def work(item: int) -> int:
        together.wait()
        return -item

    assert sorted(in_threads(work, range(10), 5)) == [(n, -n) for n in range(10)]


def test_an_item_is_taken_when_a_thread_is_free_for_it():
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number

    results = in_threads(lambda item: time.sleep(0.02), items(), 3)
    next(results)
    assert len(taken) <= 8
    results.close()


def test_after_an_error_what_is_under_way_is_finished_and_kept():
    started = threading.Barrier(3, timeout=10)
    taken = []

    def work(item: int) -> int:
        taken.append(item)
        started.wait()
        if item == 1:
            raise HoldcourseError("budget")
        time.sleep(0.05)
        return item

    done = []

    def take_all() -> None:
        done.extend(in_threads(work, range(30), 3))

    with pytest.raises(HoldcourseError, match="budget"):
        take_all()
    assert len(taken) == 3


def test_other_errors_come_through_at_once():
    def work(item: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(in_threads(work, range(5), 2))


def test_a_caller_that_stops_early_stops_the_threads_at_their_next_call():
    stopped = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            return 0
        try:
            while True:
                remaining_s(1.0)
                time.sleep(0.005)
        except StoppedError:
            stopped.set()
            raise

    results = in_threads(work, range(2), 2)
    assert next(results) == (0, 0)
    results.close()
    assert stopped.wait(5)


def squares():
    return lambda number: (number * number, os.getpid(), threading.get_ident())


@pytest.mark.parametrize(("workers", "threads"), [(1, 4), (2, 4), (3, 50)])
def test_every_item_gets_its_own_result_in_processes_and_threads(workers, threads):
    results = dict(unordered(squares, range(60), workers, threads))
    assert {item: result[0] for item, result in results.items()} == {n: n * n for n in range(60)}
    processes = {result[1] for result in results.values()}
    assert (os.getpid() in processes) == (workers == 1)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_ends_processes_and_threads_with_its_message(workers):
    def make():
        def work(number: int) -> int:
            if number == 7:
                raise HoldcourseError("no budget")
            return number

        return work

    with pytest.raises(HoldcourseError, match="no budget"):
        list(unordered(make, range(40), workers, 4))


def test_work_is_made_once_a_process_whatever_the_threads():
    made = []

    def make():
        made.append(1)
        time.sleep(0.05)
        return lambda item: item

    list(unordered(make, range(8), 1, 8))
    assert made == [1]
