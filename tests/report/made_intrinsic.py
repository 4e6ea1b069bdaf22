"""A made-up intrinsic evaluation: two prompts a node, two completions each, all by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from holdcourse.config.paper_drift import DriftPaperConfig
from holdcourse.config.reward import RewardConfig
from holdcourse.config.schema import EvaluationConfig, ReportConfig
from holdcourse.config.training import PolicyModelConfig
from holdcourse.recovery.nodes import NODES
from holdcourse.report.intrinsic_results import COMPONENTS, IntrinsicResults, IntrinsicSetting

ROOT = Path(__file__).parents[2]
POLICY = "smollm2_135m"


def read(place: str) -> dict[str, object]:
    value = yaml.safe_load((ROOT / "conf" / f"{place}.yaml").read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


PAPER = DriftPaperConfig.model_validate(read("paper/drift"))
REPORT = ReportConfig.model_validate({**read("report/default"), "formats": ["svg"], "dpi": 60})


def setting(policy: str = POLICY, agent: str = "openai/gpt-4o", reward: str = "paper") -> IntrinsicSetting:
    return IntrinsicSetting(
        study="test",
        policies={policy: PolicyModelConfig.model_validate(read(f"policy_model/{policy}"))},
        seeds=(0,),
        preset="cpu",
        samples=2,
        reward=RewardConfig.model_validate(read(f"reward/{reward}")),
        judge="grounded in execution labels",
        judge_model=None,
        trajectory_agent=agent,
        evaluation=EvaluationConfig.model_validate({**read("evaluation/paper"), "resamples": 200}),
        paper=PAPER,
    )


def row(prompt: str, node: str, reward: float | None, judge: float | None = 0.5) -> dict[str, object]:
    components: dict[str, float | None] = dict.fromkeys(COMPONENTS, 0.25)
    return {
        "prompt_id": prompt,
        "node": node,
        "sample": 0,
        "completion": f"an answer of {prompt}",
        "reward": reward,
        "components": {**components, "judge": judge},
    }


def rows(policy: str = POLICY) -> Iterator[tuple[str, int, str, Mapping[str, object]]]:
    """Base 1 and 2 at each prompt (mean 1.5); trained 4 and 5 at its first, 1 and 1 at its second prompt."""
    for node in NODES:
        for number in (0, 1):
            name = f"{node}-{number}"
            for reward in (1.0, 2.0):
                yield policy, 0, "base", row(name, node, reward, 0.2)
            for reward in (4.0, 5.0) if number == 0 else (1.0, 1.0):
                yield policy, 0, "trained", row(name, node, reward, 0.6)


def results(policy: str = POLICY) -> IntrinsicResults:
    return IntrinsicResults.of(rows(policy))
