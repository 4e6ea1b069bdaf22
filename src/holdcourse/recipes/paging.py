"""Code that reads all pages of a listing, as the steps of our recipes spell it."""

from __future__ import annotations

MOST_PER_PAGE = 20
"""The engine gives at most so many records a page."""

_MOST_PAGES = 25


def every(name: str, api: str, arguments: str) -> str:
    """Code that puts all records of a listing into the variable `name`.

    Args:
        name: the variable.
        api: the listing, such as "spotify.show_liked_songs".
        arguments: its further arguments as code, the token among them.
    """
    return f"""{name} = []
for page in range({_MOST_PAGES}):
    part = apis.{api}(page_index=page, page_limit={MOST_PER_PAGE}, {arguments})
    {name} += part
    if len(part) < {MOST_PER_PAGE}:
        break"""


def contact(name: str) -> str:
    """Code that puts the phone book's entry of {friend} into the variable `name` and prints it."""
    return f"""book = apis.phone.search_contacts(
    query={{friend}}, page_limit={MOST_PER_PAGE}, access_token=phone_token
)
{name} = next(entry for entry in book if entry["first_name"] == {{friend}})
print({name}["first_name"], {name}["last_name"], {name}["email"], {name}["phone_number"])"""
