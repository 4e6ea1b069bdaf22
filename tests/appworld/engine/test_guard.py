import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.appworld.engine.agent_code import ENDLESS, ESCAPES, HONEST

from holdcourse.appworld.engine.guard import IMPORTS, LONGEST_CODE, refusal
from holdcourse.recipes.login import ORIENT, login_code


@pytest.mark.parametrize("code", ESCAPES.values(), ids=ESCAPES.keys())
def test_what_reaches_out_is_refused_before_it_runs(code: str) -> None:
    assert refusal(code)


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST.keys())
def test_honest_work_is_not_refused(code: str) -> None:
    assert refusal(code) is None


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_what_does_not_end_cannot_be_told_beforehand(code: str) -> None:
    assert refusal(code) is None


def test_the_steps_of_our_own_tasks_are_not_refused() -> None:
    assert refusal(f"{ORIENT}\n{login_code(['venmo', 'phone'])}") is None


def test_a_syntax_error_is_left_to_the_engine_to_answer() -> None:
    assert refusal("print(") is None


def test_the_line_is_named() -> None:
    assert refusal("x = 1\nimport os") == "line 2: the import of os is not allowed"


@pytest.mark.parametrize("name", ["__globals__", "__dict__", "_requester", "f_back", "os", "admin"])
def test_an_attribute_is_refused_however_it_is_reached(name: str) -> None:
    for code in (
        f"x.{name}",
        f"x[0]().{name}.y",
        f"getattr(x, {name!r})",
        f"f'{{x.{name}}}'",
        f"del x.{name}",
    ):
        assert refusal(code), code


def test_a_name_of_the_codes_own_is_its_own() -> None:
    assert refusal("open = 1\nprint(open)") is None
    assert refusal("def f(input, dir):\n    return input + dir\nf(1, 2)") is None
    assert refusal("__builtins__ = {}") is not None
    assert refusal("import json as __builtins__") is not None


@given(st.text(max_size=60))
def test_any_text_is_answered(code: str) -> None:
    assert refusal(code) is None or isinstance(refusal(code), str)


@pytest.mark.parametrize(
    "code", ["(" * 5000 + ")" * 5000, "-" * 40_000 + "1", "x = " + "[" * 300 + "]" * 300]
)
def test_code_that_nests_too_deep_is_refused_or_fails_to_parse(code: str) -> None:
    refusal(code)


def test_the_length_is_bounded() -> None:
    assert refusal("#" * (LONGEST_CODE + 1))


def test_the_modules_that_may_be_imported_may_be() -> None:
    assert [name for name in IMPORTS if refusal(f"import {name}")] == []
