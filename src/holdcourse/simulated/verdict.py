"""Issues between two units, and which of the two has to give way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdcourse.simulated.judgement import contests, more_specific, redundant, without_stance
from holdcourse.simulated.reading import Reading, Stance

IssueKind = Literal["contradiction", "redundancy"]


@dataclass(frozen=True, slots=True)
class Party:
    """One unit of a pair. `grounds` is what supports it, where that is known."""

    text: str
    reading: Reading
    grounds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Verdict:
    """An issue. `first_gives_way` names the loser; `remainder` is what of its text may stay."""

    kind: IssueKind
    why: str
    first_gives_way: bool
    remainder: str


def judge(first: Party, second: Party) -> Verdict | None:
    """The issue between two units, `first` being the older; None when there is none.

    A redundancy costs the unit that says less; the older one when both say as much. Units that rest
    on different grounds are not redundant. A contradiction costs the unit with fewer grounds, then
    the one without a condition or check, then the older; only the sentences that contradict go.
    """
    contested = contests(first.reading, second.reading)
    if contested:
        first_loses = _first_loses(first, second)
        loser = first if first_loses else second
        remainder = loser.text
        for contest in contested:
            kind = contest.first if first_loses else contest.second
            remainder = without_stance(remainder, contest.setting, kind)
        if loser.reading.stances <= {
            _lost(c.setting, c.first if first_loses else c.second) for c in contested
        }:
            remainder = ""
        settings = ", ".join(sorted({contest.setting.replace("_", " ") for contest in contested}))
        return Verdict("contradiction", f"both cannot be followed on: {settings}", first_loses, remainder)
    if redundant(first.reading, second.reading) and not _set_apart(first, second):
        keeps_first = more_specific(first.reading, second.reading)
        return Verdict("redundancy", "one says all that the other says", not keeps_first, "")
    return None


def _lost(setting: str, kind: Literal["fix", "blind", "forbid", "transfer"]) -> Stance:
    return Stance(setting, kind)


def _first_loses(first: Party, second: Party) -> bool:
    if len(first.grounds) != len(second.grounds):
        return len(first.grounds) < len(second.grounds)
    if first.reading.conditional != second.reading.conditional:
        return not first.reading.conditional
    return True


def _set_apart(first: Party, second: Party) -> bool:
    """Both have grounds, and neither's include the other's."""
    if not first.grounds or not second.grounds:
        return False
    return not (first.grounds <= second.grounds or second.grounds <= first.grounds)
