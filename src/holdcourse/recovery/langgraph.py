"""The recovery graph inside a LangGraph agent: a node that truncates the message state by its own ids.

LangGraph is imported when a node is made or used, so that the rest of holdcourse does not need it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from holdcourse.config.recovery import RecoveryConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatModel
from holdcourse.recovery.backbones import Backbone
from holdcourse.recovery.nodes import ESCALATE, ROLLBACK
from holdcourse.recovery.recover import PlainDocs, diagnose
from holdcourse.recovery.trajectory import first_user_text, read_history
from holdcourse.recovery.warning import warning_text

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph

State = Mapping[str, Any]
Detector = Callable[[State], int | None]
"""Says at which step (an AI message, counted from 1) a drift is suspected; None when none is."""

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}


def recovery_node(
    detect: Detector,
    model: ChatModel | Backbone,
    docs: PlainDocs,
    *,
    task: str | None = None,
    warn: bool = True,
    model_name: str = "recovery",
    settings: RecoveryConfig | None = None,
    decision_key: str = "recovery",
) -> Callable[[State], dict[str, object]]:
    """A node to stand before the agent's own node, in a graph whose state has `messages` with `add_messages`.

    It changes nothing while no drift is suspected. On a rollback it removes the messages after the step to
    keep, by their ids, and adds the warning as the newest message. The decision is left in the state, for
    an edge to route by (`escalated`).

    Args:
        detect: the outer detector.
        model: answers at the recovery nodes, or a backbone.
        docs: documentation of the agent's tools.
        task: what the agent was asked; the first user message when None.
        warn: whether the warning is added; Type II drift needs it.
        model_name: the name that requests to the model carry.
        settings: conf/recovery/paper.yaml when None.
        decision_key: key of the state that takes the decision: a dictionary, or None while none is suspected.
    """

    def node(state: State) -> dict[str, object]:
        from langchain_core.messages import HumanMessage, RemoveMessage

        onset = detect(state)
        if onset is None:
            return {decision_key: None}
        messages = list(state["messages"])
        history = openai_messages(messages)
        asked = task or first_user_text(history)
        decision = diagnose(
            asked, history, onset, model, docs, model_name, settings, name="messages"
        ).decision
        update: dict[str, object] = {decision_key: asdict(decision)}
        if decision.action == ROLLBACK and decision.rollback_to_step is not None:
            kept = read_history(history, asked).kept_count(decision.rollback_to_step)
            changes: list[BaseMessage] = [RemoveMessage(id=name) for name in message_ids(messages[kept:])]
            if warn:
                changes.append(HumanMessage(warning_text(decision.report), name="recovery_monitor"))
            update["messages"] = changes
        return update

    return node


def escalated(state: State, decision_key: str = "recovery") -> bool:
    """Whether the last decision calls a human."""
    decision = state.get(decision_key)
    return isinstance(decision, Mapping) and decision.get("action") == ESCALATE


def checkpoint_of(
    graph: CompiledStateGraph[Any, Any, Any, Any], config: RunnableConfig, kept: Sequence[str]
) -> RunnableConfig | None:
    """The newest checkpoint whose messages are exactly those of the ids given, to go on from it instead.

    Going on from a checkpoint also takes back what else is in the state; removing messages does not.

    Args:
        graph: compiled with a checkpointer.
        config: names the thread.
        kept: ids of the messages to keep, in order.

    Returns:
        The configuration with the checkpoint's id; None when there is no such checkpoint.
    """
    for snapshot in graph.get_state_history(config):
        if [message.id for message in snapshot.values.get("messages", [])] == list(kept):
            return snapshot.config
    return None


def message_ids(messages: Sequence[BaseMessage]) -> list[str]:
    """Ids of messages, as the state's reducer gave them.

    Raises:
        HoldcourseError: a message has none, so it cannot be removed.
    """
    ids = [message.id for message in messages]
    named = [name for name in ids if name is not None]
    if len(named) != len(ids):
        raise HoldcourseError(
            "a message of the state has no id; declare `messages` with LangGraph's add_messages reducer, "
            "which gives each one"
        )
    return named


def openai_messages(messages: Sequence[BaseMessage]) -> list[dict[str, object]]:
    """LangChain's messages in OpenAI's format, one each.

    Raises:
        HoldcourseError: a message of a kind that has no place there.
    """
    told: list[dict[str, object]] = []
    for place, message in enumerate(messages, start=1):
        role = _ROLES.get(message.type)
        if role is None:
            raise HoldcourseError(
                f"message {place}: kind {message.type!r} is unknown; expected {', '.join(sorted(_ROLES))}"
            )
        row: dict[str, object] = {"role": role, "content": message.content}
        calls = getattr(message, "tool_calls", None)
        if calls:
            row["tool_calls"] = [
                {"id": call["id"], "type": "function", "function": _function(call)} for call in calls
            ]
        told.append(row)
    return told


def _function(call: Mapping[str, Any]) -> dict[str, str]:
    return {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False, default=str)}
