"""Simulations whose provider fails: each is there once, with its stated outcome; nothing is asked twice."""

from __future__ import annotations

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.journal import Journal
from holdcourse.llm.call_log import read_calls
from holdcourse.llm.door import Door
from holdcourse.llm.failures import AuthenticationError, BudgetReachedError
from holdcourse.telecom.evaluation import Job, run_simulations
from tests.door.conftest import QUICK, SIMULATED, make_settings
from tests.door.plans import plan_for, some_tasks
from tests.servers.loopback import Answer
from tests.servers.openai_format import CONTEXT_LENGTH, completion, error, key_refused, tool_call
from tests.servers.scripted import Scripted

JOBS = tuple(Job(task, trial) for task in some_tasks(2) for trial in range(2))
ONCE = {"attempts": 1, "answer_attempts": 1}


@pytest.fixture
def play(tmp_path):
    """Runs the jobs against a server and hands back their records."""

    def run(server, *, jobs=JOBS, threads=2, simulation_timeout_s=None, max_steps=200, **changes):
        settings = make_settings(tmp_path, server.api_base, **changes)
        plan = plan_for(
            lambda: Door(SIMULATED, settings, tmp_path / "calls.jsonl"),
            "openai/",
            simulation_timeout_s=simulation_timeout_s,
            max_steps=max_steps,
        )
        with Journal.open(tmp_path / "simulations.jsonl", {}) as journal:
            done = run_simulations(plan, jobs, workers=1, threads=threads, journal=journal)
        return [simulation.record() for simulation in done]

    return run


RETRIES = plan_for(None, "").rollout.infrastructure_retries

INFRASTRUCTURE = {
    "500": (error(500, "oops"), "server_error"),
    "429": (error(429, "slow down"), "rate_limited"),
    "cut": (Answer(cut_after=0), "connection"),
    "malformed": (Answer(body=b"{"), "malformed_reply"),
    "hang": (completion("late", delay_s=20.0), "timeout"),
    "bad request": (error(400, "no such parameter"), "bad_request"),
}


@pytest.mark.parametrize("fault", INFRASTRUCTURE)
def test_a_lasting_fault_is_its_own_outcome_counted_once(play, fault, tmp_path):
    act, kind = INFRASTRUCTURE[fault]
    with Scripted(act) as server:
        rows = play(server, retries=ONCE, call_timeout_s=2.0)
        asked = server.calls
    assert [(row["task"], row["trial"]) for row in rows] == [(job.task, job.trial) for job in JOBS]
    assert {row["outcome"] for row in rows} == {"infrastructure"}
    assert {row["reward"] for row in rows} == {None}
    assert {row["attempts"] for row in rows} == {1 + RETRIES}
    assert asked == len(JOBS) * (1 + RETRIES)
    calls = read_calls(tmp_path / "calls.jsonl")
    assert {call["outcome"] for call in calls} == {kind}
    assert len(calls) == asked


def test_a_context_length_error_is_an_outcome_of_its_own_and_not_tried_again(play):
    with Scripted(CONTEXT_LENGTH) as server:
        rows = play(server)
        assert server.calls == len(JOBS)
    assert {(row["outcome"], row["termination"], row["attempts"]) for row in rows} == {
        ("context_length", "context_length", 1)
    }


OF_THE_MODEL = {
    "empty": completion(""),
    "refusal": completion(None, message={"refusal": "I will not."}),
    "unknown tool": completion(None, tool_calls=[tool_call("no_such_tool", {"x": 1})]),
    "wrong arguments": completion(None, tool_calls=[tool_call("toggle_data", {"x": [1]})]),
    "cut off": completion("I was about to", finish_reason="length"),
}


@pytest.mark.parametrize("fault", OF_THE_MODEL)
def test_a_fault_of_the_model_is_scored_as_its_failing(play, fault):
    with Scripted(OF_THE_MODEL[fault]) as server:
        rows = play(server, retries=ONCE, max_steps=30)
    assert len(rows) == len(JOBS)
    assert {(row["outcome"], row["reward"]) for row in rows} == {("scored", 0.0)}


def test_a_simulation_ends_at_its_time_limit(play):
    with Scripted(completion("Please hold on a little longer.", delay_s=0.25)) as server:
        rows = play(server, jobs=JOBS[:1], simulation_timeout_s=0.6)
    assert [(row["outcome"], row["termination"]) for row in rows] == [("infrastructure", "timeout")]


def test_a_refused_key_stops_the_work_and_keeps_what_is_done(play, server):
    reference = play(server, jobs=JOBS[:2])
    server.forget()
    with Scripted(key_refused) as refusing, pytest.raises(AuthenticationError):
        play(refusing)
    rows = play(server)
    assert rows[:2] == reference
    assert server.counts().repeated == []
    assert len({(row["task"], row["trial"]) for row in rows}) == len(JOBS)


def test_a_budget_stops_the_work_and_a_larger_one_goes_on(play, server, tmp_path):
    server.forget()
    with pytest.raises(BudgetReachedError) as caught:
        play(server, budget={"calls": 25})
    assert isinstance(caught.value, HoldcourseError)
    assert "25" in str(caught.value)
    answered = server.counts().answered
    assert len(answered) == 25
    rows = play(server, budget={"calls": 1000})
    assert {row["outcome"] for row in rows} == {"scored"}
    assert server.counts().repeated == []
    paid = [call for call in read_calls(tmp_path / "calls.jsonl") if not call["cached"]]
    assert len(paid) == len(server.counts().answered)


def test_passing_faults_change_no_result(play, tmp_path_factory):
    from tests.servers.simulated_models import FAULTS, SimulatedServer

    with SimulatedServer(SIMULATED, faults=tuple(FAULTS), every=3) as server:
        rows = play(server, retries=QUICK)
        counts = server.counts()
    plan = plan_for(lambda: Door(SIMULATED), "")
    with Journal.open(tmp_path_factory.mktemp("here") / "simulations.jsonl", {}) as journal:
        expected = [each.record() for each in run_simulations(plan, JOBS, workers=1, journal=journal)]
    same = ("task", "trial", "outcome", "reward", "db_match", "termination", "steps", "calls")
    assert [[row[key] for key in same] for row in rows] == [[row[key] for key in same] for row in expected]
    assert sum(counts.faults.values()) > 10
    assert counts.repeated == []
