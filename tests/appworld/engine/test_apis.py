import datetime
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from holdcourse.appworld.engine.apis import Operations, agent_apis

TRUSTED: list[str] = []


@contextmanager
def trusted() -> Iterator[None]:
    TRUSTED.append("in")
    yield
    TRUSTED.append("out")


class Collection(dict[str, object]):
    """Like the engine's: an unknown name raises its error."""

    def __getattr__(self, name: str) -> object:
        if name in self:
            return self[name]
        raise RuntimeError(f"No {name} found.")


def double(**arguments: object) -> object:
    assert TRUSTED[-1] == "in"
    return arguments


@pytest.fixture
def apis() -> Operations:
    return agent_apis(Collection(venmo=Collection(pay=double), admin=Collection(all=double)), trusted)


def test_an_operation_is_reached_by_attribute_and_by_name(apis: Operations) -> None:
    assert apis.venmo.pay(amount=1) == apis["venmo"]["pay"](amount=1) == {"amount": 1}
    assert TRUSTED[-1] == "out"
    assert list(apis) == ["venmo"]
    assert "pay" in apis["venmo"]
    assert len(apis) == 1
    assert next(iter(apis.items()))[0] == "venmo"
    assert repr(apis) == "<venmo>"


def test_the_engines_own_app_is_not_there(apis: Operations) -> None:
    assert "admin" not in list(apis)
    for reach in (lambda: apis.admin, lambda: apis["admin"]):
        with pytest.raises(KeyError, match="No app named 'admin'"):
            reach()


def test_an_unknown_name_is_the_engines_to_answer(apis: Operations) -> None:
    for reach in (lambda: apis.nope, lambda: apis.venmo.nope, lambda: apis["venmo"]["nope"]):
        with pytest.raises(RuntimeError, match="No nope found"):
            reach()


@pytest.mark.parametrize(
    "value",
    [1, "a", None, 1.5, [1, {"a": (2,)}], {1}, datetime.date(2023, 1, 1), Counter("aab"), {"a": [None]}],
)
def test_plain_values_are_arguments(apis: Operations, value: object) -> None:
    assert apis.venmo.pay(value=value) == {"value": value}


class Own:
    def __str__(self) -> str:
        raise AssertionError("an agent's method ran among the engine's code")


class OwnText(str):
    pass


class OwnDict(dict[str, object]):
    pass


@pytest.mark.parametrize(
    "value", [Own(), [Own()], {"a": Own()}, OwnText("a"), OwnDict(), print, (1, [Own()])]
)
def test_an_object_of_the_agents_own_is_none(apis: Operations, value: object) -> None:
    before = list(TRUSTED)
    with pytest.raises(TypeError, match="plain value is expected"):
        apis.venmo.pay(value=value)
    assert before == TRUSTED


def test_a_value_that_holds_itself_is_none(apis: Operations) -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(TypeError, match="too deeply"):
        apis.venmo.pay(value=value)
