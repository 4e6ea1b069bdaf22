"""Measure restoration: carry out each write and its documented inverse on the real engine.

Run under the engine's environment:

    python -m holdcourse.appworld.engine.restoration ROOT OUT.json [--task TASK_ID] [--only app.api ...]

Every write for which a call can be found is made in one task's start state. The inverse calls are those that
holdcourse.appworld.compensation plans, with the old values read before the write. Deterministic for a world
and a task.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from holdcourse.appworld.compensation import Compensation, Seen, Written, plan_compensation, preimage_calls
from holdcourse.appworld.engine.arguments import assignments
from holdcourse.appworld.engine.deeds import TRIES, Deed, Deeds
from holdcourse.appworld.engine.rooted import without_traceback
from holdcourse.appworld.engine.tables import differences
from holdcourse.appworld.engine.trial_world import CallFailedError, TrialWorld
from holdcourse.appworld.inverses import Inverse
from holdcourse.appworld.preimages import record_in
from holdcourse.drift.records import Call
from holdcourse.files import write_json


def measure(name: str, deeds: Deeds) -> dict[str, object]:
    """One write: what it changes, and what is left after its inverse.

    Args:
        name: the write.
        deeds: calls that work in this world.

    Returns:
        {"measured", "calls", "changed", "residue", "why"}, as holdcourse.appworld.reversibility reads it.
    """
    made = deeds.found.get(name)
    if not made:
        return _outcome("not_tried", why="no call of it succeeded with values found in the world")
    world, deed = deeds.world, made[-1]
    world.start_over()
    operation = world.docs[deed.operation]
    deeds.make(made[:-1])
    call = Call(operation.app, operation.api, deed.arguments, "write", True)
    seen = _seen(call, deeds.inverses[deed.operation], deeds)
    before = world.snapshot()
    try:
        response = world.call(deed.operation, deed.arguments)
    except CallFailedError as error:
        return _outcome("not_tried", made, why=f"the call did not succeed again: {error}"[:300])
    changed = [str(change) for change in differences(before, world.snapshot())]
    plan = plan_compensation([Written(call, response, seen)], world.docs)
    if plan.left:
        documented = deeds.inverses[deed.operation].documented
        return _outcome("failed" if documented else "not_tried", made, changed, changed, plan.left[0].why)
    why = _carried_out(plan, world)
    residue = [str(change) for change in differences(before, world.snapshot())]
    return _outcome("failed" if why else "residue" if residue else "exact", made, changed, residue, why)


def _carried_out(plan: Compensation, world: TrialWorld) -> str:
    """Make the calls of a plan; the reason where one was refused, "" where all succeeded."""
    for planned in plan.calls:
        try:
            world.call(planned.operation, planned.arguments)
        except CallFailedError as error:
            return f"{planned.operation} was refused: {error}"[:300]
    return ""


def _seen(call: Call, inverse: Inverse, deeds: Deeds) -> list[Seen]:
    """The reads before a write; where they need the record's parent, the list that shows the record."""
    world = deeds.world
    seen: list[Seen] = []
    for planned in preimage_calls(call, world.docs):
        try:
            response = world.call(planned.operation, planned.arguments)
        except CallFailedError:
            continue
        seen.append(Seen(planned.operation, response, planned.arguments))
    for preimage in inverse.preimages if not seen else ():
        read = world.docs[preimage.read]
        identity = {name: call.arguments[name] for name in preimage.identity if name in call.arguments}
        ways = assignments(read, deeds.facts_after(read.app), with_optional=False)
        for arguments in itertools.islice(ways, TRIES):
            try:
                response = world.call(read.name, arguments)
            except CallFailedError:
                continue
            if record_in(response, identity) is not None:
                seen.append(Seen(read.name, response, arguments))
                break
    return seen


def _outcome(
    measured: str,
    made: Sequence[Deed] = (),
    changed: Sequence[str] = (),
    residue: Sequence[str] = (),
    why: str = "",
) -> dict[str, object]:
    return {
        "measured": measured,
        "calls": [f"{deed.operation}{' (another person)' * deed.by_other}" for deed in made],
        "changed": list(changed),
        "residue": list(residue),
        "why": why,
    }


def measure_all(root: Path, task: str = "", only: Sequence[str] = ()) -> dict[str, object]:
    """Measure every write of a world.

    Args:
        root: the world.
        task: whose start state; the world's first task when empty.
        only: these writes alone; all when empty.

    Returns:
        {"task", "reads_made", "reads_that_write", "rows": {operation: outcome}}.
    """
    world = TrialWorld(root, task)
    try:
        deeds = Deeds(world, only)
        rows: Mapping[str, object] = {
            name: measure(name, deeds) for name in deeds.inverses if not only or name in only
        }
        return {
            "task": world.task,
            "reads_made": len(deeds.reads_made),
            "reads_that_write": sorted(deeds.reads_that_write),
            "rows": rows,
        }
    finally:
        world.close()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measure which writes of a world can be undone.")
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--task", default="")
    parser.add_argument("--only", nargs="*", default=())
    given = parser.parse_args()
    write_json(given.out, measure_all(given.root, given.task, given.only))


if __name__ == "__main__":
    without_traceback(main)
