"""A made-up shift study, varied and the same each time, for the tests of tables and figures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import yaml

from holdcourse.config.paper import PaperConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import EvaluationConfig, ModelsConfig, ProtocolConfig, ReportConfig
from holdcourse.metrics.audit_frame import AuditedRun, audit_frame
from holdcourse.metrics.audit_record import AuditRecord, AuditRepeat, AuditUsage, Findings
from holdcourse.metrics.frames import REFERENCE_ARM, EvaluatedRun, task_scores_frame
from holdcourse.metrics.records import EvaluationRecord
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting

ROOT = Path(__file__).parents[2]
LABELS = {"grace": "GRACE", "grace_no_sa": "GRACE w/o SA", "hce": "HCE"}
LEVELS: dict[str, Callable[[int], float]] = {
    "grace": lambda t: 0.45 + 0.05 * t,
    "grace_no_sa": lambda t: 0.45 + 0.06 * t if t <= 6 else 0.81 - 0.05 * (t - 6),
    "hce": lambda t: 0.45 + 0.05 * t if t <= 3 else 0.60 - 0.02 * (t - 3),
    REFERENCE_ARM: lambda t: 0.62,
}
INTENTS = ("mms_issue", "mobile_data_issue", "service_issue")


def coin(*key: object) -> float:
    """A number in [0, 1) from a key: the same wherever it is drawn."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def record(
    arm: str, seed: int, checkpoint: int, task: int, trial: int, intents: Sequence[str]
) -> EvaluationRecord:
    name = f"task{task:02d}"
    infrastructure = coin("infrastructure", arm, seed, checkpoint, task, trial) < 0.01
    level = (
        LEVELS[arm](checkpoint)
        + 0.5 * (coin("difficulty", name) - 0.5)
        + 0.1 * (coin("seed", arm, seed) - 0.5)
    )
    success = coin("trial", arm, seed, checkpoint, task, trial) < level
    database = success and coin("db", name, seed, trial) < 0.9
    return EvaluationRecord(
        task=name,
        intent=intents[task % len(intents)],
        issues=("airplane_mode_on",),
        persona="None",
        transfer_expected=False,
        trial=trial,
        outcome="infrastructure" if infrastructure else "scored",
        reward=None if infrastructure else float(success),
        db_match=None if infrastructure else database,
        strict=None if infrastructure else success and database,
        wrong_owner_calls=int(coin("owner", arm, task, trial) < 0.2),
        termination="user_stop",
        steps=12,
        calls=9,
        prompt_tokens=1000,
        completion_tokens=100,
        cost_usd="unknown",
        attempts=1,
    )


def evaluated(
    arms: Sequence[str],
    seeds: Sequence[int],
    checkpoints: Sequence[int],
    tasks: int,
    trials: int,
    intents: Sequence[str] = INTENTS,
) -> list[EvaluatedRun]:
    runs = [(arm, seed, t) for arm in arms for seed in seeds for t in checkpoints]
    runs += [(REFERENCE_ARM, seed, 0) for seed in seeds]
    return [
        EvaluatedRun(
            arm, seed, t,
            tuple(
                record(arm, seed, t, task, trial, intents)
                for task in range(tasks) for trial in range(trials)
            ),
        )
        for arm, seed, t in runs
    ]  # fmt: skip


def audits(arms: Sequence[str], seeds: Sequence[int], checkpoints: Sequence[int]) -> pd.DataFrame:
    base = {"grace": (1.7, 4.1), "grace_no_sa": (1.4, 4.8), "hce": (3.3, 3.0)}
    runs = []
    for arm in arms:
        for seed in seeds:
            for t in checkpoints:
                repeats = tuple(
                    AuditRepeat(
                        trial=trial,
                        contradictions=int(base[arm][0] + 2 * coin("c", arm, seed, t, trial)),
                        redundancies=int(base[arm][1] + 2 * coin("r", arm, seed, t, trial)),
                        unlocated=0,
                        findings=Findings(contradictions=(), redundancies=()),
                    )
                    for trial in range(4)
                    if coin("unparsed", arm, seed, t, trial) > 0.1
                )
                runs.append(
                    AuditedRun(
                        arm, seed,
                        AuditRecord(
                            checkpoint=t, repeats=repeats, unparsed=4 - len(repeats),
                            unparsed_reasons=("cut off",) * (4 - len(repeats)),
                            characters=length(arm, seed, t), units=None, edges=None,
                            usage=AuditUsage(
                                calls=4, prompt_tokens=9, completion_tokens=9, cost_usd="unknown"
                            ),
                        ),
                    )
                )  # fmt: skip
    return audit_frame(runs)


