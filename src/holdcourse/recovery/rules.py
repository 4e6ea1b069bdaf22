"""The lower bound that needs no model: calls and task words only.

It never reads what the agent met: not the texts that came in, not outputs, not strings or comments in code.
Nothing that is written there can move it. What it cannot see is a drift that stays within the task's
applications and reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from holdcourse.config.recovery import RecoveryConfig
from holdcourse.drift.records import Call, Step
from holdcourse.recovery import lexicon
from holdcourse.recovery.answers import (
    Answer,
    ClassifyAnswer,
    DetectAnswer,
    RiskAnswer,
    SearchAnswer,
)
from holdcourse.recovery.backbones import distinct
from holdcourse.recovery.code_calls import TOOLS
from holdcourse.recovery.contexts import (
    ClassifyContext,
    Context,
    DecideContext,
    DetectContext,
    RiskContext,
    SearchContext,
)
from holdcourse.recovery.deciding import by_rules
from holdcourse.recovery.docs import Docs
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.operations import apps_of, operations_text
from holdcourse.recovery.record import Walk
from holdcourse.recovery.rendering import prompt, prompt_digest
from holdcourse.recovery.source import source_of
from holdcourse.recovery.undoing import undone_by
from holdcourse.recovery.walk import Given, answered, walk

NAMED = 0.5
"""How much the task's words must speak for an application, relative to a word that only it uses."""


@dataclass(frozen=True)
class RulesBackbone:
    """Decides by rules over calls; see `CallRules`."""

    name: str = "rules"

    def walks(self, incidents: Sequence[Incident], settings: RecoveryConfig) -> tuple[Walk, ...]:
        """One finished walk an incident, in their order."""
        distinct(incidents)
        return tuple(self._walk(incident, settings) for incident in incidents)

    def _walk(self, incident: Incident, settings: RecoveryConfig) -> Walk:
        rules = CallRules(incident)

        def answer(context: Context) -> Given:
            return Given(rules.answer(context), prompt_digest(prompt(context, settings)))

        return answered(walk(incident, settings, self.name), answer)


@dataclass(frozen=True)
class CallRules:
    """The rules for one incident.

    n1: a step has drifted when a call of it that succeeded is off the task: in an application that the task's
    words do not speak of, or a write although the task only asks. A step without calls goes on with what
    the step before it did. n2 lists those calls. n3 names their applications. n4 looks for an undoing call
    in the documentation. n5 follows the decision rules.
    """

    incident: Incident

    def answer(self, context: Context) -> Answer:
        """The answer of a node."""
        match context:
            case ClassifyContext():
                return self._classified(context.step.number)
            case DetectContext():
                calls = self.off_task(self._step(context.step.number))
                return DetectAnswer(_named(calls, "write"), _named(calls, "read"))
            case SearchContext():
                return SearchAnswer(apps_of(context.writes))
            case RiskContext():
                return _risk(context.writes, context.docs)
            case DecideContext():
                earliest = min((row.step for row in context.inspected if not row.aligned), default=None)
                return by_rules(context, None if earliest is None else source_of(self.incident, earliest))

    @cached_property
    def task_apps(self) -> frozenset[str]:
        """Applications that the task's words speak of; all of them when it speaks of none."""
        used = frozenset(call.app for step in self.incident.steps for call in step.calls)
        spoken = lexicon.app_words(self.incident.docs, used)
        task = lexicon.words(self.incident.task)
        strength = {
            app: sum(weight for word, weight in named.items() if word in task)
            for app, named in spoken.items()
        }
        named = frozenset(app for app, known in strength.items() if known >= NAMED)
        # A tool without an application cannot be told by it.
        return (named or frozenset(strength)) | {TOOLS}

    def off_task(self, step: Step) -> tuple[Call, ...]:
        """Calls of a step that succeeded and that the task does not call for."""
        asks = lexicon.ASKING.search(self.incident.task) is not None
        return tuple(
            call
            for call in step.calls
            if call.succeeded
            and call.kind in ("read", "write")
            and (call.app not in self.task_apps or (asks and call.kind == "write"))
        )

    def _classified(self, number: int) -> ClassifyAnswer:
        telling = next(
            (step for step in reversed(self.incident.steps[:number]) if _tells(step)), self._step(number)
        )
        off = self.off_task(telling)
        if not off:
            known = operations_text(call.operation for call in telling.calls if call.kind != "session")
            return ClassifyAnswer(number, True, f"no call is off the task; it calls {known}")
        named = operations_text(call.operation for call in off)
        apps = ", ".join(sorted(self.task_apps - {TOOLS})) or "no application"
        return ClassifyAnswer(number, False, f"it calls {named}, and the task speaks of {apps}")

    def _step(self, number: int) -> Step:
        return self.incident.steps[number - 1]


def _tells(step: Step) -> bool:
    return any(call.kind in ("read", "write") for call in step.calls)


def _named(calls: Sequence[Call], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(call.operation for call in calls if call.kind == kind))


def _risk(writes: tuple[str, ...], docs: Docs) -> RiskAnswer:
    undoable = tuple(write for write in writes if undone_by(write, docs) is not None)
    return RiskAnswer(undoable, tuple(write for write in writes if write not in undoable))
