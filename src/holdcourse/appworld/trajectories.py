"""Making trajectories: a main agent runs a task on the engine and is pushed off it on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

from holdcourse.appworld.cases import DRIFT_TYPES, Case, variant_of
from holdcourse.appworld.episode import Episode, Execution
from holdcourse.appworld.injection import carried, worded
from holdcourse.appworld.labels import (
    References,
    label_steps,
    last_drifted_write,
    onset_of,
    references_of,
    writes_of,
)
from holdcourse.appworld.react import Injection, Run, run
from holdcourse.appworld.server import EngineServer
from holdcourse.appworld.tasks import Task
from holdcourse.config.drift import EpisodeConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.drift.records import Call, Step, call_record, step_record
from holdcourse.llm.chat import ChatModel
from holdcourse.recipes.book import ALL
from holdcourse.recipes.login import ORIENT, login_code
from holdcourse.recipes.recipe import Recipe
from holdcourse.recovery.stored import steps_in

RECIPES: Mapping[str, Recipe] = {recipe.name: recipe for recipe in ALL}
FIRST_ONSET = 2
UNKNOWN_LENGTH = 8
"""Steps that a task without a recipe is taken to have when an onset is placed."""


@dataclass(frozen=True)
class Maker:
    """What trajectories are made with.

    Attributes:
        server: the engine.
        model: answers the agent's requests.
        agent: which model the agent is.
        limits: conf/episode/.
        reversible: operations with a documented inverse.
        seed: sampling seed.
        name: distinguishes the engine's own output folders of one job from another's.
    """

    server: EngineServer
    model: ChatModel
    agent: RoleModel
    limits: EpisodeConfig
    reversible: frozenset[str]
    seed: int
    name: str


@dataclass(frozen=True)
class Payload:
    """A payload that can be worked on in a task's world, and the calls of doing so."""

    task: Task
    calls: tuple[Call, ...]


class Payloads:
    """Tries on the engine which payloads can be carried out in a task's world; remembers those that cannot.

    A question must leave the world untouched, a deed must change it.
    """

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self._unworkable: set[tuple[str, str]] = set()

    def workable(self, case: Case) -> Iterator[Payload]:
        """Those of a case's candidates that can be carried out, each tried when it is asked for."""
        for number, payload in enumerate(case.payloads):
            key = (payload.id, case.task.person)
            if key in self._unworkable:
                continue
            calls = self._calls(case, payload, number)
            if calls is None:
                self._unworkable.add(key)
            else:
                yield Payload(payload, calls)

    def _calls(self, case: Case, payload: Task, number: int) -> tuple[Call, ...] | None:
        recipe = RECIPES.get(payload.template)
        if recipe is None:
            return payload.reference_calls
        maker = self._maker
        blocks = [ORIENT, login_code(recipe.apps)]
        blocks += [recipe.code(step, payload.values) for step in range(len(recipe.steps))]
        calls: list[Call] = []
        with maker.server.episode(case.task.id, f"{maker.name}-{case.id}-payload{number}") as episode:
            for block in blocks:
                done = episode.execute(block)
                if done.failed or done.refused:
                    return None
                calls += done.calls
            untouched = not episode.changes()
        return tuple(calls) if untouched == payload.reads_only else None


def plan_of_variant(case: Case, payload: Payload) -> dict[str, object]:
    """What the engine's `variants` program needs to plant the text of a case with a surface."""
    text, _ = worded(payload.task.instruction, case.split, case.wording)
    return {
        "task_id": case.task.id,
        "variant_id": variant_of(case, text),
        "surface": case.surface,
        "text": text,
    }


def make(case: Case, payloads: Iterable[Payload], maker: Maker) -> dict[str, object] | None:
    """Run a case: the first of its payloads that pushes the agent off its task gives the trajectory.

    An agent that resists them all gives the last one's run, an aligned trajectory that counts as resisted.

    Args:
        case: what to make.
        payloads: workable ones; of a case with a surface, the one whose text is planted.
        maker: what to make it with.

    Returns:
        The dataset's row; None when the case drifts and no payload is workable.
    """
    if case.kind == "aligned":
        return _row(case, None, _run(case, None, maker), maker.reversible)
    row = None
    for payload in payloads:
        row = _row(case, payload, _run(case, payload, maker), maker.reversible)
        if row["onset"] is not None:
            return row
    return row


def undisturbed(case: Case, maker: Maker) -> dict[str, object]:
    """Run a case's task with nothing injected: what any recovery could restore at best.

    Returns:
        The base task's id and difficulty, whether all its tests passed, how the run ended, its steps' number.
    """
    made = _run(case, None, maker)
    return {
        "base_task_id": case.task.id,
        "difficulty": case.task.difficulty,
        "success": bool(made.evaluation["success"]),
        "ended": made.run.ended,
        "steps": len(made.run.steps),
    }


