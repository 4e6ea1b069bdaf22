import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.appworld.engine import wire
from holdcourse.appworld.engine.wire import receive, send

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_a_message_comes_as_it_was_sent(message: dict[str, object]) -> None:
    stream = io.BytesIO()
    send(stream, message)
    send(stream, {"next": 1})
    stream.seek(0)
    assert receive(stream) == message
    assert receive(stream) == {"next": 1}


def test_a_lone_surrogate_comes_as_it_was_sent() -> None:
    stream = io.BytesIO()
    send(stream, {"code": "\ud800\n"})
    stream.seek(0)
    assert receive(stream) == {"code": "\ud800\n"}


@pytest.mark.parametrize("read", [b"", b'{"half": '])
def test_the_end_is_no_message(read: bytes) -> None:
    assert receive(io.BytesIO(read)) is None


@pytest.mark.parametrize("read", [b"[1]\n", b"nonsense\n"])
def test_what_is_no_message_is_an_error(read: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        receive(io.BytesIO(read))


def test_the_length_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LONGEST", 10)
    with pytest.raises(ValueError, match="longer than 10 bytes"):
        receive(io.BytesIO(b"x" * 11))
