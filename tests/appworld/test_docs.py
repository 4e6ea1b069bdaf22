"""The index of a world's documentation."""

import json
from pathlib import Path

import pytest

from holdcourse.appworld.docs import FOLDER, Docs, placeholders
from holdcourse.errors import HoldcourseError
from tests.appworld.made_docs import DOCS

ENTRY = {
    "app_name": "garden",
    "api_name": "show_plant",
    "path": "/garden/plants/{plant_id}",
    "method": "GET",
    "description": "A sentence that must not be kept.",
    "parameters": [
        {
            "name": "plant_id",
            "type": "integer",
            "required": True,
            "description": "",
            "constraints": ["value >= 1"],
        },
        {"name": "access_token", "type": "string", "required": True, "description": "", "constraints": []},
    ],
    "response_schemas": {"success": {"name": "string"}, "failure": {"message": "string"}},
    "canary_string": "x",
}


def written(root: Path, entry: object) -> Path:
    folder = root / FOLDER
    folder.mkdir(parents=True)
    (folder / "garden.json").write_text(json.dumps({"show_plant": entry}))
    return root


def test_docs_are_read_without_their_sentences(tmp_path: Path) -> None:
    operation = Docs.read(written(tmp_path, ENTRY))["garden.show_plant"]
    assert operation.kind == "read"
    assert operation.required == {"plant_id"}
    assert [parameter.name for parameter in operation.inputs] == ["plant_id"]
    assert operation.inputs[0].constraints == ("value >= 1",)
    assert operation.returns == {"name": "string"}
    assert "sentence" not in repr(operation)


def test_a_world_without_docs_and_an_entry_of_another_shape_are_named(tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match="holds no API documentation; build the world first"):
        Docs.read(tmp_path)
    with pytest.raises(HoldcourseError, match=r"garden\.json: an entry is no API documentation"):
        Docs.read(written(tmp_path, {"api_name": "show_plant"}))


def test_an_unknown_operation_is_named_with_the_apps_there_are() -> None:
    with pytest.raises(HoldcourseError, match=r"garden\.sing is not documented; .* drawer, garden"):
        DOCS["garden.sing"]
    assert "garden.sing" not in DOCS
    assert "garden.show_plant" in DOCS


def test_the_short_form_has_writes_alone_and_the_ones_asked_about_first() -> None:
    short = DOCS.compact(["garden", "nowhere"], near=["garden.set_degree"])
    assert list(short) == ["garden"]
    assert short["garden"][0] == {
        "api": "set_degree",
        "method": "POST",
        "path": "/garden/heater/degree",
        "parameters": ["degree"],
    }
    names = [row["api"] for row in short["garden"]]
    assert "show_heater" not in names
    assert "login" not in names
    assert "show_heater" in [row["api"] for row in DOCS.compact(["garden"], kinds={"read"})["garden"]]


def test_placeholders_of_a_path() -> None:
    assert placeholders("/garden/beds/{bed_id}/plants/{plant_id}") == ("bed_id", "plant_id")
    assert placeholders("/garden/basket") == ()
