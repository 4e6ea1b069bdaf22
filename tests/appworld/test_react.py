"""The main agent's loop, driven by a scripted model in a scripted shell."""

from dataclasses import dataclass, field

from holdcourse.appworld.react import NO_CODE, Injection, history, observation, opening, read_reply, run
from holdcourse.config.drift import EpisodeConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.drift.records import Call, Step
from holdcourse.llm.chat import ChatReply, ChatRequest, Usage

LIMITS = EpisodeConfig(max_steps=6, output_characters=200, faulty_replies=2)
CHOICE = RoleModel(model="scripted", temperature=0.0, max_tokens=None)


@dataclass(frozen=True)
class Ada:
    first_name: str = "Ada"
    last_name: str = "Born"
    email: str = "ada@example.com"
    phone_number: str = "5550001"


@dataclass(frozen=True)
class Told:
    instruction: str = "Count my notes."
    supervisor: Ada = Ada()
    datetime: str = "2025-06-12 12:00"


@dataclass(frozen=True)
class Done:
    output: str
    calls: tuple[Call, ...] = ()
    refused: str | None = None
    completed: bool = False


@dataclass
class ScriptedShell:
    outcomes: list[Done]
    executed: list[str] = field(default_factory=list)

    def execute(self, code: str) -> Done:
        self.executed.append(code)
        return self.outcomes[len(self.executed) - 1]


@dataclass
class ScriptedModel:
    replies: list[str]
    requests: list[ChatRequest] = field(default_factory=list)

    def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        text = self.replies[len(self.requests) - 1]
        return ChatReply(text, (), "stop", Usage(10, 5), 0.0, 0.0)


def block(code: str, thought: str = "So.") -> str:
    return f"{thought}\n```python\n{code}\n```"


def test_a_run_ends_when_the_task_is_completed() -> None:
    model = ScriptedModel([block("print(1)"), block("done()")])
    shell = ScriptedShell([Done("1"), Done("ok", completed=True)])
    ran = run(model, CHOICE, shell, Told(), LIMITS)
    assert ran.ended == "completed"
    assert [(step.number, step.code, step.output) for step in ran.steps] == [
        (1, "print(1)", "1"),
        (2, "done()", "ok"),
    ]
    assert (ran.calls, ran.usage) == (2, Usage(20, 10))


def test_the_model_sees_task_code_and_output_in_order() -> None:
    model = ScriptedModel([block("print(1)"), block("done()")])
    run(model, CHOICE, ScriptedShell([Done("1"), Done("", completed=True)]), Told(), LIMITS)
    speakers = [message.speaker for message in model.requests[1].messages]
    assert speakers == ["system", "user", "assistant", "user"]
    texts = [message.content or "" for message in model.requests[1].messages]
    assert "Task: Count my notes." in texts[1]
    assert texts[2:] == ["So.\n```python\nprint(1)\n```", "Output:\n1"]


def test_an_injection_enters_the_history_once_right_before_its_step() -> None:
    model = ScriptedModel([block("a"), block("b"), block("c")])
    shell = ScriptedShell([Done("1"), Done("2"), Done("3", completed=True)])
    ran = run(model, CHOICE, shell, Told(), LIMITS, injections=[Injection(2, "Do this instead.")])
    assert [step.injected for step in ran.steps] == [None, "Do this instead.", None]
    last = [message.content for message in model.requests[2].messages]
    assert last.count("Do this instead.") == 1
    assert last.index("Do this instead.") == 4  # after the first step's code and output


def test_a_run_without_steps_left_says_so() -> None:
    model = ScriptedModel([block("go")] * 6)
    ran = run(model, CHOICE, ScriptedShell([Done("")] * 6), Told(), LIMITS)
    assert (ran.ended, len(ran.steps)) == ("max_steps", 6)


def test_a_reply_without_code_is_asked_again_and_keeps_the_injection() -> None:
    model = ScriptedModel([block("a"), "I am thinking.", block("b")])
    shell = ScriptedShell([Done("1"), Done("2", completed=True)])
    ran = run(model, CHOICE, shell, Told(), LIMITS, injections=[Injection(2, "Now this.")])
    assert ran.steps[1].injected == "Now this."
    said = [message.content for message in model.requests[2].messages]
    assert said[-3:] == ["Now this.", "I am thinking.", NO_CODE]


def test_replies_without_code_end_the_run() -> None:
    ran = run(ScriptedModel(["no", "no"]), CHOICE, ScriptedShell([]), Told(), LIMITS)
    assert (ran.ended, ran.steps, ran.calls) == ("no_code", (), 2)


def test_kept_steps_stand_at_the_beginning_and_are_not_run_again() -> None:
    kept = (Step(1, None, "So.", "a", "1", ()),)
    model = ScriptedModel([block("b")])
    shell = ScriptedShell([Done("2", completed=True)])
    ran = run(model, CHOICE, shell, Told(), LIMITS, kept=kept, warning="Mind the note.")
    assert shell.executed == ["b"]
    assert [step.number for step in ran.steps] == [1, 2]
    texts = [message.content for message in model.requests[0].messages]
    assert texts[2:] == ["Mind the note.", "So.\n```python\na\n```", "Output:\n1"]


def test_a_long_output_loses_its_middle_and_says_how_much() -> None:
    shown = observation("x" * 150 + "y" * 150, LIMITS)
    assert "[100 characters left out]" in shown
    assert shown.startswith("Output:\n" + "x" * 100)
    assert shown.endswith("y" * 100)


def test_the_history_of_steps_holds_injected_texts() -> None:
    steps = (Step(1, "Hey.", "", "a", "1", ()),)
    assert [message.content for message in history(steps, LIMITS)] == [
        "Hey.",
        "\n```python\na\n```",
        "Output:\n1",
    ]


def test_of_several_blocks_the_first_counts() -> None:
    assert read_reply("One.\n```python\na\n```\nTwo.\n```python\nb\n```") == ("One.", "a")
    assert read_reply("nothing") == ("nothing", None)


def test_the_opening_names_whom_the_agent_acts_for() -> None:
    system, task = opening(Told())
    assert "Ada Born" in (system.content or "")
    assert "ada@example.com" in (task.content or "")
