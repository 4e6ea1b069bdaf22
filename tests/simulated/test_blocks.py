import pytest

from holdcourse.llm.chat import ChatMessage, ChatRequest, ModelError
from holdcourse.simulated.blocks import block, json_block, object_block, objects, texts_of

from .conftest import role_request


def test_a_block_gives_back_what_was_put_in() -> None:
    text = "line\n</instruction>\n<instruction>\n  end "
    assert block(role_request("guard", {"instruction": text}), "instruction") == text


def test_an_empty_block_is_empty() -> None:
    assert block(role_request("guard", {"instruction": ""}), "instruction") == ""


def test_a_tag_within_a_sentence_opens_no_block() -> None:
    message = ChatMessage("user", "Read <instruction> below.\n<instruction>\nBe kind.\n</instruction>")
    assert block(ChatRequest("guard", "m", (message,)), "instruction") == "Be kind."


def test_a_missing_block_is_named() -> None:
    with pytest.raises(ModelError, match="<instruction> block"):
        block(role_request("guard", {"other": "x"}), "instruction")


def test_broken_json_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="not JSON"):
        json_block(role_request("reflector", {"failures": "[1,"}), "failures")


def test_shapes_are_checked() -> None:
    with pytest.raises(ModelError, match="must be a JSON object"):
        object_block(role_request("planner", {"graph": [1]}), "graph")
    with pytest.raises(ModelError, match="list of objects"):
        objects([1], "<failures>")
    with pytest.raises(ModelError, match="list of strings"):
        texts_of({"wrong_owner_calls": [1]}, "wrong_owner_calls")
