"""Makes the base databases and API documents of a world, in the engine's own layout."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from holdcourse.appworld.engine.world.accounts import write_accounts, write_companies
from holdcourse.appworld.engine.world.media import write_music, write_papers
from holdcourse.appworld.engine.world.messages import write_messages
from holdcourse.appworld.engine.world.money import write_money
from holdcourse.appworld.engine.world.records import World
from holdcourse.appworld.engine.world.tables import Tables, refresh

HOME = ":memory:base"


def write_api_docs(root: Path) -> list[dict[str, Any]]:
    """Write the documents of all APIs and return them in order."""
    from appworld.api_docs import prepare_api_docs
    from appworld.apps import get_all_apps
    from appworld.common.constants import CANARY_STRING

    folder = root / "data" / "api_docs" / "standard"
    folder.mkdir(parents=True)
    every: list[dict[str, Any]] = []
    for app in get_all_apps(skip_admin=True):
        docs = prepare_api_docs(app)
        named = {doc["api_name"]: {**doc, "canary_string": CANARY_STRING} for doc in docs}
        (folder / f"{app}.json").write_text(json.dumps(named, indent=1))
        every += docs
    return every


def write_databases(root: Path, world: World, docs: list[dict[str, Any]]) -> None:
    """Fill fresh databases with the world and save them as the base of all tasks.

    Args:
        root: folder of the world; the engine's own root.
        world: the people and what they have.
        docs: API documents, which one app serves.
    """
    from appworld.apps import get_all_apps
    from appworld.apps.api_lib import set_local_date_and_time
    from appworld.collections.models import ModelCollection
    from appworld.common.datetime import DateTime

    apps = get_all_apps()
    models = ModelCollection.load(
        to_db_home_path=HOME, from_db_home_path=HOME, load_apps=apps, create_db=True
    )
    freezer = set_local_date_and_time(
        DateTime(world.now.year, world.now.month, world.now.day, world.now.hour)
    )
    try:
        tables = Tables(models)
        write_accounts(world, tables)
        write_messages(world, tables)
        write_money(world, tables)
        write_music(world, tables)
        write_papers(world, tables)
        for doc in docs:
            tables.add(
                "api_docs",
                "ApiDoc",
                app_name_=doc["app_name"],
                **{
                    key: doc[key]
                    for key in ("api_name", "path", "method", "description", "parameters", "response_schemas")
                },
            )
        tables.write()
        write_companies()
        refresh(models)
        folder = root / "data" / "base_dbs"
        folder.mkdir(parents=True)
        for app in apps:
            _save(models[app].SQLModel.db.connection, folder / f"{app}.db")
    finally:
        freezer.stop()
        models.close()


def _save(connection: sqlite3.Connection, path: Path) -> None:
    """Save a database compacted: the same content gives the same bytes."""
    connection.commit()
    connection.execute("VACUUM INTO ?", (str(path),))
