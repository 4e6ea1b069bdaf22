"""The simulated reconstructor: a statement in the style of the line next to it."""

from __future__ import annotations

import re

from pydantic import JsonValue

from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.blocks import JsonObject, json_block, objects, text_of
from holdcourse.simulated.segments import MARKER

_SPACE = re.compile(r"\s+")


def reconstructor_reply(request: ChatRequest) -> JsonObject:
    """One wording for each change: the statement, faithful, without a list marker, on one line.

    Raises:
        MalformedRequestError: the changes are no list of objects.
    """
    changes = objects(json_block(request, "changes"), "<changes>")
    wordings: list[JsonValue] = [{"id": text_of(row, "id"), "text": _worded(row)} for row in changes]
    return {"wordings": wordings}


def _worded(row: JsonObject) -> str:
    statement = _SPACE.sub(" ", MARKER.sub("", text_of(row, "statement"))).strip()
    model = text_of(row, "old_wording") or text_of(row, "before") or text_of(row, "after")
    one_sentence = statement.count(".") == 1 and statement.endswith(".")
    model_is_item = MARKER.match(model) is not None and model.rstrip()[-1:].isalnum()
    return statement[:-1] if one_sentence and model_is_item else statement
