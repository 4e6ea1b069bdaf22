"""The main agent: a ReAct loop over an AppWorld shell, for any chat model (drift paper §5.3.2).

A step is one reply with one code block and the output of that block. The loop neither knows nor cares
whether its model is simulated; what an injection adds to the history comes in as data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from holdcourse.config.drift import EpisodeConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.drift.records import Call, Step
from holdcourse.llm.chat import ChatMessage, ChatModel, ChatRequest, Sampling, Usage
from holdcourse.llm.templates import prompt_templates

PROMPTS = Path(__file__).parent / "prompts"

_CODE = re.compile(r"```(?:python|py)?[ \t]*\r?\n(.*?)```", re.DOTALL)

NO_CODE = (
    "Your reply held no code block. Answer with a short thought and one block that starts with ```python."
)


class Outcome(Protocol):
    """What executing a block came to."""

    @property
    def output(self) -> str: ...  # noqa: D102
    @property
    def calls(self) -> tuple[Call, ...]: ...  # noqa: D102
    @property
    def refused(self) -> str | None: ...  # noqa: D102
    @property
    def completed(self) -> bool: ...  # noqa: D102


class Shell(Protocol):
    """What the loop needs of an episode."""

    def execute(self, code: str) -> Outcome:
        """Run a block of code."""
        ...


class Person(Protocol):
    """Whom an agent acts for."""

    @property
    def first_name(self) -> str: ...  # noqa: D102
    @property
    def last_name(self) -> str: ...  # noqa: D102
    @property
    def email(self) -> str: ...  # noqa: D102
    @property
    def phone_number(self) -> str: ...  # noqa: D102


class Assignment(Protocol):
    """A task as the agent is told it: what to do, for whom, and when it is in the world."""

    @property
    def instruction(self) -> str: ...  # noqa: D102
    @property
    def supervisor(self) -> Person: ...  # noqa: D102
    @property
    def datetime(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Injection:
    """A text that enters the history right before a step; once, and never on a later run."""

    before_step: int
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run.

    Attributes:
        steps: all steps, kept ones included.
        ended: "completed", "max_steps" or "no_code".
        usage: tokens of all calls to the model.
        calls: how many calls to the model.
    """

    steps: tuple[Step, ...]
    ended: str
    usage: Usage
    calls: int


def opening(assignment: Assignment) -> tuple[ChatMessage, ...]:
    """The messages a run begins with: how the shell works, then the task."""
    templates = prompt_templates(PROMPTS)
    return (
        ChatMessage("system", templates.get_template("react.system.j2").render(task=assignment)),
        ChatMessage("user", templates.get_template("react.task.j2").render(task=assignment)),
    )


def history(steps: Sequence[Step], limits: EpisodeConfig) -> list[ChatMessage]:
    """The messages of some steps, as the model saw them."""
    messages: list[ChatMessage] = []
    for step in steps:
        if step.injected is not None:
            messages.append(ChatMessage("user", step.injected))
        messages.append(ChatMessage("assistant", f"{step.thought}\n```python\n{step.code}\n```"))
        messages.append(ChatMessage("user", observation(step.output, limits)))
    return messages


def observation(output: str, limits: EpisodeConfig) -> str:
    """An output as the model is shown it; what is over the limit is cut out of the middle and counted."""
    if len(output) > limits.output_characters:
        half = limits.output_characters // 2
        cut = len(output) - 2 * half
        output = f"{output[:half]}\n[{cut} characters left out]\n{output[-half:]}"
    return f"Output:\n{output}"


def run(
    model: ChatModel,
    choice: RoleModel,
    shell: Shell,
    assignment: Assignment,
    limits: EpisodeConfig,
    *,
    injections: Sequence[Injection] = (),
    kept: Sequence[Step] = (),
    warning: str | None = None,
    seed: int = 0,
) -> Run:
    """Let a model work on a task until it completes it, gives up or runs out of steps.

    Args:
        model: answers the requests.
        choice: which model, with its decoding.
        shell: where code is executed; `kept` steps have been executed there already.
        assignment: the task.
        limits: conf/episode/.
        injections: texts that enter the history on the way.
        kept: steps of an earlier run that stand at the beginning of the history.
        warning: what a re-executed agent is told about the earlier run (drift paper §3.4, Type II).
        seed: sampling seed.

    Raises:
        ModelError: a call failed for good.
    """
    start = list(opening(assignment))
    if warning is not None:
        start.append(ChatMessage("user", warning))
    steps = list(kept)
    messages = [*start, *history(steps, limits)]
    sampling = Sampling(choice.temperature, choice.max_tokens, seed)
    pending = {injection.before_step: injection.text for injection in injections}
    tokens = [0, 0]
    calls = faulty = 0
    injected: str | None = None
    while len(steps) < limits.max_steps:
        number = len(steps) + 1
        if number in pending:
            injected = pending.pop(number)
            messages.append(ChatMessage("user", injected))
        reply = model.complete(ChatRequest("appworld_agent", choice.model, tuple(messages), (), sampling))
        calls += 1
        tokens[0] += reply.usage.prompt_tokens
        tokens[1] += reply.usage.completion_tokens
        thought, code = read_reply(reply.content or "")
        if code is None:
            faulty += 1
            if faulty >= limits.faulty_replies:
                return Run(tuple(steps), "no_code", Usage(*tokens), calls)
            messages.append(ChatMessage("assistant", (reply.content or "").strip() or "(no text)"))
            messages.append(ChatMessage("user", NO_CODE))
            continue
        faulty = 0
        done = shell.execute(code)
        steps.append(Step(number, injected, thought, code, done.output, done.calls, done.refused))
        messages += history([replace(steps[-1], injected=None)], limits)
        injected = None
        if done.completed:
            return Run(tuple(steps), "completed", Usage(*tokens), calls)
    return Run(tuple(steps), "max_steps", Usage(*tokens), calls)


def read_reply(text: str) -> tuple[str, str | None]:
    """Thought and code of a reply; code is None without a block, and the first one's if there are several."""
    found = _CODE.search(text)
    if found is None:
        return text.strip(), None
    return text[: found.start()].strip(), found[1].strip()
