"""Undo one write: the calls of its inverse, with arguments from the call, its response and old values.

Pure and standard library only, like the rest of the planning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from holdcourse.appworld.docs import Docs, Operation
from holdcourse.appworld.inverses import Binding, Inverse
from holdcourse.appworld.preimages import Preimage, record_in, records_in, value_at
from holdcourse.appworld.wording import OVERWRITING, names_same
from holdcourse.drift.records import Call


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call to make, without tokens.

    Attributes:
        app: application.
        api: name of the API.
        arguments: by parameter.
    """

    app: str
    api: str
    arguments: Mapping[str, object]

    @property
    def operation(self) -> str:
        """The call by name: `app.api`."""
        return f"{self.app}.{self.api}"

    def code(self, docs: Docs) -> str:
        """The call as an expression for the agent's shell, where `{app}_token` holds each app's token."""
        given = [f"{name}={value!r}" for name, value in self.arguments.items()]
        for parameter in docs[self.operation].parameters:
            if parameter.is_token:
                owner = parameter.name.removesuffix("access_token").rstrip("_") or self.app
                given.append(f"{parameter.name}={owner}_token")
        return f"apis.{self.app}.{self.api}({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class Seen:
    """A read that was made before a write, and what it answered.

    Attributes:
        operation: name of the read.
        response: raw.
        arguments: what it was called with. Without them a read of one record counts only where the response
            itself says which record it shows.
    """

    operation: str
    response: object
    arguments: Mapping[str, object] = field(default_factory=dict)

    def shows(self, preimage: Preimage, call: Call) -> bool:
        """Whether it is the read that shows what a write changed."""
        return self.operation == preimage.read and all(
            self._asked_for(name, call.arguments.get(name)) for name in preimage.arguments
        )

    def _asked_for(self, parameter: str, value: object) -> bool:
        if parameter in self.arguments:
            return self.arguments[parameter] == value
        return isinstance(self.response, Mapping) and any(
            names_same(str(key), parameter) and shown == value for key, shown in self.response.items()
        )


@dataclass(frozen=True, slots=True)
class Written:
    """One write of a drift.

    Attributes:
        call: as it was made.
        response: raw.
        seen: reads made before it, latest last: those of `preimage_calls`, and others that happened to be
            made. A read that an earlier write has made untrue must not be among them.
    """

    call: Call
    response: object
    seen: Sequence[Seen] = ()


class NotUndoneError(Exception):
    """Why one write gets no call."""


def inverse_calls(written: Written, inverse: Inverse, docs: Docs) -> list[PlannedCall]:
    """The calls that undo one write.

    Raises:
        NotUndoneError: there are none, or a value that they need is not known.
    """
    if inverse.inverse is None:
        raise NotUndoneError(_NO_INVERSE[inverse.category])
    call = written.call
    option = next(
        (name for name, value in call.arguments.items() if value is True and OVERWRITING.match(name)), None
    )
    if option is not None:
        raise NotUndoneError(f"{option} destroyed what stood there before")
    if inverse.missing:
        raise NotUndoneError(f"no documented read shows {', '.join(inverse.missing)}")
    undoing = docs[inverse.inverse]
    if inverse.each:
        return _each(written, inverse, undoing)
    if inverse.amend is not None and (record := _record_or_none(written, inverse)) is not None:
        return [_amending(written, inverse, docs[inverse.amend], record)]
    listed = {
        name: _response_value(written, name)
        for name in (one.name for one in inverse.bindings if one.source == "response")
    }
    record = _record(written, inverse)
    repeated = [binding for binding in inverse.bindings if _is_list_for_one(binding, listed, undoing)]
    arguments = _arguments(written, inverse, undoing, record, listed)
    if not repeated:
        return [PlannedCall(undoing.app, undoing.api, arguments)]
    one = repeated[0]
    return [
        PlannedCall(undoing.app, undoing.api, {**arguments, one.parameter: value})
        for value in reversed(list(_as_list(listed[one.name])))
    ]


