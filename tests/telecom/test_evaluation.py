import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from gold_player import GoldPlayer
from slow_run import FEW, IDENTITY, IDS, TRIALS, plan

from holdcourse.errors import HoldcourseError
from holdcourse.journal import Journal, JournalError
from holdcourse.llm.chat import ChatReply, ChatRequest, ModelError
from holdcourse.llm.deadline import remaining_s
from holdcourse.llm.failures import BudgetReachedError, ContextLengthError, ServerError
from holdcourse.telecom.digest import failure_digests
from holdcourse.telecom.evaluation import Job, RolloutPlan, jobs_for, run_simulations

JOBS = jobs_for(IDS, TRIALS)


def player() -> GoldPlayer:
    return GoldPlayer.of(IDS, 0, TRIALS)


def failing_player() -> GoldPlayer:
    return GoldPlayer.of(IDS, 0, TRIALS, skip=0)


def run(path: Path, plan_: RolloutPlan, jobs=JOBS, workers: int = 1):
    with Journal.open(path, IDENTITY) as journal:
        return run_simulations(plan_, jobs, workers=workers, journal=journal)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return run(tmp_path_factory.mktemp("undisturbed") / "journal", plan(player))


def test_every_task_is_run_in_every_trial_and_handed_back_in_order(undisturbed):
    assert [(simulation.task, simulation.trial) for simulation in undisturbed] == [
        (task, trial) for task in IDS for trial in range(TRIALS)
    ]
    assert {simulation.reward for simulation in undisturbed} == {1.0}


def test_workers_and_order_change_nothing(tmp_path, undisturbed):
    backwards = tuple(reversed(JOBS))
    assert run(tmp_path / "two", plan(player), workers=2) == undisturbed
    assert run(tmp_path / "back", plan(player), backwards, workers=2) == tuple(reversed(undisturbed))


@pytest.mark.parametrize("workers", [1, 2])
def test_threads_change_nothing(tmp_path, undisturbed, workers):
    with Journal.open(tmp_path / "threads", IDENTITY) as journal:
        assert run_simulations(plan(player), JOBS, workers=workers, threads=5, journal=journal) == undisturbed


class Failing:
    """Answers as a player does for a number of calls, then raises."""

    def __init__(self, calls: int, error: Exception) -> None:
        self.player, self.left, self.error = player(), calls, error

    def complete(self, request: ChatRequest) -> ChatReply:
        self.left -= 1
        if self.left < 0:
            raise self.error
        return self.player.complete(request)


def test_a_spent_budget_says_what_is_left_and_what_it_would_cost(tmp_path, undisturbed):
    calls = sum(usage.calls for simulation in undisturbed[:3] for usage in simulation.usage)
    spent = Failing(calls + 1, BudgetReachedError("the budget is reached"))
    with pytest.raises(BudgetReachedError) as caught:
        run(tmp_path / "journal", plan(lambda: spent))
    left = len(JOBS) - 3
    assert f"3 of {len(JOBS)} simulations are done, {left} are left" in str(caught.value)
    assert f"{round(calls / 3 * left)} calls" in str(caught.value)
    assert run(tmp_path / "journal", plan(player)) == undisturbed


def test_a_budget_spent_before_the_first_simulation_claims_no_mean(tmp_path):
    with pytest.raises(BudgetReachedError, match="what they would cost is not known yet"):
        run(tmp_path / "journal", plan(lambda: Failing(1, BudgetReachedError("reached"))))


def test_an_outgrown_context_is_a_failed_trial_and_is_not_started_again(tmp_path):
    (simulation,) = run(tmp_path / "j", plan(lambda: Failing(4, ContextLengthError("too long"))), JOBS[:1])
    assert (simulation.outcome, simulation.termination) == ("context_length", "context_length")
    assert (simulation.reward, simulation.strict, simulation.attempts) == (0.0, False, 1)
    assert simulation.error == "ContextLengthError: too long"


def test_a_broken_simulation_is_counted_by_the_kind_of_its_failure(tmp_path):
    (simulation,) = run(tmp_path / "j", plan(lambda: Failing(4, ServerError("oops"))), JOBS[:1])
    assert (simulation.outcome, simulation.termination) == ("infrastructure", "server_error")
    assert (simulation.reward, simulation.attempts) == (None, 3)


class Impatient:
    """Looks at the time as the door does before a call."""

    def __init__(self) -> None:
        self.player = player()

    def complete(self, request: ChatRequest) -> ChatReply:
        remaining_s(1.0)
        return self.player.complete(request)


def test_a_simulation_that_takes_too_long_is_a_timeout(tmp_path):
    limited = replace(plan(Impatient), simulation_timeout_s=0.0)
    (simulation,) = run(tmp_path / "journal", limited, JOBS[:1])
    assert (simulation.outcome, simulation.termination) == ("infrastructure", "timeout")
    patient = replace(plan(Impatient), simulation_timeout_s=600.0)
    (simulation,) = run(tmp_path / "patient", patient, JOBS[:1])
    assert simulation.outcome == "scored"


