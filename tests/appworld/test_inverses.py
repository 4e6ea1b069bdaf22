"""The documented inverse of each write of an invented app, by the rules."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import holdcourse.appworld
from holdcourse.appworld.inverses import Binding, inverse_of, inverses
from tests.appworld.made_docs import DOCS

EXPECTED = {
    "like_plant": ("toggle", "garden.unlike_plant"),
    "unlike_plant": ("toggle", "garden.like_plant"),
    "add_seed_to_basket": ("toggle", "garden.delete_seed_from_basket"),
    "delete_seed_from_basket": ("toggle", "garden.add_seed_to_basket"),
    "mark_bed_dry": ("opposite", "garden.mark_bed_undry"),
    "mark_bed_undry": ("opposite", "garden.mark_bed_dry"),
    "create_plant": ("create", "garden.delete_plant"),
    "review_plant": ("create", "garden.delete_plant_review"),
    "attach_photos_to_plant": ("create", "garden.remove_photo_from_plant"),
    "download_receipt": ("create", "drawer.delete_file"),
    "add_plant_to_bed": ("link", "garden.remove_plant_from_bed"),
    "remove_plant_from_bed": ("link", "garden.add_plant_to_bed"),
    "move_pot": ("move", "garden.move_pot"),
    "delete_plant": ("recreate", "garden.create_plant"),
    "delete_plant_review": ("recreate", "garden.review_plant"),
    "remove_photo_from_plant": ("recreate", "garden.attach_photos_to_plant"),
    "update_plant": ("update", "garden.update_plant"),
    "update_diary": ("update", "garden.update_diary"),
    "add_content_to_diary": ("update", "garden.update_diary"),
    "update_seed_quantity_in_basket": ("update", "garden.update_seed_quantity_in_basket"),
    "set_degree": ("update", "garden.set_degree"),
    "mark_alert": ("update", "garden.mark_alert"),
    "mark_alerts": ("update", "garden.mark_alert"),
    "send_postcard": ("outward", None),
    "add_to_purse": ("transfer", None),
    "take_from_purse": ("transfer", None),
    "water_plant": ("no_counterpart", None),
    "clear_basket": ("no_counterpart", None),
    "delete_postcard": ("no_counterpart", None),
}


@pytest.mark.parametrize("api", EXPECTED)
def test_category_and_inverse(api: str) -> None:
    found = inverse_of(DOCS[f"garden.{api}"], DOCS)
    assert (found.category, found.inverse) == EXPECTED[api]
    assert found.documented is (found.inverse is not None)


def test_every_write_has_its_line_and_nothing_else() -> None:
    found = inverses(DOCS)
    assert set(found) == {f"garden.{api}" for api in EXPECTED} | {"drawer.delete_file"}


@pytest.mark.parametrize(
    ("api", "needs", "readable"),
    [
        ("like_plant", False, True),
        ("create_plant", False, True),
        ("move_pot", False, True),
        ("delete_plant", True, True),
        ("update_plant", True, True),
        ("delete_seed_from_basket", True, True),
        ("delete_plant_review", True, False),  # the list of reviews asks which plant
        ("remove_photo_from_plant", True, False),  # no read shows where a photo came from
    ],
)
def test_need_of_the_old_value_and_whether_it_can_be_read(api: str, needs: bool, readable: bool) -> None:
    found = inverse_of(DOCS[f"garden.{api}"], DOCS)
    assert (found.needs_preimage, found.readable) == (needs, readable)


def test_where_the_arguments_come_from() -> None:
    assert inverse_of(DOCS["garden.review_plant"], DOCS).bindings == (
        Binding("review_id", "response", "plant_review_id"),
    )
    assert inverse_of(DOCS["garden.move_pot"], DOCS).bindings == (
        Binding("source_place", "argument", "destination_place"),
        Binding("destination_place", "argument", "source_place"),
    )
    assert inverse_of(DOCS["garden.delete_plant_review"], DOCS).bindings == (
        Binding("plant_id", "preimage", "plant_id"),
        Binding("stars", "preimage", "stars"),
    )


def test_a_field_of_another_record_is_found_by_its_words() -> None:
    (preimage,) = inverse_of(DOCS["garden.delete_plant"], DOCS).preimages
    assert preimage.read == "garden.show_plant"
    assert preimage.fields["keeper_email"] == ("keeper", "email")
    assert preimage.fields["tags"] == ("tags", "[]")


def test_an_addition_whose_record_an_update_changes_names_the_update() -> None:
    assert (
        inverse_of(DOCS["garden.add_seed_to_basket"], DOCS).amend == "garden.update_seed_quantity_in_basket"
    )
    assert inverse_of(DOCS["garden.like_plant"], DOCS).amend is None


@pytest.mark.parametrize("module", ["docs", "wording", "preimages", "inverses", "undoing", "compensation"])
def test_what_the_engine_imports_is_plain(module: str) -> None:
    """The engine's environment has pydantic 1 and none of our other packages."""
    source = Path(holdcourse.appworld.__file__).with_name(f"{module}.py").read_text()
    imported = {
        name
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [str(node.module)]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    ours = {name for name in imported if name.startswith("holdcourse.")}
    plain = ("holdcourse.drift.", "holdcourse.errors", "holdcourse.files", "holdcourse.appworld.")
    assert all(name.startswith(plain) for name in ours)
    assert {name.partition(".")[0] for name in imported - ours} <= sys.stdlib_module_names
