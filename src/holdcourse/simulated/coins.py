"""Coins: every random choice of the simulated model is a hash of (seed, digest, purpose).

Nothing is drawn from a generator, so the same request gets the same reply whatever was asked before,
in whatever order and on however many workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Option = TypeVar("Option")

_MANTISSA = 53


@dataclass(frozen=True, slots=True)
class Coins:
    """The coins of one request, or of one conversation.

    `seed` is the sampling seed of the request; `digest` is the request's, or that of the opening of a
    conversation, so that what is recalled at the start is recalled to the end.
    """

    seed: int | None
    digest: str

    def value(self, purpose: str) -> float:
        """A number in [0, 1), uniform over purposes."""
        material = f"{self.seed}\x00{self.digest}\x00{purpose}".encode()
        head = int.from_bytes(hashlib.sha256(material).digest()[:8], "big")
        return (head >> (64 - _MANTISSA)) / float(1 << _MANTISSA)

    def comes_true(self, probability: float, purpose: str) -> bool:
        """True with the given probability: never at 0, always at 1."""
        return self.value(purpose) < probability

    def choose(self, options: Sequence[Option], purpose: str) -> Option:
        """One of the options, each as likely.

        Raises:
            ValueError: there is nothing to choose from.
        """
        if not options:
            raise ValueError(f"nothing to choose from for {purpose!r}")
        return options[int(self.value(purpose) * len(options))]
