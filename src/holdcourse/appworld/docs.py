"""Index of a world's API documentation, read at run time from ROOT/data/api_docs.

Only shapes are kept (names, methods, paths, parameters, the fields of a response), no sentence of the
documentation. Standard library only, so that the engine's environment can read the same index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

from holdcourse.drift.kinds import kind_of
from holdcourse.drift.records import CallKind
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object

FOLDER = Path("data", "api_docs", "standard")
"""Where a world keeps its documentation, one file an app."""

WRITES: frozenset[CallKind] = frozenset({"write"})
"""The kinds of operation that a prompt about undoing needs."""

_TOKEN = "access_token"  # noqa: S105 (a parameter's name)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as documented.

    Attributes:
        name: as callers write it.
        type: "string", "integer", "number", "boolean", "list[string]", ...
        required: whether a call without it fails.
        constraints: what a value must satisfy, as the documentation words it.
    """

    name: str
    type: str
    required: bool
    constraints: tuple[str, ...] = ()

    @property
    def is_token(self) -> bool:
        """Whether it carries a login, which whoever makes the call fills in."""
        return self.name.endswith(_TOKEN)


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented operation.

    Attributes:
        app: application.
        api: name in the app.
        method: HTTP method, in capitals.
        path: with placeholders in braces; starts with the app.
        parameters: in the documentation's order, tokens included.
        returns: example of a successful response: its keys are what callers may count on.
    """

    app: str
    api: str
    method: str
    path: str
    parameters: tuple[Parameter, ...]
    returns: object = None

    @property
    def name(self) -> str:
        """As prompts, answers and tables spell it: `app.api`."""
        return f"{self.app}.{self.api}"

    @property
    def kind(self) -> CallKind:
        """What it does to the world."""
        return kind_of(self.api, self.method, self.path)

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The parameters without the tokens."""
        return tuple(parameter for parameter in self.parameters if not parameter.is_token)

    @property
    def required(self) -> frozenset[str]:
        """Names of the parameters that a call must give, without the tokens."""
        return frozenset(parameter.name for parameter in self.inputs if parameter.required)


class Docs:
    """All documented operations of a world by name, sorted."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations = {
            operation.name: operation for operation in sorted(operations, key=lambda one: one.name)
        }

    @classmethod
    def read(cls, root: Path) -> Docs:
        """Read the documentation of the world at `root`.

        Raises:
            HoldcourseError: there is none, or a file of it lacks what is needed.
        """
        files = sorted((root / FOLDER).glob("*.json"))
        if not files:
            raise HoldcourseError(f"{root / FOLDER} holds no API documentation; build the world first")
        return cls(_operation(path, entry) for path in files for entry in read_object(path).values())

    def __getitem__(self, name: str) -> Operation:
        """The operation of that name.

        Raises:
            HoldcourseError: the documentation has none of that name.
        """
        try:
            return self._operations[name]
        except KeyError:
            raise HoldcourseError(
                f"{name} is not documented; expected `app.api` with an app of {', '.join(self.apps)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._operations

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)

    @cached_property
    def apps(self) -> tuple[str, ...]:
        """Names of the applications, sorted."""
        return tuple(sorted({operation.app for operation in self._operations.values()}))

    def of_app(self, app: str) -> tuple[Operation, ...]:
        """The operations of one app, by name; none for an app that is not documented."""
        return tuple(operation for operation in self._operations.values() if operation.app == app)

    def of_kind(self, kind: CallKind) -> tuple[Operation, ...]:
        """The operations of one kind, by name."""
        return tuple(operation for operation in self._operations.values() if operation.kind == kind)

    def compact(
        self, apps: Iterable[str], kinds: Collection[CallKind] = WRITES, near: Sequence[str] = ()
    ) -> dict[str, list[dict[str, object]]]:
        """Short form of apps' documentation for a prompt.

        Args:
            apps: which apps, in the order wanted; unknown ones are left out.
            kinds: which kinds of operation.
            near: operations in question: those whose paths share most with one of them come first, so that a
                prompt that must be cut loses the others.

        Returns:
            app -> [{"api", "method", "path", "parameters": names without tokens}].
        """
        paths = [self[name].path for name in near if name in self]
        return {
            app: [
                {
                    "api": operation.api,
                    "method": operation.method,
                    "path": operation.path,
                    "parameters": [parameter.name for parameter in operation.inputs],
                }
                for operation in sorted(
                    self.of_app(app), key=lambda one: (-_shared(one.path, paths), one.path, one.method)
                )
                if operation.kind in kinds
            ]
            for app in apps
            if app in self.apps
        }


def segments(path: str) -> tuple[str, ...]:
    """The parts of a path between its slashes."""
    return tuple(part for part in path.split("/") if part)


def placeholders(path: str) -> tuple[str, ...]:
    """Names of the parameters that stand in a path, in order."""
    return tuple(part[1:-1] for part in segments(path) if part.startswith("{"))


def _shared(path: str, others: Sequence[str]) -> int:
    """How many leading segments a path has in common with the nearest of others."""
    best = 0
    for other in others:
        same = 0
        for one, two in zip(segments(path), segments(other), strict=False):
            if one != two:
                break
            same += 1
        best = max(best, same)
    return best


def _operation(path: Path, entry: object) -> Operation:
    try:
        row = cast("Mapping[str, object]", entry)
        parameters = cast("Sequence[Mapping[str, object]]", row["parameters"])
        schemas = cast("Mapping[str, object]", row["response_schemas"])
        return Operation(
            app=str(row["app_name"]),
            api=str(row["api_name"]),
            method=str(row["method"]),
            path=str(row["path"]),
            parameters=tuple(
                Parameter(
                    name=str(one["name"]),
                    type=str(one["type"]),
                    required=bool(one["required"]),
                    constraints=tuple(
                        str(text) for text in cast("Sequence[object]", one.get("constraints") or ())
                    ),
                )
                for one in parameters
            ),
            returns=schemas.get("success"),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise HoldcourseError(
            f"{path}: an entry is no API documentation as AppWorld writes it ({error}); build the world again"
        ) from None
