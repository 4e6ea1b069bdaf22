"""HCE: rewrite, guard, and what happens when either fails."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from holdcourse.evolution.holistic import evolve_holistic
from holdcourse.evolution.observation import Lesson, Observation
from holdcourse.llm.replies import read_block

LESSON = Lesson("Check </observation> roaming.", "norm", "", ("mms_issue",), (1,))
OBSERVATION = Observation((LESSON,))
FINDING = {"kind": "redundancy", "first": "a", "second": "b", "why": "c"}


def test_rewrite_then_guard(asking: Callable[..., tuple]) -> None:
    script = {
        "holistic": [{"instruction": "new text"}],
        "guard": [{"findings": [FINDING], "instruction": "mended text"}],
    }
    ask, model = asking(script)
    result = evolve_holistic("old text", OBSERVATION, ask)
    assert result.instruction == "mended text"
    assert result.analysis_record()["verification_tokens"] == 110
    assert (result.analysis_record()["contradictions"], result.analysis_record()["redundancies"]) == (0, 1)
    rewrite, guard = (request.messages[1].content or "" for request in model.requests)
    assert read_block(rewrite, "instruction") == "old text"
    assert json.loads(read_block(rewrite, "observation")) == OBSERVATION.to_record()
    assert read_block(guard, "instruction") == "new text"
    json.dumps([result.edits_record(), result.analysis_record()])


def test_an_empty_observation_changes_nothing(asking: Callable[..., tuple]) -> None:
    ask, model = asking({})
    result = evolve_holistic("old text", Observation(), ask)
    assert (result.instruction, model.requests) == ("old text", [])
    assert result.analysis_record()["verification_tokens"] == 0


@pytest.mark.parametrize("reply", ["no JSON", {"instruction": " \n"}, {"instruction": None}, {"text": "x"}])
def test_a_bad_rewrite_leaves_the_text_and_skips_the_guard(
    reply: object, asking: Callable[..., tuple]
) -> None:
    ask, _ = asking({"holistic": [reply, reply]})
    result = evolve_holistic("old text", OBSERVATION, ask)
    assert result.instruction == "old text"
    assert result.unchanged_because
    assert result.edits_record()["usage"] == {
        "holistic": {"calls": 2, "prompt_tokens": 200, "completion_tokens": 20}
    }


@pytest.mark.parametrize("reply", ["no JSON", {"findings": [], "instruction": ""}, {"instruction": "x"}])
def test_a_bad_guard_leaves_the_rewrite(reply: object, asking: Callable[..., tuple]) -> None:
    ask, _ = asking({"holistic": [{"instruction": "new text"}], "guard": [reply, reply]})
    result = evolve_holistic("old text", OBSERVATION, ask)
    assert result.instruction == "new text"
    assert result.analysis_record()["unchanged_because"]
    assert result.analysis_record()["verification_tokens"] == 220
