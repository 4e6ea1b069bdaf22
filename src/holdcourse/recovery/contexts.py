"""What each node is told: the fields of Appendix A, typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from holdcourse.drift.records import Step
from holdcourse.recovery.docs import Docs
from holdcourse.recovery.nodes import NodeId

NO_CAUSE = "unknown"


@dataclass(frozen=True, slots=True)
class StepView:
    """A single step as a node sees it: what came in before it, its code, what the environment answered.

    What the agent thought is left out: it is what the agent says of itself.
    """

    number: int
    injected: str | None
    code: str
    output: str

    @classmethod
    def of(cls, step: Step) -> StepView:
        """The view of a recorded step."""
        output = step.output if step.refused is None else f"not executed: {step.refused}\n{step.output}"
        return cls(step.number, step.injected, step.code, output)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the walk found about one step. Of an aligned step only the verdict is known.

    Attributes:
        step: its number.
        aligned: n1's verdict.
        why: n1's reason.
        writes: what it changed (n2).
        reads: what it read beside the task (n2).
        reversible: those of `writes` that n4 holds to be undoable.
        irreversible: all others of `writes`, those included of which n4 said nothing.
    """

    step: int
    aligned: bool
    why: str
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    reversible: tuple[str, ...] = ()
    irreversible: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassifyContext:
    """n1: task, suspected onset and cause, the step under review."""

    node: ClassVar[NodeId] = "n1"
    task: str
    onset: int
    cause: str
    step: StepView


@dataclass(frozen=True, slots=True)
class DetectContext:
    """n2: task, the step, n1's verdict and reason."""

    node: ClassVar[NodeId] = "n2"
    task: str
    step: StepView
    aligned: bool
    why: str


@dataclass(frozen=True, slots=True)
class SearchContext:
    """n3: the writes that n2 found."""

    node: ClassVar[NodeId] = "n3"
    writes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RiskContext:
    """n4: the writes, and the documentation of the applications that n3 named."""

    node: ClassVar[NodeId] = "n4"
    writes: tuple[str, ...]
    docs: Docs


@dataclass(frozen=True, slots=True)
class DecideContext:
    """n5: task, suspected onset, and what was found about each step, in the order of the walk.

    `last_step` is the trajectory's number of steps: a rollback cannot lead beyond it. It is not shown.
    """

    node: ClassVar[NodeId] = "n5"
    task: str
    onset: int
    inspected: tuple[Diagnosis, ...]
    last_step: int


Context = ClassifyContext | DetectContext | SearchContext | RiskContext | DecideContext
