"""The roles that read a whole instruction: the holistic rewriter, its guard, and the auditor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from holdcourse.config.schema import CurveConfig
from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.aim import Passage, changes_for
from holdcourse.simulated.blocks import JsonObject, block
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.competence import competence
from holdcourse.simulated.observation import lessons_of
from holdcourse.simulated.reading import Reading, read
from holdcourse.simulated.segments import MARKER, Unit, in_one_procedure, units_of
from holdcourse.simulated.verdict import Party, Verdict, judge


@dataclass(frozen=True, slots=True)
class _Change:
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Issue:
    first: Unit
    second: Unit
    verdict: Verdict


def holistic_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """The whole text with each lesson worked in: aimed well with probability c(L), else put at the end.

    Raises:
        MalformedRequestError: a block is missing or malformed.
    """
    text = block(request, "instruction")
    coins = Coins(request.sampling.seed, request.digest)
    right = competence(curve, request.characters)
    units = units_of(text)
    changes: list[_Change] = []
    for change in changes_for(
        lessons_of(request), [Passage(unit.text, unit.context) for unit in units], right, coins
    ):
        words = f"{change.lesson.text} {change.ground}".strip()
        unit = units[change.aim.place] if change.aim.place is not None else None
        if unit is None:
            changes.append(_at_the_end(text, words))
        elif change.aim.act == "merge":
            changes.append(_Change(unit.end, unit.end, f" {words}"))
        else:
            changes.append(_below(text, unit, words))
    return {"instruction": _changed(text, changes)}


def guard_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """The issues seen in the whole text, each with probability c(L), and the text without their losers.

    Raises:
        MalformedRequestError: the instruction is missing.
    """
    text = block(request, "instruction")
    findings: list[JsonValue] = []
    changes: list[_Change] = []
    gone: set[int] = set()
    for issue in _seen(request, text, curve):
        if not gone.isdisjoint((issue.first.start, issue.second.start)):
            continue
        loser = issue.first if issue.verdict.first_gives_way else issue.second
        gone.add(loser.start)
        findings.append({"kind": issue.verdict.kind, **_quotes(issue)})
        if issue.verdict.remainder:
            changes.append(_Change(loser.start, loser.end, issue.verdict.remainder))
        else:
            changes.append(_Change(loser.line_start, loser.line_end, ""))
    return {"findings": findings, "instruction": _changed(text, changes)}


def auditor_reply(request: ChatRequest, curve: CurveConfig) -> JsonObject:
    """The contradictions and redundancies seen in the whole text, each with probability c(L).

    Raises:
        MalformedRequestError: the instruction is missing.
    """
    seen = _seen(request, block(request, "instruction"), curve)
    contradictions: list[JsonValue] = [_quotes(i) for i in seen if i.verdict.kind == "contradiction"]
    redundancies: list[JsonValue] = [_quotes(i) for i in seen if i.verdict.kind == "redundancy"]
    return {"contradictions": contradictions, "redundancies": redundancies}


@lru_cache(maxsize=64)
def issues_of(text: str) -> tuple[_Issue, ...]:
    """All true issues between two units of a text, in the order of the text."""
    units = units_of(text)
    readings = [read(unit.text, unit.context) for unit in units]
    issues: list[_Issue] = []
    for place, first in enumerate(units):
        for other in range(place + 1, len(units)):
            if first.leads_in or units[other].leads_in or not _comparable(readings[place], readings[other]):
                continue
            second = units[other]
            verdict = judge(Party(first.text, readings[place]), Party(second.text, readings[other]))
            if verdict and not (verdict.kind == "redundancy" and in_one_procedure(first, second)):
                issues.append(_Issue(first, second, verdict))
    return tuple(issues)


def _comparable(first: Reading, second: Reading) -> bool:
    """Whether two units can be at issue at all: they share a setting, or neither names one."""
    if first.topics or second.topics:
        return not first.topics.isdisjoint(second.topics)
    return not first.words.isdisjoint(second.words)


def _seen(request: ChatRequest, text: str, curve: CurveConfig) -> list[_Issue]:
    coins = Coins(request.sampling.seed, request.digest)
    right = competence(curve, request.characters)
    return [
        issue
        for issue in issues_of(text)
        if coins.comes_true(right, f"see {issue.verdict.kind} {issue.first.start} {issue.second.start}")
    ]


def _quotes(issue: _Issue) -> dict[str, JsonValue]:
    return {"first": issue.first.text, "second": issue.second.text, "why": issue.verdict.why}


def _below(text: str, unit: Unit, words: str) -> _Change:
    """A new line under a unit, in its style; a numbered step gets an indented dash."""
    line = text[unit.line_start : unit.line_end]
    marker = MARKER.match(line)
    front = line[: len(line) - len(line.lstrip())]
    if marker:
        numbered = marker.group("mark")[0].isdigit()
        front = f"{front}   - " if numbered else f"{front}{marker.group('mark')}{marker.group('gap')}"
    ended = line.endswith("\n")
    return _Change(unit.line_end, unit.line_end, f"{front}{words}\n" if ended else f"\n{front}{words}")


def _at_the_end(text: str, words: str) -> _Change:
    break_before = "" if not text or text.endswith("\n") else "\n"
    return _Change(len(text), len(text), f"{break_before}- {words}\n")


def _changed(text: str, changes: Sequence[_Change]) -> str:
    pieces: list[str] = []
    done = 0
    for change in sorted(changes, key=lambda change: change.start):
        pieces += [text[done : change.start], change.text]
        done = max(done, change.end)
    return "".join([*pieces, text[done:]])
