"""The held-out tasks: one set for all seeds and arms, stratified by intent and by number of issues."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from holdcourse.config.schema import INTENTS, Intent, ProtocolConfig
from holdcourse.errors import HoldcourseError
from holdcourse.telecom.apportion import apportion
from holdcourse.telecom.draws import ordered_by_hash
from holdcourse.telecom.tasks import TaskInfo, tasks_of_intent

Strata = dict[int, list[TaskInfo]]
"""Tasks of one intent by number of issues, each list in its order of drawing."""


def draw_heldout(catalogue: Sequence[TaskInfo], config: ProtocolConfig) -> tuple[str, ...]:
    """Ids of the held-out tasks, grouped by intent, then by number of issues.

    The order of drawing is a hash of the task id alone, so that a study's seed changes nothing here.
    Within an intent, seats go to the numbers of issues in proportion to how many tasks have that many,
    at least one each while there are seats. At most `max_transfer_expected` tasks expect a transfer.

    Raises:
        HoldcourseError: more tasks are asked than there are, in all or of an intent.
    """
    if config.heldout_size > len(catalogue):
        raise HoldcourseError(
            f"protocol.heldout_size={config.heldout_size} asks for more tasks than the {len(catalogue)} "
            "there are; lower protocol.heldout_size"
        )
    seats = apportion(config.heldout_size, config.heldout_intents)
    allowance = config.max_transfer_expected
    drawn: list[TaskInfo] = []
    for intent in (name for name in INTENTS if seats.get(name)):
        chosen = _draw_intent(_strata(catalogue, intent), seats[intent], allowance)
        if len(chosen) < seats[intent]:
            raise HoldcourseError(
                f"protocol.heldout_size={config.heldout_size} with heldout_intents.{intent}="
                f"{config.heldout_intents[intent]:g} asks for {seats[intent]} {intent} tasks; with at most "
                f"{config.max_transfer_expected} transfer-expected tasks there are {len(chosen)}; lower "
                f"protocol.heldout_size or protocol.heldout_intents.{intent}, or raise "
                "protocol.max_transfer_expected"
            )
        allowance -= sum(task.transfer_expected for task in chosen)
        drawn.extend(chosen)
    return tuple(task.id for task in drawn)


def _strata(catalogue: Sequence[TaskInfo], intent: Intent) -> Strata:
    strata: Strata = defaultdict(list)
    for task in ordered_by_hash(tasks_of_intent(catalogue, intent), "heldout"):
        strata[len(task.issues)].append(task)
    return dict(sorted(strata.items()))


def _draw_intent(strata: Strata, seats: int, allowance: int) -> list[TaskInfo]:
    """Up to `seats` tasks, at most `allowance` of them transfer-expected; fewer only when there are no more.

    Seats are given one by one to the stratum furthest below its quota that still has a task to give.
    Where nothing is short this is the method of largest remainders.
    """
    population = sum(len(tasks) for tasks in strata.values())
    quotas = {size: seats * len(tasks) / population for size, tasks in strata.items()}
    chosen: dict[int, list[TaskInfo]] = {size: [] for size in strata}

    def next_task(size: int) -> TaskInfo | None:
        spent = sum(task.transfer_expected for tasks in chosen.values() for task in tasks)
        return next(
            (
                task
                for task in strata[size]
                if task not in chosen[size] and (spent < allowance or not task.transfer_expected)
            ),
            None,
        )

    def give_seat(size: int) -> None:
        task = next_task(size)
        if task is not None and sum(map(len, chosen.values())) < seats:
            chosen[size].append(task)

    # Strata with the fewest tasks that expect no transfer come first: they may need the allowance most.
    for size in sorted(strata, key=lambda size: sum(not task.transfer_expected for task in strata[size])):
        give_seat(size)
    while sum(map(len, chosen.values())) < seats:
        open_strata = [size for size in strata if next_task(size) is not None]
        if not open_strata:
            break
        give_seat(max(open_strata, key=lambda size: quotas[size] - len(chosen[size])))
    return [task for tasks in chosen.values() for task in tasks]
