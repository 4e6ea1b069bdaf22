"""The adversarial set: each completion gets the vector worked out for it by hand, and no text hangs it."""

from __future__ import annotations

import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.training.adversarial import CASES, RISK, Case
from tests.training.made_rows import N1, N1_ALIGNED, N2, N3, N4, N5, N5_ROLLBACK

from holdcourse.config.compose import conf_directory
from holdcourse.config.reward import JudgeConfig, RewardConfig
from holdcourse.training.judge_grounded import GroundedJudge
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.scorer import Scorer
from holdcourse.training.rewards.vector import COMPONENTS


def from_conf(path: str) -> object:
    return yaml.safe_load((conf_directory() / path).read_text(encoding="utf-8"))


REWARD = RewardConfig.model_validate(from_conf("reward/documentation.yaml"))
SCORER = Scorer(REWARD, GroundedJudge(JudgeConfig.model_validate(from_conf("judge/grounded.yaml")).grounding))
ROWS = (N1, N1_ALIGNED, N2, N3, N4, N5, N5_ROLLBACK)

PIECES = (
    *(
        "<reasoning>",
        "</reasoning>",
        "<answer>",
        "</answer>",
        "\n",
        " ",
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "|",
    ),
    *(
        "step",
        "is_aligned",
        "Y",
        "N",
        "why",
        "write_operations",
        "apps_name",
        "None",
        "spotify.like_song",
        ".",
    ),
    *("action", "escalate_human", "rollback_before_drift", "arguments", "rollback_to_step", "report", "NaN"),
    *("1e999", "-1", "4", "\\ud800", "\ud800", "\x00", "```json", "the step drifted", "not aligned"),
)
SCRAPS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
ANYTHING = st.one_of(st.text(alphabet=st.characters(exclude_categories=()), max_size=400), SCRAPS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_completion_gets_its_vector(case: Case) -> None:
    (vector,) = SCORER.score([case.completion], [case.row])
    given = {name: vector.components[name] for name in COMPONENTS}
    assert given == pytest.approx(dict(zip(COMPONENTS, case.expected, strict=True)), abs=1e-12)


def test_the_set_is_large_and_names_each_case_once() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert {case.row.node for case in CASES} == {"n1", "n2", "n3", "n4", "n5"}


def test_nothing_earns_more_than_an_answer_as_it_should_be() -> None:
    best = SCORER.score([CASES[0].completion], [CASES[0].row])[0].composite
    assert best == 8.5
    for case in CASES:
        (vector,) = SCORER.score([case.completion], [case.row])
        assert vector.structural + (vector.components["judge"] or 0) <= best


@given(ANYTHING, st.sampled_from(ROWS))
def test_any_text_gets_a_vector_between_0_and_1(completion: str, row: object) -> None:
    (vector,) = SCORER.score([completion], [row])
    assert tuple(vector.components)[:9] == COMPONENTS
    assert all(0 <= value <= 1 for value in vector.components.values() if value is not None)
    assert vector.components["judge"] is not None
    assert 0 <= vector.composite <= 10


MANY = (*PIECES, "<reasoning><answer>", '{"a":', "a_", "a_ ", "_", "a.", "é", "a b ", "not aligned drift ")
TOO_MUCH = ("reasoning_length", "total_length", "json_valid", "json_schema", "json_sanity", "judge")


@pytest.mark.parametrize("piece", MANY)
def test_a_megabyte_of_anything_earns_nothing_but_its_tags(piece: str) -> None:
    many = piece * (1_000_000 // len(piece))
    for completion in (many, f"<reasoning>{many}</reasoning><answer>{many}</answer>"):
        (vector,) = SCORER.score([completion], [N1])
        assert {name: vector.components[name] for name in TOO_MUCH} == dict.fromkeys(TOO_MUCH, 0)
        assert all(0 <= value <= 1 for value in vector.components.values() if value is not None)


@pytest.mark.parametrize("piece", MANY)
@pytest.mark.parametrize("case", [CASES[0], RISK[0]], ids=lambda case: case.row.node)
def test_a_megabyte_takes_far_fewer_steps_than_it_has_characters(case: Case, piece: str) -> None:
    """Steps of Python, which are the same on any machine; benchmarks/reward_speed.py measures the time."""
    many = piece * (1_000_000 // len(piece))
    for completion in (
        case.completion.replace("<reasoning>", f"<reasoning>{many}"),
        f"<reasoning>{many}</reasoning><answer>{many}</answer>",
    ):
        assert steps_of(completion, case.row) < 200_000


def steps_of(completion: str, row: PromptRow) -> int:
    """Calls and returns while a completion is scored."""
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        SCORER.score([completion], [row])
    finally:
        sys.setprofile(before)
    return count
