"""What the recovery graph says about a trajectory in OpenAI's message format: its walk and its decision."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from typing import cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdcourse.config.compose import compose, group_choices
from holdcourse.config.schema import Config
from holdcourse.errors import HoldcourseError
from holdcourse.files import write_jsonl
from holdcourse.llm.chat import ModelError
from holdcourse.llm.door import Door, is_simulated
from holdcourse.llm.redaction import redact
from holdcourse.recovery.backbones import Backbone, ModelBackbone, Threads
from holdcourse.recovery.contexts import NO_CAUSE
from holdcourse.recovery.docs import Docs, docs_of
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.quoting import cut, neutral
from holdcourse.recovery.record import Walk, walk_record
from holdcourse.recovery.rules import RulesBackbone
from holdcourse.recovery.trajectory import Message, first_user_text, read_history
from holdcourse.stages.reaching import door_settings

USAGE = """
Usage:
  python -m holdcourse.stages.recover trajectory=FILE                       by rules, without a model
  python -m holdcourse.stages.recover trajectory=FILE model=openai/gpt-4o   any model of docs/models.md
  python -m holdcourse.stages.recover trajectory=FILE onset=7 task="…" docs=FILE recovery=short
  out=walks.jsonl

FILE is JSONL: one message a line, or one trajectory a line as {"messages": […]}, which may also hold "id",
"task", "suspected_onset" and "cause". A step is a message of the assistant, counted from 1. Without an
onset the last step is suspected; without a task it is the first user message. docs is a JSON object {app:
[{"api", "method", "path", "parameters"}]}. A tool is read as app__api or app.api; any other name belongs to
the app "tools". recovery names a file of conf/recovery/. Any other key=value
overrides conf/, such as recovery.streak=3 or llm.mode=replay.
"""

RULES = "rules"
SHOWN = 160
OWN = ("trajectory", "model", "onset", "task", "docs", "recovery", "cause", "out", "study")


@dataclass(frozen=True)
class Asked:
    """A trajectory with what is to be asked of it; None where the file does not say."""

    name: str
    messages: Sequence[Message]
    task: str | None = None
    onset: int | None = None
    cause: str | None = None


def main(given: Sequence[str]) -> tuple[Walk, ...]:
    """Print the walk and the decision for each trajectory of a file, and write the records to `out` if named.

    Raises:
        HoldcourseError: an unknown key, a file that is missing or not readable, an onset that is no step.
        ModelError: a call to the model failed for good.
    """
    named, overrides = _arguments(given)
    if "trajectory" not in named:
        raise HoldcourseError(f"trajectory=FILE is missing\n{USAGE.rstrip()}")
    _refuse_overwriting(named)
    docs = _docs(Path(named["docs"])) if "docs" in named else {}
    config = _composed(named, overrides)
    asked = read_trajectories(Path(named["trajectory"]))
    incidents = []
    for one in asked:
        task = named.get("task") or one.task or first_user_text(one.messages)
        steps = read_history(one.messages, task, docs).steps
        onset = _number(named["onset"]) if "onset" in named else one.onset
        cause = named.get("cause") or one.cause or NO_CAUSE
        incidents.append(Incident(one.name, task, len(steps) if onset is None else onset, steps, docs, cause))
    walks = _backbone(named.get("model", RULES), config).walks(incidents, config.recovery)
    console = Console(highlight=False)
    for walk in walks:
        show(walk, console)
    if "out" in named:
        write_jsonl(Path(named["out"]), [walk_record(walk) for walk in walks])
    return walks


def _refuse_overwriting(named: Mapping[str, str]) -> None:
    for read in ("trajectory", "docs"):
        if {"out", read} <= named.keys() and realpath(named["out"]) == realpath(named[read]):
            raise HoldcourseError(f"out={named['out']} is the file that {read}= reads; name another one")


def _docs(path: Path) -> Docs:
    # The user's own file, so that the advice for a stage's files would mislead.
    try:
        return docs_of(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, OSError, RecursionError) as error:
        what = f"cannot be read as JSON: {error}" if path.exists() else "does not exist"
        raise HoldcourseError(
            f"{path} {what}; docs= takes a file of your own with one JSON object, "
            '{app: [{"api", "method", "path", "parameters"}]}'
        ) from None


def read_trajectories(path: Path) -> tuple[Asked, ...]:
    """The trajectories of a JSONL file, of one message a line or of one trajectory a line.

    Raises:
        HoldcourseError: it does not exist, is empty, or a line is no JSON object or fits neither form.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise HoldcourseError(f"{path} does not exist; trajectory= takes a JSONL file of messages") from None
    except (UnicodeDecodeError, OSError) as error:
        raise HoldcourseError(f"{path} cannot be read as UTF-8 text: {error}") from None
    rows = [(number, _row(path, number, line)) for number, line in enumerate(lines, start=1) if line.strip()]
    if not rows:
        raise HoldcourseError(f"{path} is empty; expected one message or one trajectory a line")
    if "messages" not in rows[0][1]:
        return (Asked(path.stem, [row for _, row in rows]),)
    return tuple(_asked(path, number, row) for number, row in rows)


