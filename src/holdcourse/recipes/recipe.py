"""A recipe: the sentences that ask for a task of ours, and the code of each step that does it.

Standard library only. The engine's environment makes a task's reference solution of a recipe's steps; the
simulated agent finds a recipe by the wording of an instruction and knows nothing else of the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Recipe:
    """How one template's tasks are asked for and done.

    Attributes:
        name: the template's name.
        apps: applications it logs in to, in order; the steps use the token variable `{app}_token`.
        sentences: wordings with `{field}` placeholders, each naming the same fields.
        steps: code of each step after the logins, with `{field}` placeholders, which become Python literals.
            The last one completes the task.
        essential: places in `steps` without which the task is not done.
        reads_only: whether the steps change nothing in the world.
        difficulty: 1, 2 or 3, by the apps, calls and conditions it takes.
    """

    name: str
    apps: tuple[str, ...]
    sentences: tuple[str, ...]
    steps: tuple[str, ...]
    essential: tuple[int, ...]
    reads_only: bool
    difficulty: int

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the placeholders, in the first wording's order."""
        return tuple(dict.fromkeys(_FIELD.findall(self.sentences[0])))

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """One pattern a wording, to be searched for in a text."""
        return tuple(_pattern(sentence) for sentence in self.sentences)

    def sentence(self, values: Mapping[str, str], wording: int = 0) -> str:
        """The instruction of one task."""
        return self.sentences[wording % len(self.sentences)].format(**values)

    def code(self, step: int, values: Mapping[str, str]) -> str:
        """The code of one step for one task."""
        return _FIELD.sub(
            lambda found: repr(values[found[1]]) if found[1] in values else found[0], self.steps[step]
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A recipe found in a text: what is asked, with which values, and where in the text it stands."""

    recipe: Recipe
    values: Mapping[str, str]
    start: int
    end: int


def asked_in(text: str, recipes: Iterable[Recipe]) -> list[Asked]:
    """All tasks that a text asks for, in the order in which they stand; of two that overlap the longer."""
    found = [
        Asked(recipe, match.groupdict(), match.start(), match.end())
        for recipe in recipes
        for pattern in recipe.patterns
        for match in pattern.finditer(text)
    ]
    found.sort(key=lambda asked: (asked.start, asked.start - asked.end))
    kept: list[Asked] = []
    for asked in found:
        if not kept or asked.start >= kept[-1].end:
            kept.append(asked)
    return kept


def _pattern(sentence: str) -> re.Pattern[str]:
    parts: list[str] = []
    at = 0
    named: set[str] = set()
    for field in _FIELD.finditer(sentence):
        parts.append(re.escape(sentence[at : field.start()]))
        # A value holds no quote, so that it can stand between two.
        parts.append(rf"(?P<{field[1]}>[^'\"\n\\]+?)" if field[1] not in named else rf"(?P={field[1]})")
        named.add(field[1])
        at = field.end()
    parts.append(re.escape(sentence[at:]))
    return re.compile("".join(parts))
