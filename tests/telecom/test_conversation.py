from holdcourse.config.role_model import RoleModel
from holdcourse.llm.chat import ChatMessage, ChatReply, ChatRequest, Sampling, ToolCall, ToolSpec, Usage
from holdcourse.telecom.conversation import Conversation, Side

TOOL = ToolSpec("look", "Looks.", {"type": "object"})
SIDE = Side("agent", RoleModel(model="some/model", temperature=0.3, max_tokens=99), (TOOL,), seed=7, trial=2)


class Recorder:
    def __init__(self, *replies: ChatReply) -> None:
        self.replies = list(replies)
        self.requests: list[ChatRequest] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        return self.replies.pop(0)


def answer(content: str | None = None, *calls: ToolCall, cost: float | None = 0.25) -> ChatReply:
    return ChatReply(content, calls, "stop", Usage(3, 2), cost, 0.5)


def test_each_request_is_the_whole_conversation_so_far():
    door = Recorder(answer("first"), answer("second"))
    conversation = Conversation(SIDE, door)
    conversation.hear([ChatMessage("system", "rules"), ChatMessage("user", "hello")])
    conversation.speak()
    conversation.hear([ChatMessage("user", "go on")])
    conversation.speak()
    assert [request.messages for request in door.requests] == [
        (ChatMessage("system", "rules"), ChatMessage("user", "hello")),
        (
            ChatMessage("system", "rules"),
            ChatMessage("user", "hello"),
            ChatMessage("assistant", "first"),
            ChatMessage("user", "go on"),
        ),
    ]
    request = door.requests[0]
    assert (request.role, request.model, request.tools, request.trial) == ("agent", "some/model", (TOOL,), 2)
    assert request.sampling == Sampling(temperature=0.3, max_tokens=99, seed=7)


def test_usage_adds_up_and_an_unknown_price_stays_unknown():
    door = Recorder(answer("a"), answer("b"), answer("c", cost=None), answer("d"))
    conversation = Conversation(SIDE, door)
    conversation.speak()
    conversation.speak()
    assert (conversation.usage.calls, conversation.usage.cost_usd) == (2, 0.5)
    conversation.speak()
    conversation.speak()
    usage = conversation.usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (12, 8)
    assert (usage.cost_usd, usage.latency_s) == (None, 2.0)


def test_call_ids_are_made_unique_and_kept_otherwise():
    same = ToolCall("id1", "look", {})
    door = Recorder(answer(None, same, same), answer(None, same, ToolCall("", "look", {})))
    conversation = Conversation(SIDE, door)
    ids = [call.id for _ in range(2) for call in conversation.speak().tool_calls]
    assert ids == ["id1", "agent_0_1", "agent_1_0", "agent_1_1"]
    assert [call.id for message in conversation.messages for call in message.tool_calls] == ids


def test_text_that_no_file_can_hold_is_mended():
    broken = ToolCall("id", "look", {"at": ["\ud83d", {"deep": "\udc00ü"}], "n": 1})
    conversation = Conversation(SIDE, Recorder(answer("half \ud83d", broken), answer("whole 😀 ü")))
    reply = conversation.speak()
    assert reply.content == "half ?"
    assert reply.tool_calls[0].arguments == {"at": ["?", {"deep": "?ü"}], "n": 1}
    assert conversation.speak().content == "whole 😀 ü"
