"""The Snakemake command of a study in the README's form, which tables and errors print to be typed again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

DEFAULT_RESULTS = "results"
"""conf/config.yaml's folder of results."""


def study_command(
    target: str,
    study: str,
    overrides: Sequence[str] = (),
    results: str | Path = DEFAULT_RESULTS,
    cores: str = "all",
) -> str:
    """The command that makes a target of a study; without a target, all of it.

    Args:
        target: a target of the Snakefile, or "".
        study: its name.
        overrides: Hydra overrides for the whole run.
        results: folder of results/{study}; named only where it is not the default.
        cores: Snakemake's --cores.
    """
    words = ["snakemake", *([target] if target else []), "--cores", cores, "--config", f"study={study}"]
    moved = [] if Path(results) == Path(DEFAULT_RESULTS) else [f"results={results}"]
    value = " ".join(map(_escaped, (*moved, *overrides)))
    return " ".join([*words, *([f"overrides={_quoted(value)}"] if value else [])])


def told_results(results: Path) -> str:
    """The folder of results as a table names it; the whole path of one of some machine helps nobody.

    Without it, tables are the same bytes wherever a study is run.
    """
    return DEFAULT_RESULTS if results.is_absolute() else str(results)


def _escaped(override: str) -> str:
    # By backslash and not in quotes: Snakemake strips quotes from the ends, and YAML ends a value at " #".
    return re.sub(r"([\s'\"\\#])", r"\\\1", override)


def _quoted(value: str) -> str:
    return shlex.quote(value) if re.search(r'["$`!]|\\\\', value) else f'"{value}"'
