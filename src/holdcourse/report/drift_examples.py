"""A page of completions: the prompts with the worst, the median and the best gain, base beside trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import jinja2

from holdcourse.recovery.nodes import NAMES, NODES, NodeId
from holdcourse.report.intrinsic_results import IntrinsicResults, IntrinsicSetting
from holdcourse.report.table import printed_cell


@dataclass(frozen=True)
class Example:
    """One prompt with one completion of each model: that whose reward is next to the prompt's mean."""

    policy: str
    node: str
    place: str
    prompt_id: str
    gain: float
    prompt: str
    label: str
    base: Mapping[str, object]
    trained: Mapping[str, object]


def examples(
    results: IntrinsicResults,
    setting: IntrinsicSetting,
    completions: Mapping[tuple[str, str], Sequence[Mapping[str, object]]],
    prompts: Mapping[str, tuple[str, str]],
) -> list[Example]:
    """The worst, median and best prompt of each policy and node.

    Args:
        results: means by prompt.
        setting: how the numbers were made.
        completions: rows of intrinsic/*.jsonl by policy and variant, of one training run.
        prompts: prompt and right answer by id.
    """
    found = []
    for policy in results.present(setting):
        for node in NODES:
            ordered = sorted(_gains(results, policy, node).items(), key=lambda item: (item[1], item[0]))
            if not ordered:
                continue
            places = {"worst": ordered[0], "median": ordered[len(ordered) // 2], "best": ordered[-1]}
            for place, (name, gain) in places.items():
                base, trained = (
                    _typical(completions.get((policy, variant), ()), name) for variant in ("base", "trained")
                )
                if base is None or trained is None or name not in prompts:
                    continue
                label = setting.policies[policy].label
                told = prompts[name]
                found.append(Example(label, f"{node} {NAMES[node]}", place, name, gain, *told, base, trained))
    return found


def examples_page(found: Sequence[Example], setting: IntrinsicSetting) -> str:
    """The page as HTML, without scripts or anything from elsewhere."""
    return _environment().get_template("drift_examples.html.j2").render(examples=found, setting=setting)


def _gains(results: IntrinsicResults, policy: str, node: NodeId) -> dict[str, float]:
    """Trained minus base by prompt, over all training runs; prompts with no score are left out."""
    trained, base = (
        results.of_policy(policy, variant, node).groupby("task")["composite"].mean()
        for variant in ("trained", "base")
    )
    gains = (trained - base).dropna()
    return {str(name): float(gain) for name, gain in gains.items()}


def _typical(rows: Sequence[Mapping[str, object]], prompt: str) -> Mapping[str, object] | None:
    """The completion of a prompt whose reward is next to their mean."""
    mine = [
        (float(reward), row)
        for row in rows
        if row["prompt_id"] == prompt and isinstance(reward := row["reward"], int | float)
    ]
    if not mine:
        return None
    mean = sum(reward for reward, _ in mine) / len(mine)
    return min(mine, key=lambda pair: abs(pair[0] - mean))[1]


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("holdcourse.report", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters["number"] = lambda value, digits=2: printed_cell(value, digits)
    return environment
