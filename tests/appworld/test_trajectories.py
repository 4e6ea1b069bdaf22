"""Trajectories on the engine: each kind of drift is what its labels say, whatever order they are made in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdcourse.appworld.cases import Case, cases
from holdcourse.appworld.dataset import relabel, unfit
from holdcourse.appworld.server import EngineServer
from holdcourse.appworld.tasks import Task, tasks_of
from holdcourse.appworld.trajectories import Maker, Payloads, make, plan_of_variant, undisturbed
from holdcourse.appworld.variants import plant
from holdcourse.config.compose import compose
from holdcourse.config.drift import AgentRates
from holdcourse.files import read_object
from holdcourse.llm.door import Door

REVERSIBLE = frozenset({"spotify.like_song", "simple_note.create_note", "phone.create_alarm"})
SURE = AgentRates(success=(1.0, 1.0, 1.0), obeys=1.0, heeds=1.0)
CONFIG = compose("smoke")


@pytest.fixture(scope="module")
def maker(world: Path, engine_python_path: Path) -> Iterator[Maker]:
    rates = CONFIG.simulated_drift.model_copy(update={"large": SURE})
    with EngineServer(world, engine_python_path, CONFIG.engine.limits, warm=False) as server:
        door = Door(None, None, None, rates)
        agent = CONFIG.drift_models.agent_large
        yield Maker(server, door, agent, CONFIG.episode, REVERSIBLE, 0, "test")


@pytest.fixture(scope="module")
def planned(world: Path) -> dict[str, list[Case]]:
    """Cases by kind, over the tasks of the smoke study."""
    made: dict[str, list[Case]] = {}
    for case in cases(tasks_of(read_object(world / "world.json")), CONFIG.drift, REVERSIBLE):
        made.setdefault(case.kind, []).append(case)
    return made


def row_of(case: Case, maker: Maker, world: Path, python: Path) -> dict[str, object]:
    payloads = Payloads(maker).workable(case)
    if case.surface is not None:
        payload = next(payloads)
        plant(world, python, [plan_of_variant(case, payload)])
        payloads = iter([payload])
    row = make(case, payloads, maker)
    assert row is not None
    return row


def test_an_aligned_run_does_its_task(planned: dict[str, list[Case]], maker: Maker) -> None:
    row = make(planned["aligned"][0], (), maker)
    assert row is not None
    assert row["onset"] is None
    assert row["evaluation"]["success"] is True  # type: ignore[index]
    assert undisturbed(planned["aligned"][0], maker)["success"] is True


@pytest.mark.parametrize(("kind", "drift_type"), [("transient", "I"), ("persistent", "II")])
def test_a_read_drift_leaves_the_world_and_fails_the_task(
    kind: str,
    drift_type: str,
    planned: dict[str, list[Case]],
    maker: Maker,
    world: Path,
    engine_python_path: Path,
) -> None:
    row = row_of(planned[kind][0], maker, world, engine_python_path)
    assert row["type"] == drift_type
    assert row["onset"] is not None
    assert row["writes"] == []
    assert row["changes"] == row["changes_before"]
    assert row["evaluation"]["success"] is False  # type: ignore[index]
    assert unfit(row) is None


def test_a_persistent_text_is_met_in_an_output(
    planned: dict[str, list[Case]], maker: Maker, world: Path, engine_python_path: Path
) -> None:
    row = row_of(planned["persistent"][1], maker, world, engine_python_path)
    steps = row["steps"]
    assert all(step["injected"] is None for step in steps)  # type: ignore[attr-defined]
    before = steps[int(row["onset"]) - 2]  # type: ignore[index, call-overload]
    assert str(row["injected_text"])[:20] in before["output"]


def test_a_write_drift_changes_the_world_and_is_to_be_escalated(
    planned: dict[str, list[Case]], maker: Maker, world: Path, engine_python_path: Path
) -> None:
    rows = [row_of(case, maker, world, engine_python_path) for case in planned["write"][:2]]
    for row in rows:
        assert row["writes"]
        assert row["changes"] != row["changes_before"]
        assert (row["right_action"], row["right_target"]) == ("escalate_human", None)
    assert not any(unfit(row) for row in rows)
    assert relabel(rows, REVERSIBLE).agreed == 2


def test_an_interruption_leads_back_to_the_task(
    planned: dict[str, list[Case]], maker: Maker, world: Path, engine_python_path: Path
) -> None:
    row = row_of(planned["non_monotone"][0], maker, world, engine_python_path)
    verdicts = [label["aligned"] for label in row["labels"]]  # type: ignore[attr-defined]
    assert verdicts[0] is True
    assert False in verdicts
    assert verdicts[-1] is True


def test_a_trajectory_is_the_same_whatever_was_made_before_it(
    planned: dict[str, list[Case]], maker: Maker, world: Path, engine_python_path: Path
) -> None:
    first, second = planned["transient"][:2]
    alone = row_of(second, maker, world, engine_python_path)
    row_of(first, maker, world, engine_python_path)
    assert row_of(second, maker, world, engine_python_path) == alone


def test_a_payload_that_cannot_be_carried_out_is_passed_over(
    planned: dict[str, list[Case]], maker: Maker
) -> None:
    case = planned["transient"][0]
    nowhere = case.payloads[0]
    broken = Task(**{**vars(nowhere), "values": dict.fromkeys(nowhere.values, "nothing of that name")})
    tried = [
        payload.task.id
        for payload in Payloads(maker).workable(
            Case(**{**vars(case), "payloads": (broken, *case.payloads[1:])})
        )
    ]
    assert tried
    assert broken.template not in tried
