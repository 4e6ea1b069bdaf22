"""One simulation: τ²'s orchestrator between an instructed agent and a simulated customer, then τ²'s score.

The orchestrator's protocol, limits and scoring are τ²'s. What differs: an empty message, and an exception
that a tool call sets off inside τ², end the conversation as that side's error (reward 0) instead of killing
the job; the trajectory keeps the order of speaking instead of sorting by a clock that may step back.
"""

from __future__ import annotations

from copy import copy

from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import RolloutConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatModel, ModelError, UnknownModelError
from holdcourse.llm.failures import ContextLengthError
from holdcourse.telecom import assessment
from holdcourse.telecom.conversation import Conversation, Side
from holdcourse.telecom.draws import derive_seed
from holdcourse.telecom.engine import (
    AgentError,
    EvaluationType,
    Message,
    Orchestrator,
    RewardInfo,
    Role,
    SimulationRun,
    Task,
    TerminationReason,
    UserError,
    evaluate_simulation,
)
from holdcourse.telecom.environment import DOMAIN, agent_tools, customer_tools, telecom_environment
from holdcourse.telecom.participants import DoorAgent, DoorCustomer
from holdcourse.telecom.simulation import Simulation
from holdcourse.telecom.tasks import task_info

EVALUATION_ERROR = "evaluation_error"


def simulate(
    task: Task,
    instruction: str,
    door: ChatModel,
    agent: RoleModel,
    user: RoleModel,
    rollout: RolloutConfig,
    seed: int,
    trial: int,
) -> Simulation:
    """Play one trial of a task to its end and score it.

    Args:
        task: what the customer calls about.
        instruction: the agent's persistent instruction, in place of τ²'s policy.
        door: answers the requests of both roles, "agent" and "user".
        agent: model and decoding of the agent.
        user: model and decoding of the customer.
        rollout: limits on steps and on tool errors.
        seed: the study's seed; the models get one derived from it, the task and the trial.
        trial: number of the repeat, from 0.

    Returns:
        The scored simulation; or one with the outcome "infrastructure" when the door failed for good or
        τ² could not score what it had run; or "context_length", reward 0, when instruction and conversation
        outgrew what a model takes, which is no fault of the infrastructure.

    Raises:
        HoldcourseError: no provider serves a model, or the door stops the work (its budget is spent).
    """
    derived = derive_seed(seed, task.id, trial)
    agent_side = Conversation(Side("agent", agent, agent_tools(), derived, trial), door)
    customer_side = Conversation(Side("user", user, customer_tools(), derived, trial), door)
    orchestrator = DoorOrchestrator(
        domain=DOMAIN,
        agent=DoorAgent(instruction, agent_side, agent.model),
        user=DoorCustomer(str(task.user_scenario), customer_side, user.model),
        environment=telecom_environment(),
        task=task,
        max_steps=rollout.max_steps,
        max_errors=rollout.max_errors,
        seed=derived,
    )
    reward, too_long = None, False
    try:
        run = orchestrator.run()
    except UnknownModelError as error:
        raise HoldcourseError(f"{error}; check models.agent and models.user") from error
    except ContextLengthError as error:
        termination, problem, too_long = error.kind, f"{type(error).__name__}: {error}", True
    except ModelError as error:
        termination, problem = error.kind, f"{type(error).__name__}: {error}"
    else:
        termination, problem = run.termination_reason.value, orchestrator.problem
        try:
            reward = score(run, task)
        except Exception as error:
            # No fault of a model is known to break τ²'s evaluation, so this must not pass for a score of 0.
            termination, problem = EVALUATION_ERROR, f"{type(error).__name__}: {error}"
    messages = orchestrator.trajectory
    info = task_info(task.id)
    return Simulation(
        task=task.id,
        intent=info.intent,
        issues=info.issues,
        persona=info.persona,
        transfer_expected=info.transfer_expected,
        trial=trial,
        outcome="context_length" if too_long else "scored" if reward is not None else "infrastructure",
        reward=0.0 if too_long else None if reward is None else float(reward.reward),
        db_match=None if reward is None or reward.db_check is None else bool(reward.db_check.db_match),
        wrong_owner_calls=assessment.wrong_owner_calls(messages),
        termination=termination,
        steps=orchestrator.step_count,
        usage=(agent_side.usage, customer_side.usage),
        transcript=assessment.transcript(messages),
        failed_assertions=() if reward is None else assessment.failed_assertions(reward),
        missing_actions=assessment.missing_actions(task, messages),
        error=problem,
    )


def score(run: SimulationRun, task: Task) -> RewardInfo:
    """τ²'s own evaluation of a finished run: end state and actions; no model is asked."""
    run.messages = Trajectory(run.messages)
    return evaluate_simulation(
        simulation=run, task=task, evaluation_type=EvaluationType.ALL, solo_mode=False, domain=DOMAIN
    )


class DoorOrchestrator(Orchestrator):  # type: ignore[misc]  # τ² is untyped
    """τ²'s orchestrator; `problem` says in words what ended a conversation as agent_error or user_error."""

    problem: str = ""

    def step(self) -> None:
        """Perform τ²'s step; a side's failing ends the conversation instead of raising."""
        sender, addressee = self.from_role, self.to_role
        try:
            super().step()
        except AgentError as error:
            self._end(TerminationReason.AGENT_ERROR, error)
        except UserError as error:
            self._end(TerminationReason.USER_ERROR, error)
        except Exception as error:
            if addressee != Role.ENV:
                raise
            by_agent = sender == Role.AGENT
            self._end(TerminationReason.AGENT_ERROR if by_agent else TerminationReason.USER_ERROR, error)

    def get_trajectory(self) -> list[Message]:
        """The messages in the order of speaking, numbered, as copies."""
        numbered = []
        for number, message in enumerate(self.trajectory):
            message = copy(message)
            message.turn_idx = number
            numbered.append(message)
        return numbered

    def _end(self, reason: TerminationReason, error: Exception) -> None:
        self.done = True
        self.termination_reason = reason
        self.problem = f"{type(error).__name__}: {error}"


class Trajectory(list[Message]):
    """Messages that are only read from here on: τ²'s replay copies the whole conversation first, in vain."""

    def __deepcopy__(self, memo: object) -> list[Message]:
        return list(self)
