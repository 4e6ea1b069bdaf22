"""Loading the engine once, so that a fork finds all that is read, built and cached there is.

A first world is opened and used before it is closed again. What makes a fork unsound is undone: at the end
there is one thread, no open database, and a running clock.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

_KEPT = frozenset({"PATH", "HOME", "LANG", "TZ", "TMPDIR", "APPWORLD_ROOT", "APPWORLD_CACHE", "IPYTHONDIR"})
_FIRST = "_first"


Operations = Mapping[tuple[str, str], tuple[str, str]]
"""Method and path of each documented operation, by app and name."""

_Docs = dict[tuple[str, str], dict[str, Any]]


def _docs_of(data: Path) -> _Docs:
    found: _Docs = {}
    for path in sorted((data / "api_docs" / "standard").glob("*.json")):
        docs = cast("dict[str, dict[str, Any]]", json.loads(path.read_text(encoding="utf-8")))
        for api, doc in docs.items():
            found[str(doc["app_name"]), api] = doc
    return found


def load_once(root: Path, warm: bool) -> Operations:
    """Load the engine with the world under an AppWorld root.

    Args:
        root: the AppWorld root: a folder with the world's as `data`.
        warm: use each app once too, which takes as long again and makes the first steps of episodes faster.

    Returns:
        The operations that this world documents.

    Raises:
        Exception: whatever the engine raises when it, or the world, is not whole.
    """
    from appworld.apps import model_lib
    from appworld.environment import AppWorld

    from appworld import update_root

    # The engine loads a `.env` that lies anywhere above it. Episodes need none of that.
    for name in set(os.environ) - _KEPT:
        del os.environ[name]
    update_root(str(root))
    data = root / "data"
    docs = _docs_of(data)
    tasks = [path for path in (data / "tasks").iterdir() if not path.name.startswith(".")]
    first = min(path.name for path in tasks if (path / "specs.json").is_file())
    world = AppWorld(task_id=first, experiment_name=_FIRST, load_ground_truth=False)
    if warm:
        _use(world, docs)
    AppWorld.close_all()
    shutil.rmtree(root / "experiments" / "outputs" / _FIRST, ignore_errors=True)
    # The base databases are copied through connections that are kept open for good.
    model_lib.get_direct_cached_sqlite3_connection.cache_clear()
    model_lib.get_cached_db_engine.cache_clear()
    gc.collect()
    for found in gc.get_objects():
        if isinstance(found, sqlite3.Connection):
            found.close()
    if threading.active_count() != 1:
        raise RuntimeError(f"{threading.active_count() - 1} threads of the engine are left")
    gc.freeze()
    return {name: (str(doc["method"]), str(doc["path"])) for name, doc in docs.items()}


def _use(world: Any, docs: _Docs) -> None:
    """Log in everywhere and look at everything: a first use in a process takes as long as ten later ones."""
    apis = world.apis
    profile = apis.supervisor.show_profile()
    passwords = {one["account_name"]: one["password"] for one in apis.supervisor.show_account_passwords()}
    tokens: dict[str, str] = {}
    for app, password in passwords.items():
        if (app, "login") in docs:
            username = profile["phone_number" if app == "phone" else "email"]
            answer = apis[app].login(username=username, password=password, raise_on_failure=False)
            tokens[app] = str(answer.get("access_token", ""))
    for (app, api), doc in docs.items():
        wants = {str(one["name"]) for one in doc["parameters"] if one["required"]}
        if doc["method"] == "GET" and wants <= {"access_token"} and not api.startswith("download_"):
            given = {name: tokens.get(app, "") for name in wants}
            apis[app][api](raise_on_failure=False, **given)
    # A record is checked by a class that is made when the first one of its kind is written.
    for models in world.models.values():
        for name, model in models.items():
            if name != "SQLModel":
                model.validator()
