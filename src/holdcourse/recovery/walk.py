"""Algorithm 1: the walk back from the suspected onset, as a routine that asks for one answer at a time.

It knows no model. Who drives it answers each context it yields: a model, rules, labels, a script in a test;
many walks can be driven side by side, so that the calls of all are made together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from holdcourse.config.recovery import RecoveryConfig
from holdcourse.recovery.answers import (
    Answer,
    ClassifyAnswer,
    DecideAnswer,
    DetectAnswer,
    RiskAnswer,
    SearchAnswer,
    answer_json,
)
from holdcourse.recovery.contexts import (
    ClassifyContext,
    Context,
    DecideContext,
    DetectContext,
    Diagnosis,
    RiskContext,
    SearchContext,
    StepView,
)
from holdcourse.recovery.docs import fetched
from holdcourse.recovery.graph import Edge, Place, Standing, route
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.nodes import ESCALATE, ROLLBACK, NodeId
from holdcourse.recovery.operations import operations_text
from holdcourse.recovery.record import Decision, Visit, Walk


@dataclass(frozen=True, slots=True)
class Given:
    """What a driver gives for a context: an answer, or None where there was none to use; and what it took."""

    answer: Answer | None
    prompt_digest: str = ""
    reasoning: str = ""
    attempts: int = 1
    refused: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0


Walking = Generator[Context, Given, Walk]


def walk(incident: Incident, settings: RecoveryConfig, backbone: str) -> Walking:
    """Walk the graph for one incident; yields what the next node is told and returns the record.

    Args:
        incident: what happened. Its suspected onset lies within its steps.
        settings: K, how far the walk goes, whether the rule on writes is enforced.
        backbone: name of who answers, for the record.

    Raises:
        ValueError: a driver gave an answer of another node.
    """
    state = _State(incident, settings)
    place: Place = "start"
    edge = route(place, state.standing)
    while edge.target not in ("rollback", "escalate"):
        if edge.back:
            state.step -= 1
        place = edge.target
        context = state.context(place)
        given = yield context
        if given.answer is not None and given.answer.node != place:
            raise ValueError(f"an answer of {given.answer.node} was given where {place} was asked")
        state.take(given.answer)
        edge = route(place, state.standing)
        state.visits.append(_visit(len(state.visits) + 1, state.step, context, given, edge))
    return Walk(
        incident_id=incident.id,
        suspected_onset=incident.suspected_onset,
        backbone=backbone,
        visits=tuple(state.visits),
        inspected=tuple(state.inspected),
        decision=state.decision(edge),
    )


def answered(walking: Walking, answer: Callable[[Context], Given]) -> Walk:
    """Drive one walk to its end with a function that answers."""
    context = next(walking)
    while True:
        try:
            context = walking.send(answer(context))
        except StopIteration as end:
            finished: Walk = end.value
            return finished


@dataclass
class _State:
    """k, w and steps of Algorithm 1, and the writes of the step under review."""

    incident: Incident
    settings: RecoveryConfig
    step: int = 0
    verdicts: list[bool] = field(default_factory=list)
    inspected: list[Diagnosis] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    apps: tuple[str, ...] = ()
    decided: DecideAnswer | None = None
    answered: bool = True

    def __post_init__(self) -> None:
        self.step = self.incident.suspected_onset

    @property
    def standing(self) -> Standing:
        return Standing(
            step=self.step,
            verdicts=tuple(self.verdicts[-self.settings.streak :]),
            streak=self.settings.streak,
            wrote=bool(self.inspected and self.inspected[-1].writes),
            action=self.decided.action if self.decided else None,
            answered=self.answered,
            steps_left=self.settings.max_steps - len(self.inspected),
        )

    def context(self, place: Place) -> Context:
        task, onset = self.incident.task, self.incident.suspected_onset
        match place:
            case "n1":
                return ClassifyContext(task, onset, self.incident.cause, self._view())
            case "n2":
                return DetectContext(task, self._view(), self.inspected[-1].aligned, self.inspected[-1].why)
            case "n3":
                return SearchContext(self.inspected[-1].writes)
            case "n4":
                return RiskContext(self.inspected[-1].writes, fetched(self.incident.docs, self.apps))
            case "n5":
                return DecideContext(task, onset, tuple(self.inspected), len(self.incident.steps))
        raise ValueError(f"there is nothing to ask at {place}")

    def take(self, answer: Answer | None) -> None:
        self.answered = answer is not None
        match answer:
            case ClassifyAnswer():
                self.verdicts.append(answer.aligned)
                self.inspected.append(Diagnosis(self.step, answer.aligned, answer.why))
            case DetectAnswer():
                # What n4 says nothing of, or is never asked about, counts as irreversible.
                self._found(writes=answer.writes, reads=answer.reads, irreversible=answer.writes)
            case SearchAnswer():
                self.apps = answer.apps
            case RiskAnswer():
                writes = self.inspected[-1].writes
                undoable = tuple(write for write in writes if write in answer.reversible)
                rest = tuple(write for write in writes if write not in undoable)
                self._found(reversible=undoable, irreversible=rest)
            case DecideAnswer():
                self.decided = answer

    def decision(self, edge: Edge) -> Decision:
        if edge.safety or self.decided is None:
            return _failed_safe(self.incident, self.visits[-1], self.inspected, edge)
        decided = Decision(self.decided.action, self.decided.target, self.decided.report)
        writes = operations_text(write for row in self.inspected for write in row.writes)
        if decided.action == ROLLBACK and writes != "None" and self.settings.enforce_write_rule:
            reason = f"a rollback was ordered, but the drifted steps wrote: {writes}"
            return replace(decided, action=ESCALATE, rollback_to_step=None, by="write_rule", reason=reason)
        return decided

    def _view(self) -> StepView:
        return StepView.of(self.incident.steps[self.step - 1])

    def _found(self, **found: tuple[str, ...]) -> None:
        self.inspected[-1] = replace(self.inspected[-1], **found)  # type: ignore[arg-type]  # all are tuples


def _failed_safe(incident: Incident, last: Visit, inspected: Sequence[Diagnosis], edge: Edge) -> Decision:
    failed: NodeId | None = last.node if last.answer is None else None
    if failed:
        reason = f"{failed} gave no answer in the format in {last.attempts} attempts: {last.refused[-1]}"
    else:
        reason = f"{len(inspected)} steps were inspected without an end ({edge.guard.words})"
    drifted = [row.step for row in inspected if not row.aligned]
    writes = operations_text(write for row in inspected for write in row.writes)
    found = f"steps found to have drifted: {', '.join(map(str, drifted)) or 'none'}; writes found: {writes}"
    report = (
        f"The recovery graph could not decide: {reason}. Suspected drift onset: step "
        f"{incident.suspected_onset}; {found}. Please look at the run before it goes on."
    )
    return Decision(ESCALATE, None, report, by="fail_safe", failed_node=failed, reason=reason)


def _visit(number: int, step: int, context: Context, given: Given, edge: Edge) -> Visit:
    told: dict[str, JsonValue] | None = None if given.answer is None else answer_json(given.answer)
    return Visit(
        number=number,
        node=context.node,
        step=None if isinstance(context, DecideContext) else step,
        prompt_digest=given.prompt_digest,
        answer=told,
        reasoning=given.reasoning,
        verdict=_verdict(given.answer),
        route=edge.target,
        attempts=given.attempts,
        refused=given.refused,
        prompt_tokens=given.prompt_tokens,
        completion_tokens=given.completion_tokens,
        cost_usd=given.cost_usd,
        seconds=given.seconds,
    )


def _verdict(answer: Answer | None) -> str:
    match answer:
        case None:
            return "no usable answer"
        case ClassifyAnswer():
            return "Y" if answer.aligned else "N"
        case DetectAnswer():
            return f"writes {operations_text(answer.writes)}; reads {operations_text(answer.reads)}"
        case SearchAnswer():
            return operations_text(answer.apps)
        case RiskAnswer():
            return (
                f"reversible {operations_text(answer.reversible)}; not {operations_text(answer.irreversible)}"
            )
        case DecideAnswer():
            return answer.action if answer.target is None else f"{answer.action} {answer.target}"
