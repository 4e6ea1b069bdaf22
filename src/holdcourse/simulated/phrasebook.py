"""The words in which a tool on the customer's phone is asked for, and how such a request is understood.

Agent and user share one book: the agent says a tool in plain words, the user finds the tool the words
mean. Both sides also understand a tool named by its own name.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holdcourse.simulated.lexicon import ToolUse

_SAY: dict[str, str] = {
    "check_status_bar": (
        "Could you look at the status bar at the top of your screen and tell me what it shows?"
    ),
    "check_network_status": "Could you check your phone's network status and tell me what it shows?",
    "check_network_mode_preference": (
        "Could you check which network mode your phone prefers and tell me what it says?"
    ),
    "check_sim_status": "Could you check the status of your SIM card and tell me what it says?",
    "check_data_restriction_status": (
        "Could you check whether any data restriction is active and tell me what it says?"
    ),
    "check_apn_settings": "Could you open your APN settings and tell me what they show?",
    "check_wifi_status": "Could you check your Wi-Fi connection and tell me what it says?",
    "check_wifi_calling_status": "Could you check the Wi-Fi Calling status and tell me what it says?",
    "check_vpn_status": "Could you check the status of your VPN and tell me what it says?",
    "check_installed_apps": "Could you tell me which apps are installed on your phone?",
    "check_app_status": "Could you check the app status of your {app_name} app and tell me what it says?",
    "check_app_permissions": (
        "Could you check which permissions your {app_name} app has and tell me what it says?"
    ),
    "check_payment_request": "Could you check whether you have received a payment request?",
    "run_speed_test": "Could you run a speed test and tell me the result?",
    "can_send_mms": "Could you check whether your phone can send an MMS now?",
    "toggle_airplane_mode": "Please toggle Airplane Mode on your phone, then tell me what you see.",
    "toggle_data": "Please toggle the mobile data switch on your phone, then tell me what you see.",
    "toggle_roaming": "Please toggle Data Roaming on your phone, then tell me what you see.",
    "toggle_data_saver_mode": "Please toggle Data Saver on your phone, then tell me what you see.",
    "toggle_wifi": "Please toggle the Wi-Fi radio on your phone, then tell me what you see.",
    "toggle_wifi_calling": "Please toggle Wi-Fi Calling on your phone, then tell me what you see.",
    "connect_vpn": "Please connect to your VPN, then tell me what you see.",
    "disconnect_vpn": "Please disconnect your VPN, then tell me what you see.",
    "reseat_sim_card": "Please take your SIM card out and put it back in, then tell me what you see.",
    "reset_apn_settings": "Please reset your APN settings to their defaults, then tell me what you see.",
    "reboot_device": "Please restart your phone, then tell me what you see.",
    "set_network_mode_preference": (
        "Please set your preferred network mode to {mode}, then tell me what you see."
    ),
    "grant_app_permission": (
        "Please grant the {permission} permission to your {app_name} app, then tell me what you see."
    ),
    "make_payment": "Please make the payment for the request I sent you, then tell me when it is done.",
}

_ACT = r"\b(?:toggle|turn|switch|flip|enable|disable|activate|deactivate)\b"


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_ACTIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("toggle_airplane_mode", _words(rf"{_ACT}[^.?!]*\b(?:airplane|flight) mode|toggle_airplane_mode")),
    ("toggle_data_saver_mode", _words(rf"{_ACT}[^.?!]*\bdata saver|toggle_data_saver_mode")),
    ("toggle_roaming", _words(rf"{_ACT}[^.?!]*\broaming|toggle_roaming")),
    ("toggle_data", _words(rf"{_ACT}[^.?!]*\b(?:mobile|cellular) data|\btoggle_data\b")),
    ("toggle_wifi_calling", _words(rf"{_ACT}[^.?!]*\bwi-?fi calling|toggle_wifi_calling")),
    ("toggle_wifi", _words(rf"{_ACT}[^.?!]*\bwi-?fi\b(?! calling)|\btoggle_wifi\b")),
    (
        "disconnect_vpn",
        _words(r"\bdisconnect\b[^.?!]*\bvpn|disconnect_vpn|\b(?:turn|switch) off[^.?!]*\bvpn"),
    ),
    ("connect_vpn", _words(r"\bconnect\b[^.?!]*\bvpn|\bconnect_vpn")),
    (
        "reseat_sim_card",
        _words(
            r"\bre-?seat|\b(?:take|remove|pull|pop)\b[^.?!]*\bsim\b|re-?insert[^.?!]*\bsim\b|reseat_sim_card"
        ),
    ),
    ("reset_apn_settings", _words(r"\b(?:reset|restore)\b[^.?!]*\b(?:apn|access point)|reset_apn_settings")),
    ("reboot_device", _words(r"\b(?:restart|reboot|power[ -]cycle)\b|reboot_device")),
    (
        "set_network_mode_preference",
        _words(r"\b(?:set|change|switch)\b[^.?!]*\bnetwork mode|set_network_mode_preference"),
    ),
    ("grant_app_permission", _words(r"\b(?:grant|give|allow)\b[^.?!]*\bpermission|grant_app_permission")),
    (
        "make_payment",
        _words(r"\b(?:make|complete)\b[^.?!]*\bpayment\b|\bpay (?:the|your|that|this)\b|make_payment"),
    ),
)
_CHECKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("check_status_bar", _words(r"\bstatus bar\b|check_status_bar")),
    ("check_network_mode_preference", _words(r"\bnetwork mode\b|check_network_mode_preference")),
    ("check_network_status", _words(r"\bnetwork (?:status|connection)|check_network_status")),
    ("check_sim_status", _words(r"\bsim\b|check_sim_status")),
    ("check_data_restriction_status", _words(r"\bdata (?:restriction|saver)|check_data_restriction_status")),
    ("check_apn_settings", _words(r"\bapn\b|check_apn_settings")),
    ("check_wifi_calling_status", _words(r"\bwi-?fi calling|check_wifi_calling_status")),
    ("check_wifi_status", _words(r"\bwi-?fi\b(?! calling)|check_wifi_status")),
    ("check_vpn_status", _words(r"\bvpn\b|check_vpn_status")),
    ("check_installed_apps", _words(r"\bapps are installed|check_installed_apps")),
    ("check_app_permissions", _words(r"\bpermissions?\b|check_app_permissions")),
    ("check_app_status", _words(r"\bapp status\b|check_app_status")),
    ("check_payment_request", _words(r"\bpayment request|check_payment_request")),
    ("run_speed_test", _words(r"\bspeed[ -]?test|run_speed_test")),
    ("can_send_mms", _words(r"\bmms\b|\bpicture message|can_send_mms")),
)
_MODE = re.compile(r"\b(4g_5g_preferred|[234]g_only)\b", re.IGNORECASE)
_APP = re.compile(r"\bapp_name=[\"']?(\w+)|\b(messaging|browser)\b", re.IGNORECASE)
_PERMISSION = re.compile(r"\b(sms|storage|phone|network)\b permission|permission=[\"']?(\w+)", re.IGNORECASE)


def ask_for(use: ToolUse) -> str:
    """The sentence in which an agent asks the customer for one tool.

    Raises:
        KeyError: the tool is none of the customer's.
    """
    return _SAY[use.tool].format(**dict(use.arguments))


@lru_cache(maxsize=16384)
def understood(text: str) -> tuple[ToolUse, ...]:
    """The tools a message asks the customer for, each once; actions take precedence over checks."""
    actions = [tool for tool, pattern in _ACTIONS if pattern.search(text)]
    if "disconnect_vpn" in actions and "connect_vpn" in actions:
        actions.remove("connect_vpn")
    tools = actions or [tool for tool, pattern in _CHECKS if pattern.search(text)]
    return tuple(ToolUse(tool, _arguments(tool, text)) for tool in tools)


def _arguments(tool: str, text: str) -> tuple[tuple[str, str], ...]:
    if tool == "set_network_mode_preference":
        mode = _MODE.search(text)
        return (("mode", mode.group(1).lower() if mode else "4g_5g_preferred"),)
    if tool in ("check_app_permissions", "check_app_status", "grant_app_permission"):
        app = _APP.search(text)
        name = (app.group(1) or app.group(2)).lower() if app else "messaging"
        if tool != "grant_app_permission":
            return (("app_name", name),)
        permission = _PERMISSION.search(text)
        wanted = (permission.group(1) or permission.group(2)).lower() if permission else "sms"
        return (("app_name", name), ("permission", wanted))
    return ()