def _arguments(
    written: Written,
    inverse: Inverse,
    undoing: Operation,
    record: Mapping[str, object] | None,
    listed: Mapping[str, object],
) -> dict[str, object]:
    call = written.call
    same = undoing.name == call.operation
    fields = {name: at for preimage in inverse.preimages for name, at in preimage.fields.items()}
    arguments: dict[str, object] = {}
    emptied: list[str] = []
    for binding in inverse.bindings:
        name = binding.parameter
        if binding.source == "argument":
            if binding.name in call.arguments:
                arguments[name] = call.arguments[binding.name]
            elif name in undoing.required:
                raise NotUndoneError(f"the call did not give {binding.name}")
        elif binding.source == "response":
            arguments[name] = listed[binding.name]
        elif inverse.category == "update" and same and name not in call.arguments:
            continue
        else:
            value = value_at(record, fields[name])
            if value is None or (value == "" and inverse.category == "recreate"):
                emptied.append(name)
            else:
                arguments[name] = value
    unset = [name for name in emptied if name in undoing.required or (inverse.category == "update" and same)]
    if unset:
        raise NotUndoneError(f"{', '.join(unset)} was empty before, and no call empties it")
    return arguments


def _each(written: Written, inverse: Inverse, undoing: Operation) -> list[PlannedCall]:
    """One call a record whose old value the write replaced."""
    found: dict[str, PlannedCall] = {}
    seen_any = False
    for preimage in inverse.preimages:
        for seen in written.seen:
            if not seen.shows(preimage, written.call):
                continue
            seen_any = True
            for record in records_in(seen.response, preimage.identity):
                old = {name: value_at(record, at) for name, at in preimage.fields.items()}
                if any(
                    old.get(name) != value for name, value in written.call.arguments.items() if name in old
                ):
                    found.setdefault(repr(old), PlannedCall(undoing.app, undoing.api, old))
    if not seen_any:
        raise NotUndoneError(f"{_reads(inverse)} was not read before the call")
    return list(found.values())


def _record(written: Written, inverse: Inverse) -> Mapping[str, object] | None:
    """The record as it was; None when the inverse takes nothing from it."""
    if not any(binding.source == "preimage" for binding in inverse.bindings):
        return None
    record = _record_or_none(written, inverse)
    if record is None:
        raise NotUndoneError(f"{_reads(inverse)}, as read before the call, does not show the record")
    return record


def _record_or_none(written: Written, inverse: Inverse) -> Mapping[str, object] | None:
    """The record as it was; None when it was not there.

    Raises:
        NotUndoneError: nobody looked.
    """
    call = written.call
    looked = False
    for one in reversed(written.seen):
        for preimage in inverse.preimages:
            if not one.shows(preimage, call):
                continue
            looked = True
            identity = {name: call.arguments[name] for name in preimage.identity if name in call.arguments}
            if (record := record_in(one.response, identity)) is not None:
                return record
    if not looked:
        raise NotUndoneError(f"{_reads(inverse)} was not read before the call")
    return None


def _amending(
    written: Written, inverse: Inverse, update: Operation, record: Mapping[str, object]
) -> PlannedCall:
    """The update that puts back what an addition to an existing record has changed."""
    fields = {name: at for preimage in inverse.preimages for name, at in preimage.fields.items()}
    old = {name: value_at(record, at) for name, at in fields.items()}
    which = {name: written.call.arguments[name] for name in written.call.arguments if name in update.required}
    return PlannedCall(update.app, update.api, {**which, **old})


def _response_value(written: Written, key: str) -> object:
    value = written.response.get(key) if isinstance(written.response, Mapping) else None
    if value is None:
        raise NotUndoneError(f"the response does not give {key}")
    return value


def _is_list_for_one(binding: Binding, listed: Mapping[str, object], undoing: Operation) -> bool:
    types = {parameter.name: parameter.type for parameter in undoing.inputs}
    return (
        binding.source == "response"
        and isinstance(listed[binding.name], list)
        and not types[binding.parameter].startswith("list")
        and not names_same(binding.name, binding.parameter)
    )


def _as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _reads(inverse: Inverse) -> str:
    return " or ".join(preimage.read for preimage in inverse.preimages)


_NO_INVERSE: dict[str, str] = {
    "outward": "it reached another party, and nothing documented takes that back",
    "transfer": "it moved an amount, and the opposite transfer leaves a record of both",
    "no_counterpart": "no documented operation undoes it",
}
