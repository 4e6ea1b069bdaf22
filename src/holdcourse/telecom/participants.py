"""τ²'s agent and customer, speaking through the `ChatModel` door instead of τ²'s own model calls.

Prompts, roles and the order of messages are τ²'s; the agent's policy is the instruction under study. An
empty reply raises τ²'s own AgentError or UserError. A reply with both text and tool calls counts as tool
calls, as in τ².
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdcourse.llm.chat import ChatMessage, ChatReply
from holdcourse.llm.chat import ToolCall as ChatToolCall
from holdcourse.telecom.conversation import Conversation
from holdcourse.telecom.engine import (
    AgentError,
    AssistantMessage,
    LLMAgent,
    LLMAgentState,
    Message,
    MultiToolMessage,
    ToolCall,
    ToolMessage,
    UserError,
    UserMessage,
    UserSimulator,
    UserState,
)
from holdcourse.telecom.environment import agent_tools, customer_tools


class DoorAgent(LLMAgent):  # type: ignore[misc]  # τ² is untyped
    """The customer-service agent; `instruction` stands where τ² puts its policy."""

    def __init__(self, instruction: str, conversation: Conversation, model: str) -> None:
        super().__init__(tools=list(agent_tools()), domain_policy=instruction, llm=model)
        self.conversation = conversation

    def get_init_state(self, message_history: list[Message] | None = None) -> LLMAgentState:
        """Start the conversation with τ²'s system prompt and what was said before."""
        state = super().get_init_state(message_history)
        self.conversation.hear([ChatMessage("system", state.system_messages[0].content)])
        self.conversation.hear(_heard_by_agent(state.messages))
        return state

    def generate_next_message(
        self, message: Message, state: LLMAgentState
    ) -> tuple[AssistantMessage, LLMAgentState]:
        """Answer the customer or the tools.

        Raises:
            AgentError: the model's reply is empty.
            ModelError: the model could not be asked.
        """
        new = _unpacked(message)
        state.messages.extend(new)
        self.conversation.hear(_heard_by_agent(new))
        reply = self.conversation.speak()
        if _is_empty(reply):
            raise AgentError(f"the agent's model sent an empty message (stop reason: {reply.stop_reason})")
        spoken = AssistantMessage(
            role="assistant",
            content=reply.content,
            tool_calls=_calls(reply, "assistant"),
            cost=reply.cost_usd,
        )
        state.messages.append(spoken)
        return spoken, state


class DoorCustomer(UserSimulator):  # type: ignore[misc]  # τ² is untyped
    """The simulated customer; in its own eyes it is the assistant and the agent is the user."""

    def __init__(self, scenario: str, conversation: Conversation, model: str) -> None:
        super().__init__(tools=list(customer_tools()), instructions=scenario, llm=model)
        self.conversation = conversation

    def get_init_state(self, message_history: list[Message] | None = None) -> UserState:
        """Start the conversation with τ²'s system prompt and what was said before."""
        state = super().get_init_state(message_history)
        self.conversation.hear([ChatMessage("system", state.system_messages[0].content)])
        self.conversation.hear(_heard_by_customer(state.messages))
        return state

    def generate_next_message(self, message: Message, state: UserState) -> tuple[UserMessage, UserState]:
        """Answer the agent or the tools.

        Raises:
            UserError: the model's reply is empty.
            ModelError: the model could not be asked.
        """
        new = _unpacked(message)
        state.messages.extend(new)
        self.conversation.hear(_heard_by_customer(new))
        reply = self.conversation.speak()
        if _is_empty(reply):
            raise UserError(f"the customer's model sent an empty message (stop reason: {reply.stop_reason})")
        spoken = UserMessage(
            role="user", content=reply.content, tool_calls=_calls(reply, "user"), cost=reply.cost_usd
        )
        state.messages.append(spoken)
        return spoken, state


def _unpacked(message: Message) -> list[Message]:
    return list(message.tool_messages) if isinstance(message, MultiToolMessage) else [message]


def _heard_by_agent(messages: Iterable[Message]) -> Iterator[ChatMessage]:
    for message in messages:
        if isinstance(message, ToolMessage):
            yield ChatMessage("tool", message.content, tool_call_id=message.id)
        elif isinstance(message, AssistantMessage):
            yield ChatMessage("assistant", message.content, _chat_calls(message))
        else:
            yield ChatMessage("user", message.content)


def _heard_by_customer(messages: Iterable[Message]) -> Iterator[ChatMessage]:
    for message in messages:
        if isinstance(message, ToolMessage):
            yield ChatMessage("tool", message.content, tool_call_id=message.id)
        elif isinstance(message, UserMessage):
            yield ChatMessage("assistant", message.content, _chat_calls(message))
        else:
            yield ChatMessage("user", message.content)


def _chat_calls(message: Message) -> tuple[ChatToolCall, ...]:
    return tuple(ChatToolCall(call.id, call.name, call.arguments) for call in message.tool_calls or ())


def _calls(reply: ChatReply, requestor: str) -> list[ToolCall] | None:
    calls = [
        ToolCall(id=call.id, name=call.name, arguments=call.arguments, requestor=requestor)
        for call in reply.tool_calls
    ]
    return calls or None


def _is_empty(reply: ChatReply) -> bool:
    return not reply.tool_calls and not (reply.content or "").strip()
