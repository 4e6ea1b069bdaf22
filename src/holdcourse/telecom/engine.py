"""The one place that imports τ², cheaply and without its side effects.

Importing τ² as it comes loads litellm (seconds), pandas and deepdiff, reads a `.env` file found above the
installed package into this process, and logs to stderr. None of these serves a simulation here: every model
call goes through the `ChatModel` door. So stand-ins take these modules' places while τ² is imported and are
gone afterwards; a later `import litellm` anywhere gets the real one, while τ²'s own `completion` raises.
Modules that the process has already imported for real are left alone, `dotenv` excepted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from loguru import logger

_STAND_INS = (
    "litellm",
    "litellm.main",
    "litellm.caching",
    "litellm.caching.caching",
    "deepdiff",
    "pandas",
)
_QUIET = {
    "litellm": ("disable_cache", "enable_cache"),
    "litellm.caching.caching": ("Cache",),
}
"""What τ² calls while it is imported; it configures litellm's cache, which it will never use."""


class EngineCallError(RuntimeError):
    """τ² tried to use a module that it is not given here."""


class _Refusal:
    """Takes the place of a function or class of a stand-in; says so when used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: object, **__: object) -> None:
        package = self._name.partition(".")[0]
        raise EngineCallError(
            f"τ² called {self._name}, but holdcourse imports τ² without {package}; model calls go through "
            "the ChatModel door (holdcourse.llm), never through τ²'s own generate"
        )


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _QUIET.get(self.__name__, ()):
            return lambda *_, **__: None
        return _Refusal(f"{self.__name__}.{name}")


class _NoDotenv(ModuleType):
    @staticmethod
    def load_dotenv(*_: object, **__: object) -> bool:
        return True


@contextmanager
def _stand_ins() -> Iterator[None]:
    real = {name: sys.modules.get(name) for name in (*_STAND_INS, "dotenv")}
    placed: dict[str, ModuleType] = {
        name: _StandIn(name) for name in _STAND_INS if real[name.partition(".")[0]] is None
    }
    placed["dotenv"] = _NoDotenv("dotenv")
    sys.modules.update(placed)
    try:
        yield
    finally:
        for name in placed:
            module = real[name]
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


logger.disable("tau2")

with _stand_ins():
    from tau2.agent.base import AgentError
    from tau2.agent.llm_agent import LLMAgent, LLMAgentState
    from tau2.data_model.message import (
        AssistantMessage,
        Message,
        MultiToolMessage,
        ToolCall,
        ToolMessage,
        UserMessage,
    )
    from tau2.data_model.simulation import RewardInfo, SimulationRun, TerminationReason
    from tau2.data_model.tasks import Action, EnvAssertion, Task
    from tau2.domains.telecom.data_model import TelecomDB
    from tau2.domains.telecom.environment import TelecomEnvironment, get_environment
    from tau2.domains.telecom.tools import TelecomTools
    from tau2.domains.telecom.user_data_model import TelecomUserDB
    from tau2.domains.telecom.user_tools import TelecomUserTools
    from tau2.domains.telecom.utils import TELECOM_DB_PATH, TELECOM_USER_DB_PATH
    from tau2.environment.tool import Tool
    from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation
    from tau2.orchestrator.orchestrator import Orchestrator, Role
    from tau2.registry import registry
    from tau2.user.base import UserError, UserState
    from tau2.user.user_simulator import UserSimulator

__all__ = [
    "TELECOM_DB_PATH",
    "TELECOM_USER_DB_PATH",
    "Action",
    "AgentError",
    "AssistantMessage",
    "EngineCallError",
    "EnvAssertion",
    "EvaluationType",
    "LLMAgent",
    "LLMAgentState",
    "Message",
    "MultiToolMessage",
    "Orchestrator",
    "RewardInfo",
    "Role",
    "SimulationRun",
    "Task",
    "TelecomDB",
    "TelecomEnvironment",
    "TelecomTools",
    "TelecomUserDB",
    "TelecomUserTools",
    "TerminationReason",
    "Tool",
    "ToolCall",
    "ToolMessage",
    "UserError",
    "UserMessage",
    "UserSimulator",
    "UserState",
    "evaluate_simulation",
    "get_environment",
    "registry",
]
