"""Dividing a number of seats by shares: the method of largest remainders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Key = TypeVar("Key")


def apportion(seats: int, shares: Mapping[Key, float]) -> dict[Key, int]:
    """Whole numbers that sum to `seats` and follow `shares` as closely as they can.

    Each key gets the whole part of its quota; what is left goes to the largest remainders, on a tie to
    the key named first. Shares need not sum to 1.

    Raises:
        ValueError: a share is negative, or all are 0 while there are seats to give.
    """
    total = sum(shares.values())
    if any(share < 0 for share in shares.values()) or (seats and total <= 0):
        raise ValueError(f"cannot divide {seats} by the shares {dict(shares)}")
    # Rounded so that 0.15 * 20 counts as 3 and not as the 2.9999… that floats make of it.
    quotas = {key: round(seats * share / total, 9) if seats else 0.0 for key, share in shares.items()}
    counts = {key: int(quota) for key, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda key: counts[key] - quotas[key])
    for key in by_remainder[: seats - sum(counts.values())]:
        counts[key] += 1
    return counts
