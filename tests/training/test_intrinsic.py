"""The intrinsic evaluation: one decoding for both, a journal that spares work, the adapter merged."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.training.test_adversarial import from_conf
from tests.training.test_judge_llm import MODEL, ScriptedJudge
from tests.training.tiny_policy import ROWS, MadeScorer, short, training

from holdcourse.config.reward import RewardConfig
from holdcourse.config.training import DecodingSettings
from holdcourse.errors import HoldcourseError
from holdcourse.journal import Journal
from holdcourse.llm.chat import ModelError
from holdcourse.training.base_model import BaseModel
from holdcourse.training.judge_cache import JudgeCache
from holdcourse.training.judge_llm import LlmJudge
from holdcourse.training.rewards.scorer import Scorer

pytest.importorskip("trl")

import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file

from holdcourse.training.grpo import TrainingRun, train
from holdcourse.training.intrinsic import Policy, evaluate
from holdcourse.training.shared_prompt import sample


@pytest.fixture(scope="module")
def adapter(tiny: BaseModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    run = TrainingRun(training(), tiny, ROWS * 4, MadeScorer(short), 0, folder / "work")  # type: ignore[arg-type]
    train(run, folder / "adapter")
    return folder / "adapter"


def decoding(**changes: object) -> DecodingSettings:
    values = training(
        intrinsic={"samples": 3, "temperature": 0.9, "seed": 0, "rows": 2}
    ).decoding.model_dump()
    return DecodingSettings.model_validate({**values, **changes})


def answers(
    policy: Policy, folder: Path, settings: DecodingSettings | None = None
) -> list[dict[str, object]]:
    with Journal.open(folder / "journal.jsonl", {"of": "a test"}) as journal:
        rows = evaluate(policy, ROWS, MadeScorer(short), settings or decoding(), journal)  # type: ignore[arg-type]
    return [dict(row) for row in rows]


def test_every_prompt_has_its_completions_in_order(tiny: BaseModel, tmp_path: Path) -> None:
    rows = answers(Policy.load(tiny, None, "float32"), tmp_path)
    assert [(row["prompt_id"], row["sample"]) for row in rows] == [
        (prompt.id, number) for prompt in ROWS for number in range(3)
    ]
    assert all(row["reward"] == pytest.approx(short(str(row["completion"]), 0)) for row in rows)
    assert len({str(row["completion"]) for row in rows}) > 6


def test_how_many_are_answered_at_once_changes_nothing(tiny: BaseModel, tmp_path: Path) -> None:
    policy = Policy.load(tiny, None, "float32")
    one = answers(policy, tmp_path / "one", decoding(rows=1))
    assert one == answers(policy, tmp_path / "all", decoding(rows=4))


def test_what_the_journal_holds_is_not_sampled_again(
    tiny: BaseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = Policy.load(tiny, None, "float32")
    rows = answers(policy, tmp_path)
    monkeypatch.setattr("holdcourse.training.intrinsic.sample", lambda *_, **__: pytest.fail("sampled again"))
    assert answers(policy, tmp_path) == rows


def test_a_batch_cut_by_a_kill_is_sampled_with_the_same_neighbours(
    tiny: BaseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, batches = Policy.load(tiny, None, "float32"), []

    def seen(model: object, prompts: list[list[int]], *more: Any, **options: Any) -> Any:
        batches.append(prompts)
        return sample(model, prompts, *more, **options)

    monkeypatch.setattr("holdcourse.training.intrinsic.sample", seen)
    rows = answers(policy, tmp_path)
    journal = tmp_path / "journal.jsonl"
    kept = journal.read_bytes().splitlines(keepends=True)
    # Its head, the first batch and half of the second.
    journal.write_bytes(b"".join(kept[:4]))
    assert answers(policy, tmp_path) == rows
    assert batches[2:] == batches[1:2]
    assert len(journal.read_bytes().splitlines()) == len(kept)


def test_no_prompts_are_an_error(tiny: BaseModel, tmp_path: Path) -> None:
    policy = Policy.load(tiny, None, "float32")
    with (
        Journal.open(tmp_path / "journal.jsonl", {"of": "a test"}) as journal,
        pytest.raises(HoldcourseError, match=r"heldout\.jsonl is empty"),
    ):
        evaluate(policy, [], MadeScorer(short), decoding(), journal)  # type: ignore[arg-type]


def judged(policy: Policy, folder: Path, door: ScriptedJudge) -> list[dict[str, object]]:
    """Answers scored by a model; its scores outlive the run, as a stage keeps them."""
    reward = RewardConfig.model_validate(from_conf("reward/paper.yaml"))
    with (
        JudgeCache("a test", folder / "judge.jsonl") as known,
        Journal.open(folder / "journal.jsonl", {"of": "a test"}) as journal,
    ):
        scorer = Scorer(reward, LlmJudge(door, MODEL, 2, 1, known))
        return [dict(row) for row in evaluate(policy, ROWS, scorer, decoding(), journal)]


def test_a_judge_that_was_not_reached_is_asked_again_and_for_nothing_else(
    tiny: BaseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = Policy.load(tiny, None, "float32")
    undisturbed = ScriptedJudge("0.5")
    rows = judged(policy, tmp_path / "undisturbed", undisturbed)
    asked = len(undisturbed.asked)
    away = ScriptedJudge("0.5", ModelError("no route"), ModelError("no route"), "0.5")
    with pytest.raises(HoldcourseError, match=r"not be reached about 2 of 12 completions, so .* missing"):
        judged(policy, tmp_path / "disturbed", away)
    assert len(away.asked) == asked
    monkeypatch.setattr("holdcourse.training.intrinsic.sample", lambda *_, **__: pytest.fail("sampled again"))
    back = ScriptedJudge("0.5")
    assert judged(policy, tmp_path / "disturbed", back) == rows
    assert back.asked == away.asked[1:3]


def test_a_judge_that_gave_no_number_leaves_no_reward_and_stops_nothing(
    tiny: BaseModel, tmp_path: Path
) -> None:
    door = ScriptedJudge("quite good", "quite good", "0.5")
    first, *others = judged(Policy.load(tiny, None, "float32"), tmp_path, door)
    assert (first["reward"], first["components"]["judge"]) == (None, None)  # type: ignore[index]
    assert all(row["reward"] is not None for row in others)


def test_base_and_trained_meet_the_same_noise(tiny: BaseModel, adapter: Path, tmp_path: Path) -> None:
    """An adapter of zeros changes no completion; a trained one does."""
    base = answers(Policy.load(tiny, None, "float32"), tmp_path / "base")
    trained = answers(Policy.load(tiny, adapter, "float32"), tmp_path / "trained")
    assert [row["completion"] for row in base] != [row["completion"] for row in trained]
    again = answers(Policy.load(tiny, adapter, "float32"), tmp_path / "again")
    assert trained == again


def test_merging_gives_the_adapters_own_logits(tiny: BaseModel, adapter: Path) -> None:
    merged = Policy.load(tiny, adapter, "float32").model
    apart = PeftModel.from_pretrained(tiny.load("float32"), str(adapter)).eval()
    ids = torch.tensor([[5, 9, 200, 31]])
    torch.testing.assert_close(merged(ids).logits, apart(ids).logits, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(merged(ids).logits, tiny.load("float32")(ids).logits, atol=1e-3)


def test_a_prompt_beyond_the_limit_stops_with_its_name(tiny: BaseModel, tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match=r"held-out prompt n2 has \d+ tokens, more than"):
        answers(Policy.load(tiny, None, "float32"), tmp_path, decoding(max_prompt_tokens=20))


def test_an_adapter_of_another_model_is_refused(tiny: BaseModel, tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match="does not fit tests/tiny"):
        Policy.load(tiny, tmp_path, "float32")


def test_a_damaged_adapter_is_refused(tiny: BaseModel, adapter: Path, tmp_path: Path) -> None:
    shutil.copytree(adapter, tmp_path / "adapter")
    weights = tmp_path / "adapter" / "adapter_model.safetensors"
    for content in (b"", weights.read_bytes()[:100]):
        weights.write_bytes(content)
        with pytest.raises(HoldcourseError, match="does not fit tests/tiny"):
            Policy.load(tiny, tmp_path / "adapter", "float32")


def test_what_merging_would_lose_is_refused(tiny: BaseModel, adapter: Path, tmp_path: Path) -> None:
    shutil.copytree(adapter, tmp_path / "adapter")
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    held = load_file(file)
    first = min(held)
    held[first.replace("lora_A", "lora_magnitude_vector")] = held[first][0].clone()
    save_file(held, file)
    with pytest.raises(HoldcourseError, match=r"more than LoRA's two factors .*lora_magnitude_vector"):
        Policy.load(tiny, tmp_path / "adapter", "float32")


@pytest.mark.filterwarnings("ignore:Found missing adapter keys")
@pytest.mark.parametrize("names", ["unknown", "lacking"])
def test_an_adapter_with_other_weights_is_no_silent_no_op(
    tiny: BaseModel, adapter: Path, tmp_path: Path, names: str
) -> None:
    shutil.copytree(adapter, tmp_path / "adapter")
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    held = load_file(file)
    if names == "unknown":
        held = {name.replace("layers", "blocks"): weight for name, weight in held.items()}
    else:
        del held[min(held)]
    save_file(held, file)
    with pytest.raises(HoldcourseError, match=r"of another model than tests/tiny: \d+ of its weights"):
        Policy.load(tiny, tmp_path / "adapter", "float32")
