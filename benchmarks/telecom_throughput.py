"""Simulations a second: τ²'s stock `run_task` against holdcourse's rollout, side by side in one process.

Both play the same tasks with the same simulated agent and customer and the same instruction. The stock side
reaches the model as any other: through litellm, by a custom provider. Tasks alternate in who goes first, so
that noise of the machine falls on both. Rewards must agree task by task. Nothing is written unless --output
is given.

    python benchmarks/telecom_throughput.py --tasks 40
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

# The real litellm must come before τ² is imported, or the stock side would have none; without the setting
# it asks the network for prices.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import litellm
from litellm.utils import custom_llm_setup

from holdcourse.config.compose import compose
from holdcourse.config.schema import Config
from holdcourse.files import write_json
from holdcourse.llm.chat import (
    ChatMessage,
    ChatModel,
    ChatReply,
    ChatRequest,
    Sampling,
    ToolCall,
    ToolSpec,
)
from holdcourse.llm.door import Door
from holdcourse.telecom.data import full_policy
from holdcourse.telecom.draws import derive_seed, ordered_by_hash
from holdcourse.telecom.engine import Task
from holdcourse.telecom.rollout import simulate
from holdcourse.telecom.tasks import load_catalogue, load_tasks

PROVIDER = "holdcourse-benchmark"
SPEAKERS = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


class DoorBehindLitellm(litellm.CustomLLM):
    """Serves litellm's requests from the door; the model's name is the role that asks."""

    def __init__(self, door: ChatModel, config: Config) -> None:
        super().__init__()
        self.door = door
        self.models = {"agent": config.models.agent.model, "user": config.models.user.model}

    def completion(self, model: str, messages: list[dict], *_: object, optional_params: dict, **__: object):
        """Answer one request of litellm."""
        role = model.rpartition("/")[2]
        request = ChatRequest(
            role=role,
            model=self.models[role],
            messages=tuple(as_chat(message) for message in messages),
            tools=tuple(as_tool(tool["function"]) for tool in optional_params.get("tools", [])),
            sampling=Sampling(optional_params["temperature"], None, optional_params["seed"]),
        )
        return as_litellm(model, self.door.complete(request))


def as_chat(message: dict) -> ChatMessage:
    """A message of litellm as the door takes it; litellm leaves out a content of None."""
    calls = tuple(
        ToolCall(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in message.get("tool_calls") or ()
    )
    return ChatMessage(SPEAKERS[message["role"]], message.get("content"), calls, message.get("tool_call_id"))


def as_tool(function: dict) -> ToolSpec:
    """A tool of litellm as the door takes it."""
    return ToolSpec(function["name"], function["description"], function["parameters"])


def as_litellm(model: str, reply: ChatReply) -> litellm.ModelResponse:
    """A reply of the door as litellm hands it to τ²."""
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for call in reply.tool_calls
    ]
    message = {"role": "assistant", "content": reply.content} | ({"tool_calls": calls} if calls else {})
    prompt, completion = reply.usage.prompt_tokens, reply.usage.completion_tokens
    return litellm.ModelResponse(
        model=model,
        choices=[{"index": 0, "finish_reason": reply.stop_reason, "message": message}],
        usage={
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    )


def stock(task: Task, config: Config) -> float:
    """Reward of τ²'s own run of a task."""
    from tau2.run import run_task

    run = run_task(
        domain="telecom",
        task=task,
        agent="llm_agent",
        user="user_simulator",
        llm_agent=f"{PROVIDER}/agent",
        llm_args_agent={"temperature": config.models.agent.temperature},
        llm_user=f"{PROVIDER}/user",
        llm_args_user={"temperature": config.models.user.temperature},
        max_steps=config.rollout.max_steps,
        max_errors=config.rollout.max_errors,
        seed=derive_seed(0, task.id, 0),
    )
    return run.reward_info.reward


def lean(task: Task, config: Config, door: ChatModel) -> float:
    """Reward of holdcourse's run of the same task."""
    # The stock side leaves max_tokens out of its requests.
    agent = config.models.agent.model_copy(update={"max_tokens": None})
    user = config.models.user.model_copy(update={"max_tokens": None})
    result = simulate(task, full_policy(), door, agent, user, config.rollout, 0, 0)
    assert result.reward is not None, result.error
    return result.reward


def compare(tasks: dict[str, Task], config: Config, door: ChatModel) -> dict[str, object]:
    """Play every task on both sides; seconds, rates, their ratio and where rewards differ."""
    sides = {"stock": lambda task: stock(task, config), "lean": lambda task: lean(task, config, door)}
    seconds = dict.fromkeys(sides, 0.0)
    rewards: dict[str, dict[str, float]] = {name: {} for name in tasks}
    for side in sides.values():
        side(next(iter(tasks.values())))
    for number, (name, task) in enumerate(tasks.items()):
        for side in sorted(sides, reverse=number % 2 == 0):
            started = time.perf_counter()
            rewards[name][side] = sides[side](task)
            seconds[side] += time.perf_counter() - started
    return {
        "tasks": len(tasks),
        "mean_reward": sum(reward["lean"] for reward in rewards.values()) / len(tasks),
        "disagreements": [name for name, reward in rewards.items() if reward["stock"] != reward["lean"]],
        "seconds": seconds,
        "simulations_per_second": {side: len(tasks) / spent for side, spent in seconds.items()},
        "ratio": seconds["stock"] / seconds["lean"],
    }


def main() -> int:
    """Run the comparison and print it; exit status 1 if rewards differ or the ratio is too small."""
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=40, help="how many tasks, drawn by hash from all 2285")
    parser.add_argument("--study", default="offline", help="whose models and limits to use")
    parser.add_argument("--at-least", type=float, default=5.0, help="smallest ratio that is a success")
    parser.add_argument("--output", type=Path, help="also write the figures to this JSON file")
    options = parser.parse_args()
    if not 1 <= options.tasks <= len(load_catalogue()):
        parser.error(f"--tasks {options.tasks}: there are 1 to {len(load_catalogue())}")
    config = compose(options.study)
    door = Door(config.simulated)
    litellm.custom_provider_map = [{"provider": PROVIDER, "custom_handler": DoorBehindLitellm(door, config)}]
    custom_llm_setup()
    drawn = ordered_by_hash(load_catalogue(), "benchmark")[: options.tasks]
    figures = compare(load_tasks(task.id for task in drawn), config, door)
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    if options.output:
        write_json(options.output, figures)
    if figures["disagreements"]:
        print("rewards differ between the two sides", file=sys.stderr)
        return 1
    if figures["ratio"] < options.at_least:
        print(f"the ratio is below {options.at_least:g}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
