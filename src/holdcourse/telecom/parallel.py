"""Doing many independent pieces of work in forked worker processes, and in threads of each.

Workers are forked after the heavy imports, so that they cost little memory and no start-up time. Each
watches for its parent and ends when it is gone, also after a kill -9; Ctrl-C is the parent's to handle.
Work that computes wants processes; work that waits for a provider wants threads.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Generic, TypeVar

from holdcourse.errors import HoldcourseError
from holdcourse.telecom.threads import in_threads

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOK_EVERY_S = 0.02


def unordered(
    make_work: Callable[[], Callable[[Item], Result]],
    items: Sequence[Item],
    workers: int,
    threads: int = 1,
) -> Generator[tuple[Item, Result]]:
    """Yield each item with its result, as they are done.

    Args:
        make_work: called once in each worker (with one worker: here); what it returns does an item.
        items: the work; items and results must be picklable when there is more than one worker.
        workers: number of processes; 1 works in this process.
        threads: how many items each process has in hand at a time.

    Raises:
        HoldcourseError: raised by the work itself, or a worker was killed.
    """
    workers = min(workers, len(items))
    if workers > 1:
        yield from _forked(make_work, items, workers, threads)
    elif threads > 1:
        yield from in_threads(_Worker(make_work).do, items, min(threads, len(items)))
    else:
        worker = _Worker(make_work)
        for item in items:
            yield item, worker.do(item)


def _forked(
    make_work: Callable[[], Callable[[Item], Result]], items: Sequence[Item], workers: int, threads: int
) -> Generator[tuple[Item, Result]]:
    others = set(multiprocessing.active_children())
    watched, alive = os.pipe()
    context = multiprocessing.get_context("fork")
    share = _Share(items, threads, context.Value("q", 0), context.SimpleQueue())
    executor = ProcessPoolExecutor(
        workers,
        mp_context=context,
        initializer=_start_worker,
        initargs=(_Worker(make_work), share, watched, alive),
    )
    stopped: HoldcourseError | None = None
    finished = False
    try:
        serving = [executor.submit(_serve) for _ in range(workers)]
        for index, result in _arriving(share, serving):
            if index is None:
                # What is under way in other workers may have been paid for: let it finish and be kept.
                share.take_no_more()
                stopped = stopped or result
            else:
                yield items[index], result
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


class _Share(Generic[Item]):
    """What the processes share: items that each takes from when it is free, and the way back for results."""

    def __init__(self, items: Sequence[Item], threads: int, taken: Any, results: Any) -> None:
        self.items = items
        self.threads = threads
        self.results = results
        self._taken = taken

    def indices(self) -> Iterator[int]:
        """Indices of items that nobody else works on."""
        while True:
            with self._taken.get_lock():
                index = self._taken.value
                self._taken.value = index + 1
            if index >= len(self.items):
                return
            yield index

    def take_no_more(self) -> None:
        """Let no process take another item."""
        with self._taken.get_lock():
            self._taken.value = len(self.items)


def _arriving(share: _Share[Any], serving: Sequence[Future[None]]) -> Generator[tuple[int | None, Any]]:
    """Results by index, as they come; an error that stops the work has the index None."""
    # Not concurrent.futures.wait: interrupted at the wrong moment it keeps a future's lock, and the executor,
    # which needs it, never ends.
    ended: queue.SimpleQueue[Future[None]] = queue.SimpleQueue()
    for future in serving:
        future.add_done_callback(ended.put)
    left = len(serving)
    while left or not share.results.empty():
        while not share.results.empty():
            yield share.results.get()
        if left:
            with contextlib.suppress(queue.Empty):
                ended.get(timeout=_LOOK_EVERY_S).result()
                left -= 1


class _Worker(Generic[Item, Result]):
    """The work of one process, made when the first item comes, so that its errors reach the parent."""

    def __init__(self, make_work: Callable[[], Callable[[Item], Result]]) -> None:
        self._make_work = make_work
        self._work: Callable[[Item], Result] | None = None
        self._making = threading.Lock()

    def do(self, item: Item) -> Result:
        with self._making:
            if self._work is None:
                self._work = self._make_work()
        return self._work(item)


_here: tuple[_Worker[Any, Any], _Share[Any]] | None = None


def _start_worker(worker: _Worker[Any, Any], share: _Share[Any], watched: int, alive: int) -> None:
    """Make this process a worker. The parent alone holds the pipe's end `alive`: it closes when that dies."""
    global _here
    _here = (worker, share)
    os.close(alive)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(watched,), daemon=True).start()


def _end_with_parent(watched: int) -> None:
    os.read(watched, 1)
    os._exit(1)


def _serve() -> None:
    """Work on items until none is left."""
    if _here is None:
        raise RuntimeError("this process was not started as a worker")
    worker, share = _here

    def do(index: int) -> Any:
        return worker.do(share.items[index])

    try:
        if share.threads > 1:
            for found in in_threads(do, share.indices(), share.threads):
                share.results.put(found)
        else:
            for index in share.indices():
                share.results.put((index, do(index)))
    except HoldcourseError as error:
        share.take_no_more()
        share.results.put((None, _portable(error)))


def _portable(error: HoldcourseError) -> HoldcourseError:
    """An error whose constructor takes more than a message cannot cross to the parent as it is."""
    try:
        return type(error)(str(error))
    except TypeError:
        return HoldcourseError(str(error))
