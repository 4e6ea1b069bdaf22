"""What an agent recalls of its instruction at the start of a conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from holdcourse.config.schema import CurveConfig
from holdcourse.simulated.competence import competence
from holdcourse.simulated.conversation import Opening
from holdcourse.simulated.lexicon import SETTINGS
from holdcourse.simulated.reading import Stance, StanceKind, read
from holdcourse.simulated.segments import units_of

_POLICY = re.compile(r"<policy>\n?(.*)\n?</policy>", re.DOTALL)
_TODAY = re.compile(r"current (?:time|date) is (\d{4}-\d{2}-\d{2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is recalled about one setting.

    With `mistakes_owner` the agent first tries the customer's step itself.
    """

    kind: StanceKind
    mistakes_owner: bool


@dataclass(frozen=True, slots=True)
class Playbook:
    """All that is recalled: one memory a setting, and today's date where the instruction gives it."""

    memories: Mapping[str, Memory]
    today: str | None


@lru_cache(maxsize=512)
def stances_in(system: str) -> Mapping[Stance, bool]:
    """The stances a system text takes, and whether any unit that takes one says who acts."""
    policy = _POLICY.search(system)
    stated: dict[Stance, bool] = {}
    for unit in units_of(policy.group(1) if policy else system):
        reading = read(unit.text, unit.context)
        for stance in reading.stances:
            stated[stance] = stated.get(stance, False) or reading.owner_stated
    return stated


@lru_cache(maxsize=8192)
def recall(opening: Opening, curve: CurveConfig) -> Playbook:
    """Toss a coin for each stance the instruction takes.

    Each is recalled with probability c(L), one coin a stance, so that repetition brings nothing but
    length. Where recalled stances on a setting contradict each other, a coin picks one.
    """
    right = competence(curve, opening.characters)
    coins = opening.coins
    stated = stances_in(opening.system)
    memories: dict[str, Memory] = {}
    for setting in SETTINGS:
        stances = sorted(stance for stance in stated if stance.setting == setting.name)
        recalled = [s for s in stances if coins.comes_true(right, f"recall {s.setting} {s.kind}")]
        if not recalled:
            continue
        stance = coins.choose(recalled, f"conflict {setting.name}")
        mistaken = not stated[stance] and coins.comes_true(1.0 - right, f"owner {setting.name}")
        memories[setting.name] = Memory(stance.kind, mistaken)
    today = _TODAY.search(opening.system)
    return Playbook(memories, today.group(1) if today else None)
