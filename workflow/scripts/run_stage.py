"""Run one stage as a Snakemake job.

The rule's `params` hold the stage's name, its slice of the configuration and the study's result folder;
`params.code`, the digest of the modules it runs, is there so that Snakemake sees an edit to them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from holdcourse.stages.launch import from_snakemake

if TYPE_CHECKING:
    from holdcourse.stages.launch import SnakemakeObject

    snakemake: SnakemakeObject

stage = import_module(f"holdcourse.stages.{snakemake.params.stage}").STAGE
from_snakemake(stage, snakemake)
