"""A scripted model behind the door, and the schema and models that the evolution tests share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import ArmConfig, GraphConfig
from holdcourse.evolution.asking import Asker
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.llm.chat import ROLES, ChatReply, ChatRequest, Usage

Script = Mapping[str, list[object]]


class ScriptedModel:
    """Answers each role from its own list, in order, and keeps every request.

    An object is sent as JSON, a string as it is, a ChatReply untouched. Each call costs 100 prompt
    and 10 completion tokens.
    """

    def __init__(self, script: Script) -> None:
        self.waiting = {role: list(replies) for role, replies in script.items()}
        self.requests: list[ChatRequest] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        replies = self.waiting.get(request.role)
        assert replies, f"nothing scripted for a further call of {request.role}"
        reply = replies.pop(0)
        if isinstance(reply, ChatReply):
            return reply
        content = reply if isinstance(reply, str) else json.dumps(reply)
        return ChatReply(content, (), "stop", Usage(100, 10), None, 0.0)

    def sent(self) -> str:
        """All message contents sent so far."""
        return "\n".join(message.content or "" for request in self.requests for message in request.messages)


@pytest.fixture(scope="session")
def schema() -> NetworkSchema:
    return NetworkSchema.from_config(
        GraphConfig(
            admissible=(
                ("identity", "supports", "norm"),
                ("knowledge", "supports", "norm"),
                ("knowledge", "supports", "knowledge"),
                ("norm", "refines", "norm"),
                ("knowledge", "refines", "knowledge"),
                ("norm", "sequence", "norm"),
            ),
            acyclic=("refines", "sequence"),
            section_characters=4000,
        )
    )


@pytest.fixture(scope="session")
def models() -> Mapping[str, RoleModel]:
    settings = {role: RoleModel(model=f"scripted/{role}", temperature=0.0, max_tokens=1000) for role in ROLES}
    return settings | {"planner": RoleModel(model="scripted/planner", temperature=0.3, max_tokens=None)}


@pytest.fixture(scope="session")
def asking(models: Mapping[str, RoleModel]) -> Callable[..., tuple[Asker, ScriptedModel]]:
    """Makes an asker on a script, and gives the scripted model beside it."""

    def make(script: Script, attempts: int = 2, seed: int = 7) -> tuple[Asker, ScriptedModel]:
        model = ScriptedModel(script)
        return Asker(model, models, seed, attempts), model

    return make


@pytest.fixture(scope="session")
def arm() -> Callable[..., ArmConfig]:
    """Makes a graph arm with an unmistakable name."""

    def make(structural_analysis: bool = True, **changes: object) -> ArmConfig:
        settings: dict[str, object] = {
            "name": "zebra_arm",
            "label": "Zebra Crossing",
            "kind": "graph",
            "structural_analysis": structural_analysis,
            "radius": 1,
            "repair_rounds": 2,
            "relation_candidates": 3,
            "reply_attempts": 1,
        }
        return ArmConfig.model_validate(settings | changes)

    return make
