"""What a study will cost: calls, tokens, dollars and hours by stage and role. Needs no key."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from holdcourse.config.compose import compose
from holdcourse.config.schema import Config, ConfigError
from holdcourse.errors import HoldcourseError
from holdcourse.estimate.study import Held, as_json, estimate
from holdcourse.estimate.table import shown
from holdcourse.files import write_json
from holdcourse.llm.cache import ReplyCache
from holdcourse.stages.cutting import arm_config

USAGE = """
Usage:
  python -m holdcourse.stages.cost study=paper                     a table
  python -m holdcourse.stages.cost study=paper out=cost.json       and all of it as JSON
  python -m holdcourse.stages.cost study=paper seeds=[0] arms=[grace,hce] cost.jobs=8

Any key of conf/ may be overridden. It rests on conf/cost/ (measured, assumed) and conf/prices/ (dated).
What the cache (llm.cache) holds already is subtracted.
"""


def main(given: Sequence[str]) -> None:
    """Print the estimate of a study, and write it to `out` where one is named.

    Raises:
        HoldcourseError: an unknown key or study, or ℓ_0 cannot be read.
    """
    named = dict(item.split("=", 1) for item in given if item.startswith(("study=", "out=")))
    overrides = tuple(item for item in given if not item.startswith(("study=", "out=")))
    for item in overrides:
        if "=" not in item and not item.startswith("~"):
            raise ConfigError(f"{item!r} is no key=value; see --help")
    study = named.get("study", "offline")
    config = compose(study, overrides)
    rest = tuple(item for item in overrides if not item.startswith(("arm=", "arm.")))
    arms = {name: arm_config(study, name, rest).arm for name in config.arms}
    cases = estimate(config, arms, held(config))
    # Wide enough for the table where the terminal is unknown; a narrow one wraps it.
    console = Console() if sys.stdout.isatty() else Console(width=170)
    console.print(shown(config, cases), soft_wrap=False, highlight=False)
    if "out" in named:
        record = {"study": study, "overrides": list(overrides), "cases": as_json(cases)}
        grounds = {
            "prices": config.prices.model_dump(mode="json"),
            "cost": config.cost.model_dump(mode="json"),
        }
        write_json(Path(named["out"]), {**record, **grounds})


def held(config: Config) -> tuple[Held, ...]:
    """What the study's cache holds; nothing where there is no cache yet, and none is made."""
    if config.llm.cache is None or not Path(config.llm.cache).is_dir():
        return ()
    cache = ReplyCache(Path(config.llm.cache))
    try:
        return tuple(Held(one.role, one.model, one.entries) for one in cache.stats())
    finally:
        cache.close()


if __name__ == "__main__":
    if {"--help", "-h"} & set(sys.argv[1:]):
        print(f"{__doc__}\n{USAGE}")
        sys.exit(0)
    try:
        main(sys.argv[1:])
    except HoldcourseError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
