"""The offline language model in the drift study: main agents, and the recovery graph's frontier model."""

from __future__ import annotations

from holdcourse.config.drift import SimulatedDriftConfig
from holdcourse.llm.chat import ChatReply, ChatRequest
from holdcourse.simulated.appworld_agent import appworld_agent_reply
from holdcourse.simulated.provider import UnknownRoleError
from holdcourse.simulated.recovery import recovery_reply


class SimulatedDriftProvider:
    """A `ChatModel` whose reply is a function of the request and the parameters, and of nothing else."""

    def __init__(self, config: SimulatedDriftConfig) -> None:
        self._config = config

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request, at no cost and with no latency.

        Raises:
            MalformedRequestError: the request lacks what its role needs.
            UnknownRoleError: no such role is played.
        """
        small = request.model.endswith("_small")
        if request.role == "appworld_agent":
            return appworld_agent_reply(request, self._config.small if small else self._config.large)
        if request.role == "recovery":
            rates = self._config.recovery_small if small else self._config.recovery_large
            return recovery_reply(request, rates)
        raise UnknownRoleError(
            f"the simulated model plays no role {request.role!r} of the drift study; it plays appworld_agent "
            "and recovery, and judge=grounded needs no model"
        )
