"""Drifted runs and episodes: stopped anywhere and started again, they end the same and do nothing twice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import pytest
from tests.appworld.made_rows import LIKE, NOTES, SONGS, made_row
from tests.appworld.made_tasks import made_world

from holdcourse.appworld.cases import Case, cases
from holdcourse.appworld.recovering import Redoing, Redone
from holdcourse.appworld.trajectories import Maker, Payload
from holdcourse.config.end_to_end import RecoveryMode
from holdcourse.config.recovery import RecoveryConfig
from holdcourse.files import read_jsonl, write_json, write_jsonl
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.record import Walk
from holdcourse.recovery.rules import RulesBackbone
from holdcourse.recovery.stored import Row
from holdcourse.stages import drifted, episodes
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.recovery_slices import DriftedSlice, EpisodesSlice
from holdcourse.stages.rules import RuleParameters
from holdcourse.stages.slices import validate
from holdcourse.stages.stage import execute

NAMES = ("drift", "no_drift", "resisted")


class StoppedError(Exception):
    """The work was stopped from outside."""


class Work:
    """Counts the pieces of work that are done, and stops before one too many."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.most: float = math.inf

    def do(self, piece: str) -> None:
        if len(self.done) >= self.most:
            raise StoppedError(piece)
        self.done.append(piece)


class NoEngine:
    """An engine server that serves nothing."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def without_engine(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Take the engine away from a stage; returns the tasks that it plants texts for, as it plants them."""
    planted: list[str] = []

    def plant(root: Path, python: Path, plans: Iterable[dict[str, object]]) -> None:
        planted.extend(str(plan["task_id"]) for plan in plans)

    monkeypatch.setattr(module, "STAGE", replace(module.STAGE, engine=dict))
    monkeypatch.setattr(module, "EngineServer", NoEngine)
    monkeypatch.setattr(module, "engine_python", lambda folder: folder / "bin" / "python")
    monkeypatch.setattr(module, "world_root", lambda world, python: Path("nowhere"))
    monkeypatch.setattr(module, "plant", plant)
    return planted


def study(out: Path) -> DriftPaths:
    """A study's folder with the world's files, as far as they are read here."""
    paths = DriftPaths(out)
    write_json(paths.world, {})
    write_json(paths.docs, {})
    undone = {"operation": LIKE.operation, "documented": True, "inverse": "back", "needs_preimage": False}
    write_json(paths.reversibility, [undone])  # type: ignore[list-item]
    return paths


def unit(main_agent: str, drift_type: str) -> dict[str, str]:
    return {"drift_type": drift_type, "main_agent": main_agent, "backbone": "rules"}


@pytest.fixture(scope="module")
def smoke() -> RuleParameters:
    return RuleParameters({"study": "smoke"})


@pytest.fixture
def work() -> Work:
    return Work()


# Episodes


class Walking:
    """Walks by the rules."""

    name = "rules"

    def __init__(self, work: Work) -> None:
        self._work = work

    def walks(self, incidents: Sequence[Incident], settings: RecoveryConfig) -> tuple[Walk, ...]:
        for incident in incidents:
            self._work.do(f"walk {incident.id}")
        return RulesBackbone().walks(incidents, settings)


def last_first(running: Iterable[Future[Redone]]) -> Iterator[Future[Redone]]:
    """Futures in the worst order: a failure is seen after all work was done, and before any of it."""
    wait(running)
    return reversed(list(running))


@pytest.fixture
def recovering(smoke: RuleParameters, work: Work, monkeypatch: pytest.MonkeyPatch) -> EpisodesSlice:
    """Four runs in two modes; walks are written down one by one."""
    without_engine(episodes, monkeypatch)

    def acted(row: Row, walk: Walk, mode: RecoveryMode, warning: str | None, redoing: Redoing) -> Redone:
        work.do(f"{mode} {row['id']}")
        return Redone(escalated=False, kept=walk.decision.rollback_to_step, success=mode == "restore")

    monkeypatch.setattr(episodes, "redo", acted)
    monkeypatch.setattr(episodes, "backbone_of", lambda *_: Walking(work))
    monkeypatch.setattr(episodes.Docs, "read", lambda root: {})
    monkeypatch.setattr(episodes, "WALKS_AT_ONCE", 1)
    monkeypatch.setattr(episodes, "as_completed", last_first)
    acting = {"modes": ["rollback", "restore"], "warn": False}
    return validate(EpisodesSlice, {**smoke.slice("episodes", unit("large", "I")), "acting": acting})


def runs_to_recover(out: Path) -> Path:
    rows = [made_row(f"run-{number}", steps=((NOTES,),) * number + ((SONGS,), ())) for number in range(1, 5)]
    write_jsonl(study(out).episodes("I", "large", "drift"), rows)
    return out


