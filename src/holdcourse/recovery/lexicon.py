"""Words that tie a task to applications and to kinds of operations, for the backbone without a model.

The words come from the applications' own documentation (names of calls and of their parameters) and from a
short list of everyday words that no documentation has. No template, payload or label is behind them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from holdcourse.recovery.docs import Docs

_WORD = re.compile(r"[a-z]+")

EVERYDAY: Mapping[str, tuple[str, ...]] = {
    "amazon": ("buy", "order", "purchase", "shop", "product", "wish", "cart", "deliver"),
    "file_system": ("file", "folder", "directory", "bill", "download"),
    "gmail": ("mail", "email", "inbox", "draft", "subject"),
    "phone": ("text", "call", "alarm", "contact", "friend", "voice", "wake"),
    "simple_note": ("note", "notes"),
    "splitwise": ("share", "group", "expense", "owe", "split"),
    "spotify": ("song", "music", "album", "artist", "playlist", "listen", "play", "like", "follow"),
    "todoist": ("todo", "task", "project", "due", "section"),
    "venmo": ("pay", "money", "request", "send", "dollar", "transaction", "receive", "friend"),
}
"""Everyday words for the nine kinds of application that agents of this field are given (ours)."""

COMMON = frozenset(
    {
        "account", "all", "and", "any", "are", "can", "count", "date", "each", "every", "find",
        "for", "from", "get", "give", "has", "have", "how", "its", "last", "list", "make", "many",
        "more", "most", "much", "name", "new", "number", "one", "our", "out", "page", "please",
        "show", "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they",
        "this", "those", "title", "total", "under", "update", "what", "when", "which", "who",
        "with", "you", "your", "access", "token", "user", "limit", "index", "query", "sort",
    }
)  # fmt: skip
"""Words that say nothing of an application."""

ASKING = re.compile(
    r"(?i)^\s*(how|what|which|who|when|where|is|are|does|did|count|tell me|find out)\b|\?\s*$"
)
"""A task that asks rather than orders, by its first word or its last sign."""


def words(text: str) -> frozenset[str]:
    """Words of a text in lower case, plurals cut back."""
    return frozenset(_singular(word) for word in _WORD.findall(text.lower().replace("_", " ")))


def app_words(docs: Docs, apps: frozenset[str]) -> dict[str, dict[str, float]]:
    """Words of each application, with how much each speaks for it: 1 shared by all that use it."""
    spoken = {app: _spoken(app, docs) for app in sorted({*apps, *docs, *EVERYDAY})}
    uses = Counter(word for named in spoken.values() for word in named)
    return {app: {word: 1 / uses[word] for word in named} for app, named in spoken.items()}


def _spoken(app: str, docs: Docs) -> frozenset[str]:
    named = set(words(app)) | {_singular(word) for word in EVERYDAY.get(app, ())}
    for doc in docs.get(app, ()):
        named |= words(doc.api)
    return frozenset(word for word in named if word not in COMMON and len(word) > 2)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word
