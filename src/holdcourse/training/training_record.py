"""What a finished training run says about itself: training.json."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pydantic import JsonValue


@dataclass(frozen=True)
class TrainingRecord:
    """One run.

    Attributes:
        adapter_sha256: of adapter_model.safetensors.
        steps: optimizer steps that were made.
        planned_steps: those that were planned.
        adapter_step: the step after which the adapter is as kept.
        stopped: why it was stopped early; None if it was not.
        prompts: size of the pool, after leaving out prompts that are too long.
        left_out: prompts longer than the limit.
        seen: prompts that were trained on.
        seconds: of all steps together, those before a kill included.
        peak_memory_mb: largest memory of the process or GPU, in MB.
        threads: of the CPU.
        device: name of the device.
        judge: whose content scores were used.
        warm_start: `none` or `sft`.
    """

    adapter_sha256: str
    steps: int
    planned_steps: int
    adapter_step: int
    stopped: str | None
    prompts: int
    left_out: int
    seen: int
    seconds: float
    peak_memory_mb: int
    threads: int
    device: str
    judge: str
    warm_start: str

    def as_json(self) -> dict[str, JsonValue]:
        """As written to a file."""
        return asdict(self)
