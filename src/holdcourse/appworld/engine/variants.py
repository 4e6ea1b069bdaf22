"""Makes variants of tasks: the same task with one planted record more in its start state.

`python -m holdcourse.appworld.engine.variants ROOT PLAN.json`, where PLAN is a list of
`{"task_id", "variant_id", "surface", "text"}`. A variant is a task folder of its own with the ground truth
of its
original: the evaluator compares with a start state that holds the record already. It is there whole or not
at all, and made once: the same row again is passed over.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from holdcourse.appworld.engine.book import template
from holdcourse.appworld.engine.planters import PLANTERS
from holdcourse.appworld.engine.planting import Planting
from holdcourse.appworld.engine.rooted import at_root, told, without_traceback
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, read_object

MARK = "variant.json"
"""Beside the ground truth of a variant: what was planted, and in which task."""


@dataclass(frozen=True)
class Row:
    """One variant to be made."""

    task_id: str
    variant_id: str
    surface: str
    text: str


def make_variants(root: Path, rows: Sequence[Row]) -> int:
    """Make all variants of a plan; returns how many were not there yet.

    Raises:
        HoldcourseError: a task or a kind of surface is unknown, a variant's id is taken by something else,
            or a record cannot be planted.
    """
    values = _values(root)
    return sum(_make(root, row, values) for row in rows)


def _values(root: Path) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Template and field values of each task of ours; official tasks have none."""
    if not (root / "world.json").exists():
        return {}
    tasks = read_object(root / "world.json")["tasks"]
    return {str(row["task_id"]): (str(row["template"]), dict(row["values"])) for row in tasks}  # type: ignore[union-attr,index,arg-type,call-overload]


def _make(root: Path, row: Row, values: Mapping[str, tuple[str, Mapping[str, str]]]) -> bool:
    source, target = (root / "data" / "tasks" / name for name in (row.task_id, row.variant_id))
    if row.surface not in PLANTERS:
        raise HoldcourseError(
            f"variant {row.variant_id}: surface {row.surface!r} is unknown; "
            f"the kinds are {', '.join(PLANTERS)}"
        )
    if not (source / "specs.json").exists():
        raise HoldcourseError(f"variant {row.variant_id}: task {row.task_id!r} does not exist in {root}")
    if row.variant_id.count("_") != 1 or "/" in row.variant_id:
        raise HoldcourseError(f"variant {row.variant_id!r}: an id has exactly one underscore and no slash")
    mark = {"task_id": row.task_id, "surface": row.surface, "text": row.text}
    if target.exists():
        _check_same(target, mark)
        return False
    made = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{row.variant_id}."))
    try:
        shutil.copytree(source, made, dirs_exist_ok=True)
        app = PLANTERS[row.surface].app
        _plant(source, row, _options(row, values), made / "dbs" / f"{app}.jsonl")
        (made / "ground_truth" / MARK).write_text(json.dumps(mark, sort_keys=True) + "\n")
        made.chmod(0o755)
        try:
            made.rename(target)
        except OSError:
            # Another process made it in the meantime.
            _check_same(target, mark)
            return False
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return True


def _check_same(target: Path, mark: Mapping[str, str]) -> None:
    kept = target / "ground_truth" / MARK
    if not kept.exists() or json.loads(kept.read_text()) != mark:
        raise HoldcourseError(f"{target} is taken by another task; choose another variant_id")


def _options(row: Row, values: Mapping[str, tuple[str, Mapping[str, str]]]) -> dict[str, str]:
    """The template's options for a surface, filled in."""
    if row.task_id not in values:
        return {}
    name, fields = values[row.task_id]
    surfaces = template(name).surfaces
    if row.surface not in surfaces:
        raise HoldcourseError(
            f"variant {row.variant_id}: the steps of {row.task_id} ({name}) print no {row.surface}; "
            f"they print {', '.join(surfaces) or 'nothing that can be planted'}"
        )
    filling = {**fields, "text": row.text}
    return {key: option.format(**filling) for key, option in surfaces[row.surface].options.items()}


def _plant(source: Path, row: Row, options: Mapping[str, str], changes: Path) -> None:
    """Load the start state of one app, plant, and write the app's changes."""
    from appworld.apps.api_lib import set_local_date_and_time
    from appworld.collections.models import ModelCollection

    planter = PLANTERS[row.surface]
    specs = json.loads((source / "specs.json").read_text())
    now = datetime.fromisoformat(specs["datetime"])
    models = ModelCollection.load(
        to_db_home_path=f":memory:task_input-{row.variant_id}",
        from_db_home_path=str(source / "dbs"),
        load_apps=[planter.app],
        skip_mandatory_apps=True,
    )
    freezer = set_local_date_and_time(now)
    try:
        person = specs["supervisor"]
        planter.plant(
            Planting(
                models[planter.app], person["email"], person["phone_number"], now, row.text, dict(options)
            )
        )
        models[planter.app].SQLModel.db.save("changes", str(changes))
    finally:
        freezer.stop()
        models.close()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Make variants of tasks with planted texts.")
    parser.add_argument("root", type=Path)
    parser.add_argument("plan", type=Path)
    given = parser.parse_args()
    plan = read_json(given.plan)
    if not isinstance(plan, list):
        raise HoldcourseError(f"{given.plan}: expected a list of variants, got {type(plan).__name__}")
    try:
        rows = [
            Row(**{key: str(row[key]) for key in ("task_id", "variant_id", "surface", "text")})
            for row in plan
        ]
    except (KeyError, TypeError):
        raise HoldcourseError(
            f'{given.plan}: each variant is {{"task_id", "variant_id", "surface", "text"}}'
        ) from None
    at_root(given.root)
    told(f"{make_variants(given.root, rows)} of {len(rows)} variants made")


if __name__ == "__main__":
    without_traceback(main)
