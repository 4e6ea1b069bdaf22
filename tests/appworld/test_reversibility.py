"""The reversibility table."""

from typing import get_args

import pytest

from holdcourse.appworld.inverses import Category, inverses
from holdcourse.appworld.reversibility import Measured, rows, table
from holdcourse.appworld.reversible import reversibility_page
from holdcourse.errors import HoldcourseError
from tests.appworld.made_docs import DOCS

MEASURED: dict[str, object] = {
    name: {
        "measured": "exact" if found.category == "toggle" else "failed" if found.documented else "not_tried",
        "changed": ["garden.plants:+0/~1/-0 (name)"],
        "residue": [] if found.category == "toggle" else ["garden.plants:+0/~1/-0 (name)"],
        "why": "" if found.category == "toggle" else "refused",
    }
    for name, found in inverses(DOCS).items()
}


def test_a_row_keeps_promise_and_measurement_apart() -> None:
    found = {row.operation: row for row in rows(DOCS, MEASURED)}
    assert list(found) == sorted(found)
    record = found["garden.delete_plant"].record()
    assert record["class"] == "recreate"
    assert record["inverse"] == "garden.create_plant"
    assert record["documented"] is True
    assert record["needs_preimage"] is True
    assert record["measured"] == "failed"
    assert record["residue"] == ["garden.plants:+0/~1/-0 (name)"]
    assert found["garden.send_postcard"].record()["inverse"] is None


def test_a_write_without_measurement_is_named() -> None:
    without = {name: outcome for name, outcome in MEASURED.items() if name != "garden.like_plant"}
    with pytest.raises(HoldcourseError, match=r"garden\.like_plant was not measured"):
        rows(DOCS, without)


def test_the_table_counts_by_app_and_class_and_over_all_apps() -> None:
    lines = table(rows(DOCS, MEASURED))
    # like, unlike, add to and delete from the basket; one of them needs the old quantity
    assert ("garden", "toggle", 4, 1, 4, 0, 0, 0) in lines
    assert ("all", "toggle", 4, 1, 4, 0, 0, 0) in lines
    assert ("drawer", "no_counterpart", 1, 0, 0, 0, 0, 1) in lines
    assert ("all", "no_counterpart", 4, 0, 0, 0, 0, 4) in lines
    assert sum(line[2] for line in lines if line[0] == "all") == len(MEASURED)
    assert sum(line[2] for line in lines if line[0] != "all") == len(MEASURED)


def test_the_page_says_what_each_class_and_outcome_means() -> None:
    page = reversibility_page(rows(DOCS, MEASURED))
    for category in get_args(Category):
        assert f"- **{category}**: " in page
    for outcome in get_args(Measured):
        assert f"- *{outcome.replace('_', ' ')}*: " in page
