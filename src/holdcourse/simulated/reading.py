"""Understanding an instruction: which settings a text is about, and what it says to do about them.

A stance is a setting with one of four words: `fix` (put it right when a check shows it is bad),
`blind` (do so without checking), `forbid` (do not), `transfer` (hand over to a human when seen).
Polarity is judged clause by clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from holdcourse.simulated import clues
from holdcourse.simulated.lexicon import SETTING, SETTINGS

StanceKind = Literal["fix", "blind", "forbid", "transfer"]


class Stance(NamedTuple):
    """What a text says to do about one setting."""

    setting: str
    kind: StanceKind


@dataclass(frozen=True, slots=True)
class Reading:
    """What one unit of text says.

    `owner_stated` tells whether it says who does the customer's part; `conditional` whether it names
    a check or a condition; `describes_tool` that it is an entry of a list of tools; `words` are its
    content words, for similarity.
    """

    topics: frozenset[str]
    stances: frozenset[Stance]
    owner_stated: bool
    conditional: bool
    describes_tool: bool
    words: frozenset[str]


_WORD = re.compile(r"[a-z0-9]+")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a an and any are as at be been before but by can do for from have has if in is it its of "
        "on or so that "
        "the their them then they this to was when which will with you your should must may we our us also "
        "please there than"
    )
)


@lru_cache(maxsize=65536)
def read(text: str, context: tuple[str, ...] = ()) -> Reading:
    """What a unit of text says; `context` are the headings and parents it stands under."""
    plain = text.replace("**", "").replace("`", "").replace("’", "'")
    words = content_words(plain)
    around = _context_topics(context)
    if clues.DESCRIPTION.match(text):
        return Reading(topics_named(plain), frozenset(), False, False, True, words)
    stances: dict[str, set[StanceKind]] = {}
    named_anywhere: set[str] = set()
    carried = around
    unchecked = False
    clauses = _clauses(_base_forms(plain))
    for clause in clauses:
        named = topics_named(clause)
        if "apn" in named and "apn_mms" in around | carried:
            named = named - {"apn"} | {"apn_mms"}
        named_anywhere |= named
        about = named or carried
        carried = about
        kinds = {setting: kind for setting in about if (kind := _kind(clause, setting, about)) is not None}
        for setting, kind in kinds.items():
            stances.setdefault(setting, set()).add("blind" if unchecked and kind == "fix" else kind)
        waives_checks = clues.BLIND_HARD.search(clause) and not clues.NEGATION.search(clause)
        if waives_checks:
            for setting in about:
                if "fix" in stances.get(setting, set()):
                    stances[setting] = stances[setting] - {"fix"} | {"blind"}
        # "Skip the checks; just …": where no act stands before it, it speaks of the clause that follows.
        spoken_for = any("blind" in stances.get(setting, set()) for setting in about)
        unchecked = bool(waives_checks) and not kinds and not spoken_for
    found = _settled(stances)
    return Reading(
        topics=frozenset(named_anywhere) | frozenset(stance.setting for stance in found),
        stances=found,
        owner_stated=any(_names_actor(clause) for clause in clauses),
        conditional=_is_conditional(plain, found),
        describes_tool=False,
        words=words,
    )


@lru_cache(maxsize=65536)
def topics_named(text: str) -> frozenset[str]:
    """The settings a piece of text names."""
    named = {setting.name for setting in SETTINGS if setting.names.search(text)}
    if "roaming_line" in named:
        named -= {"roaming_line", "roaming_phone"}
        line, phone = clues.LINE_ROAMING.search(text), clues.PHONE_ROAMING.search(text)
        if line:
            named.add("roaming_line")
        if phone or not line:
            named.add("roaming_phone")
    if "apn" in named and clues.MMS_WORDS.search(text):
        named.add("apn_mms")
    if "apn_mms" in named:
        named.discard("apn")
    if clues.PERMISSION.search(text) and clues.MESSAGING.search(text):
        storage, sms = clues.STORAGE.search(text), clues.SMS.search(text)
        if storage or not sms:
            named.add("app_storage")
        if sms or not storage:
            named.add("app_sms")
    return frozenset(named)


@lru_cache(maxsize=65536)
def content_words(text: str) -> frozenset[str]:
    """The content words of a text, roughly stemmed, for measuring similarity."""
    stems = set()
    for word in _WORD.findall(text.lower()):
        if word in _STOP_WORDS:
            continue
        for ending in ("ing", "ed", "es", "s"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
        stems.add(word)
    return frozenset(stems)


def _settled(stances: Mapping[str, set[StanceKind]]) -> frozenset[Stance]:
    """All stances of a unit; one that both leaves a setting alone and hands it over hands it over."""
    found: set[Stance] = set()
    for setting, kinds in stances.items():
        refused_for_a_human = {"forbid", "transfer"} <= kinds and SETTING[setting].steps
        found |= {Stance(setting, kind) for kind in (kinds - {"forbid"} if refused_for_a_human else kinds)}
    return frozenset(found)


def _base_forms(text: str) -> str:
    """Demands in the third person or the passive, with their verb in its base form.

    "The user resets it" becomes "The user reset it", and "must be disabled" becomes "must be disable".
    """
    active = clues.CUSTOMER_DOES.sub(lambda m: f"{m[1]} {m[2]}{m[3]}{'e' if m[4] == 'es' else ''}", text)
    return clues.MUST_BE_DONE.sub(lambda m: f"{m[1]} be {m[2]}{m[3]}e {m[2]}{m[3]}", active)


def _is_conditional(text: str, stances: frozenset[Stance]) -> bool:
    """Whether a unit names a condition or a check; "even if" and "without checking" are none."""
    if clues.CHECK_WORDS.search(clues.UNCONDITIONAL.sub("", text)):
        return True
    # What is only to be put right and speaks of not checking forbids to do it unchecked.
    asks_for_check = clues.BLIND_HARD.search(text) is not None
    return asks_for_check and bool(stances) and all(stance.kind == "fix" for stance in stances)


def _clauses(text: str) -> list[str]:
    clauses: list[str] = []
    for piece in clues.CLAUSE.split(text):
        if clauses and clues.ONLY_CONDITION.match(clauses[-1]):
            clauses[-1] = f"{clauses[-1]}, {piece}"
        else:
            clauses.append(piece)
    return clauses


def _names_actor(clause: str) -> bool:
    """Whether the main clause says who acts; a customer in the condition does not act."""
    return clues.OWNER.search(clues.TRAILING.split(clues.CONDITION.sub("", clause))[0]) is not None


def _context_topics(context: tuple[str, ...]) -> frozenset[str]:
    for heading in reversed(context):
        named = topics_named(heading)
        if named:
            return named
    return frozenset()


def _kind(clause: str, name: str, about: frozenset[str]) -> StanceKind | None:
    """The stance one clause takes on one of the settings it is about."""
    if "contract_end" in about:
        return _contract_kind(clause) if name == "contract_end" else None
    body = clues.NOT_FORGET.sub("", clues.CONDITION.sub("", clause))
    if clues.HANDS_OFF.search(body) and SETTING[name].steps:
        return "fix" if clues.EXCEPT.search(clause) else "forbid"
    transfers = clues.TRANSFER.search(body)
    if transfers and clues.TRANSFER_CANCELLED.search(body):
        if not SETTING[name].steps and not clues.EXCEPT.search(body):
            return "forbid"
        transfers = None
    if transfers and not clues.FALLBACK.search(clause):
        return "transfer"
    remedy = SETTING[name].remedy
    body = clues.AFTER_DOING.split(body)[0]
    found = remedy.search(body)
    if found is None:
        return None
    negation = clues.NEGATION.search(body)
    if (negation and any(match.start() > negation.start() for match in remedy.finditer(body))) or (
        clues.AFTERWARDS_FORBIDDEN.search(clues.TRAILING.split(body[found.end() :])[0])
    ):
        return "fix" if clues.EXCEPT.search(clause) else "forbid"
    return "blind" if _is_blind(clause) else "fix"


def _contract_kind(clause: str) -> StanceKind | None:
    """A contract that has ended has one remedy, a human; lifting the suspension all the same forbids it."""
    if not clues.PAST.search(clause):
        return None
    cancelled = clues.TRANSFER_CANCELLED.search(clause)
    if clues.TRANSFER.search(clause) and not cancelled:
        return "transfer"
    negated = clues.NEGATION.search(clause)
    if (negated and clues.LIFT.search(clause) and not cancelled) or clues.SAVE_FOR.search(clause):
        return "transfer"
    if cancelled or (clues.LIFT.search(clause) and clues.ANYWAY.search(clause)):
        return "forbid"
    return None


def _is_blind(clause: str) -> bool:
    if clues.BLIND_HARD.search(clause):
        return True
    if not clues.BLIND_SOFT.search(clause):
        return False
    return not clues.SUBORDINATE.search(clause) or clues.COMPLAINT.search(clause) is not None
