# What the rules know of the configuration: composed and checked once, when the rules are parsed.
import os
import sys

from snakemake.exceptions import WorkflowError

from holdcourse.errors import HoldcourseError
from holdcourse.report.intrinsic_names import INTRINSIC_FIGURES, INTRINSIC_TABLES
from holdcourse.report.names import TABLE_FORMATS
from holdcourse.stages.rules import RuleParameters

try:
    PARAMETERS = RuleParameters(config)
except HoldcourseError as error:
    raise WorkflowError(str(error)) from None

STUDY = PARAMETERS.base
OUT = PARAMETERS.out
SHIFT = f"{OUT}/shift"
DRIFT = f"{OUT}/drift"
LOGS = f"{OUT}/logs"
BENCHMARKS = f"{OUT}/benchmarks"

ARMS = STUDY.arms
SEEDS = STUDY.seeds
CHECKPOINTS = [f"{number:02d}" for number in range(STUDY.protocol.batches + 1)]
SLOPES = PARAMETERS.slopes
SPLITS = ["train", "heldout"]
SHARDS = [f"{number:02d}" for number in range(STUDY.drift.shards)]
POLICIES = STUDY.policy_models
TRAINING_SEEDS = STUDY.training.seeds
VARIANTS = ["base", "trained"]
AUDITED = [f"{number:02d}" for number in STUDY.audit.checkpoints]


wildcard_constraints:
    arm="|".join(ARMS),
    seed=r"\d+",
    batch=r"0[1-9]|[1-9]\d",
    checkpoint=r"\d\d",
    slope=r"[\d.e+-]+",
    split="|".join(SPLITS),
    shard=r"\d\d",
    policy_model="|".join(POLICIES),
    variant="|".join(VARIANTS),


def slice_of(stage, **unit):
    """Parameter function of a stage: its slice of conf/ for a job's wildcards and what the rule adds to them."""
    return lambda wildcards: PARAMETERS.slice(stage, {**dict(wildcards), **unit})


def code_of(stage, **unit):
    """Parameter function of a stage that may run a small model: its code, with the packages of a job that does."""
    return lambda wildcards: PARAMETERS.code(stage, {**dict(wildcards), **unit})


def result_folder(wildcards):
    """The study's result folder."""
    return OUT


def stage_of(job):
    """The stage that a job runs; empty for a target without one. A rule may be named otherwise."""
    return job.params.get("stage", "")


def check_access(stages):
    """Say which keys the jobs to be run need; stop before the first if one is missing, or a server."""
    try:
        needed = PARAMETERS.access(stages, os.environ)
    except HoldcourseError as error:
        raise WorkflowError(str(error)) from None
    if needed:
        print(needed, file=sys.stderr)


def results_line():
    """Where to look: the report, or what there is without it, as after a target of the drift study."""
    if os.path.isfile(f"{OUT}/report.html"):
        return f"The report: {OUT}/report.html"
    return f"Results are in {OUT}, tables and figures in its folders tables/ and figures/"


def before(wildcards):
    """Folder of the batch before a batch."""
    return f"{SHIFT}/{wildcards.arm}/seed{wildcards.seed}/batch{int(wildcards.batch) - 1:02d}"


def check_standing(jobs):
    """Refuse to build on results of another configuration: a stage run by hand may have left some."""
    try:
        for job in filter(stage_of, jobs):
            for path in job.output:
                PARAMETERS.check_standing(stage_of(job), job.params.config, path)
    except HoldcourseError as error:
        raise WorkflowError(str(error)) from None
