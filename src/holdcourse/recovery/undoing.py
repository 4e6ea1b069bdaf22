"""Which documented call undoes another, by names and paths alone: a rule of thumb."""

from __future__ import annotations

import re

from holdcourse.recovery.docs import ApiDoc, Docs

_PAIRS = {
    "add": ("remove", "delete"),
    "create": ("delete", "remove"),
    "post": ("delete",),
    "write": ("delete",),
    "like": ("unlike",),
    "follow": ("unfollow",),
    "archive": ("unarchive",),
    "star": ("unstar",),
    "remove": ("add",),
    "unlike": ("like",),
    "unfollow": ("follow",),
    "play": ("pause",),
}
_OUTWARD = re.compile(r"(send|reply|forward|place|pay|settle|remind|approve|deny|accept|delete|update)(_|$)")


def undone_by(operation: str, docs: Docs) -> str | None:
    """The documented call that undoes a write, as `app.api`; None where there is none to be seen.

    What is sent, deleted or overwritten counts as lost, whatever the documentation offers.
    """
    app, _, api = operation.partition(".")
    known = {doc.api: doc for doc in docs.get(app, ())}
    if _OUTWARD.match(api):
        return None
    verb, _, rest = api.partition("_")
    nouns = [rest, rest.replace("_to_", "_from_"), rest.replace("_from_", "_to_")]
    for opposite in (*_PAIRS.get(verb, ()), f"un{verb}"):
        for noun in nouns:
            if f"{opposite}_{noun}" in known:
                return f"{app}.{opposite}_{noun}"
    return _same_place(known.get(api), list(known.values()))


def _same_place(made: ApiDoc | None, known: list[ApiDoc]) -> str | None:
    """A call that deletes exactly what stands under the path that was posted to."""
    if made is None or made.method.upper() != "POST" or not made.path:
        return None
    for doc in known:
        if doc.method.upper() == "DELETE" and re.fullmatch(re.escape(made.path) + r"(/\{\w+\})?", doc.path):
            return doc.operation
    return None
