"""How far a long job is: a bar on a terminal, else a line now and then; always on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

LINE_EVERY_S = 10.0
REFRESH_EVERY_S = 0.2


class Progress:
    """Counts finished items of a job; a context manager.

    Args:
        label: what the items are.
        total: how many there are in all.
        done: how many of them an earlier run had finished.
    """

    def __init__(self, label: str, total: int, done: int) -> None:
        self._label, self._total, self._earlier, self._done = label, total, done, done
        self._started = self._last_line = time.monotonic()
        self._bar: Bar | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            # No refreshing thread: the workers are forked while the bar is on.
            self._bar = Bar(*columns, console=Console(stderr=True), auto_refresh=False)
            self._task = self._bar.add_task(self._label, total=self._total, completed=self._done)
            self._bar.start()
        elif self._earlier:
            self._print(f"{self._earlier} of {self._total} were done before")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.refresh()
            self._bar.stop()
        elif self._done > self._earlier:
            self._print(self.line())

    def advance(self) -> None:
        """Count one more finished item."""
        self._done += 1
        if self._bar is not None:
            self._bar.advance(self._task)
            if time.monotonic() - self._last_line >= REFRESH_EVERY_S:
                self._last_line = time.monotonic()
                self._bar.refresh()
        elif time.monotonic() - self._last_line >= LINE_EVERY_S:
            self._last_line = time.monotonic()
            self._print(self.line())

    def line(self) -> str:
        """Done, total, rate and time left, in words."""
        elapsed = max(time.monotonic() - self._started, 1e-9)
        rate = (self._done - self._earlier) / elapsed
        text = f"{self._done} of {self._total} done, {rate:.1f} a second"
        if rate and self._done < self._total:
            text += f", {_duration((self._total - self._done) / rate)} left"
        return text

    def _print(self, text: str) -> None:
        print(f"{self._label}: {text}", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
    )
