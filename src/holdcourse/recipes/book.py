"""The recipe book: all that is ever asked for in our AppWorld tasks."""

from __future__ import annotations

import re

from holdcourse.recipes import (
    across,
    amazon,
    bills,
    files,
    gmail,
    notes,
    phone,
    splitwise,
    spotify,
    todo,
    venmo,
)
from holdcourse.recipes.recipe import Recipe

ALL: tuple[Recipe, ...] = (
    *spotify.RECIPES,
    *notes.RECIPES,
    *phone.RECIPES,
    *todo.RECIPES,
    *gmail.RECIPES,
    *venmo.RECIPES,
    *files.RECIPES,
    *splitwise.RECIPES,
    *amazon.RECIPES,
    *across.RECIPES,
    *bills.RECIPES,
)

PORTABLE = frozenset(
    {
        "bill_amount", "product_price", "count_long_songs", "count_due_todos", "count_unread_since",
        "sent_above", "count_expenses_above", "add_bill_and_requests",
        "like_song", "write_note", "set_alarm", "wish_for", "note_bill_sum",
        "note_liked_songs",
        "send_text", "send_mail", "send_money", "deny_requests", "order_product", "mail_bill_sum",
    }
)  # fmt: skip
"""Recipes whose values hold for everybody: they name nothing that only the asking person has."""

IRREVERSIBLE = frozenset(
    {
        "delete_playlist", "send_text", "send_mail", "send_money", "deny_requests", "order_product",
        "share_bill", "mail_long_songs", "list_to_todos", "pass_on_due_date", "mail_bill_sum",
    }
)  # fmt: skip
"""Recipes that pay, order, refuse, delete for good or send: some write of theirs has no inverse."""

_OPERATION = re.compile(r"\bapis\.(\w+)\.(\w+)")


def by_name(name: str) -> Recipe:
    """The recipe with a name."""
    return next(recipe for recipe in ALL if recipe.name == name)


def operations(recipe: Recipe) -> tuple[str, ...]:
    """The operations (`app.api`) that a recipe's steps name, once each, without the session's own."""
    named = (f"{app}.{api}" for step in recipe.steps for app, api in _OPERATION.findall(step))
    return tuple(dict.fromkeys(name for name in named if not name.startswith("supervisor.")))
