"""The simulated reflector: a lesson for each remedy that failed conversations lacked.

It sees the failure digests and nothing else. At the rates of conf/simulated/ a lesson is wrong
(forbids the remedy, or hands over instead) or over-general (acts without checking). Whichever it is,
two lessons of three come with a ground.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from holdcourse.config.schema import ReflectorRates
from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated import lessons
from holdcourse.simulated.blocks import JsonObject, json_block, objects, text_of, texts_of
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.grounds import GROUNDS
from holdcourse.simulated.lexicon import SETTINGS

_REMEDIES: dict[str, str] = {
    "toggle_airplane_mode": "airplane_mode",
    "reseat_sim_card": "sim_seat",
    "send_payment_request": "overdue_bill",
    "make_payment": "overdue_bill",
    "resume_line": "line_suspension",
    "toggle_data": "data_switch",
    "enable_roaming": "roaming_line",
    "toggle_roaming": "roaming_phone",
    "refuel_data": "data_usage",
    "set_network_mode_preference": "network_mode",
    "toggle_data_saver_mode": "data_saver",
    "disconnect_vpn": "vpn",
    "toggle_wifi_calling": "wifi_calling",
}
_HARM: dict[str, re.Pattern[str]] = {
    "airplane_mode": re.compile(r"Airplane Mode is now (ON|OFF)"),
    "data_switch": re.compile(r"Mobile Data is now (ON|OFF)"),
    "roaming_phone": re.compile(r"Data Roaming is now (ON|OFF)"),
    "data_saver": re.compile(r"Data Saver Mode is now (ON|OFF)"),
    "wifi_calling": re.compile(r"Wi-Fi Calling is now (ON|OFF)"),
}
_HEALTHY_OFF = frozenset({"airplane_mode", "data_saver", "wifi_calling"})
_LOCKED = re.compile(r"locked with a P[IU][NK]", re.IGNORECASE)
_SUSPENDED = re.compile(r"\bSuspended\b|resume_line|contract_end_date")


@dataclass
class _Need:
    """What a batch of failures says about one setting."""

    kind: str = ""
    failures: list[int] = field(default_factory=list)
    intents: set[str] = field(default_factory=set)


def reflector_reply(request: ChatRequest, rates: ReflectorRates) -> JsonObject:
    """The lessons of a batch: one a setting, in the order of the lexicon.

    Raises:
        MalformedRequestError: the failures are no list of digests.
    """
    failures = objects(json_block(request, "failures"), "<failures>")
    coins = Coins(request.sampling.seed, request.digest)
    needs = _needs(failures)
    worded: list[JsonValue] = []
    for setting in SETTINGS:
        need = needs.get(setting.name)
        if need is not None:
            worded.append(_lesson(setting.name, need, rates, coins))
    return {"lessons": worded}


def missing_remedies(digest: Mapping[str, JsonValue]) -> frozenset[str]:
    """The settings whose remedy a failed conversation lacked.

    Raises:
        MalformedRequestError: the digest does not have the fields of one.
    """
    intent, conversation = text_of(digest, "intent"), text_of(digest, "conversation")
    found: set[str] = set()
    for action in objects(digest.get("missing_actions", []), "missing_actions"):
        name = text_of(action, "action")
        arguments = action.get("arguments")
        if name in _REMEDIES:
            found.add(_REMEDIES[name])
        elif name == "reset_apn_settings":
            found.add("apn_mms" if intent == "mms_issue" else "apn")
        elif name == "grant_app_permission" and isinstance(arguments, dict):
            found.add("app_storage" if arguments.get("permission") == "storage" else "app_sms")
        elif name == "transfer_to_human_agents":
            found |= {"sim_lock"} if _LOCKED.search(conversation) else set()
            found |= {"contract_end"} if _SUSPENDED.search(conversation) else set()
    return frozenset(found)


def _needs(failures: Sequence[JsonObject]) -> dict[str, _Need]:
    needs: dict[str, _Need] = {}

    def note(setting: str, kind: str, number: int, intent: str) -> None:
        need = needs.setdefault(setting, _Need())
        # That a customer has to act outranks what to do, and both outrank "check first".
        if kind == "owner" or not need.kind or (kind == "fix" and need.kind == "check"):
            need.kind = kind
        if number not in need.failures:
            need.failures.append(number)
        need.intents |= {intent} if intent else set()

    for number, digest in enumerate(failures, start=1):
        intent = text_of(digest, "intent")
        missing = missing_remedies(digest)
        for setting in missing:
            note(setting, "fix", number, intent)
        for tool in texts_of(digest, "wrong_owner_calls"):
            if tool in _REMEDIES:
                note(_REMEDIES[tool], "owner", number, intent)
        for setting, pattern in _HARM.items():
            states = pattern.findall(text_of(digest, "conversation"))
            healthy = "OFF" if setting in _HEALTHY_OFF else "ON"
            if states and states[-1] != healthy and setting not in missing:
                note(setting, "check", number, intent)
    return needs


def _lesson(setting: str, need: _Need, rates: ReflectorRates, coins: Coins) -> JsonObject:
    phrases = lessons.PHRASES[setting]
    fate = coins.value(f"fate {setting}")
    wrong = fate < rates.wrong
    overgeneral = not wrong and fate < rates.wrong + rates.overgeneral
    pairs = _wordings(phrases, need.kind, wrong, overgeneral)
    frame, act = coins.choose(pairs, f"frame {setting}")
    intents = sorted(need.intents)
    text = frame.format(
        seen=coins.choose(phrases.seen, f"seen {setting}"),
        act=act,
        Act=_capital(act),
        Look=_capital(phrases.look),
        noun=phrases.noun,
        complaint=lessons.COMPLAINT.get(intents[0] if intents else "", "any trouble"),
    )
    why = GROUNDS[setting]
    grounds = why.wrong if wrong else why.broad if overgeneral else why.sound
    return {
        "lesson": text,
        "type": "norm",
        "because": coins.choose((*grounds, ""), f"because {setting}"),
        "intents": list(intents),
        "failures": list(need.failures),
    }


def _wordings(
    phrases: lessons.Phrases, kind: str, wrong: bool, overgeneral: bool
) -> tuple[tuple[str, str], ...]:
    """The frames that say what is meant, each with an act that fits it."""
    if not phrases.acts:
        frames = (
            lessons.KEEP_FRAMES if wrong else (phrases.broad,) if overgeneral else lessons.TRANSFER_FRAMES
        )
        return tuple((frame, "") for frame in frames)
    if wrong:
        forbidding = tuple((frame, act) for frame in lessons.FORBID_FRAMES for act in phrases.acts)
        return forbidding + tuple((frame, "") for frame in lessons.TRANSFER_FRAMES)
    if overgeneral:
        return tuple((frame, act) for frame in lessons.BLIND_FRAMES for act in (*phrases.acts, *phrases.bare))
    if kind == "owner":
        return tuple((frame, act) for frame in lessons.OWNER_FRAMES for act in phrases.acts)
    if kind == "check":
        return tuple((frame, act) for frame in lessons.CHECK_FRAMES for act in phrases.acts)
    stated = tuple((frame, act) for frame in lessons.FIX_FRAMES for act in phrases.acts)
    return stated + tuple((frame, act) for frame in lessons.BARE_FRAMES for act in phrases.bare)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
