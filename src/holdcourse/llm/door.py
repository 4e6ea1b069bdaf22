"""The door: a request's model name chooses the provider that answers it.

Providers by prefix of the model's name: `simulated/…` is the offline language model. Hosted and local models
get their providers here too; until then a request for one fails with a message that says so.
"""

from __future__ import annotations

from functools import cache

from holdcourse.config.schema import SimulatedConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatModel, ChatReply, ChatRequest

SIMULATED = "simulated/"
REFERENCE = "simulated/reference"


class NoProviderError(HoldcourseError):
    """The configuration names a model that this version cannot reach."""


def is_simulated(model: str) -> bool:
    """Whether a model's name stands for the offline language model."""
    return model.startswith(SIMULATED)


class Door:
    """The `ChatModel` that stages use. Holds no state but its providers, so each process may make its own."""

    def __init__(self, simulated: SimulatedConfig | None) -> None:
        self._simulated = simulated

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request through the provider of its model.

        Raises:
            NoProviderError: no provider serves the model.
            ModelError: the provider failed for good.
        """
        if not is_simulated(request.model):
            raise NoProviderError(
                f"no provider for model {request.model!r} (role {request.role}): this version reaches only "
                "simulated/… models; choose models=simulated, or a release with hosted models"
            )
        if self._simulated is None:
            raise NoProviderError(
                f"model {request.model!r} (role {request.role}) is simulated, but the run was given no "
                "conf/simulated/ parameters; let the stage compose its own configuration"
            )
        return _simulated_provider(self._simulated, request.model == REFERENCE).complete(request)


@cache
def _simulated_provider(config: SimulatedConfig, reference: bool) -> ChatModel:
    from holdcourse.simulated.provider import SimulatedProvider

    return SimulatedProvider(config, config.reference_curve if reference else config.curve)
