"""Acting on a decision: roll the agent back, run it again from there, and see what it comes to (§5.3.2).

Rolling back truncates the history and nothing else; the world stays as the drifted run left it. Two
extensions act on the world where the walk found writes, and so would call a human: `restore` goes back to the
state before the drift, `compensate` carries out the documented inverse of each drifted write.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from holdcourse.appworld.docs import Docs
from holdcourse.appworld.episode import Checkpoint, Episode, Execution
from holdcourse.appworld.labels import label_steps, references_of
from holdcourse.appworld.react import Run, run
from holdcourse.appworld.repairing import Repair, repair
from holdcourse.appworld.server import EngineServer
from holdcourse.config.drift import EpisodeConfig
from holdcourse.config.end_to_end import ROLLBACKS, RecoveryMode
from holdcourse.config.role_model import RoleModel
from holdcourse.drift.records import Step, call_record, step_record
from holdcourse.llm.chat import ChatModel, Usage
from holdcourse.recovery.deciding import rule_target
from holdcourse.recovery.nodes import ESCALATE
from holdcourse.recovery.record import Walk
from holdcourse.recovery.stored import steps_in

Row = Mapping[str, object]
CLOSE = "supervisor.complete_task"


@dataclass(frozen=True)
class Redoing:
    """What drifted runs are done again with.

    Attributes:
        server: the engine.
        model: answers the agent's requests.
        agent: which model the agent is.
        limits: conf/episode/.
        docs: the world's documentation, for inverse calls.
        seed: sampling seed.
        name: distinguishes the engine's own output folders of one job from another's.
    """

    server: EngineServer
    model: ChatModel
    agent: RoleModel
    limits: EpisodeConfig
    docs: Docs
    seed: int
    name: str


@dataclass(frozen=True)
class Redone:
    """What came of acting on a decision.

    Attributes:
        escalated: whether a human was called and nothing was run again.
        kept: steps of the drifted run that the second run began with; None when nothing was run again.
        success: whether all of the task's tests passed at the end; None when nothing was run again.
        drifted_again: whether new steps of the second run served the same payload; None when nothing was run.
        steps: the second run's new steps.
        changes: the engine's state difference at the end, against the task's start.
        repair: what `compensate` did before; None in other modes, or when it had nothing to do.
        agent_calls: calls of the agent's model.
        usage: tokens of those.
        seconds: wall time.
    """

    escalated: bool
    kept: int | None = None
    success: bool | None = None
    drifted_again: bool | None = None
    steps: tuple[Step, ...] = ()
    changes: tuple[str, ...] = ()
    repair: Repair | None = None
    agent_calls: int = 0
    usage: Usage = Usage(0, 0)  # noqa: RUF009 (a frozen dataclass)
    seconds: float = 0.0

    def record(self) -> dict[str, object]:
        """As a JSON object."""
        made = self.repair
        return {
            "escalated": self.escalated,
            "kept": self.kept,
            "success": self.success,
            "drifted_again": self.drifted_again,
            "steps": [step_record(step) for step in self.steps],
            "changes": list(self.changes),
            "repair": None
            if made is None
            else {
                "calls": [call_record(call) for call in made.calls],
                "left": list(made.left),
                "residue": list(made.residue),
                "changes": list(made.changes),
            },
            "agent_calls": self.agent_calls,
            "agent_prompt_tokens": self.usage.prompt_tokens,
            "agent_completion_tokens": self.usage.completion_tokens,
            "seconds": round(self.seconds, 3),
        }


def redo(row: Row, walk: Walk, mode: RecoveryMode, warning: str | None, redoing: Redoing) -> Redone:
    """Act on a walk's decision about a drifted run.

    Args:
        row: the run, as the dataset stores it.
        walk: the recovery graph's walk over it.
        mode: `rollback` as in the paper (`unwarned` is the same here), or an extension.
        warning: what the agent is told before it starts again (Type II).
        redoing: the engine and the agent.

    Raises:
        EngineError: an episode was lost.
        ModelError: a call of the agent's model failed for good.
    """
    started = time.monotonic()
    done = _acted(row, walk, mode, warning, redoing)
    return replace(done, seconds=time.monotonic() - started)


def _acted(row: Row, walk: Walk, mode: RecoveryMode, warning: str | None, redoing: Redoing) -> Redone:
    steps = steps_in(row)
    decision = walk.decision
    task_id, name = str(row["task_id"]), f"{redoing.name}-{row['id']}-{mode}"
    if decision.action == ESCALATE:
        # An escalation over writes is what the extensions are for; any other stays one.
        if mode in ROLLBACKS or decision.by == "fail_safe" or not walk.writes:
            return Redone(escalated=True)
        target = rule_target(walk.inspected, walk.suspected_onset)
        if mode == "compensate":
            with redoing.server.episode(task_id, f"{name}-repair") as episode:
                made = repair(episode, steps, walk.inspected, redoing.docs)
                if not made.whole:
                    return Redone(escalated=True, changes=made.changes, repair=made)
                again = _again(row, steps[:target], warning, redoing, name, episode.save())
                return replace(again, repair=made)
        # A checkpoint taken there holds what the kept steps make anew: the engine repeats itself exactly.
        return _again(row, steps[:target], warning, redoing, name, None)
    # Writes that the walk did not find stay as they are, whatever could be done about them.
    target = decision.rollback_to_step or 0
    world = _left_behind(steps, target, task_id, name, redoing)
    return _again(row, steps[:target], warning, redoing, name, world)


def _left_behind(
    steps: Sequence[Step], target: int, task_id: str, name: str, redoing: Redoing
) -> Checkpoint | None:
    """The world as the drifted run left it; None when that is what its kept steps make of it anyway."""
    if not any(call.kind == "write" and call.succeeded for step in steps[target:] for call in step.calls):
        return None
    with redoing.server.episode(task_id, f"{name}-drifted") as episode:
        for step in steps:
            episode.execute(step.code)
        return episode.save()


class _Reopened:
    """An episode whose task counts as closed once the second run closes it.

    Whether a task is closed stands among the world's data; that the drifted run closed it must not end the
    second one.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode

    def execute(self, code: str) -> Execution:
        done = self._episode.execute(code)
        return replace(done, completed=_closes(done))


def _closes(done: Execution) -> bool:
    return any(call.operation == CLOSE and call.succeeded for call in done.calls)


def _again(
    row: Row,
    kept: Sequence[Step],
    warning: str | None,
    redoing: Redoing,
    name: str,
    world: Checkpoint | None,
) -> Redone:
    """Replay the kept steps in a clean shell, put the world in its place, and let the agent go on."""
    with redoing.server.episode(str(row["task_id"]), name) as episode:
        closed = False
        for step in kept:
            closed = _closes(episode.execute(step.code)) or closed
        if world is not None:
            episode.load(world)
        # A history that ends with a closed task leaves the agent nothing to do.
        ran = (
            Run(tuple(kept), "completed", Usage(0, 0), 0)
            if closed
            else run(
                redoing.model,
                redoing.agent,
                _Reopened(episode),
                episode.task,
                redoing.limits,
                kept=kept,
                warning=warning,
                seed=redoing.seed,
            )
        )
        changes = episode.changes()
        evaluation = episode.evaluate()
    labels = label_steps(ran.steps, references_of(row))
    return Redone(
        escalated=False,
        kept=len(kept),
        success=evaluation.success,
        drifted_again=any(not label.aligned for label in labels[len(kept) :]),
        steps=ran.steps[len(kept) :],
        changes=changes,
        agent_calls=ran.calls,
        usage=ran.usage,
    )
