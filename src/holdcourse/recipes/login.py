"""The steps with which every task begins: who is the principal, and a token for each app."""

from __future__ import annotations

from collections.abc import Sequence

ORIENT = """profile = apis.supervisor.show_profile()
passwords = {entry["account_name"]: entry["password"] for entry in apis.supervisor.show_account_passwords()}
print("I work for", profile["first_name"], profile["last_name"])"""


def login_code(apps: Sequence[str]) -> str:
    """Code that logs in to apps; leaves the token of each in the variable `{app}_token`."""
    lines = []
    for app in apps:
        name = "phone_number" if app == "phone" else "email"
        lines.append(
            f'{app}_token = apis.{app}.login(username=profile["{name}"], password=passwords["{app}"])'
            '["access_token"]'
        )
    return "\n".join((*lines, f'print("logged in to {", ".join(apps)}")'))