def show(walk: Walk, console: Console) -> None:
    """Print a walk and its decision."""
    table = Table(
        title=Text(
            _plain(f"{walk.incident_id}: suspected onset {walk.suspected_onset}, backbone {walk.backbone}")
        )
    )
    for column in ("visit", "node", "step", "verdict", "attempts", "next"):
        table.add_column(column)
    for visit in walk.visits:
        step = "" if visit.step is None else str(visit.step)
        # Text, not markup: an answer may hold square brackets.
        cells = (str(visit.number), visit.node, step, _plain(visit.verdict), str(visit.attempts), visit.route)
        table.add_row(*map(Text, cells))
    console.print(table)
    decision = walk.decision
    target = "" if decision.rollback_to_step is None else f" to step {decision.rollback_to_step}"
    console.print(Text(f"decision: {decision.action}{target}, by {decision.by}"))
    if decision.reason:
        console.print(Text(f"reason: {_plain(decision.reason)}"))
    console.print(Text(f"report: {cut(neutral(decision.report), 10 * SHOWN)}"))


def _plain(text: str) -> str:
    """For a terminal: no control signs, one line, no more than fits."""
    return cut(" ".join(neutral(text).split()), SHOWN)


def _composed(named: Mapping[str, str], overrides: Sequence[str]) -> Config:
    chosen = named.get("recovery", "paper")
    if chosen not in group_choices("recovery"):
        known = ", ".join(group_choices("recovery"))
        raise HoldcourseError(f"unknown recovery settings {chosen!r}; conf/recovery/ has {known}")
    return compose(named.get("study", "offline"), (f"recovery={chosen}", *overrides))


def _backbone(model: str, config: Config) -> Backbone:
    if model == RULES:
        return RulesBackbone()
    settings = None if is_simulated(model) else door_settings(config)
    door = Door(config.simulated, settings, None, config.simulated_drift)
    workers = 1 if settings is None else config.llm.concurrency.start
    return ModelBackbone(Threads(door, workers), model, model)


def _arguments(given: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    named: dict[str, str] = {}
    overrides: list[str] = []
    for item in given:
        key, equals, value = item.partition("=")
        if not equals:
            raise HoldcourseError(f"{item!r} is no key=value; known keys: {', '.join(OWN)}")
        if key in OWN:
            named[key] = value
        else:
            overrides.append(item)
    return named, overrides


def _row(path: Path, number: int, line: str) -> dict[str, object]:
    try:
        # Half a surrogate pair, which an escape can bring in, can neither be printed nor written.
        row = json.loads(json.dumps(json.loads(line), ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise HoldcourseError(
            f"{path}, line {number}: not JSON ({reason}); each line must be one JSON object"
        ) from None
    if not isinstance(row, dict):
        raise HoldcourseError(f"{path}, line {number}: expected a JSON object, got {type(row).__name__}")
    return row


def _asked(path: Path, number: int, row: Mapping[str, object]) -> Asked:
    messages = row.get("messages")
    if not isinstance(messages, list):
        raise HoldcourseError(f'{path}, line {number}: expected a list of messages in "messages"')
    onset = row.get("suspected_onset")
    if onset is not None and (not isinstance(onset, int) or isinstance(onset, bool)):
        raise HoldcourseError(
            f'{path}, line {number}: "suspected_onset" must be a step number, got {onset!r}'
        )
    for key in ("task", "cause"):
        if not isinstance(row.get(key), str | None):
            raise HoldcourseError(f'{path}, line {number}: "{key}" must be a text')
    return Asked(
        name=str(row.get("id", f"{path.stem}-{number}")),
        messages=messages,
        task=cast("str | None", row.get("task")),
        onset=onset,
        cause=cast("str | None", row.get("cause")),
    )


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise HoldcourseError(f"onset={text} is no step number; steps are counted from 1") from None


if __name__ == "__main__":
    if {"--help", "-h"} & set(sys.argv[1:]):
        print(f"{__doc__}\n{USAGE}")
        sys.exit(0)
    try:
        main(sys.argv[1:])
    except (HoldcourseError, ModelError, OSError, RecursionError, UnicodeError) as error:
        print(f"error: {redact(str(error))}", file=sys.stderr)
        sys.exit(2)
