import json
import types

import pytest

from holdcourse.appworld.engine.guard import IMPORTS
from holdcourse.appworld.engine.sandbox import NotAllowedError, names, taken_away

RECORDED: list[str] = []


def run(code: str, **found: object) -> dict[str, object]:
    """Run code with the names that an agent's finds; what it bound."""
    RECORDED.clear()
    space = dict(names(RECORDED.append, found))
    exec(code, space)
    return space


def test_plain_python_is_whole() -> None:
    space = run(
        "class A:\n    def __init__(self):\n        self.x = [i for i in range(3)]\n"
        "y = sorted(A().x, key=lambda v: -v)\nz = isinstance(y, list) and f'{sum(y):>3}'"
    )
    assert space["y"] == [2, 1, 0]
    assert space["z"] == "  3"


@pytest.mark.parametrize(
    "name", ["open", "eval", "exec", "compile", "globals", "vars", "setattr", "input", "dir"]
)
def test_the_ways_out_are_missing(name: str) -> None:
    with pytest.raises(NameError):
        run(f"x = {name}")


def test_modules_are_copies_without_other_modules() -> None:
    space = run("import json, calendar, random, collections.abc as abc\nfrom collections import Counter")
    for name in ("json", "calendar", "random"):
        module = space[name]
        assert isinstance(module, types.ModuleType)
        inner = [value.__name__ for value in vars(module).values() if isinstance(value, types.ModuleType)]
        assert set(inner) <= IMPORTS
    assert space["json"] is not json
    assert not hasattr(space["json"], "codecs")
    assert not hasattr(space["random"], "_os")


def test_the_names_of_the_shell_are_copied_too() -> None:
    space = run("x = json.dumps([1])", json=json)
    assert space["x"] == "[1]"
    assert space["json"] is not json


def test_an_import_of_anything_else_is_recorded() -> None:
    with pytest.raises(ImportError, match="the import of os is not allowed"):
        run("import os")
    assert RECORDED == ["the import of os"]


def test_getattr_reads_no_inner_name() -> None:
    with pytest.raises(NotAllowedError):
        run("x = getattr((), '__cl' + 'ass__')")
    assert RECORDED == ["the attribute __class__"]
    assert run("x = getattr('a', 'upper')(), getattr(1, 'nope', 2), hasattr(1, 'real')")["x"] == (
        "A",
        2,
        True,
    )


def test_the_engines_print_keeps_its_own_names() -> None:
    space: dict[str, object] = {"json": json}
    exec("import builtins\ndef print(x):\n    return json.dumps(x)", space)
    found = names(RECORDED.append, space)
    found["json"] = "overwritten"
    shown = found["print"]
    assert callable(shown)
    assert shown([1]) == "[1]"


def test_strftime_and_strptime_work() -> None:
    space = run(
        "from datetime import datetime\nx = datetime(2023, 5, 1).strftime('%d.%m.%Y')\n"
        "y = datetime.strptime('2023-05-01', '%Y-%m-%d').year"
    )
    assert (space["x"], space["y"]) == ("01.05.2023", 2023)


def test_doors_and_modules_are_taken_away() -> None:
    import os

    found = {"requester": 1, "apis": 2, "os": os, "json": json, "x": 3}
    assert taken_away(found) == ["os", "requester"]
