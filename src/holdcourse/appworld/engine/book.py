"""All task templates, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from holdcourse.appworld.engine.template import Template
from holdcourse.errors import HoldcourseError


@cache
def templates() -> Mapping[str, Template]:
    """The templates, in the order that decides the ids of their tasks."""
    # Imported late: templates may import the engine, which must know its root first.
    from holdcourse.appworld.engine.templates.book import ALL

    return {template.name: template for template in ALL}


def template(name: str) -> Template:
    """A template by its name.

    Raises:
        HoldcourseError: there is none of that name.
    """
    if name not in templates():
        raise HoldcourseError(f"no task template is named {name!r}; they are {', '.join(templates())}")
    return templates()[name]