def length(arm: str, seed: int, checkpoint: int) -> int:
    growth = {"grace": 900, "grace_no_sa": 2200, "hce": 6000}[arm]
    return 23318 + int(growth * checkpoint * (0.8 + 0.4 * coin("length", arm, seed)))


def sizes(arms: Sequence[str], seeds: Sequence[int], checkpoints: Sequence[int]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "arm": arm, "seed": seed, "checkpoint": t, "characters": length(arm, seed, t),
                "units": None if arm == "hce" else 80 + 3 * t, "edges": None if arm == "hce" else 60 + 4 * t,
            }
            for arm in arms for seed in seeds for t in checkpoints
        ]
    )  # fmt: skip


def verification(arms: Sequence[str], seeds: Sequence[int], batches: int) -> pd.DataFrame:
    tokens = {"grace": 3000, "grace_no_sa": 0, "hce": 20000}
    return pd.DataFrame(
        [
            {"arm": arm, "seed": seed, "batch": batch, "verification_tokens": tokens[arm]}
            for arm in arms for seed in seeds for batch in range(1, batches + 1)
        ]
    )  # fmt: skip


def make_protocol(batches: int, batches_per_phase: int) -> ProtocolConfig:
    return ProtocolConfig.model_validate(
        {
            "heldout_size": 30,
            "heldout_intents": {"service_issue": 0.2, "mobile_data_issue": 0.4, "mms_issue": 0.4},
            "max_transfer_expected": 1,
            "batches": batches,
            "batch_size": 5,
            "batches_per_phase": batches_per_phase,
            "phases": ["A", "B"],
            "mixture": {
                "A": {"service_issue": 0.15, "mobile_data_issue": 0.70, "mms_issue": 0.15},
                "B": {"service_issue": 0.15, "mobile_data_issue": 0.15, "mms_issue": 0.70},
            },
            "initial_instruction": "main_policy",
        }
    )


def make_models(agent: str, reference: str, others: str) -> ModelsConfig:
    def play(name: str) -> RoleModel:
        return RoleModel(model=name, temperature=0.0, max_tokens=None)

    named = dict.fromkeys(ModelsConfig.model_fields, others) | {"agent": agent, "reference_agent": reference}
    return ModelsConfig(**{role: play(name) for role, name in named.items()})


SIMULATED = make_models("simulated/agent", "simulated/reference", "simulated/other")
PAPERS = make_models("gemini/gemini-2.5-flash", "gemini/gemini-3.1-pro", "gemini/gemini-2.5-flash")


def make_setting(
    arms: Sequence[str] = tuple(LABELS),
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    batches: int = 10,
    batches_per_phase: int = 2,
    trials: int = 3,
    ks: Sequence[int] = (1, 2, 3),
    audited: Sequence[int] = (6, 10),
    models: ModelsConfig = SIMULATED,
) -> Setting:
    return Setting(
        study="test",
        arm_labels={arm: LABELS[arm] for arm in arms},
        seeds=tuple(seeds),
        protocol=make_protocol(batches, batches_per_phase),
        evaluation=EvaluationConfig(
            trials=trials, ks=tuple(ks), resamples=200, confidence=0.95, bootstrap_seed=7
        ),
        audited=tuple(audited),
        models=models,
        paper=paper(),
    )


def make_results(setting: Setting, tasks: int = 12) -> ShiftResults:
    steps = range(setting.final + 1)
    runs = evaluated(setting.arms, setting.seeds, steps, tasks, setting.evaluation.trials)
    return ShiftResults(
        scores=task_scores_frame(runs, setting.evaluation.ks),
        audits=audits(setting.arms, setting.seeds, setting.audited),
        sizes=sizes(setting.arms, setting.seeds, steps),
        verification=verification(setting.arms, setting.seeds, setting.final),
    )


def sweep(
    setting: Setting, slopes: Sequence[float], seeds: Sequence[int] = (0, 1), tasks: int = 12
) -> pd.DataFrame:
    """Last checkpoints along the competence curve's slope: at 2 a slope, the scores of that checkpoint."""
    frames = []
    for slope in slopes:
        runs = evaluated(setting.arms, seeds, [int(2 * slope)], tasks, setting.evaluation.trials)
        own = [run for run in runs if run.arm != REFERENCE_ARM]
        scores = task_scores_frame(own, setting.evaluation.ks).assign(checkpoint=setting.final)
        scores.insert(0, "slope", slope)
        frames.append(scores)
    return pd.concat(frames, ignore_index=True)


def paper() -> PaperConfig:
    return PaperConfig.model_validate(yaml.safe_load((ROOT / "conf/paper/grace.yaml").read_text()))


def report_config() -> ReportConfig:
    return ReportConfig(
        dpi=60, formats=("svg", "png", "pdf"), palette="colorblind", font_size=10, trajectory_k=3
    )
