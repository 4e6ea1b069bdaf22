"""Who answers in the recovery graph, as a job's slice names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from holdcourse.config.end_to_end import SmallModel
from holdcourse.config.recovery import RecoveryConfig, RecoverySampling
from holdcourse.journal import Journal
from holdcourse.llm.chat import ChatModel, ChatReply, ChatRequest
from holdcourse.recovery.backbones import Backbone, BatchModel, ModelBackbone, Threads
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.oracle import OracleBackbone, Truth
from holdcourse.recovery.record import Walk
from holdcourse.recovery.rules import RulesBackbone
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.recovery_slices import BackboneSlice
from holdcourse.training.checkpoints import ADAPTER_FILES

END = "</answer>"


def backbone_of(
    cfg: BackboneSlice,
    out: Path,
    door: ChatModel,
    truths: Mapping[str, Truth],
    answers: Journal | None = None,
) -> Backbone:
    """The backbone of a job.

    Args:
        cfg: which one, and with which models.
        out: results/{study}, where the adapter of the trained model stands.
        door: asks models that are not in this process.
        truths: labels by incident, for the oracle.
        answers: keeps those of a small model in this process over a kill; the door keeps all others.

    Raises:
        HoldcourseError: the small model cannot be had.
    """
    if cfg.backbone == "rules":
        return RulesBackbone()
    if cfg.backbone == "oracle":
        return OracleBackbone(truths)
    if cfg.small_model is not None:
        model = _small_model(cfg.small_model, out, cfg.workers, answers)
        return ModelBackbone(model, cfg.small_model.policy.identity, cfg.backbone, cfg.recovery_seed)
    role = cfg.drift_agents[f"recovery_{cfg.main_agent}"]
    workers = 1 if cfg.door is None else cfg.door.llm.concurrency.start
    asked = ModelBackbone(Threads(door, workers), role.model, cfg.backbone, cfg.recovery_seed)
    tokens = role.max_tokens or cfg.recovery.sampling.max_tokens
    return Decoding(asked, RecoverySampling(temperature=role.temperature, max_tokens=tokens))


def adapter_files(cfg: BackboneSlice, out: Path) -> Sequence[Path]:
    """The trained weights that a job's backbone needs; none for most."""
    small = cfg.small_model
    if small is None or small.training_seed is None:
        return ()
    folder = DriftPaths(out).adapter(small.policy.name, small.training_seed)
    return [folder / name for name in ADAPTER_FILES]


@dataclass(frozen=True)
class Decoding:
    """A backbone that decodes in its own way, whatever conf/recovery/ says of other models."""

    backbone: Backbone
    sampling: RecoverySampling

    @property
    def name(self) -> str:
        """What results call it."""
        return self.backbone.name

    def walks(self, incidents: Sequence[Incident], settings: RecoveryConfig) -> tuple[Walk, ...]:
        """One finished walk an incident, in their order."""
        return self.backbone.walks(incidents, settings.model_copy(update={"sampling": self.sampling}))


@dataclass(frozen=True)
class EndingAtAnswer:
    """A model whose replies end with their answer, as with a stop sequence."""

    model: BatchModel

    def complete_many(self, requests: Sequence[ChatRequest]) -> Sequence[ChatReply]:
        """One reply a request, in their order."""
        return [_ended(reply) for reply in self.model.complete_many(requests)]


def _ended(reply: ChatReply) -> ChatReply:
    said, end, _ = (reply.content or "").partition(END)
    return replace(reply, content=said + end, stop_reason="stop") if end else reply


def _small_model(small: SmallModel, out: Path, threads: int, answers: Journal | None) -> BatchModel:
    # torch takes seconds to import.
    import torch

    from holdcourse.training.base_model import base_model
    from holdcourse.training.intrinsic import Policy
    from holdcourse.training.policy_batch import PolicyBatch

    torch.set_num_threads(threads)
    adapter = None
    if small.training_seed is not None:
        adapter = DriftPaths(out).adapter(small.policy.name, small.training_seed)
    policy = Policy.load(base_model(small.policy), adapter, small.dtype)
    batch = PolicyBatch(policy, small.run.rows, answers)
    return EndingAtAnswer(batch) if small.run.stop_at_answer else batch
