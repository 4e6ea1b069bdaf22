"""Restoration measured on the real engine: what a plan gives when it is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from holdcourse.appworld.docs import Docs
from holdcourse.appworld.engine_command import run_engine
from holdcourse.appworld.inverses import Category, inverses
from holdcourse.appworld.reversibility import rows
from holdcourse.files import read_object


def measured(python: Path, world: Path, out: Path, *only: str) -> dict[str, Mapping[str, object]]:
    run_engine(python, "restoration", [str(world), str(out), *(["--only", *only] if only else [])])
    return cast("dict[str, Mapping[str, object]]", read_object(out)["rows"])


def first_of(docs: Docs, category: Category, count: int) -> list[str]:
    return [name for name, found in inverses(docs).items() if found.category == category][:count]


def test_writes_of_several_classes_are_carried_out_and_undone(
    engine_python_path: Path, world: Path, tmp_path: Path
) -> None:
    docs = Docs.read(world)
    gmail = [
        name
        for name, found in inverses(docs).items()
        if name.startswith("gmail.") and found.category == "opposite"
    ]
    outward = first_of(docs, "outward", 3)
    found = measured(engine_python_path, world, tmp_path / "out.json", *gmail, *outward)
    assert {found[name]["measured"] for name in gmail} == {"exact"}
    assert all(found[name]["changed"] and found[name]["residue"] == [] for name in gmail)
    # Nothing is ever called for what has no inverse: it leaves what it changed.
    assert {found[name]["measured"] for name in outward} == {"not_tried"}
    assert all(found[name]["residue"] == found[name]["changed"] for name in outward)


@pytest.mark.slow
def test_the_whole_table_of_a_world_is_the_same_twice(
    engine_python_path: Path, world: Path, tmp_path: Path
) -> None:
    first = measured(engine_python_path, world, tmp_path / "first.json")
    assert first == measured(engine_python_path, world, tmp_path / "second.json")
    table = rows(Docs.read(world), first)
    documented = [row for row in table if row.documented]
    assert sum(row.measured == "not_tried" for row in documented) <= len(documented) // 20
    assert all(row.measured == "not_tried" for row in table if not row.documented)
    assert all(row.why for row in table if row.measured in ("failed", "not_tried"))
    assert all(row.residue for row in table if row.measured == "residue")
    assert all(row.changed for row in table if row.measured != "not_tried")
    assert read_object(tmp_path / "first.json")["reads_that_write"] == []
    assert not (world / "experiments" / "outputs").exists() or not list(
        (world / "experiments" / "outputs").glob("restoration_*")
    )