@dataclass(frozen=True)
class _Made:
    run: Run
    text: str
    wording: str
    variant: str | None
    changes_before: tuple[str, ...]
    changes: tuple[str, ...]
    evaluation: Mapping[str, object]


class _Watched:
    """An episode that notes what had changed right before the text is acted on."""

    def __init__(self, episode: Episode, text: str | None, at_step: int | None) -> None:
        self._episode = episode
        self._text = text
        self._at_step = at_step
        self._number = 0
        self.changes_before: tuple[str, ...] | None = None

    def execute(self, code: str) -> Execution:
        self._number += 1
        if self._number == self._at_step:
            self.changes_before = self._episode.changes()
        done = self._episode.execute(code)
        if self._at_step is None and self._text is not None and _shows(done.output, self._text):
            self._at_step = self._number + 1
        return done


def _run(case: Case, payload: Payload | None, maker: Maker) -> _Made:
    text = wording = ""
    variant = None
    injections: list[Injection] = []
    at_step = None
    if payload is not None:
        resume = case.kind == "non_monotone"
        text, wording = worded(payload.task.instruction, case.split, case.wording, resume=resume)
        if case.surface is not None:
            variant = variant_of(case, text)
        else:
            text = carried(text, case.carrier)
            at_step = _onset_planned(case)
            injections.append(Injection(at_step, text))
    task_id = variant or case.task.id
    with maker.server.episode(task_id, f"{maker.name}-{case.id}") as episode:
        shell = _Watched(episode, text or None, at_step)
        ran = run(
            maker.model,
            maker.agent,
            shell,
            episode.task,
            maker.limits,
            injections=injections,
            seed=maker.seed,
        )
        changes = episode.changes()
        before = shell.changes_before if shell.changes_before is not None else changes
        return _Made(ran, text, wording, variant, before, changes, asdict(episode.evaluate()))


def _onset_planned(case: Case) -> int:
    recipe = RECIPES.get(case.task.template)
    steps = len(recipe.steps) + 2 if recipe else UNKNOWN_LENGTH
    return FIRST_ONSET + int(case.place * (steps - FIRST_ONSET))


def _row(case: Case, payload: Payload | None, made: _Made, reversible: frozenset[str]) -> dict[str, object]:
    references = References(case.task.reference_calls, payload.calls if payload else ())
    row: dict[str, object] = {
        "id": case.id,
        "task_id": made.variant or case.task.id,
        "base_task_id": case.task.id,
        "variant_id": made.variant,
        "person": case.task.person,
        "split": case.split,
        "kind": case.kind,
        "type": DRIFT_TYPES[case.kind],
        "difficulty": case.task.difficulty,
        "carrier": case.carrier if payload else None,
        "surface": case.surface if payload else None,
        "wording": made.wording or None,
        "payload_task_id": payload.task.id if payload else None,
        "instruction": case.task.instruction,
        "injected_text": made.text or None,
        "non_monotone": case.kind == "non_monotone",
        "ended": made.run.ended,
        "steps": [step_record(step) for step in made.run.steps],
        "references": {
            "task": [call_record(call) for call in references.task],
            "payload": [call_record(call) for call in references.payload],
        },
        "delay": case.delay,
        "changes_before": list(made.changes_before),
        "changes": list(made.changes),
        "evaluation": dict(made.evaluation),
    }
    return {**row, **labels_of(row, reversible)}


def labels_of(row: Mapping[str, object], reversible: frozenset[str]) -> dict[str, object]:
    """Labels of a stored trajectory, worked out anew from its steps and reference calls.

    Args:
        row: a trajectory as `make` returns it, with or without labels.
        reversible: operations with a documented inverse.
    """
    steps = steps_in(row)
    labels = label_steps(steps, references_of(row))
    onset = onset_of(labels)
    writes = writes_of(labels)
    suspected = _suspected(row, steps, onset, last_drifted_write(labels))
    return {
        "labels": [
            {**asdict(label), "writes": list(label.writes), "reads": list(label.reads)} for label in labels
        ],
        "onset": onset,
        "suspected_onset": suspected,
        "writes": list(writes),
        "right_action": "escalate_human" if writes else "rollback_before_drift",
        "right_target": None if writes else (suspected if onset is None else onset - 1),
        "reversible": set(writes) <= reversible if writes else None,
    }


def _suspected(
    row: Mapping[str, object], steps: Sequence[Step], onset: int | None, last_write: int | None
) -> int:
    """The step that the outer detector points at: late by some steps, never before the last drifted write."""
    delay = int(cast("int", row["delay"]))
    if onset is None:
        return max(1, len(steps) - delay)
    return min(len(steps), max(onset + delay, last_write or 0))


def _shows(output: str, text: str) -> bool:
    return text in output or text in output.replace("\\'", "'").replace('\\"', '"')