@pytest.mark.parametrize("stops", [(2,), (7,), (2, 7), (0, 1, 4, 5, 11)])
def test_episodes_stopped_anywhere_end_the_same_and_do_nothing_twice(
    recovering: EpisodesSlice, work: Work, tmp_path: Path, stops: tuple[int, ...]
) -> None:
    """Four walks come before eight redos: they are stopped within the walks, within the redos, or both."""
    whole = runs_to_recover(tmp_path / "whole")
    execute(episodes.STAGE, recovering, whole)
    everything, work.done = sorted(work.done), []
    assert len(set(everything)) == 4 + 8
    cut = runs_to_recover(tmp_path / "cut")
    for most in stops:
        work.most = most
        with pytest.raises(StoppedError):
            execute(episodes.STAGE, recovering, cut)
        assert len(work.done) == most
        assert not DriftPaths(cut).episodes("I", "large", "rules").exists()
    work.most = math.inf
    execute(episodes.STAGE, recovering, cut)
    assert sorted(work.done) == everything
    files = [DriftPaths(out).episodes("I", "large", "rules") for out in (whole, cut)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert [(row["mode"], row["id"]) for row in read_jsonl(files[1])] == [
        (mode, f"run-{number}") for mode in ("rollback", "restore") for number in range(1, 5)
    ]
    assert not list((cut / "journal").rglob("*.jsonl"))


# Drifted runs


def resists(case_id: str) -> bool:
    return case_id.endswith("1")


def run_of(case: Case, agent: str) -> dict[str, object]:
    """The run of one agent on a case; some resist, and never touch what the text asks for."""
    steps = ((NOTES,), (NOTES,), ()) if resists(case.id) else ((NOTES,), (SONGS,), ())
    tasks: dict[str, Any] = {"task": case.task.id, "payload_task": case.payloads[0].id}
    row = made_row(case.id, split="heldout", kind="persistent", drift_type="II", steps=steps, **tasks)
    return {**row, "instruction": f"for the {agent} agent"}


@pytest.fixture
def drifting(smoke: RuleParameters, monkeypatch: pytest.MonkeyPatch) -> dict[str, DriftedSlice]:
    """The slices of both agents, over a made world."""
    monkeypatch.setattr(drifted, "tasks_of", lambda manifest: tuple(made_world()))
    return {
        agent: validate(DriftedSlice, smoke.slice("drifted", unit(agent, "II")))
        for agent in ("large", "small")
    }


def held_out(cfg: DriftedSlice, out: Path) -> list[Case]:
    """Write the held-out split: the large agent's runs, one that is non-monotone, one of another type."""
    made = cases(made_world(), cfg.drift, frozenset({LIKE.operation}))
    mine = [case for case in made if (case.split, case.kind) == ("heldout", "persistent")]
    rows = [run_of(case, "large") for case in mine]
    others = [{**rows[0], "id": "turns-back", "non_monotone": True}, made_row("another", split="heldout")]
    write_jsonl(study(out).dataset("heldout"), [*rows, *others])
    return mine


@pytest.fixture
def making(drifting: dict[str, DriftedSlice], work: Work, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Script the agents; returns the tasks that texts are planted for, as they are."""
    planted = without_engine(drifted, monkeypatch)

    def made(case: Case, payloads: Sequence[Payload], maker: Maker) -> dict[str, object]:
        (payload,) = payloads
        assert (payload.task.id, payload.calls) == (case.payloads[0].id, (SONGS,))
        work.do(f"drifting {case.id}")
        return run_of(case, "small")

    def undisturbed(case: Case, maker: Maker) -> dict[str, object]:
        work.do(f"undisturbed {case.task.id}")
        return {"id": case.id, "difficulty": case.task.difficulty, "success": True}

    monkeypatch.setattr(drifted, "make", made)
    monkeypatch.setattr(drifted, "undisturbed", undisturbed)
    return planted


def written(out: Path, agent: str) -> dict[str, list[dict[str, object]]]:
    return {name: read_jsonl(DriftPaths(out).episodes("II", agent, name)) for name in NAMES}


def ids(rows: Sequence[dict[str, object]]) -> list[str]:
    return [str(row["id"]) for row in rows]


@pytest.mark.parametrize("agent", ["large", "small"])
def test_runs_that_drifted_are_parted_from_those_that_resisted(
    drifting: dict[str, DriftedSlice], making: list[str], work: Work, tmp_path: Path, agent: str
) -> None:
    mine = held_out(drifting[agent], tmp_path)
    execute(drifted.STAGE, drifting[agent], tmp_path)
    found = written(tmp_path, agent)
    fell, stood = ([case for case in mine if resists(case.id) is so] for so in (False, True))
    assert len(fell) > 1
    assert len(stood) == 1
    assert found["drift"] == [run_of(case, agent) for case in fell]
    assert ids(found["no_drift"]) == [case.id for case in fell]
    assert found["resisted"] == [{"id": stood[0].id, "base_task_id": stood[0].task.id, "difficulty": 1}]
    # The large agent's runs are the dataset's; the small agent meets the same texts, planted anew.
    anew = [case for case in mine if agent == "small"]
    assert [piece for piece in work.done if piece.startswith("drifting")] == [
        f"drifting {case.id}" for case in anew
    ]
    assert making == [case.task.id for case in anew]


@pytest.mark.parametrize("stops", [(2,), (8,), (2, 8)])
def test_drifted_runs_stopped_anywhere_end_the_same_and_do_nothing_twice(
    drifting: dict[str, DriftedSlice],
    making: list[str],
    work: Work,
    tmp_path: Path,
    stops: tuple[int, ...],
) -> None:
    """Six runs of the small agent come before five without a text."""
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    cfg = drifting["small"]
    for out in (whole, cut):
        held_out(cfg, out)
    execute(drifted.STAGE, cfg, whole)
    everything, work.done = work.done, []
    assert len(set(everything)) == 6 + 5
    for most in stops:
        work.most = most
        with pytest.raises(StoppedError):
            execute(drifted.STAGE, cfg, cut)
        assert len(work.done) == most
    work.most = math.inf
    execute(drifted.STAGE, cfg, cut)
    assert work.done == everything
    for name in NAMES:
        files = [DriftPaths(out).episodes("II", "small", name) for out in (whole, cut)]
        assert files[0].read_bytes() == files[1].read_bytes()
