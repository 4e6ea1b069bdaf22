"""Train a policy with GRPO (drift paper §4.5, §5.2): group rollouts, composite reward, a LoRA adapter.

The run is decided by its seed: the adapter's first weights, the order of prompts, every completion. Killed
and started again in the same folder it goes on from its last whole state and ends with the same adapter, bit
for bit.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from datasets import Dataset, disable_progress_bars
from peft import get_peft_model
from pydantic import JsonValue
from transformers import PrinterCallback, ProgressCallback, TrainerCallback, set_seed
from transformers import logging as transformers_logging

from holdcourse.config.training import TrainingConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object, write_json
from holdcourse.training.base_model import BaseModel, end_tokens
from holdcourse.training.cache_folder import file_sha256
from holdcourse.training.checkpoints import ADAPTER_FILES, Checkpoints
from holdcourse.training.collapse import best_step, collapsed
from holdcourse.training.curve import Curve, health, peak_memory_mb, recorded_steps
from holdcourse.training.grpo_settings import grpo_settings, lora_settings
from holdcourse.training.merged_sampler import MergedSampler
from holdcourse.training.policy_trainer import PolicyTrainer
from holdcourse.training.prompt_length import fitting
from holdcourse.training.prompt_order import in_turns
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.scorer import Scorer
from holdcourse.training.rewards.vector import group_rewards
from holdcourse.training.training_record import TrainingRecord
from holdcourse.training.warm_start import warm_start

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrainingRun:
    """What a run is made of.

    Attributes:
        config: conf/training/.
        base: the model it starts from.
        rows: the pool of node prompts.
        scorer: the composite reward.
        seed: of everything that is drawn.
        work: folder for work in progress; survives a kill.
    """

    config: TrainingConfig
    base: BaseModel
    rows: Sequence[PromptRow]
    scorer: Scorer
    seed: int
    work: Path


class UnscoredError(HoldcourseError):
    """Not one completion of a step could be scored."""


def train(run: TrainingRun, adapter: Path) -> TrainingRecord:
    """Train, and write the adapter's two files into the folder `adapter`.

    The curve stands in `run.work` as curve.jsonl and completions.jsonl when this returns.

    Raises:
        HoldcourseError: the pool is too small, the model cannot be had, no completion of a step could be
            scored, or the policy collapsed before there was anything good to keep.
    """
    _quiet()
    torch.set_num_threads(run.config.threads)
    tokenizer = run.base.tokenizer()
    rows, left_out = fitting(run.rows, tokenizer, run.config.max_prompt_tokens)
    if left_out:
        log.warning(
            "%d of %d prompts have more than training.max_prompt_tokens=%d tokens and are left out",
            left_out,
            len(run.rows),
            run.config.max_prompt_tokens,
        )
    checkpoints = Checkpoints(run.work / "checkpoints")
    checkpoints.remove_partial()
    # A state is of use only with the rows of all steps before it.
    resumed = checkpoints.up_to(recorded_steps(run.work)) or 0
    checkpoints.remove_after(resumed)
    if resumed:
        log.info("going on after step %d", resumed)
    curve = Curve(run.work, resumed)
    settings = grpo_settings(run.config, run.seed, len(rows), checkpoints.folder)
    watch = _Watch(curve, checkpoints, run.config)
    trainer = PolicyTrainer(
        **_policy(run, tokenizer, rows, resumed),
        reward_funcs=_reward(run, rows, curve),
        args=settings,
        train_dataset=Dataset.from_list([_example(row) for row in in_turns(rows, run.seed)]),
        processing_class=tokenizer,
        callbacks=[watch],
        sampler=_sampler(run, tokenizer),
    )
    for callback in (PrinterCallback, ProgressCallback):
        trainer.remove_callback(callback)
    # The last state of a run is its end, to which the trainer would add a step.
    if watch.stopped is None and resumed < settings.max_steps:
        trainer.train(resume_from_checkpoint=str(checkpoints.at(resumed)) if resumed else None)
    step = _keep(watch, checkpoints, run.base, adapter)
    return TrainingRecord(
        adapter_sha256=file_sha256(adapter / ADAPTER_FILES[1]),
        steps=len(curve.rows),
        planned_steps=settings.max_steps,
        adapter_step=step,
        stopped=watch.stopped,
        prompts=len(rows),
        left_out=left_out,
        seen=len(curve.rows) * run.config.prompts_a_step,
        seconds=round(sum(float(str(row["seconds"])) for row in curve.rows), 1),
        peak_memory_mb=max([peak_memory_mb(), *(int(str(row["memory_mb"])) for row in curve.rows)]),
        threads=run.config.threads,
        device=torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU",
        judge=run.scorer.judge.name,
        warm_start=run.config.warm_start.kind,
    )


def _policy(run: TrainingRun, tokenizer: Any, rows: Sequence[PromptRow], resumed: int) -> dict[str, Any]:
    """The model as TRL wants it: the base and an adapter to be drawn, or one that was trained before."""
    model, adapter = run.base.load(run.config.dtype, run.config.attention), lora_settings(run.config)
    # The adapter's first weights are drawn: by TRL, which sets the seed before, or here.
    set_seed(run.seed)
    if run.config.warm_start.kind == "none":
        return {"model": model, "peft_config": adapter}
    policy = get_peft_model(model, adapter)
    # A state that a run goes on from has it in its weights already.
    if not resumed:
        warm_start(policy, tokenizer, rows, run.config, run.seed)
    return {"model": policy}


def _sampler(run: TrainingRun, tokenizer: Any) -> MergedSampler | None:
    if run.config.sampling.engine != "shared_prompt":
        return None
    copy = run.base.load(run.config.dtype)
    return MergedSampler(
        copy, end_tokens(copy, tokenizer), run.config.max_completion_tokens, run.config.sampling.temperature
    )


def _example(row: PromptRow) -> dict[str, object]:
    messages = [{"role": message.speaker, "content": message.content or ""} for message in row.messages]
    return {"prompt": messages, "prompt_id": row.id}


def _reward(run: TrainingRun, rows: Sequence[PromptRow], curve: Curve) -> Any:
    """TRL's reward function: the composite, which TRL must not add up itself since it takes None for 0."""
    by_id = {row.id: row for row in rows}

    def composite(
        completions: Sequence[Sequence[Mapping[str, str]]],
        prompt_id: Sequence[str],
        trainer_state: Any,
        **_: object,
    ) -> list[float | None]:
        texts = [completion[0]["content"] for completion in completions]
        asked = [by_id[name] for name in prompt_id]
        vectors = run.scorer.score(texts, asked)
        step = trainer_state.global_step + 1
        rewards = group_rewards(vectors, run.config.group_size)
        if all(reward is None for reward in rewards):
            raise UnscoredError(
                f"step {step}: the judge ({run.scorer.judge.name}) gave no score for any of {len(texts)} "
                "completions, so there is nothing to learn from; look at its model and its replies, then run "
                "the same command again: training goes on where it stopped"
            )
        curve.scored(step, asked, texts, vectors)
        return rewards

    return composite


