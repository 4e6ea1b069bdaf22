"""A server that follows a script: the n-th call gets the n-th act, then the last act for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tests.servers.loopback import Answer, Asked, Loopback

Act = Answer | Callable[[Asked], Answer]


class Scripted(Loopback):
    """`asked` holds what came, in order of arrival."""

    def __init__(self, *acts: Act) -> None:
        assert acts, "a script needs an act"
        super().__init__(self._play)
        self._acts = acts
        self._guard = threading.Lock()
        self.asked: list[Asked] = []

    @property
    def calls(self) -> int:
        return len(self.asked)

    def _play(self, asked: Asked) -> Answer:
        with self._guard:
            act = self._acts[min(len(self.asked), len(self._acts) - 1)]
            self.asked.append(asked)
        return act if isinstance(act, Answer) else act(asked)
