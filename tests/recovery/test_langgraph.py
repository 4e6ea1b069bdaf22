"""The adapter, inside a LangGraph agent with a checkpointer."""

from __future__ import annotations

from typing import Any

import pytest
from tests.recovery.made import TASK

from holdcourse.errors import HoldcourseError
from holdcourse.recovery.langgraph import (
    checkpoint_of,
    escalated,
    message_ids,
    openai_messages,
    recovery_node,
)
from holdcourse.recovery.rules import RulesBackbone

pytest.importorskip("langgraph")

from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

DOCS = {
    "venmo": [
        {"api": "show_payments", "method": "GET", "path": "/venmo/payments"},
        {"api": "send_payment", "method": "POST", "path": "/venmo/payments"},
    ]
}
CONFIG: Any = {"configurable": {"thread_id": "1"}}


class State(MessagesState):
    recovery: dict[str, object] | None


def agent(calls: list[str]) -> Any:
    """A graph whose agent makes one call after the other and is suspected of drift at every call of venmo."""

    def act(state: State) -> dict[str, object]:
        made = sum(isinstance(message, AIMessage) for message in state["messages"])
        warned = any("recovery monitor" in str(message.content) for message in state["messages"])
        name = "spotify__show_playlist" if warned else calls[made]
        call = {"name": name, "args": {"id": made}, "id": f"call{made}"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    def use(state: State) -> dict[str, object]:
        call = state["messages"][-1].tool_calls[0]  # type: ignore[union-attr]
        return {"messages": [ToolMessage(f"result of {call['name']}", tool_call_id=call["id"])]}

    def suspected(state: Any) -> int | None:
        spoken = [message for message in state["messages"] if isinstance(message, AIMessage)]
        return len(spoken) if spoken and spoken[-1].tool_calls[0]["name"].startswith("venmo") else None

    def goes_on(state: State) -> str:
        steps = sum(isinstance(message, AIMessage) for message in state["messages"])
        return END if escalated(state) or steps >= len(calls) else "act"

    graph = StateGraph(State)
    graph.add_node("act", act)
    graph.add_node("use", use)
    graph.add_node("recover", recovery_node(suspected, RulesBackbone(), DOCS, task=TASK))  # type: ignore[call-overload]
    graph.add_edge(START, "act")
    graph.add_edge("act", "use")
    graph.add_edge("use", "recover")
    graph.add_conditional_edges("recover", goes_on)
    return graph.compile(checkpointer=InMemorySaver())


def start(graph: Any) -> Any:
    return graph.invoke({"messages": [SystemMessage("s"), HumanMessage(TASK)]}, CONFIG)


def test_a_drifted_read_is_removed_by_id_and_the_agent_goes_on_warned() -> None:
    graph = agent(["spotify__show_playlist", "venmo__show_payments", "spotify__show_playlist"])
    kinds = [type(message).__name__ for message in start(graph)["messages"]]
    assert kinds == [
        *["SystemMessage", "HumanMessage", "AIMessage", "ToolMessage", "HumanMessage"],
        *["AIMessage", "ToolMessage", "AIMessage", "ToolMessage"],
    ]
    shown = [str(message.content) for message in graph.get_state(CONFIG).values["messages"]]
    assert not any("venmo" in text for text in shown if text.startswith("result"))
    assert "recovery monitor" in shown[4]


def test_the_checkpoint_before_the_drift_is_found_and_can_be_gone_on_from() -> None:
    graph = agent(["spotify__show_playlist", "venmo__show_payments", "spotify__show_playlist"])
    start(graph)
    history = list(graph.get_state_history(CONFIG))
    drifted = next(
        one for one in history if any("venmo" in str(message.content) for message in one.values["messages"])
    )
    kept = message_ids(drifted.values["messages"][:4])
    found = checkpoint_of(graph, CONFIG, kept)
    assert found is not None
    assert message_ids(graph.get_state(found).values["messages"]) == kept
    assert checkpoint_of(graph, CONFIG, ["unknown"]) is None


def test_a_drifted_write_stops_the_agent_and_keeps_its_history() -> None:
    state = start(agent(["spotify__show_playlist", "venmo__send_payment", "spotify__show_playlist"]))
    assert escalated(state)
    assert state["recovery"]["action"] == "escalate_human"
    assert [type(message).__name__ for message in state["messages"]][-1] == "ToolMessage"
    assert len(state["messages"]) == 6


def test_nothing_changes_while_nothing_is_suspected() -> None:
    node = recovery_node(lambda state: None, RulesBackbone(), DOCS)
    assert node({"messages": [HumanMessage(TASK)]}) == {"recovery": None}


def test_without_a_warning_the_messages_are_only_removed() -> None:
    node = recovery_node(lambda state: 1, RulesBackbone(), DOCS, warn=False)
    call = {"name": "venmo__show_payments", "args": {}, "id": "c"}
    messages = [
        HumanMessage(TASK, id="h"),
        AIMessage("", tool_calls=[call], id="a"),
        ToolMessage("x", tool_call_id="c", id="t"),
    ]
    update: Any = node({"messages": messages})
    assert [(type(one).__name__, one.id) for one in update["messages"]] == [
        ("RemoveMessage", "a"),
        ("RemoveMessage", "t"),
    ]


def test_messages_without_ids_and_of_unknown_kinds_are_refused() -> None:
    with pytest.raises(HoldcourseError, match="add_messages"):
        message_ids([HumanMessage("x")])
    with pytest.raises(HoldcourseError, match="kind 'chat' is unknown"):
        openai_messages([ChatMessage("x", role="odd")])
