"""The upper bound: the nodes answer from labels, in the same graph.

It shows how far the graph gets when no node errs. Nothing else in recovery/ reads a label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from holdcourse.config.recovery import RecoveryConfig
from holdcourse.drift.records import StepLabel
from holdcourse.errors import HoldcourseError
from holdcourse.recovery.answers import (
    Answer,
    ClassifyAnswer,
    DetectAnswer,
    RiskAnswer,
    SearchAnswer,
)
from holdcourse.recovery.backbones import distinct
from holdcourse.recovery.contexts import (
    ClassifyContext,
    Context,
    DecideContext,
    DetectContext,
    RiskContext,
    SearchContext,
)
from holdcourse.recovery.deciding import by_rules
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.operations import apps_of, operations_text
from holdcourse.recovery.record import Walk
from holdcourse.recovery.rendering import prompt, prompt_digest
from holdcourse.recovery.source import source_of
from holdcourse.recovery.walk import Given, answered, walk


@dataclass(frozen=True, slots=True)
class Truth:
    """The labels of one trajectory.

    Attributes:
        labels: one a step.
        reversible: operations that can be undone; all others cannot.
    """

    labels: tuple[StepLabel, ...]
    reversible: frozenset[str] = frozenset()


@dataclass(frozen=True)
class OracleBackbone:
    """Answers from labels; `truths` has one entry an incident, by its id."""

    truths: Mapping[str, Truth] = field(repr=False)
    name: str = "oracle"

    def walks(self, incidents: Sequence[Incident], settings: RecoveryConfig) -> tuple[Walk, ...]:
        """One finished walk an incident, in their order.

        Raises:
            HoldcourseError: an incident has no labels, or not one a step.
        """
        distinct(incidents)
        return tuple(self._walk(incident, settings) for incident in incidents)

    def _walk(self, incident: Incident, settings: RecoveryConfig) -> Walk:
        if incident.id not in self.truths:
            raise HoldcourseError(f"trajectory {incident.id} has no labels, which the oracle answers from")
        truth = self.truths[incident.id]

        def answer(context: Context) -> Given:
            digest = prompt_digest(prompt(context, settings))
            return Given(true_answer(context, incident, truth), digest)

        return answered(walk(incident, settings, self.name), answer)


def taught(incident: Incident, truth: Truth, settings: RecoveryConfig) -> tuple[tuple[Context, Answer], ...]:
    """Every visit of the walk in which no node errs: what the node is told and its true answer."""
    pairs: list[tuple[Context, Answer]] = []

    def answer(context: Context) -> Given:
        true = true_answer(context, incident, truth)
        pairs.append((context, true))
        return Given(true)

    answered(walk(incident, settings, "oracle"), answer)
    return tuple(pairs)


def true_answer(context: Context, incident: Incident, truth: Truth) -> Answer:
    """The answer that labels give to a node.

    Raises:
        HoldcourseError: there is not one label a step.
    """
    if len(truth.labels) != len(incident.steps):
        raise HoldcourseError(
            f"trajectory {incident.id} has {len(incident.steps)} steps and {len(truth.labels)} labels; "
            "each step needs one"
        )
    match context:
        case ClassifyContext():
            label = truth.labels[context.step.number - 1]
            return ClassifyAnswer(label.number, label.aligned, _why(label, incident))
        case DetectContext():
            label = truth.labels[context.step.number - 1]
            return DetectAnswer(label.writes, label.reads)
        case SearchContext():
            return SearchAnswer(apps_of(context.writes))
        case RiskContext():
            undoable = tuple(write for write in context.writes if write in truth.reversible)
            return RiskAnswer(undoable, tuple(write for write in context.writes if write not in undoable))
        case DecideContext():
            earliest = min((row.step for row in context.inspected if not row.aligned), default=None)
            return by_rules(context, None if earliest is None else source_of(incident, earliest))


def _why(label: StepLabel, incident: Incident) -> str:
    calls = (call.operation for call in incident.steps[label.number - 1].calls if call.kind != "session")
    if label.aligned:
        return f"What it does serves the task: {operations_text(calls)}"
    done = operations_text((*label.writes, *label.reads))
    if done == "None":
        return "It goes on with another goal than the task, without a call that succeeded"
    return f"It calls {done}, which serves another goal than the task"
