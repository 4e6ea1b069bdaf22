"""The served simulated model answers as it does in process, and counts exactly."""

import http.client
import json
import threading

import pytest

from holdcourse.config.compose import compose
from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling, ToolCall
from holdcourse.simulated.provider import SimulatedProvider
from holdcourse.telecom.environment import agent_tools
from tests.servers.simulated_models import FAULTS, SimulatedServer

SIMULATED = compose("smoke").simulated


def body_of(request):
    """The request as an OpenAI-compatible client sends it."""
    messages = []
    for message in request.messages:
        plain = {"role": message.speaker, "content": message.content}
        if message.tool_calls:
            plain["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
                }
                for call in message.tool_calls
            ]
        if message.tool_call_id is not None:
            plain["tool_call_id"] = message.tool_call_id
        messages.append(plain)
    body = {"model": request.model, "messages": messages, "temperature": request.sampling.temperature}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    if request.sampling.seed is not None:
        body["seed"] = request.sampling.seed
    if request.sampling.json_reply:
        body["response_format"] = {"type": "json_object"}
    return body


def post(server, request, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.request(
            "POST",
            "/v1/chat/completions",
            json.dumps(body_of(request)),
            {"x-holdcourse-role": request.role, "x-holdcourse-trial": str(request.trial), **headers},
        )
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def talk(trial=0, model="simulated/agent"):
    return ChatRequest(
        "agent",
        model,
        (
            ChatMessage("system", "Ask for the phone number. Toggle airplane mode when there is no service."),
            ChatMessage("user", "My phone has no service. The number is 555-123-2002."),
            ChatMessage(
                "assistant",
                None,
                (ToolCall("c1", "get_customer_by_phone", {"phone_number": "555-123-2002"}),),
            ),
            ChatMessage("tool", '{"customer_id": "C1001", "line_ids": ["L1002"]}', tool_call_id="c1"),
        ),
        agent_tools(),
        Sampling(seed=7),
        trial,
    )


@pytest.fixture(scope="module")
def server():
    with SimulatedServer(SIMULATED) as server:
        yield server


@pytest.mark.parametrize("model", ["simulated/agent", "simulated/reference"])
@pytest.mark.parametrize("trial", [0, 1, 2])
def test_a_served_reply_is_that_of_the_process(server, model, trial):
    request = talk(trial, model)
    curve = SIMULATED.reference_curve if model == "simulated/reference" else SIMULATED.curve
    expected = SimulatedProvider(SIMULATED, curve).complete(request)
    status, reply = post(server, request)
    said = reply["choices"][0]["message"]
    calls = [(call["function"]["name"], call["id"]) for call in said.get("tool_calls", [])]
    assert status == 200, reply
    assert said["content"] == expected.content
    assert calls == [(call.name, call.id) for call in expected.tool_calls]
    assert reply["usage"]["prompt_tokens"] == expected.usage.prompt_tokens
    assert reply["choices"][0]["finish_reason"] == expected.stop_reason


def test_the_request_is_read_back_exactly(server):
    server.forget()
    request = ChatRequest(
        "auditor",
        "simulated/auditor",
        (ChatMessage("system", "Audit."), ChatMessage("user", "<instruction>\nGreet. ℓ\n</instruction>")),
        sampling=Sampling(temperature=0.5, seed=2**40, json_reply=True),
        trial=3,
    )
    assert post(server, request)[0] == 200
    assert post(server, talk(2))[0] == 200
    counts = server.counts()
    assert counts.answered == {request.digest: 1, talk(2).digest: 1}
    assert counts.roles == {"auditor": 1, "agent": 1}


def test_a_request_without_role_is_no_request_of_ours(server):
    status, _ = post(server, talk(), **{"x-holdcourse-role": "nobody"})
    assert status == 400
    assert "nobody" in server.counts().strange[0]


def test_the_gate_lets_out_exactly_so_many_answers(server):
    server.forget()
    server.hold(after=2)
    threads = [threading.Thread(target=post, args=(server, talk(trial))) for trial in range(5)]
    for thread in threads:
        thread.start()
    counts = server.wait_until_held(at_least=3)
    assert (counts.asked, len(counts.answered), counts.held, counts.repeated) == (5, 2, 3, [])
    server.hold(after=None)
    for thread in threads:
        thread.join()
    counts = server.counts()
    assert (len(counts.answered), counts.held, counts.repeated) == (5, 0, [])


def test_a_fault_meets_the_first_asking_only():
    kinds = [kind for kind in FAULTS if not kind.startswith("cut") and kind != "malformed"]
    with SimulatedServer(SIMULATED, faults=kinds) as server:
        statuses = [post(server, talk(trial), Authorization="Bearer planted")[0] for trial in (0, 0, 1, 1)]
        counts = server.counts()
    assert [status == 200 for status in statuses] == [False, True, False, True]
    assert (counts.asked, sum(counts.faults.values()), sum(counts.answered.values())) == (4, 2, 2)


def test_what_is_dropped_at_the_gate_was_never_answered(server):
    server.forget()
    server.hold(after=0)
    broken = []

    def ask():
        with pytest.raises(ConnectionError) as caught:
            post(server, talk())
        broken.append(caught.value)

    thread = threading.Thread(target=ask)
    thread.start()
    server.wait_until_held()
    server.drop()
    thread.join()
    assert (len(broken), server.counts().answered) == (1, {})
    assert post(server, talk())[0] == 200
