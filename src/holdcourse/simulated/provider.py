"""The door's provider of models `simulated/…`: sends each request to the role that answers it."""

from __future__ import annotations

import json

from holdcourse.config.schema import CurveConfig, SimulatedConfig
from holdcourse.llm.chat import ChatReply, ChatRequest, ModelError
from holdcourse.simulated.agent import agent_reply
from holdcourse.simulated.analyst import analyst_reply
from holdcourse.simulated.blocks import JsonObject
from holdcourse.simulated.conversation import say
from holdcourse.simulated.extractor import extractor_reply
from holdcourse.simulated.planner import planner_reply, relations_reply
from holdcourse.simulated.reconstructor import reconstructor_reply
from holdcourse.simulated.reflector import reflector_reply
from holdcourse.simulated.user import user_reply
from holdcourse.simulated.wholetext import auditor_reply, guard_reply, holistic_reply


class UnknownRoleError(ModelError):
    """The simulated model plays no such role."""


_JUDGING = {
    "extractor": extractor_reply,
    "planner": planner_reply,
    "relations": relations_reply,
    "analyst": analyst_reply,
    "holistic": holistic_reply,
    "guard": guard_reply,
    "auditor": auditor_reply,
}


class SimulatedProvider:
    """A `ChatModel` whose reply is a function of the request and the parameters, and of nothing else.

    It keeps no state between calls, reads no clock and no file, and learns neither an arm's name nor
    a task's id or gold label: it has only the request.
    """

    def __init__(self, config: SimulatedConfig, curve: CurveConfig) -> None:
        """`curve` is the competence curve to use: `config.curve`, or `config.reference_curve`."""
        self._config = config
        self._curve = curve

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request, at no cost and with no latency.

        Raises:
            MalformedRequestError: the request lacks what its role needs.
            UnknownRoleError: no such role is played.
        """
        if request.role == "agent":
            return agent_reply(request, self._curve)
        if request.role == "user":
            return user_reply(request)
        return say(request, json.dumps(self._answer(request), ensure_ascii=False))

    def _answer(self, request: ChatRequest) -> JsonObject:
        if request.role == "reflector":
            return reflector_reply(request, self._config.reflector)
        if request.role == "reconstructor":
            return reconstructor_reply(request)
        if request.role in _JUDGING:
            return _JUDGING[request.role](request, self._curve)
        raise UnknownRoleError(
            f"the simulated model plays no role {request.role!r}; it plays agent, user, reflector, "
            f"reconstructor, {', '.join(_JUDGING)}"
        )
