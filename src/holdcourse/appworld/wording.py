"""How APIs and their fields are worded: verbs, objects and word lists, as rules over names.

Names are the only thing that ties one operation's parameter to another's response, so every rule that needs
to know whether two names mean the same thing asks here. Standard library only.
"""

from __future__ import annotations

import re
from functools import cache

CLEARING = frozenset({"clear", "empty", "reset"})
"""Verbs that take away everything of a kind, and so undo no single addition."""

OUTWARD = frozenset(
    {"send", "reply", "forward", "place", "subscribe", "settle", "remind", "approve", "deny", "accept"}
)
"""Verbs of acts toward another party: who has received something has it whatever is deleted afterwards."""

REMOVING = frozenset({"delete", "remove"})
"""Verbs that take one thing away."""

SETTING = frozenset({"set", "update", "mark", "seek", "loop", "assign"})
"""Verbs that put a value in place of another, which the same call with the old value undoes."""

OPPOSITES = (("play", "pause"), ("next", "previous"), ("start", "stop"), ("lock", "unlock"))
"""Verbs of which each undoes the other, beside those with un- or not."""

SWAPS = (("source", "destination"), ("current", "new"), ("from", "to"))
"""First words of two parameters that change places when a move is undone."""

OVERWRITING = re.compile(r"(overwrite|clear_\w+|delete_\w+)$")
"""Options of a call that destroy something beside what the call is for."""

_BETWEEN = frozenset({"to", "from", "in", "of", "on"})


@cache
def singular(word: str) -> str:
    """A plural as documentation forms it, cut back to the singular."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@cache
def words(name: str) -> tuple[str, ...]:
    """The words of a name in the singular; an e-mail address is an e-mail."""
    found = [singular(word) for word in name.split("_") if word]
    return tuple(
        word
        for place, word in enumerate(found)
        if not (word == "address" and place and found[place - 1] == "email")
    )


def verb(api: str) -> str:
    """The first word of an API's name."""
    return api.partition("_")[0]


@cache
def thing(api: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an API acts on, and where: (("member",), ("group",)) of `add_member_to_group`."""
    rest = words(api)[1:]
    for place, word in enumerate(rest):
        if word in _BETWEEN:
            return rest[:place], tuple(word for word in rest[place + 1 :] if word not in _BETWEEN)
    return rest, ()


def same_thing(making: str, taking: str, made_key: str = "") -> bool:
    """Whether one API makes what another takes away.

    Either they name the same thing in the same place, or the verb itself is the thing (`review_song` makes a
    song review), or the key under which the maker returns its identity names it.
    """
    what, where = thing(making)
    taken, place = thing(taking)
    if (what, where) == (taken, place) or (not where and not place and (*what, verb(making)) == taken):
        return True
    if not what and where and where == place:
        return True
    return bool(made_key) and words(made_key)[:-1] == taken and not place


@cache
def opposites(api: str) -> tuple[str, ...]:
    """Names that an API undoing this one would have, by the wording alone.

    `un` or `not_` before one word or without it, one of the pairs of verbs, and `x_from_a_to_b` turned
    around.
    """
    parts = api.split("_")
    found: list[str] = []
    for place, word in enumerate(parts):
        before, after = parts[:place], parts[place + 1 :]
        found.append("_".join((*before, f"un{word}", *after)))
        if word.startswith("un"):
            found.append("_".join((*before, word[2:], *after)))
        found.append("_".join((*before, "not", word, *after)))
        if word == "not":
            found.append("_".join((*before, *after)))
    for pair in OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if parts[0] == one:
                found.append("_".join((other, *parts[1:])))
    turned = re.fullmatch(r"(\w+)_from_(\w+)_to_(\w+)", api)
    if turned:
        found.append(f"{turned[1]}_from_{turned[3]}_to_{turned[2]}")
    return tuple(name for name in dict.fromkeys(found) if name != api)


def swapped(parameter: str) -> str | None:
    """The parameter that a move's inverse takes this one's value in; None if it keeps its place."""
    first, _, rest = parameter.partition("_")
    for pair in SWAPS:
        for one, other in (pair, pair[::-1]):
            if first == one and rest:
                return f"{other}_{rest}"
    return None


def names_same(key: str, parameter: str) -> bool:
    """Whether a key holds what a parameter asks for: the same name, perhaps with more before it."""
    return key == parameter or key.endswith(f"_{parameter}")
