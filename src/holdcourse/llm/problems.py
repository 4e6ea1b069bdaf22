"""A failed validation, put in words that a person or a model can act on."""

from __future__ import annotations

from pydantic import ValidationError

_MOST_NAMED = 5


def in_words(error: ValidationError, whole: str = "the whole") -> str:
    """The first problems of a failed validation, each with the place where it stands, or `whole`."""
    problems = [
        f"{'.'.join(str(part) for part in problem['loc']) or whole}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    more = len(problems) - _MOST_NAMED
    return "; ".join(problems[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
