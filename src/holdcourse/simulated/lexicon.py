"""What the simulated model knows of phones: settings, how they are named, checked and put right.

This is general knowledge, the kind a model has before it reads an instruction: that a phone has an
Airplane Mode, which tool of a support desk looks at it, what a bad reading looks like. It is never
used to decide *what* to do: the agent works only on settings its instruction gives a remedy for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Service = Literal["service", "mobile_data", "mms"]
Layer = Literal["connectivity", "data", "messaging"]
Owner = Literal["customer", "agent"]

ALL: frozenset[Service] = frozenset({"service", "mobile_data", "mms"})
DATA_AND_MMS: frozenset[Service] = frozenset({"mobile_data", "mms"})
DATA: frozenset[Service] = frozenset({"mobile_data"})
MMS: frozenset[Service] = frozenset({"mms"})


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool with fixed arguments (sorted pairs)."""

    tool: str
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a remedy. An agent's step takes its arguments from the customer's records."""

    owner: Owner
    use: ToolUse


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that may be wrong.

    `names` and `remedy` are the words for it and for putting it right; `check` is the customer's tool
    that shows it (None where the agent looks it up), `bad` what a bad reading contains. A setting
    without `steps` has one remedy: handing over to a human.
    """

    name: str
    names: re.Pattern[str]
    remedy: re.Pattern[str]
    services: frozenset[Service]
    layer: Layer
    check: ToolUse | None = None
    bad: re.Pattern[str] | None = None
    steps: tuple[Step, ...] = ()


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _customer(tool: str, **arguments: str) -> Step:
    return Step("customer", ToolUse(tool, tuple(sorted(arguments.items()))))


def _agent(tool: str) -> Step:
    return Step("agent", ToolUse(tool))


NETWORK_STATUS = ToolUse("check_network_status")
SIM_STATUS = ToolUse("check_sim_status")
APN_SETTINGS = ToolUse("check_apn_settings")
MESSAGING_PERMISSIONS = ToolUse("check_app_permissions", (("app_name", "messaging"),))
REBOOT = _customer("reboot_device")

