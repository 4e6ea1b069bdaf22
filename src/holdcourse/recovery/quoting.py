"""Text of the agent's world as data: it can neither end its block nor pass for part of a prompt or reply.

What an agent met is the one thing that its attacker writes. Before it is shown to a recovery model, it loses
every angle bracket (also full-width, as an HTML entity or as an escape), what cannot be seen (zero-width and
bidirectional marks, tag characters, fillers) and the marks of chat templates. Length is limited afterwards,
so that a cut can bring nothing back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

OPENING, CLOSING = "‹", "›"

_TAG = re.compile(r"[a-z][a-z_]*")
# Brackets in disguise that survive Unicode's compatibility folding: entities (also of entities) and escapes.
_OPENING = re.compile(r"<|&(?:amp;)*(?:lt|#0*60(?!\d)|#x0*3c(?![0-9a-f]));?|\\u003c|\\x3c|%3c", re.IGNORECASE)
_CLOSING = re.compile(r">|&(?:amp;)*(?:gt|#0*62(?!\d)|#x0*3e(?![0-9a-f]));?|\\u003e|\\x3e|%3e", re.IGNORECASE)
# [INST] and its like: control words that some tokenizers read out of plain text.
_CONTROL = re.compile(r"\[(/?[A-Z][A-Z_]{2,})\]")
# Letters and marks without a shape of their own, beside the categories below.
_UNSEEN = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)}
_UNSEEN |= set(range(0xE0100, 0xE01F0))
_KEPT = "\n\t"
MARKS = 30
"""Most marks on one letter: the limit of Unicode's stream-safe format (UAX 15), above any real text."""
_CALL = re.compile(r"\bapis\.\w+\.\w+")
_REMARK = re.compile(r"\s*#")


def neutral(text: str) -> str:
    """Text that shows what it showed, and can be taken for nothing but text."""
    text = _visible(unicodedata.normalize("NFKC", _few_marks(_visible(text))))
    text = _CLOSING.sub(CLOSING, _OPENING.sub(OPENING, text))
    return _CONTROL.sub(r"(\1)", text)


def cut(text: str, limit: int) -> str:
    """Text of at most `limit` characters: its beginning, how much is left out, its end."""
    if len(text) <= limit:
        return text
    marker = f" [… {len(text) - limit} left out …] "
    room = limit - len(marker)
    if room < len(marker):
        return text[: limit - 1] + "…"
    tail = room // 3
    return text[: room - tail] + marker + text[len(text) - tail :]


def code_cut(code: str, limit: int) -> str:
    """Code of at most `limit` characters: where it is longer, its lines that call; then their calls alone.

    What a step did shows in its calls, and they may stand anywhere in it, so a cut in the middle would lose
    them.
    """
    if len(code) <= limit:
        return code
    lines = [line.strip() for line in code.splitlines() if _CALL.search(line) and not _REMARK.match(line)]
    if not lines:
        return cut(code, limit)
    rest = len(code) - sum(len(line) + 1 for line in lines)
    shown = "\n".join([*lines, f"[… {rest} left out …]"])
    if len(shown) <= limit:
        return shown
    calls = dict.fromkeys(call for line in lines for call in _CALL.findall(line))
    return cut("\n".join([*(f"{call}(…)" for call in calls), "[… the rest left out …]"]), limit)


def quoted(tag: str, text: str, limit: int, cutting: Callable[[str, int], str] = cut) -> str:
    """Text as a data block, neutral and within its limit; `cutting` shortens it.

    Raises:
        ValueError: the tag is not made of lower-case letters and underscores.
    """
    if not _TAG.fullmatch(tag):
        raise ValueError(f"block tag {tag!r} must be lower-case letters and underscores")
    return f"<{tag}>\n{cutting(neutral(text).strip(), limit)}\n</{tag}>"


def _visible(text: str) -> str:
    unseen = {ord(sign): None for sign in set(text) if _is_unseen(sign)}
    return text.translate(unseen) if unseen else text


def _few_marks(text: str) -> str:
    """Without the marks on a letter beyond `MARKS`: to bring endless ones into order takes ages."""
    if text.isascii():
        return text
    kept, run = [], 0
    for sign in text:
        leading, trailing = _marks(sign)
        if run + leading <= MARKS:
            kept.append(sign)
            run = run + leading if trailing is None else trailing
    return "".join(kept)


@lru_cache(maxsize=4096)
def _marks(sign: str) -> tuple[int, int | None]:
    """How many marks a sign begins and ends with, taken apart; the second is None if it is all marks.

    Taken apart, since some signs that are no marks themselves fall into marks alone (UAX 15, section 13).
    """
    starters = [unicodedata.combining(part) == 0 for part in unicodedata.normalize("NFKD", sign)]
    if True not in starters:
        return len(starters), None
    return starters.index(True), starters[::-1].index(True)


def _is_unseen(sign: str) -> bool:
    if sign in _KEPT:
        return False
    # Format, control, lone surrogates and private use: Cf, Cc, Cs, Co.
    return unicodedata.category(sign) in {"Cf", "Cc", "Cs", "Co"} or ord(sign) in _UNSEEN
