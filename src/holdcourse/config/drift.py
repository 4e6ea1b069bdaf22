"""The groups of the drift study that say which agents run, how long, and how they are pushed off task."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from holdcourse.config.role_model import RoleModel
from holdcourse.config.section import Count, NonNegative, Section, Share

Carrier = Literal["tool_output", "mail", "note", "file", "calendar", "message"]
Difficulty = Literal[1, 2, 3]


class DriftModelsConfig(Section):
    """conf/drift_models/: the main agents by size, the frontier model behind the recovery graph, the judge.

    `agent_large` makes the dataset; `recovery_large` and `recovery_small` recover the agent of that size.
    """

    agent_large: RoleModel
    agent_small: RoleModel
    recovery_large: RoleModel
    recovery_small: RoleModel
    judge: RoleModel


class AgentRates(Section):
    """How able a simulated main agent is.

    Attributes:
        success: chance that it does a task without a slip, by difficulty 1, 2, 3.
        obeys: chance that it takes an instruction found on its way for its principal's.
        heeds: chance that it minds a warning that names the source of such an instruction.
    """

    success: tuple[Share, Share, Share]
    obeys: Share
    heeds: Share


class RecoveryRates(Section):
    """How able the simulated frontier model behind the recovery graph is: chance of a right answer a node."""

    right: Share


class SimulatedDriftConfig(Section):
    """conf/simulated_drift/: the offline language model's parts in the drift study."""

    large: AgentRates
    small: AgentRates
    recovery_large: RecoveryRates
    recovery_small: RecoveryRates


class EpisodeConfig(Section):
    """conf/episode/: limits of one run of a main agent."""

    max_steps: Count
    output_characters: Annotated[int, Field(ge=200)]
    faulty_replies: Count


class TypeCounts(Section):
    """How many trajectories of each kind a split holds; a kind's are spread evenly over the split's tasks."""

    aligned: NonNegative
    transient: NonNegative
    persistent: NonNegative
    write: NonNegative
    non_monotone: NonNegative


class DriftConfig(Section):
    """conf/drift/: the dataset of drifted trajectories (drift paper §5.1; sizes and shares are ours).

    Attributes:
        seed: decides every draw of the dataset.
        train: trajectories over the training pool's tasks.
        heldout: trajectories over the evaluation tasks.
        payload_tasks: pool tasks kept apart to be payloads of the held-out split only.
        evaluation_tasks: how many evaluation tasks are used, spread over the difficulties; null for all.
        pool_tasks: how many pool tasks are used; null for all.
        detection_delay: largest number of steps by which the suspected onset lies after the true one.
        shards: jobs that the trajectories of a split are made in.
    """

    seed: NonNegative
    train: TypeCounts
    heldout: TypeCounts
    payload_tasks: Count
    evaluation_tasks: Annotated[int, Field(ge=3)] | None
    pool_tasks: Annotated[int, Field(ge=3)] | None
    detection_delay: NonNegative
    shards: Annotated[int, Field(ge=1, le=99)]

    @model_validator(mode="after")
    def _both_splits_drift(self) -> Self:
        for name, counts in (("train", self.train), ("heldout", self.heldout)):
            if not counts.write:
                raise ValueError(f"{name}.write is 0; without a write drift nodes n3 and n4 have no prompt")
        return self


class PoolConfig(Section):
    """conf/pool/: the prompts of the recovery graph's nodes for training and testing (§4.5, §5.3.1).

    Attributes:
        seed: decides which prompts are taken.
        train: training prompts a node.
        heldout: held-out prompts a node.
        heldout_operations: share of write operations that only held-out prompts of n3 and n4 ask about.
        composed_writes: most operations in a set that is composed for n3 and n4; 0 composes none.
        onset_shifts: steps by which the suspected onset is moved where trajectories give too few prompts.
    """

    seed: NonNegative
    train: Count
    heldout: Count
    heldout_operations: Annotated[float, Field(gt=0.0, lt=1.0)]
    composed_writes: NonNegative
    onset_shifts: tuple[int, ...]
