"""Doing many pieces of work that mostly wait, as for a hosted model: several at a time in one process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from queue import SimpleQueue
from typing import TypeVar

from holdcourse.errors import HoldcourseError
from holdcourse.llm.deadline import stopping_with

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Generator[tuple[Item, Result]]:
    """Yield each item with its result, as they are done.

    An item is taken from `items` when a thread is free for it. After an error no more are taken; what is
    under way may have been paid for, so it is finished and yielded before the error is raised. A caller that
    stops early stops the threads at their next call to a model.

    Raises:
        HoldcourseError: raised by the work.
    """
    source, taking = iter(items), threading.Lock()
    finished: SimpleQueue[tuple[Item, Result] | BaseException | None] = SimpleQueue()
    stop, abandoned = threading.Event(), threading.Event()

    def serve() -> None:
        with stopping_with(abandoned):
            try:
                while not stop.is_set():
                    with taking:
                        try:
                            item = next(source)
                        except StopIteration:
                            break
                    finished.put((item, work(item)))
            except BaseException as error:
                stop.set()
                finished.put(error)
        finished.put(None)

    # Daemons: an interrupted program must not wait for a slow provider before it ends.
    for number in range(threads):
        threading.Thread(target=serve, daemon=True, name=f"simulation {number}").start()
    running, failed = threads, None
    try:
        while running:
            got = finished.get()
            if got is None:
                running -= 1
            elif isinstance(got, BaseException):
                if not isinstance(got, HoldcourseError):
                    raise got
                failed = failed or got
            else:
                yield got
    finally:
        stop.set()
        abandoned.set()
    if failed is not None:
        raise failed
