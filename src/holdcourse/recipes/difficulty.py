"""How hard a task is: the one definition, by the apps, the kinds of calls and the conditions it takes.

- 3: at least three apps, or two apps and a condition over many records.
- 2: two apps, or one app and a condition over many records or more than `FEW_OPERATIONS` kinds of calls.
- 1: one app, at most `FEW_OPERATIONS` kinds of calls, no condition.

Logins and the look-ups of one's own profile and passwords do not count.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdcourse.recipes.book import operations
from holdcourse.recipes.recipe import Recipe

FEW_OPERATIONS = 4

CONDITIONS: Mapping[str, str] = {
    "count_long_songs": "which songs of all playlists are long",
    "add_liked_to_playlist": "which liked songs are by the artist and missing",
    "count_due_todos": "which to-dos of all projects are open and due",
    "finish_todos": "which to-dos are open and due",
    "count_unread_since": "which mails are recent and unread",
    "sent_above": "which payments were sent and are large, and their sum",
    "deny_requests": "which requests are large",
    "count_expenses_above": "which expenses of all groups are large",
    "mail_long_songs": "which songs are long",
    "list_to_todos": "one to-do for each item, and their number",
    "spent_together": "which payments and expenses were the person's, and their sum",
    "mails_to_todos": "which mails are the friend's and unread",
    "note_liked_songs": "which liked songs are by the artist",
    "note_bill_sum": "which bills are of the months, and their sum",
    "mail_bill_sum": "which bills are of the months, and their sum",
    "add_bill_and_requests": "which requests are open, and the sum of all",
}
"""Recipes that must choose among many records or add them up, and what they choose by."""


def difficulty(recipe: Recipe) -> int:
    """The difficulty of a recipe, by the definition above."""
    apps, condition = len(recipe.apps), recipe.name in CONDITIONS
    if apps >= 3 or (apps == 2 and condition):
        return 3
    if apps == 2 or condition or len(operations(recipe)) > FEW_OPERATIONS:
        return 2
    return 1
