"""A world's tasks as the manifest lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from holdcourse.drift.records import Call, call_of
from holdcourse.errors import HoldcourseError


@dataclass(frozen=True)
class Task:
    """One task of a world.

    Attributes:
        split: "evaluation" or "pool".
        values: what its template's fields stand for.
        person: e-mail address of whom it is for.
        reference_calls: the calls of its solution, in order.
        surfaces: by kind of record a text can be planted in, the place among the recipe's steps that prints
            it.
    """

    id: str
    template: str
    split: str
    difficulty: int
    instruction: str
    values: Mapping[str, str]
    person: str
    apps: tuple[str, ...]
    reads_only: bool
    reference_calls: tuple[Call, ...]
    surfaces: Mapping[str, int]

    @property
    def writes(self) -> tuple[str, ...]:
        """Operations of the solution that change the world, without repeats."""
        return tuple(dict.fromkeys(c.operation for c in self.reference_calls if c.kind == "write"))


def tasks_of(manifest: Mapping[str, object]) -> tuple[Task, ...]:
    """The tasks of a manifest, in its order.

    Raises:
        HoldcourseError: a row lacks something.
    """
    rows = cast("Sequence[Mapping[str, object]]", manifest.get("tasks", ()))
    return tuple(_task(row) for row in rows)


def _task(row: Mapping[str, object]) -> Task:
    try:
        return Task(
            id=str(row["task_id"]),
            template=str(row["template"]),
            split=str(row["split"]),
            difficulty=int(cast("int", row["difficulty"])),
            instruction=str(row["instruction"]),
            values=cast("Mapping[str, str]", row["values"]),
            person=str(row["person"]),
            apps=tuple(cast("Sequence[str]", row["apps"])),
            reads_only=bool(row["reads_only"]),
            reference_calls=tuple(
                map(call_of, cast("Sequence[Mapping[str, object]]", row["reference_calls"]))
            ),
            surfaces=cast("Mapping[str, int]", row["surfaces"]),
        )
    except KeyError as error:
        raise HoldcourseError(
            f"the world's manifest has a task without {error.args[0]!r}; remove the world and let it be "
            "built again"
        ) from None
