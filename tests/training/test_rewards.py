"""The composite reward: weights, missing scores, the documentation check, and grounding by its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from tests.training.adversarial import FULL, GOOD, R4, envelope, parted
from tests.training.made_rows import N1, N4
from tests.training.test_adversarial import from_conf

from holdcourse.config.reward import JudgeConfig, RewardConfig, RewardWeights
from holdcourse.training.judge_facts import f1, says_aligned
from holdcourse.training.judge_text import grounding
from holdcourse.training.mentions import api_names, stem, words_of
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.documentation import documentation
from holdcourse.training.rewards.reading import read
from holdcourse.training.rewards.scorer import Scorer
from holdcourse.training.rewards.vector import COMPONENTS, RewardVector, group_rewards

PAPER = RewardConfig.model_validate(from_conf("reward/paper.yaml"))
WITH_DOCUMENTATION = RewardConfig.model_validate(from_conf("reward/documentation.yaml"))
GROUNDING = JudgeConfig.model_validate(from_conf("judge/grounded.yaml")).grounding


class Fixed:
    """A judge that says what it was told to say."""

    name = "fixed"

    def __init__(self, *scores: float | None) -> None:
        self.said = scores
        self.asked = 0

    def scores(self, questions: Sequence[tuple[PromptRow, str]]) -> list[float | None]:
        self.asked += len(questions)
        return list(self.said[: len(questions)])


def vector(weights: Mapping[str, float] | None = None, **components: float | None) -> RewardVector:
    changed = PAPER.weights.model_copy(update=dict(weights or {}))
    return RewardVector(dict(zip(COMPONENTS, FULL, strict=True)) | components, changed)


def test_the_papers_weight_and_ours() -> None:
    assert PAPER.weights.judge == 1.0
    weights = PAPER.weights.model_dump()
    assert {weights[name] for name in COMPONENTS} == {1.0}
    assert PAPER.weights.documentation == 0.0
    assert WITH_DOCUMENTATION.weights.documentation == 1.0
    switched_on = PAPER.weights.model_copy(update={"documentation": 1.0})
    assert PAPER.model_copy(update={"weights": switched_on}) == WITH_DOCUMENTATION


def test_the_composite_is_the_weighted_sum() -> None:
    assert vector().composite == 8.5
    assert vector(judge=0.25).composite == 7.75
    assert vector({"judge": 2.0, "strict": 0.0}, judge=0.25).composite == 7.0
    assert vector(judge=0.25).structural == 7.5


def test_no_judge_score_is_no_composite_unless_the_judge_does_not_count() -> None:
    assert vector(judge=None).composite is None
    assert vector(judge=None).structural == 7.5
    assert vector({"judge": 0.0}, judge=None).composite == 7.5


def test_a_missing_score_counts_as_the_mean_of_its_group() -> None:
    group = [vector(judge=1.0), vector(judge=0.5), vector(judge=None), vector(judge=None, strict=0.0)]
    assert group_rewards(group, 4) == [8.5, 8.0, 8.25, 7.25]


def test_a_group_without_any_score_has_no_reward() -> None:
    group = [vector(judge=None), vector(judge=None), vector(judge=1.0), vector(judge=0.0)]
    assert group_rewards(group, 2) == [None, None, 8.5, 7.5]
    with pytest.raises(ValueError, match="3 completions do not divide into groups of 2"):
        group_rewards(group[:3], 2)


def test_a_judge_without_weight_is_not_asked() -> None:
    config = PAPER.model_copy(update={"weights": PAPER.weights.model_copy(update={"judge": 0.0})})
    judge = Fixed(1.0)
    (found,) = Scorer(config, judge).score([GOOD], [N1])
    assert (judge.asked, found.components["judge"], found.composite) == (0, None, 7.5)


def test_each_completion_needs_its_prompt() -> None:
    with pytest.raises(ValueError, match="2 completions but 1 prompts"):
        Scorer(PAPER, Fixed()).score([GOOD, GOOD], [N1])


def test_not_all_weights_may_be_0() -> None:
    with pytest.raises(ValueError, match="all weights are 0"):
        RewardWeights(**dict.fromkeys((*COMPONENTS, "documentation"), 0.0))


def test_the_documentation_component_is_an_extra() -> None:
    (plain,) = Scorer(PAPER, Fixed(1.0)).score([GOOD], [N4])
    assert tuple(plain.components) == COMPONENTS
    (extra,) = Scorer(WITH_DOCUMENTATION, Fixed(1.0)).score([GOOD], [N1])
    assert (extra.components["documentation"], extra.composite) == (None, 8.5)


@pytest.mark.parametrize(
    ("reasoning", "reversible", "share"),
    [
        # like_song has an inverse and unlike_song is listed; send_email is one of the writes asked about.
        (R4, "spotify.like_song", 1.0),
        ("A mail cannot be taken back.", "spotify.like_song", 1.0),
        # One claim of three holds, unlike_song; unsend_email and an inverse of send_email do not exist.
        ("Use unlike_song and gmail.unsend_email.", "gmail.send_email", 1 / 3),
        ("", "spotify.like_song | gmail.send_email", 1 / 2),
        ("Neither can be undone.", "None", 0.0),
        ("The show_email call reads.", "None", 1.0),
        # The answer's own keys are no calls.
        ("So write_reversible holds it.", "spotify.like_song", 1.0),
    ],
)
def test_claims_are_checked_against_the_documentation(reasoning: str, reversible: str, share: float) -> None:
    reading = read(envelope(reasoning, parted(reversible, "None")), 6000)
    assert documentation(reading, N4) == pytest.approx(share)


def test_no_claim_is_right_where_nothing_can_be_undone() -> None:
    evidence = {"inverses": [{"operation": "a.b", "inverse": None}], "documented": [], "reversible": []}
    row = PromptRow("x", "n4", "t", None, (), {}, evidence)
    assert documentation(read(envelope("No call undoes it.", parted("None", "a.b")), 6000), row) == 1.0
    assert documentation(read("no answer", 6000), row) == 0.0


def test_an_inverse_that_needs_the_old_value_makes_nothing_reversible() -> None:
    inverses = [{"operation": "simple_note.set_note", "inverse": "simple_note.set_note"}]
    evidence = {"inverses": inverses, "documented": ["simple_note.set_note"], "reversible": []}
    row = PromptRow("x", "n4", "t", None, (), {}, evidence)
    right = envelope("The simple_note app has no old value to give.", parted("None", "simple_note.set_note"))
    wrong = envelope("It can be set again.", parted("simple_note.set_note", "None"))
    assert documentation(read(right, 6000), row) == 1.0
    assert documentation(read(wrong, 6000), row) == 0.0


PROMPT = "The step calls spotify.like_song and sends no mail to the friends of the user at all today."


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("It likes a song, which the task does not ask for.", 1.0),
        ("It does something with Spotify which the task does not ask for.", 0.5),
        ("It does something else.", 0.0),
        ("", 0.0),
        ("...", 0.0),
        # "not" is no mention of "note", whose stem it is.
        ("It is not so, it is not.", 0.0),
        # 1 of 8 words is a function word, a fifth would do: 0.125 / 0.2.
        ("spotify song like song spotify like song the", 0.625),
        # One of two names stands in the prompt.
        ("It calls like_song of Spotify and then it calls hate_song.", 0.5),
        # 13 words are 8 runs of 6, of which 7 are copied: (1 - 7/8) / (1 - 1/2).
        ("The step calls spotify.like_song and sends no mail to the end", 1 / 4),
    ],
)
def test_how_grounded_a_text_is(text: str, score: float) -> None:
    terms = ["spotify", "like", "song", "note"]
    assert grounding(text, PROMPT, terms, GROUNDING) == pytest.approx(score)


def test_an_app_with_an_underscore_in_its_name_is_not_invented() -> None:
    prompt = "<write_operations>\nsimple_note.delete_note | file_system.move_file\n</write_operations>"
    right = "The writes belong to the apps simple_note and file_system of the person."
    assert grounding(right, prompt, ["note", "file"], GROUNDING) == 1.0
    assert grounding(right, "spotify.like_song", ["note", "file"], GROUNDING) == 0.0


def test_a_case_without_terms_asks_for_none() -> None:
    assert grounding("It is as it should be.", PROMPT, [], GROUNDING) == 1.0


@pytest.mark.parametrize(
    ("text", "aligned"),
    [
        ("The step is aligned.", True),
        ("The step is not aligned with it.", False),
        ("It has drifted.", False),
        ("There is no sign of drift.", True),
        ("It is not aligned and has drifted.", False),
        ("It was aligned, then it drifted.", None),
        ("It pays the rent.", None),
        ("It serves another goal than the task.", None),
    ],
)
def test_what_a_text_says_of_its_step(text: str, aligned: bool | None) -> None:
    assert says_aligned(words_of(text)) is aligned


def test_f1_by_hand() -> None:
    assert f1([], []) == 1
    assert f1(["a"], []) == f1([], ["a"]) == 0
    assert f1(["a", "b"], ["a", "c"]) == 1 / 2
    assert f1(["a", "a"], ["a"]) == 2 / 3


def test_words_and_names() -> None:
    assert words_of("It calls apis.spotify.like_song(7), é!") == [
        "it",
        "calls",
        "apis",
        "spotify",
        "like",
        "song",
        "7",
        "é",
    ]
    assert api_names("apis.spotify.like_song(7), unlike_song. e.g. a.b _x_ a.b.c_d") == [
        "spotify.like_song",
        "unlike_song",
    ]
    assert {stem(word) for word in ("like", "likes", "liked", "liking")} == {"lik"}
    assert stem("bus") == "bus"
