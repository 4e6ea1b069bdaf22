"""Calls as code spells them, for histories that have no record of calls.

Whether a call succeeded cannot be told from a text that the agent's world wrote, so each call in the code
counts as carried out: a write too many calls a human, a write too few would be overlooked.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from holdcourse.drift.kinds import SESSION_APP, kind_of
from holdcourse.drift.records import Call, CallKind
from holdcourse.recovery.docs import Docs

_ROOT = "apis"
UNKNOWN = "unknown_call"
"""The name under which a use of `apis` is filed that hides which call is made, such as `a = apis.venmo`."""

TOOLS = "tools"
"""The application that calls of tools without a dotted name are filed under."""

LONGEST_PARSED = 100_000
"""Characters of code that are parsed; a syntax tree takes a thousand times the memory of its text."""

# For code that does not parse: strings and comments go first, so that no text is taken for a call. One
# that is not closed goes to its end, which also keeps the search linear.
_TEXT = re.compile(
    r"'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)|'(?:\\.|[^'\\\n])*'?|\"(?:\\.|[^\"\\\n])*\"?|#[^\n]*",
    re.DOTALL,
)
_CALL = re.compile(r"\bapis\b(?:\s*\.\s*(\w+))?(?:\s*\.\s*(\w+))?")
_READS = re.compile(
    r"(?:show|search|get|list|find|count|read|view|check|fetch|look|query|lookup)(?:_|\b|(?=[A-Z]))"
)
_AUTH = re.compile(r"(?i)(log_?in|log_?out|sign_?up|auth\w*|verify\w*|reset_password)(_|\b)")


def calls_in(code: str, docs: Docs) -> tuple[Call, ...]:
    """The calls `apis.app.api(...)` of a code block, in the order in which they stand.

    Args:
        code: Python; where it does not parse, names are searched for outside strings and comments.
        docs: says of documented calls what they do; of others the name does.
    """
    named = _parsed(code) if len(code) <= LONGEST_PARSED else None
    if named is None:
        named = [(app or _ROOT, api or UNKNOWN) for app, api in _CALL.findall(_TEXT.sub("''", code))]
    return tuple(Call(app, api, {}, kind(app, api, docs), succeeded=True) for app, api in named)


def kind(app: str, api: str, docs: Docs) -> CallKind:
    """What a call does to the world: by its documentation, else by its name; all but look-ups are writes."""
    for doc in docs.get(app, ()):
        if doc.api == api and doc.method and doc.path:
            return kind_of(api, doc.method.upper(), doc.path)
    if app == SESSION_APP:
        return "session"
    if _AUTH.match(api):
        return "auth"
    return "read" if _READS.match(api) else "write"


def _parsed(code: str) -> list[tuple[str, str]] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(_in_tree(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _in_tree(tree: ast.AST) -> Iterator[tuple[str, str]]:
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=root) as name, attr=app), attr=api):
                made = (app, api)
            case ast.Attribute(value=ast.Name(id=root) as name, attr=app):
                made = (app, UNKNOWN)
            case ast.Name(id=root) as name:
                made = (_ROOT, UNKNOWN)
            case _:
                continue
        if root == _ROOT:
            # A parent is walked before its parts, so what is known of a place first says the most.
            found.setdefault((name.lineno, name.col_offset), made)
    for _, made in sorted(found.items()):
        yield made
