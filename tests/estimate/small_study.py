"""A study whose calls can be counted by hand: one side says everything in one call of known length."""

from holdcourse.config.compose import compose
from holdcourse.config.cost import (
    AssumedConfig,
    CostConfig,
    MeasuredArm,
    MeasuredConfig,
    MeasuredRole,
    MeasuredSide,
    Range,
)
from holdcourse.config.llm import ModelPrice, PricesConfig
from holdcourse.config.schema import ArmConfig, Config
from holdcourse.stages.cutting import arm_config


def flat(value: float) -> Range:
    return Range(low=value, mid=value, high=value)


def role(calls=1.0, prompt=0, share=0.0, answer=0, answer_share=0.0) -> MeasuredRole:
    return MeasuredRole(
        calls=calls,
        prompt_characters=prompt,
        prompt_share=share,
        answer_characters=answer,
        answer_share=answer_share,
    )


MEASURED = MeasuredConfig(
    source="by hand",
    instruction_characters=1000,
    main_policy_characters=400,
    conversation={
        "agent": MeasuredSide(
            calls=2, prompt_characters=100, prompt_share=1.0, tool_characters=100, answer_characters=40
        ),
        "user": MeasuredSide(
            calls=3, prompt_characters=200, prompt_share=0.0, tool_characters=0, answer_characters=20
        ),
    },
    initial={"extractor": role(calls=5, prompt=80, answer=8)},
    audit={"auditor": role(prompt=40, share=1.0, answer=4)},
    arms=(
        MeasuredArm(
            kind="graph",
            structural_analysis=True,
            growth_characters=100,
            roles={"reflector": role(prompt=400, answer=40), "planner": role(share=2.0, answer=80)},
        ),
        MeasuredArm(
            kind="holistic",
            structural_analysis=False,
            growth_characters=200,
            roles={"reflector": role(prompt=400, answer=40), "holistic": role(share=1.0, answer_share=1.0)},
        ),
    ),
)
ASSUMED = AssumedConfig(
    characters_per_token=flat(4.0),
    conversation_calls=flat(1.0),
    conversation_answer=flat(1.0),
    maintenance_calls=flat(1.0),
    maintenance_answer=flat(1.0),
    growth_characters={"low": 0.0, "mid": None, "high": 1000.0},
    reasoning_tokens=flat(0.0),
    cached_prompt_share=flat(0.0),
    seconds_per_call=flat(1.0),
    completion_tokens_per_second=flat(10.0),
)
PRICES = PricesConfig(
    date="2026-11",
    source="by hand",
    models={"gemini/gemini-2.5-flash": ModelPrice(prompt=1.0, cached_prompt=0.5, completion=10.0)},
)


def study(*overrides: str, prices: PricesConfig = PRICES, **assumed: object) -> Config:
    """One seed, 2 batches of 4 tasks, 10 held-out ones in 2 trials, an audit of 3 repeats; ℓ_0 has 1000."""
    shape = (
        "arms=[grace,hce]",
        "seeds=[7]",
        "protocol.batches=2",
        "protocol.batch_size=4",
        "protocol.heldout_size=10",
        "evaluation.trials=2",
        "evaluation.ks=[1]",
        "audit.checkpoints=[2]",
        "audit.repeats=3",
    )
    config = compose("paper", (*shape, *overrides))
    cost = CostConfig(jobs=2, measured=MEASURED, assumed=ASSUMED.model_copy(update=assumed))
    return config.model_copy(update={"cost": cost, "prices": prices})


def arms_of(config: Config) -> dict[str, ArmConfig]:
    return {name: arm_config("paper", name).arm for name in config.arms}
