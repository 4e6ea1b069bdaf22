"""What a study has spent, and whether the next call may still be made; shared by all its jobs.

A call's estimate is entered before it is made and replaced by what it cost when it is answered. A job that is
killed between the two leaves its estimate standing, since the call was most likely paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from holdcourse.config.llm import BudgetConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.failures import BudgetReachedError
from holdcourse.llm.shared_record import SharedRecord

VERSION = 1


@dataclass(frozen=True, slots=True)
class Charge:
    """What calls take; `usd` None is an unknown price."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Spent:
    """What a study has spent so far: what was answered, and the estimates of calls in flight."""

    calls: int
    tokens: int
    known_usd: float
    unpriced_calls: int

    @property
    def usd(self) -> float | None:
        """Dollars of all calls; None when a price is unknown."""
        return None if self.unpriced_calls else self.known_usd

    def text(self) -> str:
        """The sums in words."""
        unknown = f" and {self.unpriced_calls} calls of unknown price" if self.unpriced_calls else ""
        return f"{self.known_usd:.4f} USD{unknown}, {self.calls} calls, {self.tokens} tokens"


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean tokens of the answered calls of one role and model."""

    calls: int
    prompt_tokens: float
    completion_tokens: float


@dataclass(slots=True)
class _Sums:
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    known_usd: float = 0.0
    unpriced_calls: int = 0

    def add(self, charge: Charge, sign: int = 1) -> None:
        self.calls += sign * charge.calls
        self.prompt_tokens += sign * charge.prompt_tokens
        self.completion_tokens += sign * charge.completion_tokens
        self.known_usd += sign * (charge.usd or 0.0)
        self.unpriced_calls += sign * charge.calls if charge.usd is None else 0


class _Line(BaseModel):
    """One role and model: what was answered, and what stands reserved."""

    model_config = ConfigDict(extra="forbid")

    role: str
    model: str
    answered: _Sums
    reserved: _Sums


class _Book(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: int = VERSION
    lines: list[_Line] = []

    def line(self, role: str, model: str) -> _Line:
        for line in self.lines:
            if (line.role, line.model) == (role, model):
                return line
        line = _Line(role=role, model=model, answered=_Sums(), reserved=_Sums())
        self.lines.append(line)
        return line

    def spent(self) -> Spent:
        sums = [sums for line in self.lines for sums in (line.answered, line.reserved)]
        return Spent(
            calls=sum(each.calls for each in sums),
            tokens=sum(each.prompt_tokens + each.completion_tokens for each in sums),
            known_usd=max(0.0, sum(each.known_usd for each in sums)),
            unpriced_calls=sum(each.unpriced_calls for each in sums),
        )

    def means(self) -> dict[tuple[str, str], Mean]:
        return {
            (line.role, line.model): Mean(
                calls, line.answered.prompt_tokens / calls, line.answered.completion_tokens / calls
            )
            for line in self.lines
            if (calls := line.answered.calls)
        }


class Budget:
    """The budget of one study, kept in one file for all its jobs."""

    def __init__(self, path: Path, config: BudgetConfig) -> None:
        self.path = path
        self._config = config
        self._record = SharedRecord(path)

    def reserve(self, role: str, model: str, estimate: Callable[[Mean | None], Charge]) -> Charge:
        """Enter a call's estimate, if the study may still spend it, and hand it back.

        Args:
            role: who asks.
            model: who is asked.
            estimate: makes it from the mean of the role's calls so far.

        Raises:
            BudgetReachedError: it may not; nothing was entered.
            HoldcourseError: there is a limit in dollars and the price of the model is unknown.
        """
        with self._changing() as book:
            charge = estimate(book.means().get((role, model)))
            if self._config.usd is not None and charge.usd is None:
                raise HoldcourseError(
                    f"llm.budget.usd={self._config.usd:g} cannot be kept: the price of {model} is "
                    "unknown; give "
                    "it in conf/prices/, or set llm.budget.usd=null and limit calls or tokens"
                )
            self._refuse(book.spent(), charge)
            book.line(role, model).reserved.add(charge)
        return charge

    def settle(self, role: str, model: str, estimate: Charge, actual: Charge | None) -> None:
        """Replace a call's estimate by what it took; None for a call that took nothing."""
        with self._changing() as book:
            line = book.line(role, model)
            line.reserved.add(estimate, sign=-1)
            if actual is not None:
                line.answered.add(actual)

    def spent(self) -> Spent:
        """What all jobs of the study have spent so far."""
        return _read(self.path, self._record.read()).spent()

    def mean(self, role: str, model: str) -> Mean | None:
        """Mean tokens of a role's answered calls; None before the first."""
        return measured_means(self.path).get((role, model))

    def _refuse(self, spent: Spent, estimate: Charge) -> None:
        limits = self._config
        reached = []
        if limits.usd is not None and spent.known_usd + (estimate.usd or 0.0) > limits.usd:
            reached.append(f"llm.budget.usd={limits.usd:g}")
        if limits.calls is not None and spent.calls + estimate.calls > limits.calls:
            reached.append(f"llm.budget.calls={limits.calls}")
        if limits.tokens is not None and spent.tokens + estimate.tokens > limits.tokens:
            reached.append(f"llm.budget.tokens={limits.tokens}")
        if reached:
            raise BudgetReachedError(
                f"the study's budget is reached ({', '.join(reached)}): it has spent {spent.text()}, and "
                "the next "
                f"call would take about {estimate.tokens} tokens. What is done is kept: raise the limit "
                "and run "
                "the same command again"
            )

    @contextmanager
    def _changing(self) -> Iterator[_Book]:
        with self._record.changing() as record:
            book = _read(self.path, record.content)
            yield book
            record.replace(book.model_dump_json().encode())


def measured_means(path: Path) -> dict[tuple[str, str], Mean]:
    """Mean tokens by role and model, from the file of a study's budget; empty when there is none."""
    return _read(path, SharedRecord(path).read()).means()


def _read(path: Path, content: bytes) -> _Book:
    if not content:
        return _Book()
    try:
        return _Book.model_validate_json(content)
    except ValidationError:
        raise HoldcourseError(
            f"{path}, which holds what the study has spent, is damaged; mend it, or move it away to count "
            "from 0"
        ) from None
