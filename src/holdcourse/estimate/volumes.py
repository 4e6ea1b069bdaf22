"""How much a study asks: calls, tokens and waiting time by stage and role, from its protocol.

The protocol fixes how many conversations, batches and audits there are. How many calls each makes, and of
what length, is measured (conf/cost/), and scaled by how the instruction is assumed to grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from holdcourse.config.cost import Case, MeasuredArm, MeasuredRole, MeasuredSide
from holdcourse.config.schema import ArmConfig, Config, ConfigError
from holdcourse.files import read_text


@dataclass(frozen=True, slots=True)
class Volume:
    """Calls of one role in one stage, with their tokens and the seconds that they take one after another."""

    stage: str
    role: str
    model: str
    calls: float
    prompt_tokens: float
    completion_tokens: float
    seconds: float

    def times(self, factor: float) -> Volume:
        """The same calls so many times."""
        return replace(
            self,
            calls=self.calls * factor,
            prompt_tokens=self.prompt_tokens * factor,
            completion_tokens=self.completion_tokens * factor,
            seconds=self.seconds * factor,
        )

    def plus(self, other: Volume) -> Volume:
        """Both together, under this one's stage, role and model."""
        return replace(
            self,
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            seconds=self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Unit:
    """One job of the study: `conversations` at once as far as it may, then `maintenance` call by call.

    `chain` names the units that must run one after another.
    """

    chain: str
    conversations: int
    sides: tuple[Volume, ...]
    maintenance: tuple[Volume, ...]

    @property
    def volumes(self) -> tuple[Volume, ...]:
        """All calls of the unit."""
        return (*(side.times(self.conversations) for side in self.sides), *self.maintenance)


class Planner:
    """Plans the units of one study in one case."""

    def __init__(self, config: Config, arms: Mapping[str, ArmConfig], case: Case) -> None:
        self._config, self._arms, self._case = config, arms, case
        self._measured, self._assumed = config.cost.measured, config.cost.assumed
        self._initial_length = initial_characters(config)
        self._cached = config.llm.cache is not None

    def units(self) -> Iterator[Unit]:
        """All jobs that ask models, in the order data flows.

        Until the first batch is done all arms hold the same ℓ_0: they ask the same, and a cache answers all
        but the first. So its calls are counted once a seed, unless there is no cache.
        """
        for seed in self._config.seeds:
            read: set[str] = set()
            for position, (name, arm) in enumerate(self._arms.items()):
                first = position == 0 or not self._cached
                chain = f"{name}-seed{seed}"
                if arm.kind == "graph":
                    if "graph" not in read or not self._cached:
                        yield self._initial(chain)
                    read.add("graph")
                if first:
                    yield self._evaluation("evaluate", chain, "agent", self._initial_length)
                yield from self._batches(chain, arm, first)
            yield self._evaluation(
                "reference", f"reference-seed{seed}", "reference_agent", self._initial_length
            )

    def _batches(self, chain: str, arm: ArmConfig, first: bool) -> Iterator[Unit]:
        kind = self._measured_arm(arm)
        assumed = self._assumed.growth_characters[self._case]
        growth = kind.growth_characters if assumed is None else assumed
        if self._case == "low":
            growth = min(growth, kind.growth_characters)
        protocol, audit = self._config.protocol, self._config.audit
        for batch in range(1, protocol.batches + 1):
            before, after = (self._initial_length + growth * number for number in (batch - 1, batch))
            shared = batch == 1 and not first
            roles = {role: one for role, one in kind.roles.items() if not (shared and role == "reflector")}
            yield Unit(
                chain,
                0 if shared else protocol.batch_size,
                self._conversation("evolve", "agent", before),
                tuple(self._role("evolve", role, one, before) for role, one in roles.items()),
            )
            yield self._evaluation("evaluate", chain, "agent", after)
            if batch in audit.checkpoints:
                auditors = self._measured.audit.items()
                calls = tuple(
                    self._role("audit", role, one, after).times(audit.repeats) for role, one in auditors
                )
                yield Unit(chain, 0, (), calls)

    def _initial(self, chain: str) -> Unit:
        longer = self._initial_length / self._measured.instruction_characters
        roles = self._measured.initial.items()
        calls = (self._role("initial", role, one, self._initial_length).times(longer) for role, one in roles)
        return Unit(chain, 0, (), tuple(calls))

    def _evaluation(self, stage: str, chain: str, agent: str, length: float) -> Unit:
        conversations = self._config.protocol.heldout_size * self._config.evaluation.trials
        return Unit(chain, conversations, self._conversation(stage, agent, length), ())

    def _conversation(self, stage: str, agent: str, length: float) -> tuple[Volume, ...]:
        sides = self._measured.conversation
        return (
            self._side(stage, agent, sides["agent"], length),
            self._side(stage, "user", sides["user"], length),
        )

    def _side(self, stage: str, role: str, side: MeasuredSide, length: float) -> Volume:
        factor = self._assumed.conversation_calls.of(self._case)
        # What a call reads of the conversation so far is longer by as much as the conversation is.
        prompt = side.prompt_characters * factor + side.tool_characters + side.prompt_share * length
        answer = side.answer_characters * self._assumed.conversation_answer.of(self._case)
        return self._calls(stage, role, side.calls * factor, prompt, answer)

    def _role(self, stage: str, role: str, one: MeasuredRole, length: float) -> Volume:
        prompt = one.prompt_characters + one.prompt_share * length
        answer = (one.answer_characters + one.answer_share * length) * self._assumed.maintenance_answer.of(
            self._case
        )
        return self._calls(
            stage, role, one.calls * self._assumed.maintenance_calls.of(self._case), prompt, answer
        )

    def _calls(self, stage: str, role: str, calls: float, prompt: float, answer: float) -> Volume:
        assumed, case = self._assumed, self._case
        characters = assumed.characters_per_token.of(case)
        model = getattr(self._config.models, role).model
        completion = answer / characters + assumed.reasoning_tokens.of(case)
        seconds = assumed.seconds_per_call.of(case) + completion / assumed.completion_tokens_per_second.of(
            case
        )
        volume = Volume(stage, role, model, 1.0, prompt / characters, completion, seconds)
        return volume.times(calls)

    def _measured_arm(self, arm: ArmConfig) -> MeasuredArm:
        for one in self._measured.arms:
            if (one.kind, one.structural_analysis) == (arm.kind, arm.structural_analysis):
                return one
        raise ConfigError(
            f"conf/cost/ has no measurement for an arm like {arm.name} (kind {arm.kind}, structural_analysis "
            f"{arm.structural_analysis}); add one under cost.measured.arms"
        )


def initial_characters(config: Config) -> int:
    """Length of ℓ_0.

    Raises:
        HoldcourseError: it is a file that cannot be read.
    """
    protocol, measured = config.protocol, config.cost.measured
    if protocol.initial_instruction == "full_policy":
        return measured.instruction_characters
    if protocol.initial_instruction == "main_policy":
        return measured.main_policy_characters
    return len(read_text(Path(str(protocol.initial_instruction_file))))