def test_only_what_is_missing_is_run(tmp_path, undisturbed):
    run(tmp_path / "journal", plan(player), JOBS[:5])
    asked = []

    def counting() -> GoldPlayer:
        asked.append(player())
        return asked[-1]

    assert run(tmp_path / "journal", plan(counting)) == undisturbed
    agent_seeds = {request.sampling.seed for request in asked[0].requests}
    assert len(agent_seeds) == len(JOBS) - 5
    assert run(tmp_path / "journal", plan(pytest.fail)) == undisturbed


def test_the_journal_holds_each_simulation_under_its_task_and_trial(tmp_path):
    run(tmp_path / "journal", plan(player), JOBS[:1])
    lines = (tmp_path / "journal").read_text().splitlines()
    entry = json.loads(lines[1].partition(" ")[2])
    assert entry["key"] == json.dumps([IDS[0], 0])
    assert entry["record"]["task"] == IDS[0]


def test_conversations_are_kept_when_asked_for(tmp_path):
    kept = run(tmp_path / "kept", plan(failing_player), JOBS[:2])
    assert all(simulation.transcript for simulation in kept)
    assert len(failure_digests(kept)) == 2
    lean = run(tmp_path / "lean", replace(plan(failing_player), transcripts=False), JOBS[:2])
    assert [simulation.record() for simulation in lean] == [simulation.record() for simulation in kept]
    assert not any(simulation.transcript for simulation in lean)


class Flaky:
    """Fails at the first `failures` requests of a conversation's third turn."""

    def __init__(self, failures: int) -> None:
        self.player, self.failures = player(), failures

    def complete(self, request: ChatRequest) -> ChatReply:
        if len(request.messages) > 3 and self.failures:
            self.failures -= 1
            raise ModelError("503 from the provider")
        return self.player.complete(request)


def test_a_broken_simulation_is_started_again(tmp_path):
    (simulation,) = run(tmp_path / "journal", plan(lambda: Flaky(2)), JOBS[:1])
    (smooth,) = run(tmp_path / "smooth", plan(player), JOBS[:1])
    assert (simulation.outcome, simulation.attempts, simulation.reward) == ("scored", 3, 1.0)
    assert simulation.transcript == smooth.transcript
    # The two broken attempts were paid for: two calls each before the third failed.
    assert simulation.record()["calls"] == smooth.record()["calls"] + 4


def test_what_stays_broken_is_recorded_and_not_dropped(tmp_path):
    (simulation,) = run(tmp_path / "journal", plan(lambda: Flaky(99)), JOBS[:1])
    assert (simulation.outcome, simulation.attempts, simulation.reward) == ("infrastructure", 3, None)
    assert simulation.record()["cost_usd"] == 3.0
    assert failure_digests([simulation]) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_spent_budget_stops_the_work_with_what_is_done_kept(tmp_path, undisturbed, workers):
    class Budget:
        def __init__(self) -> None:
            self.player, self.left = player(), 40

        def complete(self, request: ChatRequest) -> ChatReply:
            if self.left == 0:
                raise HoldcourseError("the budget of 40 calls is spent")
            self.left -= 1
            return self.player.complete(request)

    with pytest.raises(HoldcourseError, match="the budget of 40 calls is spent"):
        run(tmp_path / "journal", plan(Budget), workers=workers)
    with Journal.open(tmp_path / "journal", IDENTITY) as journal:
        assert 0 < len(journal.done) < len(JOBS)
    assert run(tmp_path / "journal", plan(player)) == undisturbed


def test_an_unknown_task_or_a_repeated_one_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(HoldcourseError, match="unknown task 'nonsense'"):
        run(tmp_path / "journal", plan(pytest.fail), [Job("nonsense", 0)])
    with pytest.raises(HoldcourseError, match="asked for twice"):
        run(tmp_path / "journal", plan(pytest.fail), [JOBS[0], JOBS[0]])


def start(journal: Path) -> tuple[subprocess.Popen, list[psutil.Process]]:
    """A run with two workers that stands still, once it has finished a few simulations."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("slow_run.py")), str(journal), "2"],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not journal.exists() or journal.read_bytes().count(b"\n") < FEW:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, "the run does not get going"
        time.sleep(0.02)
    return process, psutil.Process(process.pid).children(recursive=True)


@pytest.mark.slow
def test_a_run_killed_in_the_middle_goes_on_to_the_same_results(tmp_path, undisturbed):
    journal = tmp_path / "journal"
    process, workers = start(journal)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    gone, alive = psutil.wait_procs(workers, timeout=10)
    assert (len(gone), alive) == (2, [])
    with Journal.open(journal, IDENTITY) as opened:
        assert 3 <= len(opened.done) < len(JOBS)
    assert run(journal, plan(player), workers=2) == undisturbed


@pytest.mark.slow
def test_ctrl_c_ends_the_run_and_its_workers_and_leaves_the_journal_whole(tmp_path, undisturbed):
    journal = tmp_path / "journal"
    process, workers = start(journal)
    with pytest.raises(JournalError, match="another run is doing this work"):
        run(journal, plan(player))
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode != 0
    assert errors.count("KeyboardInterrupt") == 1
    assert psutil.wait_procs(workers, timeout=10)[1] == []
    assert run(journal, plan(player), workers=2) == undisturbed
