"""Evaluation records as the metrics read them: one simulation a record, checked when read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from holdcourse.errors import HoldcourseError

SUCCESS_TOLERANCE = 1e-6
"""τ²-bench's own: a reward this close to 1 is a success."""

_SHOWN = 5


class EvaluationRecord(BaseModel):
    """One line of evaluation.jsonl.

    A simulation that died of infrastructure has no reward and is no trial; it stays in the file and is
    counted. One that outgrew a model's context is a trial that failed. `strict` is the strict score as the
    evaluation stored it, its one definition: success that also left the database as the task's own solution
    does, null where that is undefined. `cost_usd` is the word "unknown" where the price is not known.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    task: Annotated[str, Field(min_length=1)]
    intent: Annotated[str, Field(min_length=1)]
    issues: tuple[str, ...]
    persona: str
    transfer_expected: bool
    trial: Annotated[int, Field(ge=0)]
    outcome: Literal["scored", "infrastructure", "context_length"]
    reward: Annotated[float, Field(ge=0.0, le=1.0)] | None
    db_match: bool | None
    strict: bool | None
    wrong_owner_calls: Annotated[int, Field(ge=0)]
    termination: str
    steps: Annotated[int, Field(ge=0)]
    calls: Annotated[int, Field(ge=0)]
    prompt_tokens: Annotated[int, Field(ge=0)]
    completion_tokens: Annotated[int, Field(ge=0)]
    cost_usd: Annotated[float, Field(ge=0.0)] | Literal["unknown"]
    attempts: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def _reward_goes_with_outcome(self) -> Self:
        if (self.reward is None) != (self.outcome == "infrastructure"):
            raise ValueError(
                f"outcome {self.outcome!r} with reward {self.reward}: all but infrastructure have a reward"
            )
        if self.strict is not None and not (self.scored and (self.success or not self.strict)):
            raise ValueError(
                f"strict is {self.strict} with reward {self.reward}: a strict success is a success"
            )
        return self

    @property
    def scored(self) -> bool:
        """Whether this simulation is a trial at all."""
        return self.outcome != "infrastructure"

    @property
    def success(self) -> bool:
        """Whether the reward is 1; false for what was not scored."""
        return self.reward is not None and self.reward >= 1.0 - SUCCESS_TOLERANCE


def read_records(rows: Iterable[Mapping[str, object]], source: str) -> tuple[EvaluationRecord, ...]:
    """Check the rows of an evaluation.jsonl.

    Args:
        rows: parsed lines, in file order.
        source: the file, for the message.

    Raises:
        HoldcourseError: a row lacks a field or has a bad value, or a (task, trial) stands twice.
    """
    records = []
    for number, row in enumerate(rows, start=1):
        try:
            records.append(EvaluationRecord.model_validate(row))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in problem["loc"]) or "record"
            raise HoldcourseError(
                f"{source}, record {number}, {place}: {problem['msg']}; remove the file and evaluate again"
            ) from None
    refuse_repeats(records, source)
    return tuple(records)


def refuse_repeats(records: Iterable[EvaluationRecord], source: str) -> None:
    """Refuse records in which one trial of a task stands twice: it would count as two trials.

    Raises:
        HoldcourseError: naming the repeated (task, trial) pairs.
    """
    counts = Counter((record.task, record.trial) for record in records)
    repeated = sorted(key for key, count in counts.items() if count > 1)
    if repeated:
        raise HoldcourseError(f"{source} has trials that stand more than once: {_listed(repeated)}")


def check_complete(
    records: Iterable[EvaluationRecord], tasks: Collection[str], trials: int, source: str
) -> None:
    """Check that every held-out task has every trial, so that no simulation was dropped in silence.

    Raises:
        HoldcourseError: naming trials that are missing, or records of tasks that do not belong.
    """
    found = {(record.task, record.trial) for record in records}
    expected = {(task, trial) for task in tasks for trial in range(trials)}
    if missing := sorted(expected - found):
        raise HoldcourseError(f"{source} lacks {len(missing)} of {len(expected)} trials: {_listed(missing)}")
    if foreign := sorted(found - expected):
        raise HoldcourseError(f"{source} has trials outside the protocol: {_listed(foreign)}")


def _listed(keys: list[tuple[str, int]]) -> str:
    shown = ", ".join(f"task {task} trial {trial}" for task, trial in keys[:_SHOWN])
    return f"{shown} and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else shown
