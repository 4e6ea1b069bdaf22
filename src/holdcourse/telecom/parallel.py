"""Doing many independent pieces of work in forked worker processes that never outlive their parent.

Workers are forked after the heavy imports, so that they cost little memory and no start-up time. Each
watches for its parent and ends when it is gone, also after a kill -9; Ctrl-C is the parent's to handle.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Generic, TypeVar

from holdcourse.errors import HoldcourseError

Item = TypeVar("Item")
Result = TypeVar("Result")


def unordered(
    make_work: Callable[[], Callable[[Item], Result]], items: Sequence[Item], workers: int
) -> Generator[tuple[Item, Result]]:
    """Yield each item with its result, as they are done.

    Args:
        make_work: called once in each worker (with one worker: here); what it returns does an item.
        items: the work; items and results must be picklable when there is more than one worker.
        workers: number of processes; 1 works in this process.

    Raises:
        HoldcourseError: raised by the work itself, or a worker was killed.
    """
    workers = min(workers, len(items))
    if workers <= 1:
        worker = _Worker(make_work)
        for item in items:
            yield item, worker.do(item)
        return
    yield from _forked(make_work, items, workers)


def _forked(
    make_work: Callable[[], Callable[[Item], Result]], items: Sequence[Item], workers: int
) -> Generator[tuple[Item, Result]]:
    others = set(multiprocessing.active_children())
    watched, alive = os.pipe()
    executor = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("fork"),
        initializer=_start_worker,
        initargs=(_Worker(make_work), watched, alive),
    )
    stopped: HoldcourseError | None = None
    finished = False
    try:
        futures: dict[Future[Result], Item] = {executor.submit(_do, item): item for item in items}
        for future in as_completed(futures):
            if future.cancelled():
                continue
            try:
                result = future.result()
            except HoldcourseError as error:
                # What is under way in other workers may have been paid for: let it finish and be kept.
                stopped = stopped or error
                for waiting in futures:
                    waiting.cancel()
            else:
                yield futures[future], result
        finished = True
    except BrokenProcessPool:
        raise HoldcourseError(
            "a worker process was killed, most likely for lack of memory; what is done is kept: run the same "
            "command again, with fewer workers"
        ) from None
    finally:
        if not finished:
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
        executor.shutdown(wait=True, cancel_futures=True)
        os.close(alive)
        os.close(watched)
    if stopped is not None:
        raise stopped


class _Worker(Generic[Item, Result]):
    """The work of one process, made when the first item comes, so that its errors reach the parent."""

    def __init__(self, make_work: Callable[[], Callable[[Item], Result]]) -> None:
        self._make_work = make_work
        self._work: Callable[[Item], Result] | None = None

    def do(self, item: Item) -> Result:
        if self._work is None:
            self._work = self._make_work()
        return self._work(item)


_here: _Worker[Any, Any] | None = None


def _start_worker(worker: _Worker[Any, Any], watched: int, alive: int) -> None:
    """Make this process a worker. The parent alone holds the pipe's end `alive`: it closes when that dies."""
    global _here
    _here = worker
    os.close(alive)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(watched,), daemon=True).start()


def _end_with_parent(watched: int) -> None:
    os.read(watched, 1)
    os._exit(1)


def _do(item: Any) -> Any:
    if _here is None:
        raise RuntimeError("this process was not started as a worker")
    try:
        return _here.do(item)
    except HoldcourseError as error:
        raise _portable(error) from None


def _portable(error: HoldcourseError) -> HoldcourseError:
    """An error whose constructor takes more than a message cannot cross to the parent as it is."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes, made on this line
    except Exception:
        return HoldcourseError(str(error))
    return error
