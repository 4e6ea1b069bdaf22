"""JSON components: is the answer a JSON object, and has it the node's keys (drift paper §4.6)."""

from __future__ import annotations

from collections.abc import Collection

from holdcourse.training.rewards.reading import Reading


def json_valid(reading: Reading) -> float:
    """r_json-valid: 1 when the content of <answer> is exactly one sound JSON object, else 0.

    Repeated keys, NaN and infinities, unpaired surrogates, a code fence or prose around the object, a second
    object, and more than `answer.characters` characters make it 0.
    Source: drift paper §4.6.
    """
    return float(reading.value is not None)


def json_schema(reading: Reading, keys: Collection[str]) -> float:
    """r_json-schema: 1 when the object's keys are exactly the node's, else their Jaccard index |A∩K| / |A∪K|.

    No object gives 0, and so do the keys of another node, which share none with this one's.
    Source: drift paper §4.6, K(ν) of §4.3.
    """
    if reading.value is None:
        return 0.0
    given, expected = set(reading.value), set(keys)
    return len(given & expected) / len(given | expected)
