"""What a documented operation does to the world: the kind of each call, by its documentation alone.

Standard library only: the engine's call log and the main environment sort calls by the same rules.
"""

from __future__ import annotations

import re

from holdcourse.drift.records import CallKind

SESSION_APP = "supervisor"
"""The app through which an agent asks who it works for and closes its task."""

_LOOKS = re.compile(r"(show|search|get|list)_")
_SAVES = "download_"
_ACCOUNT = re.compile(r"/\w+/(account$|auth/|\w*(password|verif)\w*$)")


def kind_of(api: str, method: str, path: str) -> CallKind:
    """The kind of one operation.

    In this order: what is fetched with GET is read, unless it is named a download, which writes a file; what
    is sent otherwise and yet named a look-up (`show_`, `search_`, `get_`, `list_`) is read; what changes an
    account, a login or a password is auth; what else the agent sends to its own principal's app closes the
    task (session); and all the rest writes.

    Args:
        api: the operation's name in its app, such as "create_note".
        method: HTTP method, in capitals.
        path: path with its placeholders, such as "/simple_note/notes/{note_id}"; starts with the app.
    """
    if method == "GET":
        return "write" if api.startswith(_SAVES) else "read"
    if _LOOKS.match(api):
        return "read"
    if _ACCOUNT.match(path):
        return "auth"
    return "session" if path.startswith(f"/{SESSION_APP}/") else "write"
