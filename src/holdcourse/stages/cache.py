"""The cache of answers from outside: look into it, check it, ship it, take in what others shipped."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from holdcourse.config.compose import compose
from holdcourse.config.schema import ConfigError
from holdcourse.errors import HoldcourseError
from holdcourse.llm.cache import ReplyCache
from holdcourse.llm.cache_export import export, load

USAGE = """
Usage:
  python -m holdcourse.stages.cache stats                          entries and tokens by role and model
  python -m holdcourse.stages.cache verify                         read every entry; set damaged ones aside
  python -m holdcourse.stages.cache export file=answers.jsonl.gz   all entries in one file anyone can read
  python -m holdcourse.stages.cache import file=answers.jsonl.gz   take in such a file, checked line by line

The cache is llm.cache, results/cache by default; study=NAME and other keys of conf/ find another one, as does
llm.cache=DIR. To answer a study from it alone, with no key and no network: llm.mode=replay.
`verify` exits with 1 when it found damaged entries.
"""

COMMANDS = ("stats", "verify", "export", "import")


def main(given: Sequence[str]) -> int:
    """Do what the first word says; returns the exit status.

    Raises:
        HoldcourseError: no such command, key or file, or a file that is no export.
    """
    command, *items = given or ("",)
    if command not in COMMANDS:
        raise ConfigError(f"{command or 'no command'!r}: expected one of {', '.join(COMMANDS)}; see --help")
    for item in items:
        if "=" not in item:
            raise ConfigError(f"{item!r} is no key=value; see --help")
    named = dict(item.split("=", 1) for item in items if item.startswith(("study=", "file=")))
    overrides = tuple(item for item in items if not item.startswith(("study=", "file=")))
    folder = _folder(named, overrides, must_exist=command != "import")
    cache = ReplyCache(folder)
    try:
        return _do(command, cache, named)
    finally:
        cache.close()


def _do(command: str, cache: ReplyCache, named: Mapping[str, str]) -> int:
    if command == "stats":
        Console(width=None if sys.stdout.isatty() else 120).print(_stats(cache))
    elif command == "verify":
        report = cache.verify()
        print(f"{report.checked} entries read, {len(report.damaged)} damaged")
        for digest in report.damaged:
            print(f"damaged, set aside in {cache.folder / 'damaged'}: {digest}")
        return 1 if report.damaged else 0
    elif command == "export":
        print(f"{export(cache, _file(named))} entries written to {named['file']}")
    else:
        loaded = load(cache, _file(named))
        print(
            f"{loaded.added} entries taken in from {named['file']}; {loaded.present} were there already, and "
            f"{loaded.differing} with another answer, which was kept"
        )
    return 0


def _folder(named: Mapping[str, str], overrides: tuple[str, ...], *, must_exist: bool) -> Path:
    folder = compose(named.get("study", "offline"), overrides).llm.cache
    if folder is None:
        raise ConfigError("llm.cache is null: this study keeps no cache; name one with llm.cache=DIR")
    if must_exist and not Path(folder).is_dir():
        raise ConfigError(f"there is no cache at {folder}; name its folder with llm.cache=DIR")
    return Path(folder)


def _file(named: Mapping[str, str]) -> Path:
    if not named.get("file"):
        raise ConfigError("name the file: file=answers.jsonl.gz")
    return Path(named["file"])


def _stats(cache: ReplyCache) -> Table:
    table = Table(title=f"{cache.folder}", title_justify="left")
    for name in ("role", "model"):
        table.add_column(name, overflow="fold")
    for name in ("entries", "prompt tokens", "completion tokens"):
        table.add_column(name, justify="right")
    rows = cache.stats()
    for row in rows:
        counts = (row.entries, row.prompt_tokens, row.completion_tokens)
        table.add_row(row.role, row.model, *(f"{count:,}" for count in counts))
    table.add_section()
    sums = (
        sum(row.entries for row in rows),
        sum(row.prompt_tokens for row in rows),
        sum(row.completion_tokens for row in rows),
    )
    table.add_row("all", "", *(f"{count:,}" for count in sums))
    return table


if __name__ == "__main__":
    if {"--help", "-h"} & set(sys.argv[1:]):
        print(f"{__doc__}\n{USAGE}")
        sys.exit(0)
    try:
        sys.exit(main(sys.argv[1:]))
    except HoldcourseError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
