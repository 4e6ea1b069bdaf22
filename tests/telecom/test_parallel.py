import os
from collections.abc import Callable

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.telecom.parallel import unordered


class TwoPartError(HoldcourseError):
    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} at {where}")


def squares() -> Callable[[int], tuple[int, int]]:
    return lambda number: (number * number, os.getpid())


def failing_at_three() -> Callable[[int], int]:
    def work(number: int) -> int:
        if number == 3:
            raise TwoPartError("no budget", "three")
        return number

    return work


def unable_to_start() -> Callable[[int], int]:
    raise HoldcourseError("no key in the environment")


def killed(number: int) -> int:
    os._exit(9)


@pytest.mark.parametrize("workers", [1, 2, 50])
def test_every_item_gets_its_own_result(workers):
    results = dict(unordered(squares, range(20), workers))
    assert {item: result[0] for item, result in results.items()} == {n: n * n for n in range(20)}


def test_more_than_one_worker_means_other_processes():
    assert {pid for _, (_, pid) in unordered(squares, range(5), 1)} == {os.getpid()}
    assert os.getpid() not in {pid for _, (_, pid) in unordered(squares, range(5), 2)}


@pytest.mark.parametrize("workers", [1, 2])
def test_no_work_starts_nothing(workers):
    assert list(unordered(unable_to_start, [], workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_that_stops_the_work_reaches_the_caller_with_its_message(workers):
    with pytest.raises(HoldcourseError, match="no budget at three"):
        list(unordered(failing_at_three, range(10), workers))
    with pytest.raises(HoldcourseError, match="no key in the environment"):
        list(unordered(unable_to_start, range(10), workers))


def test_a_killed_worker_is_told_with_what_to_do():
    with pytest.raises(HoldcourseError, match="run the same command again, with fewer workers"):
        list(unordered(lambda: killed, range(4), 2))


@pytest.mark.parametrize(("workers", "items"), [(1, [0, 1, 2, 3, 4]), (2, [0, 1, 2, 3])])
def test_what_was_done_before_the_error_is_handed_over(workers, items):
    done = []

    def take_all() -> None:
        for item, _ in unordered(failing_at_three, items, workers):
            done.append(item)

    with pytest.raises(HoldcourseError):
        take_all()
    assert sorted(done) == [0, 1, 2]


def test_a_caller_that_stops_early_leaves_no_process_behind():
    results = unordered(squares, range(1000), 2)
    _, (_, worker) = next(results)
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
