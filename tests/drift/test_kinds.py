"""Reads, writes, log-ins and the session, by documentation."""

import pytest

from holdcourse.drift.kinds import kind_of


@pytest.mark.parametrize(
    ("api", "method", "path", "kind"),
    [
        ("show_plant", "GET", "/garden/plants/{plant_id}", "read"),
        ("plant_exists", "GET", "/garden/plants/exists", "read"),
        ("download_label", "GET", "/garden/plants/{plant_id}/label", "write"),
        ("show_shares", "POST", "/garden/shares", "read"),
        ("add_plant", "POST", "/garden/plants", "write"),
        ("update_plant", "PATCH", "/garden/plants/{plant_id}", "write"),
        ("delete_plant", "DELETE", "/garden/plants/{plant_id}", "write"),
        ("show_account", "GET", "/garden/account", "read"),
        ("signup", "POST", "/garden/account", "auth"),
        ("delete_account", "DELETE", "/garden/account", "auth"),
        ("login", "POST", "/garden/auth/token", "auth"),
        ("reset_password", "POST", "/garden/reset_password", "auth"),
        ("send_password_reset_code", "POST", "/garden/send_password_reset_code", "auth"),
        ("verify_account", "POST", "/garden/verify_account", "auth"),
        ("send_verification_code", "POST", "/garden/send_verification_code", "auth"),
        ("close_accounts", "POST", "/garden/bank/accounts", "write"),
        ("complete_task", "POST", "/supervisor/message", "session"),
        ("show_profile", "GET", "/supervisor/profile", "read"),
    ],
)
def test_kind_of_an_operation(api: str, method: str, path: str, kind: str) -> None:
    assert kind_of(api, method, path) == kind
