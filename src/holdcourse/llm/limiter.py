"""How many calls of one model are in flight at once, over all processes that share a folder.

Additive increase, multiplicative decrease: a 429 halves the limit, a round of answered calls raises it by
one. A slot is a locked file, so the slots of a killed process are free at once. A Retry-After holds back all
callers of the model, not only the one that was told.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from holdcourse.config.llm import ConcurrencyConfig
from holdcourse.llm.shared_record import SharedRecord
from holdcourse.llm.single_flight import acquired

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.1


@dataclass(frozen=True, slots=True)
class LimiterState:
    """The limit now, when it was last halved, and until when nobody may call (epoch seconds)."""

    limit: float
    halved_at: float = 0.0
    blocked_until: float = 0.0


@dataclass(frozen=True, slots=True)
class Slot:
    """A permission to call, and when it was given."""

    given_at: float


class Limiter:
    """The slots of one model."""

    def __init__(self, folder: Path, model: str, config: ConcurrencyConfig) -> None:
        name = re.sub(r"[^A-Za-z0-9.-]+", "_", model)[-60:]
        self._folder = folder / f"{name}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"
        self._config = config
        self._record = SharedRecord(self._folder / "state.json")

    @contextmanager
    def slot(self, deadline: float) -> Iterator[Slot]:
        """Wait for a slot and hold it.

        Args:
            deadline: until when to wait, on the monotonic clock.

        Raises:
            TimeoutError: no slot came free in time.
        """
        handle = self._wait(deadline)
        try:
            yield Slot(time.time())
        finally:
            os.close(handle)

    def answered(self, slot: Slot) -> None:
        """Count an answered call: as many as the limit raise it by one."""
        state = self.state()
        if state.limit >= self._config.max or slot.given_at <= state.halved_at:
            return
        with self._record.changing() as record:
            state = self._read(record.content)
            raised = min(state.limit + 1 / max(state.limit, 1.0), float(self._config.max))
            record.replace(_written(replace(state, limit=raised)))

    def refused(self, slot: Slot, retry_after_s: float) -> None:
        """Halve the limit after a 429, once for all calls that were in flight together."""
        with self._record.changing() as record:
            state, now = self._read(record.content), time.time()
            blocked_until = max(state.blocked_until, now + retry_after_s)
            if slot.given_at > state.halved_at:
                state = LimiterState(max(1.0, state.limit / 2), now, state.blocked_until)
            record.replace(_written(replace(state, blocked_until=blocked_until)))

    def state(self) -> LimiterState:
        """The state that all processes share."""
        return self._read(self._record.read())

    def _read(self, content: bytes) -> LimiterState:
        # A file that cannot be read counts as the start: it is only manners, not money.
        try:
            found = LimiterState(**json.loads(content))
            return replace(found, limit=min(max(1.0, found.limit), float(self._config.max)))
        except (ValueError, TypeError):
            return LimiterState(float(self._config.start))

    def _wait(self, deadline: float) -> int:
        pause = _FIRST_PAUSE_S
        while True:
            state = self.state()
            blocked_s = state.blocked_until - time.time()
            if blocked_s <= 0:
                handle = self._free_slot(int(state.limit))
                if handle is not None:
                    return handle
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            # Which caller comes first is left to chance; no result depends on it.
            wait = max(pause * random.uniform(0.5, 1.0), blocked_s * random.uniform(1.0, 1.1))  # noqa: S311
            time.sleep(min(wait, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)

    def _free_slot(self, limit: int) -> int | None:
        first = random.randrange(limit)  # noqa: S311
        for number in range(limit):
            handle = acquired(self._folder / f"slot{(first + number) % limit:04d}")
            if handle is not None:
                return handle
        return None


def _written(state: LimiterState) -> bytes:
    return json.dumps(asdict(state)).encode()
