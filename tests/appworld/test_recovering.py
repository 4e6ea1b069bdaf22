"""Acting on decisions, on the engine: rollback, the warning, and the two extensions that act on the world."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from holdcourse.appworld.cases import Kind
from holdcourse.appworld.docs import Docs
from holdcourse.appworld.inverses import inverses
from holdcourse.appworld.recovering import Redoing, Redone, redo
from holdcourse.appworld.server import EngineServer
from holdcourse.appworld.tasks import Task, tasks_of
from holdcourse.appworld.trajectories import Maker
from holdcourse.config.end_to_end import RecoveryMode
from holdcourse.config.recovery import named_settings
from holdcourse.files import read_object
from holdcourse.recovery.docs import docs_of
from holdcourse.recovery.oracle import OracleBackbone
from holdcourse.recovery.record import Decision, Walk
from holdcourse.recovery.stored import incident_of, truth_of
from holdcourse.recovery.warning import warning_text
from tests.appworld.drifted_runs import AGENT, LIMITS, able_agent, deed, drifted, final_deed, question

Row = dict[str, object]
KINDS: dict[str, Kind] = {
    "question": "transient",
    "planted": "persistent",
    "deed": "write",
    "final": "write",
}


@pytest.fixture(scope="module")
def documentation(world: Path) -> Docs:
    return Docs.read(world)


@pytest.fixture(scope="module")
def reversible(documentation: Docs) -> frozenset[str]:
    found = inverses(documentation)
    return frozenset(name for name, one in found.items() if one.documented and not one.needs_preimage)


@pytest.fixture(scope="module")
def maker(server: EngineServer, reversible: frozenset[str]) -> Maker:
    return Maker(server, able_agent(), AGENT, LIMITS, reversible, 0, "made")


@pytest.fixture(scope="module")
def book(world: Path) -> tuple[Task, ...]:
    return tasks_of(read_object(world / "world.json"))


@pytest.fixture(scope="module")
def redoing(server: EngineServer, documentation: Docs) -> Redoing:
    return Redoing(server, able_agent(), AGENT, LIMITS, documentation, 0, "redone")


@pytest.fixture(scope="module")
def run_of(
    book: tuple[Task, ...], maker: Maker, world: Path, engine_python_path: Path
) -> Callable[[str], Row]:
    """A drifted run by what the text asks for: question, planted question, deed, final deed."""
    made: dict[str, Row] = {}
    wanted = {"question": question, "planted": question, "deed": deed, "final": final_deed}

    def run(what: str) -> Row:
        if what not in made:
            made[what] = _first(what, book, maker, world, engine_python_path)
        return made[what]

    def _first(what: str, book: tuple[Task, ...], maker: Maker, world: Path, python: Path) -> Row:
        payloads = [task for task in book if task.split == "pool" and wanted[what](task)]
        for task in (task for task in book if task.split == "evaluation"):
            place = sorted(task.surfaces)[0] if task.surfaces else None
            if what == "planted" and place is None:
                continue
            where = (world, python, place) if what == "planted" and place else None
            row = drifted(KINDS[what], task, payloads, maker, where)
            if row is not None and row["onset"] is not None:
                return row
        pytest.skip(f"the test world has no task and payload for a {what}")

    return run


def right_walk(row: Row, reversible: frozenset[str], documentation: Docs) -> Walk:
    docs = docs_of(documentation.compact(documentation.apps))
    oracle = OracleBackbone({str(row["id"]): truth_of(row, reversible)})
    return oracle.walks([incident_of(row, docs)], named_settings("paper"))[0]


@pytest.fixture
def acted(
    redoing: Redoing, reversible: frozenset[str], documentation: Docs
) -> Callable[..., tuple[Walk, Redone]]:
    """Act on the right decision about a run, or on another."""

    def act(
        row: Row, mode: RecoveryMode = "rollback", warn: bool = False, decision: Decision | None = None
    ) -> tuple[Walk, Redone]:
        walk = right_walk(row, reversible, documentation)
        if decision is not None:
            walk = replace(walk, decision=decision)
        warning = warning_text(walk.decision.report) if warn else None
        return walk, redo(row, walk, mode, warning, redoing)

    return act


Acted = Callable[..., tuple[Walk, Redone]]
RunOf = Callable[[str], Row]


def number(row: Row, name: str) -> int:
    return cast("int", row[name])


def listed(row: Row, name: str) -> list[Any]:
    return cast("list[Any]", row[name])


def rollback_to(step: int) -> Decision:
    return Decision("rollback_before_drift", step, "Go on.")


def test_the_right_rollback_of_a_transient_drift_restores_the_task(run_of: RunOf, acted: Acted) -> None:
    row = run_of("question")
    assert cast("dict[str, object]", row["evaluation"])["success"] is False
    _, done = acted(row)
    assert done.success is True
    assert done.drifted_again is False
    assert done.kept == row["right_target"]
    assert done.steps[0].number == number(row, "onset")
    assert done.agent_calls == len(done.steps)


def test_a_rollback_that_keeps_the_text_drifts_again(run_of: RunOf, acted: Acted) -> None:
    row = run_of("question")
    _, done = acted(row, decision=rollback_to(number(row, "onset")))
    assert done.success is False
    assert done.drifted_again is True


def test_a_rollback_further_than_need_be_does_no_harm(run_of: RunOf, acted: Acted) -> None:
    _, done = acted(run_of("question"), decision=rollback_to(0))
    assert (done.kept, done.success, done.drifted_again) == (0, True, False)


def test_a_history_that_closed_its_task_leaves_nothing_to_do(run_of: RunOf, acted: Acted) -> None:
    row = run_of("question")
    _, done = acted(row, decision=rollback_to(len(listed(row, "steps"))))
    assert (done.steps, done.agent_calls) == ((), 0)
    assert done.success is False


def test_a_persistent_drift_comes_again_without_the_warning_and_not_with_it(
    run_of: RunOf, acted: Acted
) -> None:
    row = run_of("planted")
    _, without = acted(row)
    assert (without.success, without.drifted_again) == (False, True)
    _, warned = acted(row, warn=True)
    assert (warned.success, warned.drifted_again) == (True, False)


def test_rolling_back_over_a_write_keeps_the_written_world(run_of: RunOf, acted: Acted) -> None:
    row = run_of("deed")
    before = number(row, "onset") - 1
    _, done = acted(row, decision=rollback_to(before))
    assert done.escalated is False
    # The drift had closed its task; the second run was not ended by that.
    assert len(done.steps) > 1
    assert set(listed(row, "changes")) <= set(done.changes)
    assert done.success is False


def test_any_drifted_write_calls_a_human_as_in_the_paper(run_of: RunOf, acted: Acted) -> None:
    for what in ("deed", "final"):
        walk, done = acted(run_of(what))
        assert walk.writes
        assert (done.escalated, done.success, done.steps) == (True, None, ())


def test_restoring_goes_back_to_the_state_before_the_drift(run_of: RunOf, acted: Acted) -> None:
    for what in ("deed", "final"):
        _, done = acted(run_of(what), "restore")
        assert (done.escalated, done.success, done.drifted_again) == (False, True, False)


def test_restoring_does_not_touch_writes_that_the_walk_did_not_find(run_of: RunOf, acted: Acted) -> None:
    row = run_of("deed")
    overlooked = rollback_to(number(row, "onset") - 1)
    for mode in ("rollback", "restore", "compensate"):
        _, done = acted(row, mode, decision=overlooked)
        assert set(listed(row, "changes")) <= set(done.changes), mode
        assert (done.success, done.repair) == (False, None)


def test_a_replayed_beginning_is_what_a_checkpoint_taken_there_holds(
    run_of: RunOf, server: EngineServer
) -> None:
    row = run_of("deed")
    codes = [str(step["code"]) for step in listed(row, "steps")]
    kept = number(row, "onset") - 1
    task_id = str(row["task_id"])
    with server.episode(task_id, "kept-and-restored") as episode:
        for code in codes[:kept]:
            episode.execute(code)
        checkpoint = episode.save()
        for code in codes[kept:]:
            episode.execute(code)
        assert list(episode.changes()) == row["changes"]
        episode.load(checkpoint)
        restored = episode.changes()
    with server.episode(task_id, "replayed") as episode:
        for code in codes[:kept]:
            episode.execute(code)
        assert episode.changes() == restored == tuple(listed(row, "changes_before"))


def test_compensating_undoes_exactly_what_has_an_inverse(run_of: RunOf, acted: Acted) -> None:
    walk, done = acted(run_of("deed"), "compensate")
    made = done.repair
    assert made is not None
    assert (made.left, made.residue) == ((), ())
    assert (done.escalated, done.success, done.drifted_again) == (False, True, False)
    # Every write that the repair itself made is the documented inverse of one that the walk found.
    assert walk.writes


def test_compensating_touches_nothing_irreversible_and_hands_over_the_rest(
    run_of: RunOf, acted: Acted, documentation: Docs
) -> None:
    found = inverses(documentation)
    for what in ("deed", "final"):
        walk, done = acted(run_of(what), "compensate")
        assert done.repair is not None
        written = [call.operation for call in done.repair.calls if call.kind == "write"]
        undoing = {found[name].inverse for name in walk.writes} | {found[name].amend for name in walk.writes}
        assert set(written) <= undoing
        assert all(found[name].group != "none" for name in written)
        if what == "final":
            assert done.escalated is True
            assert any(found[name].group == "none" for name in walk.writes)
            assert done.repair.left


def test_a_walk_without_an_answer_is_escalated_in_every_mode(run_of: RunOf, acted: Acted) -> None:
    failed = Decision("escalate_human", None, "No answer.", by="fail_safe", failed_node="n1")
    for mode in ("rollback", "restore", "compensate"):
        _, done = acted(run_of("deed"), mode, decision=failed)
        assert (done.escalated, done.repair) == (True, None)


def test_a_record_holds_what_a_table_needs(run_of: RunOf, acted: Acted) -> None:
    _, done = acted(run_of("deed"), "compensate")
    record = done.record()
    assert record["success"] is True
    assert {"escalated", "kept", "drifted_again", "agent_calls", "seconds"} <= record.keys()
    assert cast("dict[str, object]", record["repair"])["residue"] == []
    assert cast("float", record["seconds"]) > 0
