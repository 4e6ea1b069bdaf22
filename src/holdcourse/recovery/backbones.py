"""Who answers at the nodes of many walks: a model, in calls that hold the requests of all walks together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from holdcourse.config.recovery import RecoveryConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatModel, ChatReply, ChatRequest
from holdcourse.recovery.asking import Asked, Talking, talk
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.record import Walk


@runtime_checkable
class Backbone(Protocol):
    """Walks the graph for incidents; `name` stands in the records."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    def walks(self, incidents: Sequence[Incident], settings: RecoveryConfig) -> tuple[Walk, ...]:
        """One finished walk an incident, in their order.

        Raises:
            ModelError: a call to a model failed for good.
            HoldcourseError: two incidents have the same id.
        """
        ...


class BatchModel(Protocol):
    """A model that answers several requests at once, such as a small model in this process."""

    def complete_many(self, requests: Sequence[ChatRequest]) -> Sequence[ChatReply]:
        """One reply a request, in their order.

        Raises:
            ModelError: a call failed for good.
        """
        ...


@dataclass(frozen=True)
class Threads:
    """Any `ChatModel` as a `BatchModel`: so many requests in flight at a time."""

    model: ChatModel
    workers: int = 1

    def complete_many(self, requests: Sequence[ChatRequest]) -> Sequence[ChatReply]:
        """One reply a request, in their order."""
        if self.workers == 1 or len(requests) < 2:
            return [self.model.complete(request) for request in requests]
        with ThreadPoolExecutor(min(self.workers, len(requests))) as pool:
            return list(pool.map(self.model.complete, requests))


@dataclass(frozen=True)
class ModelBackbone:
    """A model at all five nodes.

    All walks stand at some node at any time; each round asks for all of them in one call, first questions and
    repeated ones alike, so that a model that answers in batches is never asked for one walk alone while
    others wait.

    Attributes:
        model: answers requests.
        model_name: the name that requests carry; a door chooses the provider by it.
        name: what results call the backbone.
        seed: goes into each request.
        trial: goes into each request; tells repeats of a study apart.
    """

    model: BatchModel
    model_name: str
    name: str
    seed: int | None = None
    trial: int = 0

    def walks(self, incidents: Sequence[Incident], settings: RecoveryConfig) -> tuple[Walk, ...]:
        """One finished walk an incident, in their order."""
        distinct(incidents)
        asked = Asked(self.model_name, self.seed, self.trial)
        talking = [talk(incident, settings, self.name, asked) for incident in incidents]
        return advance(talking, self.model)


def advance(talking: Sequence[Talking], model: BatchModel) -> tuple[Walk, ...]:
    """Drive walks side by side, one call of the model for all that wait."""
    done: dict[int, Walk] = {}
    waiting = {place: next(one) for place, one in enumerate(talking)}
    while waiting:
        replies = model.complete_many(list(waiting.values()))
        if len(replies) != len(waiting):
            raise ValueError(f"{len(waiting)} requests were answered by {len(replies)} replies")
        following: dict[int, ChatRequest] = {}
        for place, reply in zip(waiting, replies, strict=True):
            try:
                following[place] = talking[place].send(reply)
            except StopIteration as end:
                done[place] = end.value
        waiting = following
    return tuple(done[place] for place in range(len(talking)))


def distinct(incidents: Sequence[Incident]) -> None:
    """Hold that walks can be told apart.

    Raises:
        HoldcourseError: two incidents have the same id.
    """
    ids = [incident.id for incident in incidents]
    twice = sorted({one for one in ids if ids.count(one) > 1}) if len(set(ids)) != len(ids) else []
    if twice:
        raise HoldcourseError(f"incident {twice[0]!r} is given twice; each needs an id of its own")


def failures(walks: Sequence[Walk]) -> Mapping[str, int]:
    """How often each node gave no usable answer, and how often a walk was too long (`max_steps`)."""
    counted: dict[str, int] = {}
    for walk in walks:
        if walk.decision.by == "fail_safe":
            place = walk.decision.failed_node or "max_steps"
            counted[place] = counted.get(place, 0) + 1
    return counted
