"""Plan the calls that undo a drift's writes: the extension `compensate` (the drift paper's future work, §6).

Pure: it sees the writes as they were called, their raw responses and what was read before, and answers with
calls to make, or with why there are none. A write without a documented inverse never gets a call. Standard
library only, so that the engine's environment can measure exactly these plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from holdcourse.appworld.docs import Docs
from holdcourse.appworld.inverses import inverse_of
from holdcourse.appworld.undoing import NotUndoneError, PlannedCall, Seen, Written, inverse_calls
from holdcourse.drift.records import Call

__all__ = ["Compensation", "Left", "PlannedCall", "Seen", "Written", "plan_compensation", "preimage_calls"]

PAGES = 5
"""How many pages of a list are read for an old value (ours)."""

PAGE = 20
"""Records a page: the most that the documentation allows."""


@dataclass(frozen=True, slots=True)
class Left:
    """A write that no call is planned for.

    Attributes:
        operation: name of the write.
        why: in words.
    """

    operation: str
    why: str


@dataclass(frozen=True, slots=True)
class Compensation:
    """A plan.

    Attributes:
        calls: to be made in this order.
        left: writes that stay as they are, in the order in which they would have been undone.
    """

    calls: tuple[PlannedCall, ...] = ()
    left: tuple[Left, ...] = field(default=())


def preimage_calls(call: Call, docs: Docs) -> tuple[PlannedCall, ...]:
    """The reads to make before a write so that its old value is known.

    Returns:
        () when the inverse needs none, when nothing documented undoes the write, or when the only read asks
        for the record's parent, which the write does not give (`Preimage.unknown`).
    """
    if call.operation not in docs:
        return ()
    planned: list[PlannedCall] = []
    for preimage in inverse_of(docs[call.operation], docs).preimages:
        if preimage.unknown:
            continue
        read = docs[preimage.read]
        arguments = {name: call.arguments[name] for name in preimage.arguments if name in call.arguments}
        paged = {parameter.name for parameter in read.inputs} >= {"page_index", "page_limit"}
        pages: list[dict[str, object]] = (
            [{"page_index": page, "page_limit": PAGE} for page in range(PAGES)] if paged else [{}]
        )
        planned += [PlannedCall(read.app, read.api, {**arguments, **page}) for page in pages]
    return tuple(planned)


def plan_compensation(writes: Iterable[Written], docs: Docs) -> Compensation:
    """Plan the inverse calls of a drift's writes, the last write first.

    Failed calls and calls that are no writes are passed over. So is what the drift itself made and took away
    again, with all that it did to it in between. A write on a record that a call of this plan makes anew is
    left: nobody knows its new identity yet.
    """
    made = [one for one in writes if one.call.kind == "write" and one.call.succeeded]
    calls: list[PlannedCall] = []
    left: list[Left] = []
    anew: set[_Identity] = set()
    for written in reversed(_lasting(made, docs)):
        call = written.call
        try:
            if call.operation not in docs:
                raise NotUndoneError("it is not documented")
            inverse = inverse_of(docs[call.operation], docs)
            undoing = inverse_calls(written, inverse, docs)
            if anew & (_identities(call) | {one for planned in undoing for one in _identities(planned)}):
                raise NotUndoneError("its record is made anew under another identity")
        except NotUndoneError as error:
            left.append(Left(call.operation, str(error)))
            continue
        calls += undoing
        if inverse.category == "recreate":
            anew |= _identities(call)
    return Compensation(tuple(calls), tuple(left))


_Identity = tuple[str, str, object]


def _identities(call: Call | PlannedCall) -> set[_Identity]:
    """What a call says of which record: its app, the parameter and the value."""
    return {(call.app, name, value) for name, value in call.arguments.items() if name.endswith("_id")}


def _lasting(writes: Sequence[Written], docs: Docs) -> list[Written]:
    """The writes without those on records that were both made and taken away among them."""
    gone: set[_Identity] = set()
    for place, written in enumerate(writes):
        if written.call.operation not in docs:
            continue
        inverse = inverse_of(docs[written.call.operation], docs)
        if inverse.category != "create":
            continue
        try:
            undoing = inverse_calls(written, inverse, docs)
        except NotUndoneError:
            continue
        later = [one.call for one in writes[place + 1 :]]
        if undoing and all(any(_same(planned, call) for call in later) for planned in undoing):
            gone |= {one for planned in undoing for one in _identities(planned)}
    return [one for one in writes if not gone & (_identities(one.call) | _made(one, docs))]


def _same(planned: PlannedCall, call: Call) -> bool:
    return planned.operation == call.operation and dict(planned.arguments) == dict(call.arguments)


def _made(written: Written, docs: Docs) -> set[_Identity]:
    """The identities of the record that a write made, under the names that its inverse uses."""
    if written.call.operation not in docs:
        return set()
    inverse = inverse_of(docs[written.call.operation], docs)
    if inverse.category != "create":
        return set()
    try:
        return {one for planned in inverse_calls(written, inverse, docs) for one in _identities(planned)}
    except NotUndoneError:
        return set()
