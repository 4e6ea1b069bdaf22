"""Running many simulations: in parallel, each recorded the moment it is done, none done twice.

Results depend on the plan and the job only, never on the number of workers or the order of the work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import RolloutConfig
from holdcourse.errors import HoldcourseError
from holdcourse.journal import Journal
from holdcourse.llm.chat import ChatModel
from holdcourse.llm.deadline import time_limit
from holdcourse.llm.failures import BudgetReachedError
from holdcourse.llm.ledger import total_cost
from holdcourse.telecom.engine import Task
from holdcourse.telecom.environment import agent_tools, customer_tools
from holdcourse.telecom.parallel import unordered
from holdcourse.telecom.progress import Progress
from holdcourse.telecom.rollout import simulate
from holdcourse.telecom.simulation import Simulation
from holdcourse.telecom.tasks import load_tasks


@dataclass(frozen=True)
class RolloutPlan:
    """What all simulations of a job have in common.

    `door` makes the `ChatModel`; each worker process calls it once for itself, and its threads share it.
    `transcripts` keeps the conversations, which failure digests need and evaluations do not.
    `simulation_timeout_s` bounds one start of one simulation; None is no limit.
    """

    instruction: str
    agent: RoleModel
    user: RoleModel
    rollout: RolloutConfig
    seed: int
    door: Callable[[], ChatModel]
    transcripts: bool = False
    simulation_timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One simulation to run; `trial` counts from 0."""

    task: str
    trial: int

    @property
    def key(self) -> str:
        """The job's name in a journal."""
        return json.dumps([self.task, self.trial])


def jobs_for(task_ids: Iterable[str], trials: int) -> tuple[Job, ...]:
    """Every task in every trial, task by task."""
    return tuple(Job(task, trial) for task in task_ids for trial in range(trials))


def run_simulations(
    plan: RolloutPlan,
    jobs: Sequence[Job],
    *,
    workers: int,
    journal: Journal,
    threads: int = 1,
    label: str = "simulations",
) -> tuple[Simulation, ...]:
    """Run the jobs that the journal does not hold yet, and hand back all in the order of `jobs`.

    A simulation that the provider breaks is started again up to `infrastructure_retries` times, then
    recorded with the outcome "infrastructure".

    Args:
        plan: what the simulations have in common; the journal's identity must cover it.
        jobs: which to run; repeated jobs are an error.
        workers: number of processes; 1 works in this process.
        threads: number of simulations in flight in each process; more than 1 pays with models that are waited
            for.
        journal: where each simulation is recorded as soon as it is done.
        label: names the work in the progress line.

    Raises:
        HoldcourseError: a task is unknown, a job is repeated, or the door stopped the work (budget, no
            provider); what is done stays in the journal.
        BudgetReachedError: the study has spent what it may; says what is left and what it would cost.
    """
    if len(set(jobs)) < len(jobs):
        raise HoldcourseError("a (task, trial) pair is asked for twice; name each task once")
    missing = [job for job in jobs if job.key not in journal.done]
    tasks = load_tasks(dict.fromkeys(job.task for job in missing)) if missing else {}
    # Read once here, so that forked workers inherit them.
    agent_tools()
    customer_tools()
    with (
        Progress(label, total=len(jobs), done=len(jobs) - len(missing)) as progress,
        closing(unordered(lambda: _runner(plan, tasks), missing, workers, threads)) as finished,
    ):
        try:
            for job, simulation in finished:
                journal.append(job.key, simulation.to_json())
                progress.advance(simulation.paid_usd)
        except BudgetReachedError as error:
            raise BudgetReachedError(f"{error}. {_left(label, jobs, journal)}") from None
    return tuple(Simulation.from_json(journal.done[job.key]) for job in jobs)


def _runner(plan: RolloutPlan, tasks: dict[str, Task]) -> Callable[[Job], Simulation]:
    door = plan.door()

    def run(job: Job) -> Simulation:
        simulation = attempt(plan, tasks[job.task], door, job.trial)
        for _ in range(plan.rollout.infrastructure_retries):
            if simulation.outcome != "infrastructure":
                break
            simulation = attempt(plan, tasks[job.task], door, job.trial).after(simulation)
        return simulation if plan.transcripts else replace(simulation, transcript=())

    return run


def attempt(plan: RolloutPlan, task: Task, door: ChatModel, trial: int) -> Simulation:
    """One start of one simulation of a plan."""
    with time_limit(plan.simulation_timeout_s):
        return simulate(task, plan.instruction, door, plan.agent, plan.user, plan.rollout, plan.seed, trial)


def _left(label: str, jobs: Sequence[Job], journal: Journal) -> str:
    """What a stopped unit still has to do, and what that would cost by the mean of what it has done."""
    done = [Simulation.from_json(journal.done[job.key]) for job in jobs if job.key in journal.done]
    left = len(jobs) - len(done)
    text = f"This unit's {label}: {len(done)} of {len(jobs)} simulations are done, {left} are left"
    if not done:
        return f"{text}; what they would cost is not known yet"
    calls = sum(usage.calls for simulation in done for usage in simulation.usage) / len(done)
    tokens = sum(
        usage.prompt_tokens + usage.completion_tokens for simulation in done for usage in simulation.usage
    ) / len(done)
    cost = total_cost(simulation.cost_usd for simulation in done)
    dollars = "an unknown price" if cost is None else f"{cost / len(done) * left:.4f} USD"
    return (
        f"{text}: by the mean of those done about {dollars}, {round(calls * left)} calls, "
        f"{round(tokens * left)} tokens"
    )
