"""The door: a request's model name chooses the provider that answers it.

Providers by prefix of the model's name: `simulated/…` is the offline language model, `local/…` a Hugging Face
checkpoint in this process; any other name is LiteLLM's, hosted models and OpenAI-compatible servers alike.
Simulated models are free and fast, so they are asked directly; all others go through `HostedDoor`.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from pathlib import Path

from holdcourse.config.drift import SimulatedDriftConfig
from holdcourse.config.llm import DoorSettings, LlmConfig
from holdcourse.config.schema import SimulatedConfig
from holdcourse.llm.chat import ROLES, ChatModel, ChatReply, ChatRequest
from holdcourse.llm.failures import NoProviderError
from holdcourse.llm.provider import Provider

SIMULATED = "simulated/"
REFERENCE = "simulated/reference"
DRIFT_ROLES = ("appworld_agent", "recovery")
SMALLER = tuple(f"{SIMULATED}{role}_small" for role in DRIFT_ROLES)
SIMULATED_MODELS = (*(f"{SIMULATED}{role}" for role in ROLES), REFERENCE, *SMALLER)
LOCAL = "local/"


def is_simulated(model: str) -> bool:
    """Whether a model's name stands for the offline language model."""
    return model.startswith(SIMULATED)


class Door:
    """The `ChatModel` that stages use; each process makes its own, and its threads share it.

    Args:
        simulated: conf/simulated/, needed for simulated models of the shift study.
        settings: how all other models are reached, needed for those.
        calls: the ledger of calls of this unit of work.
        simulated_drift: conf/simulated_drift/, needed for simulated models of the drift study.
    """

    def __init__(
        self,
        simulated: SimulatedConfig | None,
        settings: DoorSettings | None = None,
        calls: Path | None = None,
        simulated_drift: SimulatedDriftConfig | None = None,
    ) -> None:
        self._simulated = simulated
        self._simulated_drift = simulated_drift
        self._hosted: ChatModel | None = None
        if settings is not None:
            # Imported here, since most jobs of a simulated study start hundreds of times and need none of it.
            from holdcourse.llm.hosted import HostedDoor

            llm = settings.llm
            self._hosted = HostedDoor(settings, calls, lambda model: provider_of(model, llm))

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request through the provider of its model.

        Raises:
            NoProviderError: no provider serves the model.
            ModelError: the provider failed for good.
            HoldcourseError: the job must stop: budget, replay, keys.
        """
        if not is_simulated(request.model):
            if self._hosted is None:
                raise NoProviderError(
                    f"model {request.model!r} (role {request.role}) is not simulated, but the run was given "
                    "no conf/llm/ settings; let the stage compose its own configuration, or choose "
                    "models=simulated"
                )
            return self._hosted.complete(request)
        if request.model not in SIMULATED_MODELS:
            raise NoProviderError(
                f"there is no offline model {request.model!r} (role {request.role}); it has "
                f"{', '.join(SIMULATED_MODELS)}"
            )
        if request.role in DRIFT_ROLES and self._simulated_drift is not None:
            return _simulated_drift_provider(self._simulated_drift).complete(request)
        if self._simulated is None:
            folder = "simulated_drift" if request.role in DRIFT_ROLES else "simulated"
            raise NoProviderError(
                f"model {request.model!r} (role {request.role}) is simulated, but the run was given no "
                f"conf/{folder}/ parameters; let the stage compose its own configuration"
            )
        return _simulated_provider(self._simulated, request.model == REFERENCE).complete(request)


_providers: dict[tuple[int, str], Provider] = {}
_making = threading.Lock()


def provider_of(model: str, config: LlmConfig) -> Provider:
    """The provider of a model that is not simulated, made when first asked for in this process."""
    kind = LOCAL if model.startswith(LOCAL) else f"hosted {sorted(config.api_bases.items())}"
    # By process: threads and connections of a parent are of no use in a forked child.
    key = (os.getpid(), kind)
    with _making:
        if key not in _providers:
            _providers[key] = _made(kind, config)
        return _providers[key]


def _made(kind: str, config: LlmConfig) -> Provider:
    if kind == LOCAL:
        from holdcourse.llm.local_provider import LocalProvider

        return LocalProvider()
    from holdcourse.llm.litellm_provider import LitellmProvider

    return LitellmProvider(config)


@cache
def _simulated_drift_provider(config: SimulatedDriftConfig) -> ChatModel:
    from holdcourse.simulated.drift_provider import SimulatedDriftProvider

    return SimulatedDriftProvider(config)


@cache
def _simulated_provider(config: SimulatedConfig, reference: bool) -> ChatModel:
    from holdcourse.simulated.provider import SimulatedProvider

    return SimulatedProvider(config, config.reference_curve if reference else config.curve)
