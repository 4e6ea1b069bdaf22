"""What agent code prints: kept up to a bound while it runs, and cut to a length for the agent to read."""

from __future__ import annotations

import io
from collections.abc import Callable


class BoundedText(io.StringIO):
    """A text that takes so many characters; then it stops the writer once, and takes no more."""

    def __init__(self, longest: int, record: Callable[[str], None]) -> None:
        super().__init__()
        self._left = longest
        self._longest = longest
        self._record = record
        self._full = False

    def write(self, text: str, /) -> int:
        """Take a text whole or not at all.

        Raises:
            OverflowError: it does not fit, for the first time.
        """
        if self._full:
            return len(text)
        if len(text) > self._left:
            self._full = True
            self._record(f"printing more than {self._longest} characters")
            raise OverflowError(f"more than {self._longest} characters were printed")
        self._left -= len(text)
        return super().write(text)


def cut(output: str, longest: int) -> str:
    """An output in the length in which it enters a history, its beginning kept."""
    if len(output) <= longest:
        return output
    return f"{output[:longest]}\n[cut: {len(output)} characters in all]"
