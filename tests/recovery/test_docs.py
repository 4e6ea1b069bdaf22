"""Documentation as plain data."""

from __future__ import annotations

import pytest
from tests.recovery.made import DOCS

from holdcourse.errors import HoldcourseError
from holdcourse.recovery.docs import docs_of, documentation_text, fetched


def test_parameters_are_names_or_objects_with_a_name() -> None:
    docs = docs_of({"a": [{"api": "x", "parameters": ["p", {"name": "q", "type": "integer"}]}]})
    assert docs["a"][0].parameters == ("p", "q")
    assert docs["a"][0].line == "a.x(p, q)"


def test_who_calls_is_not_shown() -> None:
    docs = docs_of({"a": [{"api": "x", "method": "post", "path": "/x", "parameters": ["access_token", "p"]}]})
    assert docs["a"][0].line == "a.x(p) POST /x"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "must be an object"),
        ({"a": {"x": 1}}, "documentation of a: expected a list"),
        ({"a": ["x"]}, 'its name in "api"'),
        ({"a": [{"method": "GET"}]}, 'its name in "api"'),
        ({"a": [{"api": "x", "parameters": {"p": 1}}]}, 'a.x: "parameters" must be a list'),
    ],
)
def test_another_shape_is_refused_by_name(value: object, reason: str) -> None:
    with pytest.raises(HoldcourseError) as refused:
        docs_of(value)  # type: ignore[arg-type]
    assert reason in str(refused.value)


def test_only_what_is_asked_for_is_fetched() -> None:
    assert list(fetched(DOCS, ("venmo", "invented"))) == ["venmo"]


def test_the_nearest_calls_come_first_and_the_rest_is_counted() -> None:
    text = documentation_text(DOCS, ["spotify.like_song"], 160)
    lines = text.splitlines()
    assert lines[0].startswith("spotify.unlike_song(song_id) DELETE")
    assert lines[1].startswith("spotify.like_song(song_id) POST")
    assert lines[-1] == "[… 3 more …]"
    assert len(text) <= 160


def test_all_of_it_is_shown_where_there_is_room() -> None:
    lines = documentation_text(DOCS, ["venmo.send_payment"], 10_000).splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("venmo.send_payment(")
    assert {line.split("(")[0] for line in lines[-2:]} == {"spotify.show_playlist", "venmo.show_payments"}


def test_no_documentation_is_said_to_be_none() -> None:
    assert documentation_text({}, ["a.b"], 100) == "no documentation found"
