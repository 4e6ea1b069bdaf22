import pytest

from holdcourse.simulated.lexicon import SETTINGS, ToolUse
from holdcourse.simulated.phrasebook import ask_for, understood

PLAIN = (
    "check_status_bar",
    "check_network_status",
    "check_network_mode_preference",
    "check_sim_status",
    "check_data_restriction_status",
    "check_apn_settings",
    "check_wifi_status",
    "check_wifi_calling_status",
    "check_vpn_status",
    "check_installed_apps",
    "check_payment_request",
    "run_speed_test",
    "can_send_mms",
    "toggle_airplane_mode",
    "toggle_data",
    "toggle_roaming",
    "toggle_data_saver_mode",
    "toggle_wifi",
    "toggle_wifi_calling",
    "connect_vpn",
    "disconnect_vpn",
    "reseat_sim_card",
    "reset_apn_settings",
    "reboot_device",
    "make_payment",
)
USES = [ToolUse(tool) for tool in PLAIN] + [
    ToolUse("set_network_mode_preference", (("mode", "4g_5g_preferred"),)),
    ToolUse("set_network_mode_preference", (("mode", "3g_only"),)),
    ToolUse("check_app_permissions", (("app_name", "messaging"),)),
    ToolUse("check_app_status", (("app_name", "browser"),)),
    ToolUse("grant_app_permission", (("app_name", "messaging"), ("permission", "sms"))),
    ToolUse("grant_app_permission", (("app_name", "messaging"), ("permission", "storage"))),
]


@pytest.mark.parametrize("use", USES, ids=lambda use: use.tool)
def test_what_the_agent_asks_for_is_what_the_customer_understands(use: ToolUse) -> None:
    assert understood(ask_for(use)) == (use,)


def test_the_agent_can_ask_for_every_check_and_step_of_the_lexicon() -> None:
    for setting in SETTINGS:
        needed = [step.use for step in setting.steps if step.owner == "customer"]
        for use in [*needed, *([setting.check] if setting.check else [])]:
            assert understood(ask_for(use)) == (use,)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Please turn off Airplane Mode.", "toggle_airplane_mode"),
        ("Now run `toggle_data()` for me.", "toggle_data"),
        ("Can you turn your mobile data back on?", "toggle_data"),
        ("Please turn Data Saver off now.", "toggle_data_saver_mode"),
        ("Reboot the device, please.", "reboot_device"),
        ("What does your status bar show?", "check_status_bar"),
        ("Do a quick speed test.", "run_speed_test"),
    ],
)
def test_other_words_for_a_tool_are_understood_too(text: str, tool: str) -> None:
    assert [use.tool for use in understood(text)] == [tool]


def test_a_message_without_a_request_asks_for_nothing() -> None:
    assert understood("Hi! How can I help you today?") == ()
    assert understood("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.") == ()
