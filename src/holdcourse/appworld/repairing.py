"""Undoing a drift on the engine: the extension `compensate`, a correction node behind n4 (drift paper, §6).

The drifted run is carried out again up to its end, so that the world stands as it left it. Then each write
that the walk found and called reversible is undone by its documented inverse, with old values from what the
agent itself had read before. Nothing is called for a write that was found irreversible or that no inverse is
known of. What was read of an app before a write to it that stays, an aligned one, is an old value no more
and is not used. At last the engine's state difference is compared with that right before the drift.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdcourse.appworld.compensation import PlannedCall, Seen, Written, plan_compensation
from holdcourse.appworld.docs import Docs
from holdcourse.appworld.episode import Episode
from holdcourse.drift.records import Call, Step
from holdcourse.recipes.login import ORIENT, login_code
from holdcourse.recovery.contexts import Diagnosis

_TOKEN = re.compile(r"=(\w+)_token\b")


@dataclass(frozen=True, slots=True)
class Repair:
    """What undoing came to.

    Attributes:
        calls: every call that the repair itself made beside logging in, carried out or not.
        left: drifted writes that nothing could undo, with the reason.
        residue: models whose state still differs from that before the drift, with both differences.
        changes: the engine's state difference afterwards, against the task's start.
    """

    calls: tuple[Call, ...] = ()
    left: tuple[str, ...] = ()
    residue: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the world is again as it was before the drift."""
        return not self.left and not self.residue


def repair(episode: Episode, steps: Sequence[Step], inspected: Sequence[Diagnosis], docs: Docs) -> Repair:
    """Carry out a drifted run and undo what a walk found it to have written.

    Args:
        episode: at the task's start.
        steps: the run.
        inspected: what the walk found about its steps.
        docs: the world's documentation.

    Returns:
        What was done; the episode stands after it.
    """
    drifted = {row.step: row for row in inspected if not row.aligned}
    before, written, left = _carried_out(episode, steps, drifted)
    plan = plan_compensation(written, docs)
    left += [f"{one.operation}: {one.why}" for one in plan.left]
    calls: list[Call] = []
    if plan.calls:
        _log_in(episode, plan.calls, docs)
    for planned in plan.calls:
        done = episode.execute(planned.code(docs))
        calls += done.calls
        if done.failed or done.refused:
            left.append(f"{planned.operation}: the inverse call failed")
    after = episode.changes()
    return Repair(tuple(calls), tuple(left), differences(before, after), after)


def differences(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Models that differ between two state differences, such as "gmail.Email: now +1/~0/-0, before none"."""
    then, now = (dict(row.split(":", 1) for row in rows) for rows in (before, after))
    return tuple(
        f"{model}: now {now.get(model, 'none')}, before {then.get(model, 'none')}"
        for model in sorted(then.keys() | now.keys())
        if then.get(model) != now.get(model)
    )


def _carried_out(
    episode: Episode, steps: Sequence[Step], drifted: Mapping[int, Diagnosis]
) -> tuple[tuple[str, ...], list[Written], list[str]]:
    """The state difference before the first drifted step, the writes to be undone, and those to be left."""
    first = min(drifted, default=0)
    before: tuple[str, ...] = ()
    seen: list[Seen] = []
    written: list[Written] = []
    left: list[str] = []
    for step in steps:
        if step.number == first:
            before = episode.changes()
        done = episode.execute(step.code)
        found = drifted.get(step.number)
        for call, response in zip(done.calls, done.responses, strict=True):
            if call.kind == "read" and call.succeeded:
                seen.append(Seen(call.operation, response, call.arguments))
            if call.kind != "write" or not call.succeeded:
                continue
            if found is not None and call.operation in found.irreversible:
                left.append(f"{call.operation}: found irreversible")
            elif found is not None and call.operation in found.writes:
                written.append(Written(call, response, tuple(seen)))
                continue
            # This write stays, so what was read of its app before may no longer be true.
            seen = [one for one in seen if one.operation.partition(".")[0] != call.app]
    return before, written, left


def _log_in(episode: Episode, calls: Sequence[PlannedCall], docs: Docs) -> None:
    """Log in to the apps anew: what an agent called its tokens is its own affair."""
    apps = dict.fromkeys(app for planned in calls for app in _TOKEN.findall(planned.code(docs)))
    episode.execute(ORIENT)
    episode.execute(login_code(list(apps)))
