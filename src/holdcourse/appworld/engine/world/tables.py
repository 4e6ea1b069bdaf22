"""Rows on their way into the engine's databases: gathered first, then written in bulk.

The engine saves record by record, at several queries each. Rows gathered here get their ids in the order in
which they are added; `write` puts them in, then lets the engine compute each record's hash and search text
from what it reads back, so that both are what the engine itself would have stored.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import text


class Tables:
    """Rows by model, each with the id it will have."""

    def __init__(self, models: Any) -> None:
        self._models = models
        self._rows: dict[tuple[str, str], list[dict[str, Any]]] = {}

    def add(self, app: str, model: str, **fields: object) -> int:
        """Add a row; returns its id."""
        rows = self._rows.setdefault((app, model), [])
        rows.append(fields)
        return len(rows)

    def row(self, app: str, model: str, number: int) -> dict[str, Any]:
        """The fields of a row added before, by its id, to be changed in place."""
        return self._rows[app, model][number - 1]

    def write(self) -> None:
        """Validate all rows and write them.

        Raises:
            pydantic.ValidationError: a row breaks its model.
        """
        for (app, name), rows in self._rows.items():
            model = self._models[app][name]
            records = [
                model.create(id=number, **fields).dict() for number, fields in enumerate(rows, start=1)
            ]
            for record in records:
                record.pop("_db_home_path", None)
            with model.db.engine.connect() as connection:
                connection.execute(model.__table__.insert(), records)
                connection.commit()


def refresh(models: Any) -> None:
    """Store hash and search text of all records as the engine computes them from the stored values."""
    for app in models.app_names:
        for name, model in models[app].items():
            if name == "SQLModel":
                continue
            hashes, texts = [], []
            searchable = model.searchable()
            for record in model.all():
                before = record.record_hash
                record.set_record_hash()
                if record.record_hash != before:
                    hashes.append({"hash": record.record_hash, "number": record.id})
                if searchable:
                    words = " ".join(record.computed_search_text.strip().lower().split())
                    texts.append({"number": record.id, "words": words})
            with model.db.engine.connect() as connection:
                if hashes:
                    connection.execute(
                        text(f"UPDATE {model.__tablename__} SET record_hash = :hash WHERE id = :number"),  # noqa: S608
                        hashes,
                    )
                if texts:
                    table = f"{model.table_name}_fts"
                    connection.execute(text(f"DELETE FROM {table}"))  # noqa: S608  # a table of the engine's
                    insert = f"INSERT INTO {table} (id, saved_search_text) VALUES (:number, :words)"  # noqa: S608
                    connection.execute(text(insert), texts)
                connection.commit()
