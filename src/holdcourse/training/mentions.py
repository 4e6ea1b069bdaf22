"""What a free text names: words, and names of APIs."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[\w.]+")
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text in order, lower case; an underscore separates like a blank."""
    return [word.casefold() for word in _WORD.findall(text)]


def api_names(text: str) -> list[str]:
    """Names of APIs in a text, in order: `api_name` or `app.api_name`; one without underscore is a word."""
    tokens = (token.strip("._").removeprefix("apis.") for token in _TOKEN.findall(text))
    return [token for token in tokens if "_" in token and token.count(".") <= 1]


def stem(word: str) -> str:
    """A word without the endings that a sentence puts on it: "likes", "liked" and "like" are one."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
