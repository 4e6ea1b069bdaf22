"""What a customer complains about, by the customer's own words, and what shows that it is solved."""

from __future__ import annotations

import re

from holdcourse.simulated.lexicon import Service

_MMS = re.compile(
    r"\bmms\b|\b(?:picture|multimedia|group) messag|\bsend(?:ing)? (?:a |any )?(?:picture|photo)s?",
    re.IGNORECASE,
)
_DATA = re.compile(r"\bmobile data\b|\binternet\b|\bslow\b|\bbrows(?:e|ing)\b|\bspeed\b", re.IGNORECASE)


WORKS_AGAIN: dict[Service, re.Pattern[str]] = {
    "service": re.compile(r"📶|Cellular Connection: connected"),
    "mobile_data": re.compile(r"\(Excellent\)"),
    "mms": re.compile(r"\bcan send MMS"),
}
"""What a tool's output contains when the service a customer called about works again."""

FINAL_CHECK: dict[Service, str] = {
    "service": "check_status_bar",
    "mobile_data": "run_speed_test",
    "mms": "can_send_mms",
}
"""The customer's tool that shows whether it does."""


def complaint_of(text: str) -> Service:
    """The service that fails: MMS before mobile data, and cellular service when neither is named."""
    if _MMS.search(text):
        return "mms"
    return "mobile_data" if _DATA.search(text) else "service"
