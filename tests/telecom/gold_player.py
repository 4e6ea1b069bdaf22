"""A scripted model that plays both sides of a task by its reference solution, so that τ² scores it 1.

It knows the task by the seed of a request. Given `skip`, it leaves out the action at that place; a `quirk`
makes one side misbehave in one way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from holdcourse.llm.chat import ChatReply, ChatRequest, ModelError, ToolCall, Usage
from holdcourse.telecom.data import data_directory
from holdcourse.telecom.draws import derive_seed
from holdcourse.telecom.tasks import load_catalogue, load_tasks

Action = tuple[str, str, dict]


@cache
def reference_actions() -> dict[str, list[Action]]:
    return {
        task["id"]: [
            (action["requestor"], action["name"], action["arguments"])
            for action in task["evaluation_criteria"]["actions"]
        ]
        for task in json.loads((data_directory() / "tasks.json").read_text())
    }


@cache
def all_tasks():
    return load_tasks(task.id for task in load_catalogue())


def reply(content: str | None = None, *calls: ToolCall) -> ChatReply:
    stop = "tool_calls" if calls else "stop"
    return ChatReply(content, tuple(calls), stop, Usage(10, 5), 0.5, 0.0)


@dataclass
class GoldPlayer:
    actions: Mapping[int, list[Action]]
    skip: int | None = None
    quirk: str = ""
    requests: list[ChatRequest] = field(default_factory=list)

    @classmethod
    def of(cls, ids: Iterable[str], seed: int = 0, trials: int = 1, **options: object) -> GoldPlayer:
        actions = {
            derive_seed(seed, name, trial): reference_actions()[name]
            for name in ids
            for trial in range(trials)
        }
        return cls(actions, **options)

    def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        plan = list(self.actions[request.sampling.seed])
        if self.skip is not None:
            del plan[self.skip]
        turn = len(request.messages)
        answer = self.customer(request, plan) if request.role == "user" else self.agent(request, plan)
        if self.quirk == "agent is empty" and request.role == "agent" and turn > 3:
            return reply("  ")
        if self.quirk == "customer is empty" and request.role == "user" and turn > 3:
            return reply(None)
        if self.quirk == "provider fails" and turn > 3:
            raise ModelError("the provider is down")
        if self.quirk == "text with calls" and answer.tool_calls:
            return reply("I will do that. ###STOP###", *answer.tool_calls)
        if self.quirk == "same call ids" and answer.tool_calls:
            return reply(None, *(ToolCall("call", call.name, call.arguments) for call in answer.tool_calls))
        return answer

    def agent(self, request: ChatRequest, plan: list[Action]) -> ChatReply:
        heard = request.messages[2:]
        done = sum(
            message.speaker == "tool" or (message.speaker == "user" and message.content == "done")
            for message in heard
        )
        if self.quirk == "agent meddles" and heard[-1].content == "help":
            return reply(None, ToolCall("meddle", "toggle_airplane_mode", {}))
        if self.quirk == "agent meddles":
            done -= 1
        if self.quirk == "agent babbles":
            return reply("Let me think.")
        if self.quirk == "agent errs":
            return reply(None, ToolCall(f"c{len(heard)}", "get_customer_by_id", {"customer_id": "nobody"}))
        if self.quirk == "not a number":
            if len(heard) == 1:
                line = {"customer_id": "C1001", "line_id": "L1001", "gb_amount": float("nan")}
                return reply(None, ToolCall("nan", "refuel_data", line))
            return reply("finished")
        if done == len(plan):
            return reply("finished")
        requestor, name, arguments = plan[done]
        if requestor == "user":
            return reply(f"do {done}")
        return reply(None, ToolCall(f"a{done}", name, arguments))

    def customer(self, request: ChatRequest, plan: list[Action]) -> ChatReply:
        last = request.messages[-1]
        if last.speaker == "tool":
            return reply("done")
        if last.content == "finished":
            return reply("Thank you. ###STOP###")
        if (last.content or "").startswith("do "):
            _, name, arguments = plan[int(last.content[3:])]
            return reply(None, ToolCall(f"u{len(request.messages)}", name, arguments))
        return reply("help")
