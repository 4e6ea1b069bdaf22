"""How far a long job is, how fast and at what price: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
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
        self._spent_usd = 0.0
        self._unpriced = 0
        self._bar: Bar | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[told]}"),
            )
            # No refreshing thread: the workers are forked while the bar is on.
            self._bar = Bar(*columns, console=Console(stderr=True), auto_refresh=False)
            self._task = self._bar.add_task(self._label, total=self._total, completed=self._done, told="")
            self._bar.start()
        elif self._earlier:
            self._print(f"{self._earlier} of {self._total} were done before")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.update(self._task, told=self._told())
            self._bar.refresh()
            self._bar.stop()
        elif self._done > self._earlier:
            self._print(self.line())

    def advance(self, cost_usd: float | None = 0.0) -> None:
        """Count one more finished item and what was paid for it; None is an unknown price."""
        self._done += 1
        self._spent_usd += cost_usd or 0.0
        self._unpriced += cost_usd is None
        if self._bar is not None:
            self._bar.advance(self._task)
            if time.monotonic() - self._last_line >= REFRESH_EVERY_S:
                self._last_line = time.monotonic()
                self._bar.update(self._task, told=self._told())
                self._bar.refresh()
        elif time.monotonic() - self._last_line >= LINE_EVERY_S:
            self._last_line = time.monotonic()
            self._print(self.line())

    def line(self) -> str:
        """Done, total, rate, money and time left, in words."""
        return f"{self._done} of {self._total} done, {self._told()}"

    def _told(self) -> str:
        elapsed = max(time.monotonic() - self._started, 1e-9)
        finished, left = self._done - self._earlier, self._total - self._done
        rate = finished / elapsed
        parts = [
            f"{rate:.1f} a second" if rate >= 1 else f"{rate * 60:.1f} a minute",
            *self._money(finished, left),
        ]
        if rate and left:
            parts.append(f"{_duration(left / rate)} left")
        return ", ".join(parts)

    def _money(self, finished: int, left: int) -> list[str]:
        """What this run has paid, and about what the rest will cost; nothing where all was free."""
        if self._unpriced:
            return [f"cost unknown (at least ${self._spent_usd:,.2f})" if self._spent_usd else "cost unknown"]
        if not self._spent_usd:
            return []
        rest = f", about ${self._spent_usd / finished * left:,.2f} to go" if left else ""
        return [f"${self._spent_usd:,.2f} spent{rest}"]

    def _print(self, text: str) -> None:
        print(f"{self._label}: {text}", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
    )