class _Watch(TrainerCallback):  # type: ignore[misc]  # transformers is seen as untyped
    """Writes the curve, marks and prunes states, and stops a run that collapses."""

    def __init__(self, curve: Curve, checkpoints: Checkpoints, config: TrainingConfig) -> None:
        self._curve = curve
        self._checkpoints = checkpoints
        self._config = config
        self._steps = [health(row) for row in curve.rows]
        # The last state may be the collapsed one: a run that goes on from it has stopped already.
        self.stopped = collapsed(self._steps, config.collapse)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, float], **_: Any) -> None:
        """A row of the curve after each step; TRL logs once more at the end, without a loss."""
        if "loss" not in logs:
            return
        self._steps.append(self._curve.step(state.global_step, logs))
        now = self._steps[-1]
        log.info("step %d of %d, reward %.2f, KL %.3f", now.step, state.max_steps, now.reward, now.kl)
        self.stopped = collapsed(self._steps, self._config.collapse)
        if self.stopped:
            log.warning("stopped after step %d: %s", state.global_step, self.stopped)
            control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """A state is whole once everything else of it is written."""
        self._checkpoints.complete(state.global_step)
        self._checkpoints.prune(self._config.checkpoint.keep, self.best)

    @property
    def last(self) -> int:
        """The last step taken."""
        return self._steps[-1].step

    @property
    def best(self) -> int:
        """The last step of the best window."""
        return best_step(self._steps, self._config.collapse)


def _keep(watch: _Watch, checkpoints: Checkpoints, base: BaseModel, adapter: Path) -> int:
    """Write the adapter: the last one, or the one before a collapse. Returns the step it is from."""
    step = checkpoints.up_to(watch.last if watch.stopped is None else watch.best)
    if step is None:
        raise HoldcourseError(
            f"training collapsed after step {watch.last} ({watch.stopped}) with no good adapter to go back "
            "to; lower training.learning_rate, or raise training.collapse's limits"
        )
    made = checkpoints.at(step)
    adapter.mkdir(parents=True, exist_ok=True)
    # Checkpoints name the folder that the base was loaded from, which is of this machine.
    settings = {**read_object(made / ADAPTER_FILES[0]), "base_model_name_or_path": base.identity}
    # PEFT keeps them as a set, whose order differs from process to process.
    settings["target_modules"] = cast("JsonValue", sorted(cast("list[str]", settings["target_modules"])))
    write_json(adapter / ADAPTER_FILES[0], settings)
    shutil.copyfile(made / ADAPTER_FILES[1], adapter / ADAPTER_FILES[1])
    return step


def _quiet() -> None:
    """Loading bars and advice of libraries are no part of a log."""
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    disable_progress_bars()
