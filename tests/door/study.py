"""The tiny shift study, all its stages one after another in one process, launched as Snakemake launches them.

    python -m tests.door.study RESULTS [override …]

One process means one import of LiteLLM, and one thing to kill. `served` are the overrides that send every
role to a server of the simulated model.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace

from holdcourse.stages.launch import from_snakemake
from holdcourse.stages.rules import RuleParameters

TINY = (
    "arms=[grace,hce]",
    "seeds=[0]",
    "protocol.heldout_size=3",
    "protocol.batches=1",
    "protocol.batch_size=2",
    "protocol.max_transfer_expected=1",
    "audit.checkpoints=[1]",
    "audit.repeats=2",
    "evaluation.resamples=20",
    "tracking.mode=disabled",
)
ROLES = (
    "agent",
    "user",
    "reflector",
    "extractor",
    "planner",
    "relations",
    "analyst",
    "reconstructor",
    "holistic",
    "guard",
    "auditor",
)


def served(api_base: str, *more: str) -> tuple[str, ...]:
    """Every role asked over HTTP; faults are waited for in hundredths of a second."""
    roles = [f"models.{role}.model=openai/simulated/{role}" for role in ROLES]
    return (
        *roles,
        "models.reference_agent.model=openai/simulated/reference",
        f"+llm.api_bases={{openai/:{api_base}}}",
        "llm.retries.first_wait_s=0.02",
        "llm.retries.longest_wait_s=0.1",
        *more,
    )


@dataclass(frozen=True)
class Unit:
    """A stage and the wildcards of one of its jobs."""

    stage: str
    wildcards: dict[str, str]


def units(parameters: RuleParameters) -> Iterator[Unit]:
    """The jobs of the shift study in an order in which they can run; `overrides` may ask for less."""
    base = parameters.base
    batches = range(base.protocol.batches + 1)
    for seed in map(str, base.seeds):
        yield Unit("protocol", {"seed": seed})
        yield Unit("reference", {"seed": seed})
        for arm in base.arms:
            here = {"arm": arm, "seed": seed}
            yield Unit("initial", here)
            for batch in batches:
                if batch:
                    yield Unit("evolve", {**here, "batch": f"{batch:02d}"})
                yield Unit("evaluate", {**here, "checkpoint": f"{batch:02d}"})
            for checkpoint in base.audit.checkpoints:
                yield Unit("audit", {**here, "checkpoint": f"{checkpoint:02d}"})
    yield Unit("metrics", {})
    yield Unit("tables", {})


def run(results: str, overrides: tuple[str, ...], workers: int = 1) -> None:
    """Run the study; a stage that fails ends the process as it ends a Snakemake job."""
    settings = {"study": "smoke", "overrides": [*TINY, f"results={results}", *overrides]}
    parameters = RuleParameters(settings)
    for unit in units(parameters):
        stage = importlib.import_module(f"holdcourse.stages.{unit.stage}").STAGE
        job = SimpleNamespace(
            params=SimpleNamespace(
                stage=unit.stage,
                config=json.loads(json.dumps(parameters.slice(unit.stage, unit.wildcards))),
                code=parameters.code(unit.stage),
                out=parameters.out,
            ),
            log=[],
            threads=workers,
            config=settings,
            wildcards=unit.wildcards,
        )
        from_snakemake(stage, job)


if __name__ == "__main__":
    run(sys.argv[1], tuple(sys.argv[2:]))
