"""Templates of prompts: the one way in which a folder of them is read."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


@cache
def prompt_templates(folder: Path) -> Environment:
    """The templates of a folder; one that names what it is not given is an error.

    Prompts are plain text, never HTML: a quoted block is what keeps data from speaking to the model.
    """
    return Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined, autoescape=False)  # noqa: S701
