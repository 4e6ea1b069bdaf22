"""A request is complete in itself: its digest covers all that an answer may depend on."""

import hashlib
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling, ToolCall, ToolSpec, canonical_json

REQUEST = ChatRequest(
    role="planner",
    model="simulated/planner",
    messages=(ChatMessage("system", "plan"), ChatMessage("user", "grüße")),
)


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, role="analyst"),
        replace(REQUEST, model="simulated/other"),
        replace(REQUEST, messages=REQUEST.messages[:1]),
        replace(REQUEST, messages=REQUEST.messages[::-1]),
        replace(REQUEST, tools=(ToolSpec("f", "does", {}),)),
        replace(REQUEST, sampling=Sampling(temperature=1.0)),
        replace(REQUEST, sampling=Sampling(seed=0)),
        replace(REQUEST, sampling=Sampling(json_reply=True)),
        replace(REQUEST, trial=1),
    ],
)
def test_every_part_of_a_request_is_in_its_digest(other):
    assert other.digest != REQUEST.digest


def test_equal_requests_have_equal_digests_whatever_the_order_of_arguments():
    def calling(arguments):
        message = ChatMessage("assistant", None, (ToolCall("1", "f", arguments),))
        return replace(REQUEST, messages=(*REQUEST.messages, message))

    assert calling({"a": 1, "b": 2}).digest == calling({"b": 2, "a": 1}).digest


def test_length_counts_contents_and_arguments():
    call = ToolCall("1", "f", {"a": "bc"})
    messages = (ChatMessage("user", "grüße"), ChatMessage("assistant", None, (call,)))
    assert replace(REQUEST, messages=messages).characters == len("grüße") + len('{"a":"bc"}')


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=3)
CALLS = st.lists(st.builds(ToolCall, TEXT, TEXT, OBJECTS), max_size=2).map(tuple)
MESSAGES = st.builds(
    ChatMessage,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.none() | TEXT,
    CALLS,
    st.none() | TEXT,
)
SAMPLINGS = st.builds(
    Sampling, st.sampled_from([0, 0.0, 0.7, 1]), st.none() | st.integers(1), st.none() | st.integers(0)
)


@given(
    st.builds(
        ChatRequest,
        st.sampled_from(["agent", "user"]),
        TEXT,
        st.lists(MESSAGES, max_size=3).map(tuple),
        st.lists(st.builds(ToolSpec, TEXT, TEXT, OBJECTS), max_size=2).map(tuple),
        SAMPLINGS,
        st.integers(0, 5),
    )
)
def test_the_digest_is_that_of_the_canonical_json_of_all_fields(request_):
    """Journals, caches and the simulated model's coins stand on this very value."""
    assert request_.digest == hashlib.sha256(canonical_json(asdict(request_)).encode()).hexdigest()