# Third-person and participle forms describe ("disables all radios", "is switched off"); where they demand
# something, the reader has put them into their base form before it looks for a remedy.
_SWITCH = (
    r"(?<!the )(?<!data )(?<!main )(?<!master )(?<!a )\b(?:turn|switch|toggl|flip|shut|put|bring|tak)"
    r"(?:e|ing|ting|ping)?\b"
)
_OFF = rf"{_SWITCH}|\b(?:disabl|deactivat|leav|clos|exit|quit)(?:e|ing)?\b"
_ON = rf"{_SWITCH}|\b(?:enabl|activat|restor)(?:e|ing)\b"
_MOBILE_DATA = (
    r"(?:the |their |his |her |your |its |that )*(?:mobile |cellular )+data\b(?! ?sav| roam| usage"
    r"| plan| allow)"
)

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "airplane_mode",
        _words(r"(?:air ?plane|aeroplane|flight)[ _-]?mode"),
        _words(rf"toggle_airplane_mode|{_OFF}"),
        ALL,
        "connectivity",
        NETWORK_STATUS,
        _words(r"Airplane Mode: ON"),
        (_customer("toggle_airplane_mode"),),
    ),
    Setting(
        "sim_seat",
        _words(
            r"re-?seat(?:_sim_card|ing|s|ed)?\b|\b(?:no|missing|loose|unseated|absent|undetected) sim\b"
            r"|(?<![a-z])sim(?![a-z])[^.;]{0,40}\b(?:missing|loose|absent|unseated|re-?insert\w*"
            r"|(?:not|improperly|isn't) [^.;]{0,12}"
            r"(?:seated|inserted|detected|recogni[sz]ed|found|in place))"
            r"|\b(?:tak|pop|pull|slid|remov|push|put)\w* (?:out )?(?:the |their |your )?sim\b"
            r"|re-?insert\w* (?:the |their )?sim"
        ),
        _words(
            r"reseat_sim_card|\bre-?seat(?:ing|s)?\b|\bre-?insert(?:ing|s)?\b"
            r"|\b(?:tak|pop|pull|slid|remov|push|put)(?:e|es|s|ing|ting|ping)?\b"
        ),
        ALL,
        "connectivity",
        SIM_STATUS,
        _words(r"No SIM card"),
        (_customer("reseat_sim_card"),),
    ),
    Setting(
        "sim_lock",
        _words(
            r"(?<![a-z])sim(?![a-z])[^.;]{0,60}\b(?:lock\w*|unlock\w*|pin|puk|security)\b|\b(?:locked"
            r"|unlock\w*|pin)\b[^.;]{0,40}(?<![a-z])sim(?![a-z])"
            r"|\bpuk\b"
        ),
        _words(r"(?!)"),
        ALL,
        "connectivity",
        SIM_STATUS,
        _words(r"SIM card is locked|locked_p[iu][nk]"),
    ),
    Setting(
        "apn",
        _words(r"\bapns?\b|access[ -]point(?: name)?|(?:reset|check)_apn_settings"),
        _words(
            r"reset_apn_settings|\breset(?:ting)?\b|\b(?:restor|revert)(?:e|ing)?\b|back to (?:the )?default"
        ),
        ALL,
        "connectivity",
        APN_SETTINGS,
        _words(r"APN Name: (?:broken|not set)"),
        (_customer("reset_apn_settings"), REBOOT),
    ),
    Setting(
        "contract_end",
        _words(r"\bcontract"),
        _words(r"(?!)"),
        ALL,
        "connectivity",
    ),
    Setting(
        "overdue_bill",
        _words(
            r"\boverdue\b|\bunpaid\b|outstanding (?:bill|balance|amount|payment|invoice)|past[ -]due|arrears"
            r"|payment request|send_payment_request|make_payment"
        ),
        _words(
            r"send_payment_request|make_payment|\b(?:send|issu|rais|mak|collect|tak)(?:e"
            r"|ing)?\b[^.;]{0,25}\bpayment\b"
            r"|\bpay(?:ing)? (?:it|the|their|this|that|off|what|any|all)\b|\b(?:settl|clear)(?:e|ing)?\b"
        ),
        ALL,
        "connectivity",
        steps=(_agent("send_payment_request"), _customer("make_payment")),
    ),
    Setting(
        "line_suspension",
        _words(
            r"\bsuspen(?:ded|sion)\b|\bresume_line\b|\bun-?suspend|\b(?:resum|reactivat)\w* (?:the "
            r"|their |a )?(?:\w+ )?line"
        ),
        _words(
            r"resume_line|\b(?:resum|reactivat)(?:e|ing)\b|\b(?:lift|un-?suspend)(?:ing)?\b"
            r"|bring\w* .{0,20}line.{0,10}back"
        ),
        ALL,
        "connectivity",
        steps=(_agent("resume_line"), REBOOT),
    ),
    Setting(
        "data_switch",
        _words(
            r"\btoggle_data\b|Mobile Data Enabled|\bdata (?:switch|toggle)\b"
            r"|\b(?:turn|switch|toggle|flip)(?:ing|ping)? (?:the |their )?data (?:back )?on\b"
            rf"|{_SWITCH}(?: back)?(?: on| off)? {_MOBILE_DATA}|\b(?:enabl|activat|re-?enabl)(?:e|es"
            rf"|ing) {_MOBILE_DATA}"
            rf"|{_MOBILE_DATA}(?: \w+){{0,3}}? (?:off\b|disabled|deactivated|not enabled|inactive|back on\b)"
            rf"|(?:disabled|switched[ -]off|turned[ -]off|deactivated) {_MOBILE_DATA}"
        ),
        _words(rf"\btoggle_data\b|{_ON}|\bre-?enabl(?:e|es|ing)\b"),
        DATA_AND_MMS,
        "data",
        NETWORK_STATUS,
        _words(r"Mobile Data Enabled: No"),
        (_customer("toggle_data"),),
    ),
    Setting(
        "roaming_line",
        _words(r"roaming"),
        _words(rf"(?:enable|disable)_roaming|{_ON}|\b(?:provision|add)(?:s|ing)?\b"),
        DATA_AND_MMS,
        "data",
        steps=(_agent("enable_roaming"),),
    ),
    Setting(
        "roaming_phone",
        _words(r"roaming"),
        _words(rf"toggle_roaming|{_ON}"),
        DATA_AND_MMS,
        "data",
        NETWORK_STATUS,
        _words(r"Data Roaming Enabled: No"),
        (_customer("toggle_roaming"),),
    ),
    Setting(
        "data_usage",
        _words(
            r"\bdata (?:usage|allowance|cap|quota|bucket|limit|plan limit)|(?:get_data_usage|refuel)"
            r"|top(?:ping)?[ -]?(?:it |the line |them )?up\b"
            r"|(?:out of|run out of|ran out of|used up|exhausted) (?:\w+ ){0,3}data\b|(?:allowance"
            r"|quota) (?:is|has been|was)\b"
        ),
        _words(
            r"refuel_data|\brefuel(?:ing)?\b(?! (?:price|rate|amount|\())"
            r"|\btop(?:ping)?[ -]?(?:\w+ ){0,3}up\b"
            r"|\b(?:add|apply|sell|grant)(?:ing)? [^.;]{0,20}(?:data|gb|gigabytes?)\b"
        ),
        DATA_AND_MMS,
        "data",
        steps=(_agent("refuel_data"),),
    ),
    Setting(
        "network_mode",
        _words(
            r"network[ _-]?(?:mode|preference|technology)|preferred network|\b[23]g(?:_only)?\b"
            r"|(?:older|legacy|outdated) network"
            r"|4g_5g_preferred"
        ),
        _words(
            r"set_network_mode_preference|\b(?:switch|chang|mov|select|choos|rais|pick|put"
            r"|upgrad)(?:e|ing|ting)?\b"
            r"|\bset(?:ting)? (?!to\b)"
        ),
        DATA_AND_MMS,
        "data",
        ToolUse("check_network_mode_preference"),
        _words(r"\b[23]g(?:_only)?\b"),
        (_customer("set_network_mode_preference", mode="4g_5g_preferred"),),
    ),
    Setting(
        "data_saver",
        _words(r"\bdata[ _-]?sav(?:er|ing)|toggle_data_saver_mode|check_data_restriction|low[ -]data mode"),
        _words(rf"toggle_data_saver_mode|{_OFF}"),
        DATA,
        "data",
        ToolUse("check_data_restriction_status"),
        _words(r"Data Saver mode is ON"),
        (_customer("toggle_data_saver_mode"),),
    ),
    Setting(
        "vpn",
        _words(r"(?<![a-z])vpns?(?![a-z])|virtual private network"),
        _words(rf"\bdisconnect_vpn|\bdisconnect(?:ing)?\b|{_OFF}"),
        DATA,
        "data",
        ToolUse("check_vpn_status"),
        _words(r"VPN is ON and connected.*poor"),
        (_customer("disconnect_vpn"),),
    ),
    Setting(
        "wifi_calling",
        _words(r"wi-?fi[ _-]?call|vowifi|calls? over wi-?fi"),
        _words(rf"toggle_wifi_calling|{_OFF}"),
        MMS,
        "messaging",
        ToolUse("check_wifi_calling_status"),
        _words(r"turned ON"),
        (_customer("toggle_wifi_calling"),),
    ),
    Setting(
        "apn_mms",
        _words(r"\bmmsc\b"),
        _words(
            r"reset_apn_settings|\breset(?:ting)?\b|\b(?:restor|revert)(?:e|ing)?\b|back to (?:the )?default"
        ),
        MMS,
        "messaging",
        APN_SETTINGS,
        _words(r"MMSC URL[^:]*: Not Set"),
        (_customer("reset_apn_settings"), REBOOT),
    ),
    Setting(
        "app_sms",
        _words(r"(?!)"),
        _words(
            r"grant_app_permission|\bgrant(?:ing)?\b|\b(?:customer|user|caller|subscriber) (?:grant"
            r"|allow)s\b|\b(?:allow|permit|giv|enabl|switch|turn)(?:e|ing"
            r"|ting)?\b"
        ),
        MMS,
        "messaging",
        MESSAGING_PERMISSIONS,
        _words(r"has permission for: (?!.*\bsms\b)|no permissions"),
        (_customer("grant_app_permission", app_name="messaging", permission="sms"),),
    ),
    Setting(
        "app_storage",
        _words(r"(?!)"),
        _words(
            r"grant_app_permission|\bgrant(?:ing)?\b|\b(?:customer|user|caller|subscriber) (?:grant"
            r"|allow)s\b|\b(?:allow|permit|giv|enabl|switch|turn)(?:e|ing"
            r"|ting)?\b"
        ),
        MMS,
        "messaging",
        MESSAGING_PERMISSIONS,
        _words(r"has permission for: (?!.*\bstorage\b)|no permissions"),
        (_customer("grant_app_permission", app_name="messaging", permission="storage"),),
    ),
)
"""Every setting, in the order a support agent works: connectivity, then data, then messaging."""

SETTING: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}
