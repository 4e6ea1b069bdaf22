"""Training a tiny policy for real: the same adapter for a seed, also after a kill; stops that say why."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.training.tiny_policy import ROWS, MadeScorer, Say, short, training

from holdcourse.config.training import TrainingConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_jsonl
from holdcourse.training.base_model import BaseModel
from holdcourse.training.training_record import TrainingRecord

pytest.importorskip("trl")

from holdcourse.training import grpo
from holdcourse.training.grpo import TrainingRun, UnscoredError, train

POOL = ROWS * 4


def trained(
    tiny: BaseModel, folder: Path, config: TrainingConfig | None = None, seed: int = 0, say: Say = short
) -> TrainingRecord:
    scorer = MadeScorer(say)
    run = TrainingRun(config or training(), tiny, POOL, scorer, seed, folder / "work")  # type: ignore[arg-type]
    return train(run, folder / "adapter")


def killed_at(tiny: BaseModel, folder: Path, completions: int) -> None:
    """Train in this process until so many completions are scored, then die without a word."""

    def say(text: str, count: int) -> float:
        if count == completions:
            os.kill(os.getpid(), signal.SIGKILL)
        return short(text, count)

    trained(tiny, folder, say=say)


@pytest.fixture(scope="module")
def undisturbed(tiny: BaseModel, tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingRecord, Path]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return trained(tiny, folder), folder


def test_the_same_seed_gives_the_same_adapter(
    tiny: BaseModel, undisturbed: tuple[TrainingRecord, Path], tmp_path: Path
) -> None:
    assert trained(tiny, tmp_path).adapter_sha256 == undisturbed[0].adapter_sha256


def test_the_order_of_sets_in_python_changes_no_byte(
    undisturbed: tuple[TrainingRecord, Path], tmp_path: Path
) -> None:
    """Strings hash otherwise in each process; PEFT keeps the names of its layers as a set."""
    again = (
        "import sys; from pathlib import Path; from tests.training import test_grpo as t;"
        "from tests.training.tiny_policy import make; out = Path(sys.argv[1]);"
        "t.trained(make(out / 'tiny'), out)"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "CUDA_VISIBLE_DEVICES": ""}
        command = [sys.executable, "-c", again, str(tmp_path / seed)]
        subprocess.run(command, check=True, env=environment, cwd=Path(__file__).parents[2])
        for name in ("adapter_config.json", "adapter_model.safetensors"):
            made = (tmp_path / seed / "adapter" / name).read_bytes()
            assert made == (undisturbed[1] / "adapter" / name).read_bytes(), name


def test_another_seed_gives_another(
    tiny: BaseModel, undisturbed: tuple[TrainingRecord, Path], tmp_path: Path
) -> None:
    assert trained(tiny, tmp_path, seed=1).adapter_sha256 != undisturbed[0].adapter_sha256


@pytest.mark.parametrize("completions", [3, 27])
def test_killed_and_started_again_it_ends_with_the_same_adapter(
    tiny: BaseModel, undisturbed: tuple[TrainingRecord, Path], tmp_path: Path, completions: int
) -> None:
    """Killed within the first step, and within the fourth: there is a state after the second."""
    process = multiprocessing.get_context("fork").Process(
        target=killed_at, args=(tiny, tmp_path, completions)
    )
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    record, folder = undisturbed
    again = trained(tiny, tmp_path)
    assert again.adapter_sha256 == record.adapter_sha256
    for name in ("completions.jsonl", "curve.jsonl"):
        assert _timeless(tmp_path / "work" / name) == _timeless(folder / "work" / name)


def _timeless(file: Path) -> list[dict[str, object]]:
    return [{k: v for k, v in row.items() if k not in ("seconds", "memory_mb")} for row in read_jsonl(file)]


def test_a_half_written_state_is_no_state(
    tiny: BaseModel, undisturbed: tuple[TrainingRecord, Path], tmp_path: Path
) -> None:
    partial = tmp_path / "work" / "checkpoints" / "checkpoint-2"
    partial.mkdir(parents=True)
    (partial / "adapter_model.safetensors").write_bytes(b"half")
    assert trained(tiny, tmp_path).adapter_sha256 == undisturbed[0].adapter_sha256


@pytest.mark.parametrize("lost", ["curve.jsonl", "completions.jsonl"])
def test_a_state_whose_record_is_lost_is_made_again(
    tiny: BaseModel, undisturbed: tuple[TrainingRecord, Path], tmp_path: Path, lost: str
) -> None:
    """A folder that was half removed, or half copied, gives no shorter record and no other adapter."""
    record, folder = undisturbed
    shutil.copytree(folder / "work", tmp_path / "work")
    (tmp_path / "work" / lost).unlink()
    assert trained(tiny, tmp_path).adapter_sha256 == record.adapter_sha256
    for name in ("completions.jsonl", "curve.jsonl"):
        assert _timeless(tmp_path / "work" / name) == _timeless(folder / "work" / name)


def test_the_curve_has_a_row_a_step_and_a_row_a_completion(undisturbed: tuple[TrainingRecord, Path]) -> None:
    record, folder = undisturbed
    curve = read_jsonl(folder / "work" / "curve.jsonl")
    completions = read_jsonl(folder / "work" / "completions.jsonl")
    assert [row["step"] for row in curve] == [1, 2, 3, 4]
    assert len(completions) == 4 * 8
    assert {str(row["prompt_id"]) for row in completions} <= {row.id for row in ROWS}
    scored = [row["reward"] for row in completions if row["step"] == 3]
    assert curve[2]["reward"] == pytest.approx(sum(map(float, map(str, scored))) / 8, abs=1e-6)
    assert (record.steps, record.planned_steps, record.adapter_step) == (4, 4, 4)
    assert (record.stopped, record.seen, record.left_out) == (None, 8, 0)
    assert record.peak_memory_mb > 0


def test_the_divergence_from_the_base_starts_at_zero(undisturbed: tuple[TrainingRecord, Path]) -> None:
    curve = read_jsonl(undisturbed[1] / "work" / "curve.jsonl")
    assert curve[0]["kl"] == 0.0
    assert float(str(curve[-1]["kl"])) > 0.0


def test_the_adapter_names_its_base_and_no_machine(undisturbed: tuple[TrainingRecord, Path]) -> None:
    config = (undisturbed[1] / "adapter" / "adapter_config.json").read_text()
    assert '"base_model_name_or_path": "tests/tiny"' in config
    assert str(undisturbed[1].parent) not in config


def test_a_judge_that_never_answers_stops_the_run(tiny: BaseModel, tmp_path: Path) -> None:
    with pytest.raises(UnscoredError, match=r"step 1: the judge \(a test\) gave no score for any of 8"):
        trained(tiny, tmp_path, say=lambda text, count: None)


def test_a_judge_that_sometimes_fails_does_not(tiny: BaseModel, tmp_path: Path) -> None:
    record = trained(tiny, tmp_path, say=lambda text, count: None if count % 8 < 5 else short(text, count))
    assert record.steps == 4


def test_equal_rewards_teach_nothing(tiny: BaseModel, tmp_path: Path) -> None:
    """No advantage and, at the base itself, no divergence: the gradient is exactly zero."""
    trained(tiny, tmp_path, training(max_steps=1), say=lambda text, count: 0.5)
    (row,) = read_jsonl(tmp_path / "work" / "curve.jsonl")
    assert (row["grad_norm"], row["reward_std"], row["equal_groups"]) == (0.0, 0.0, 1.0)


FALL = {"window": 2, "reward_fall": 0.6, "kl": None, "cut_off": None, "shortest": None}


def falling(text: str, count: int) -> float:
    """Rewards about 0.3, 0.4, 0.5, 0.6 in the first four steps, then none."""
    return 0.3 + 0.1 * (count // 8) + 0.01 * short(text, count) if count < 32 else 0.0


def unasked(text: str, count: int) -> float:
    raise AssertionError("a run that has stopped trained on")


def test_a_collapse_goes_back_to_the_last_good_adapter(tiny: BaseModel, tmp_path: Path) -> None:
    """Stopped at the sixth step, kept as after the fourth."""
    record = trained(tiny, tmp_path, training(max_steps=8, collapse=FALL), say=falling)
    assert record.stopped is not None
    assert "below the best" in record.stopped
    assert (record.steps, record.adapter_step) == (6, 4)
    same = trained(tiny, tmp_path / "good", training(max_steps=4, collapse=FALL), say=falling)
    assert record.adapter_sha256 == same.adapter_sha256


@pytest.mark.parametrize(
    ("rules", "last"), [(FALL, 6), ({**FALL, "reward_fall": None}, 8)], ids=["collapse", "end"]
)
def test_killed_after_its_last_step_it_does_not_train_on(
    tiny: BaseModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rules: dict[str, object],
    last: int,
) -> None:
    """The state after the step at which the run stops is whole; the adapter is not written yet."""
    config = training(max_steps=8, collapse=rules)
    whole = trained(tiny, tmp_path / "whole", config, say=falling)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(grpo, "_keep", killed)
        with pytest.raises(KeyboardInterrupt):
            trained(tiny, tmp_path / "cut", config, say=falling)
    assert (tmp_path / "cut" / "work" / "checkpoints" / f"checkpoint-{last}" / "complete.json").is_file()
    again = trained(tiny, tmp_path / "cut", config, say=unasked)
    timed = {"seconds": 0.0, "peak_memory_mb": 0}
    assert replace(again, **timed) == replace(whole, **timed)  # type: ignore[arg-type]
    for name in ("completions.jsonl", "curve.jsonl"):
        assert _timeless(tmp_path / "cut" / "work" / name) == _timeless(tmp_path / "whole" / "work" / name)


def test_a_collapse_with_no_good_adapter_stays_one(tiny: BaseModel, tmp_path: Path) -> None:
    """Two good steps, two without reward, and the only state is that after the fourth."""
    config = training(max_steps=8, collapse=FALL, checkpoint={"every": 4, "keep": 2})
    for say in (lambda text, count: 0.5 if count < 16 else 0.0, unasked):
        with pytest.raises(HoldcourseError, match=r"collapsed after step 4 .* no good adapter to go back to"):
            trained(tiny, tmp_path, config, say=say)


def test_a_pool_of_too_long_prompts_says_so(tiny: BaseModel, tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match=r"^0 training prompts of at most .* do not fill one step"):
        trained(tiny, tmp_path, training(max_prompt_tokens=10))


def test_a_warm_start_is_as_repeatable_and_made_once(
    tiny: BaseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.training.test_warm_start import LABELLED

    sft = {"kind": "sft", "steps": 2, "batch": 2, "learning_rate": 0.01}
    warm = training(max_steps=3, max_completion_tokens=160, warm_start=sft)

    def run(folder: Path, stop: int | None) -> str:
        def say(text: str, count: int) -> float:
            if count == stop:
                raise KeyboardInterrupt
            return short(text, count)

        job = TrainingRun(warm, tiny, LABELLED * 4, MadeScorer(say), 0, folder / "work")  # type: ignore[arg-type]
        return train(job, folder / "adapter").adapter_sha256

    whole = run(tmp_path / "whole", None)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", 17)
    # What the divergence is measured from, the policy as the warm start left it, is in the state as well.
    assert (tmp_path / "cut" / "work" / "checkpoints" / "checkpoint-2" / "ref").is_dir()
    monkeypatch.setattr(grpo, "warm_start", lambda *_: pytest.fail("made again"))
    assert run(tmp_path / "cut", None) == whole
