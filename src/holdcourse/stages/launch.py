"""The two ways into a stage: Hydra's command line and Snakemake's script. Both call `execute`."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pydantic import JsonValue

from holdcourse.errors import HoldcourseError
from holdcourse.llm import redaction
from holdcourse.llm.chat import ModelError
from holdcourse.llm.redaction import redact
from holdcourse.stages.reaching import asked_models, composed_door_settings, door_settings
from holdcourse.stages.slices import SliceT, validate
from holdcourse.stages.stage import Stage, execute

if TYPE_CHECKING:
    from omegaconf import DictConfig

FORMAT = "%(asctime)s %(levelname)s %(message)s"


class RuleParams(Protocol):
    """A rule's `params`: the stage's name, its slice, the study's result folder, the code's digest."""

    stage: str
    config: dict[str, JsonValue]
    code: str
    out: str


class SnakemakeObject(Protocol):
    """The parts of Snakemake's `snakemake` object that a stage is launched from."""

    params: RuleParams
    config: dict[str, JsonValue]
    log: list[str]
    threads: int


USAGE = """
Usage:
{usage}
  results=DIR says where, workers=N how many processes; any other key below may be overridden too.
  Work that is done already is not done again.
"""


def command_line(stage: Stage[SliceT]) -> None:
    """Run a stage by hand: `python -m holdcourse.stages.STAGE study=S key=value …`, `--multirun` to sweep."""
    # Hydra is imported here so that Snakemake's jobs, which need none of it, start faster.
    import hydra
    from hydra.core.hydra_config import HydraConfig

    from holdcourse.config.compose import check, conf_directory
    from holdcourse.stages.cutting import cut

    try:
        directory = str(conf_directory())
        sys.argv[1:] = _arguments(stage, sys.argv[1:])
    except HoldcourseError as error:
        sys.exit(f"error: {error}")

    def run(tree: DictConfig) -> None:
        _start_logging()
        try:
            config = check(tree)
            chosen = str(HydraConfig.get().runtime.choices["arm"])
            if config.arm.name != chosen:
                raise HoldcourseError(
                    f"conf/arm/{chosen}.yaml says name: {config.arm.name}; the name must be the file's, "
                    f"{chosen}, since results are stored under it"
                )
            overrides = tuple(str(item) for item in HydraConfig.get().overrides.task)
            values = cut(stage.config, config, overrides)
            cfg = validate(stage.config, {**values, "workers": config.workers})
            if asked_models(cfg):
                cfg = cfg.model_copy(update={"door": door_settings(config)})
            execute(stage, cfg, Path(config.results) / config.study)
        except (HoldcourseError, ModelError, OSError) as error:
            sys.exit(f"error: {redact(str(error))}")
        except Exception:
            # Hydra would print the traceback itself, keys and all.
            logging.exception("stage %s failed", stage.name)
            sys.exit(1)

    hydra.main(version_base="1.3", config_path=directory, config_name="config")(run)()


def _start_logging(path: str | None = None) -> None:
    """To a file, or to the terminal without one."""
    logging.basicConfig(level=logging.INFO, format=FORMAT, filename=path, force=True)
    # It tells of each table of each font that goes into a PDF.
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    redaction.install()


def _arguments(stage: Stage[SliceT], given: list[str]) -> list[str]:
    from holdcourse.stages.units import run_folder, usage

    if {"--help", "-h"} & set(given):
        print(f"{sys.modules['__main__'].__doc__}\n{USAGE.format(usage=usage(stage.name, stage.config))}")
    # Hydra's parser refuses overrides on both sides of an option.
    sweep = [item for item in given if item in ("--multirun", "-m")]
    own = [f"hydra.job.name={stage.name}", f"hydra.run.dir={run_folder(stage.name, stage.config)}"]
    return [*sweep, *own, *(item for item in given if item not in sweep)]


def from_snakemake(stage: Stage[SliceT], snakemake: SnakemakeObject) -> None:
    """Run a stage as a Snakemake job: its slice comes in `params.config`, its folder in `params.out`."""
    _start_logging(snakemake.log[0] if snakemake.log else None)
    try:
        cfg = validate(stage.config, {**snakemake.params.config, "workers": snakemake.threads})
        if asked_models(cfg):
            cfg = cfg.model_copy(update={"door": composed_door_settings(snakemake.config)})
        execute(stage, cfg, Path(snakemake.params.out))
    except (HoldcourseError, ModelError, OSError) as error:
        logging.error("%s", error)
        sys.exit(f"error: {redact(str(error))}")
    except Exception:
        logging.exception("stage %s failed", stage.name)
        raise
