"""Result files are written whole or not at all, and read with errors that say where."""

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.files import (
    read_json,
    read_jsonl,
    read_text,
    remove_leftovers,
    write_json,
    write_jsonl,
    write_text,
)


def test_text_comes_back_byte_for_byte(tmp_path):
    text = "Zeile eins\r\nline two \u2028 still two\n\n"
    write_text(tmp_path / "deep" / "a.md", text)
    assert read_text(tmp_path / "deep" / "a.md") == text
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.md"]


def test_json_has_the_same_bytes_whatever_the_order_of_keys(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": [2]})
    write_json(tmp_path / "b.json", {"a": [2], "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_rows_with_line_separators_in_strings_stay_rows(tmp_path):
    rows = [{"text": "a\u2028b\u0085c"}, {"text": "d"}]
    write_jsonl(tmp_path / "a.jsonl", rows)
    assert read_jsonl(tmp_path / "a.jsonl") == rows


def test_no_rows_make_an_empty_file(tmp_path):
    write_jsonl(tmp_path / "a.jsonl", [])
    assert read_jsonl(tmp_path / "a.jsonl") == []


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path):
    write_text(tmp_path / "a.txt", "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "a.txt", "\ud800")
    assert read_text(tmp_path / "a.txt") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_what_a_killed_write_left_can_be_removed(tmp_path):
    for name in (".a.txt.x1y2.tmp", ".b.txt.x1y2.tmp"):
        (tmp_path / name).write_text("half", encoding="utf-8")
    remove_leftovers(tmp_path / "a.txt")
    assert [path.name for path in tmp_path.iterdir()] == [".b.txt.x1y2.tmp"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b'{"a": 1}\n{"a": \n', "line 2: not JSON"),
        (b"[1]\n", "line 1: expected a JSON object, got list"),
    ],
)
def test_unreadable_rows_are_named(tmp_path, content, message):
    (tmp_path / "a.jsonl").write_bytes(content)
    with pytest.raises(HoldcourseError, match=message):
        read_jsonl(tmp_path / "a.jsonl")


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(HoldcourseError, match="run the stage that makes it"):
        read_json(tmp_path / "none.json")


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 100_000], ids=["digits", "brackets"])
def test_json_beyond_all_limits_is_named(tmp_path, value):
    path = tmp_path / "x.json"
    path.write_text(value)
    with pytest.raises(HoldcourseError, match=r"x.json: cannot be read"):
        read_json(path)
    path.write_text('{"a": 1}\n{"a": ' + value + "}\n")
    with pytest.raises(HoldcourseError, match=r"x.json, line 2: cannot be read"):
        read_jsonl(path)
