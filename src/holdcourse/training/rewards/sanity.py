"""The component that checks an answer's values, node by node (drift paper §4.6, r_json-sanity)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from holdcourse.config.reward import AnswerThresholds, WordThresholds
from holdcourse.recovery.nodes import ACTIONS, NodeId
from holdcourse.training.rewards.reading import Reading, at_most, mean, says_something

Value = Mapping[str, JsonValue]

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_OPERATION = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]\w*", re.ASCII)
_APP = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def json_sanity(reading: Reading, node: NodeId, thresholds: AnswerThresholds, words: WordThresholds) -> float:
    """r_json-sanity: the share of a node's checks that its values pass; 0 without a JSON object.

    n1, thirds: `step` is a whole number from 1; `is_aligned` is "Y" or "N"; `why` says something in at most
    `answer.why_words` words.
    n2, halves: `write_operations` and `read_operations` are each "None" or distinct `app.api` names joined by
    "|", in at most `answer.field_words` words.
    n3: `apps_name` is a list of distinct names of apps, never "None", in as many words.
    n4, thirds: both fields as in n2; no operation stands in both and not both are "None".
    n5, thirds: `action` is one of the two; `arguments` is an object; it holds what the action needs, a report
    that says something in at most `answer.report_words` words and, for a rollback, a whole number from 0.
    Text that says something has at least `words.fewest_different` different words.
    Source: drift paper §4.6 gives the kinds of checks; shares and figures are ours.
    """
    if reading.value is None:
        return 0.0
    return mean(_CHECKS[node](reading.value, thresholds, words))


def entries(value: object) -> tuple[str, ...] | None:
    """The entries of a field joined by "|"; () for "None", None where the value is no such field."""
    if not isinstance(value, str) or not value.strip():
        return None
    if value.strip() == "None":
        return ()
    found = tuple(part.strip() for part in value.split("|"))
    return None if len(set(found)) != len(found) else found


def whole_number(value: object) -> int | None:
    """A value as the integer that it can be read as; None for anything else, booleans included."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, int) else None


def _text(value: object, most: int, words: WordThresholds) -> bool:
    return (
        isinstance(value, str)
        and at_most(value, most, words.longest)
        and says_something(value, words.fewest_different)
    )


def _from(value: object, least: int) -> bool:
    number = whole_number(value)
    return number is not None and number >= least


def _list(value: object, spelled: re.Pattern[str], most: int, words: WordThresholds) -> bool:
    found = entries(value)
    return (
        found is not None
        and all(spelled.fullmatch(entry) for entry in found)
        and at_most(str(value), most, words.longest)
    )


def _classify(value: Value, most: AnswerThresholds, words: WordThresholds) -> Iterator[bool]:
    yield _from(value.get("step"), 1)
    yield value.get("is_aligned") in ("Y", "N")
    yield _text(value.get("why"), most.why_words, words)


def _detect(value: Value, most: AnswerThresholds, words: WordThresholds) -> Iterator[bool]:
    for field in ("write_operations", "read_operations"):
        yield _list(value.get(field), _OPERATION, most.field_words, words)


def _search(value: Value, most: AnswerThresholds, words: WordThresholds) -> Iterator[bool]:
    apps = value.get("apps_name")
    yield entries(apps) != () and _list(apps, _APP, most.field_words, words)


def _risk(value: Value, most: AnswerThresholds, words: WordThresholds) -> Iterator[bool]:
    fields = [value.get(field) for field in ("write_reversible", "write_not_reversible")]
    for field in fields:
        yield _list(field, _OPERATION, most.field_words, words)
    one, other = (set(entries(field) or ()) for field in fields)
    yield not one & other and bool(one | other)


def _decide(value: Value, most: AnswerThresholds, words: WordThresholds) -> Iterator[bool]:
    action, arguments = value.get("action"), value.get("arguments")
    yield action in ACTIONS
    yield isinstance(arguments, dict)
    given: Value = arguments if isinstance(arguments, dict) else {}
    reported = _text(given.get("report"), most.report_words, words)
    located = action == "escalate_human" or _from(given.get("rollback_to_step"), 0)
    yield action in ACTIONS and reported and located


_CHECKS: dict[NodeId, Callable[[Value, AnswerThresholds, WordThresholds], Iterator[bool]]] = {
    "n1": _classify,
    "n2": _detect,
    "n3": _search,
    "n4": _risk,
    "n5": _decide,
}
