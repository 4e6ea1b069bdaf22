"""A reader understands wordings that no frame of the reflector has, and every frame that it has."""

from __future__ import annotations

import pytest

from holdcourse.simulated.lessons import (
    BARE_FRAMES,
    BLIND_FRAMES,
    CHECK_FRAMES,
    COMPLAINT,
    FIX_FRAMES,
    FORBID_FRAMES,
    KEEP_FRAMES,
    OWNER_FRAMES,
    PHRASES,
    TRANSFER_FRAMES,
)
from holdcourse.simulated.lexicon import SETTING
from holdcourse.simulated.reading import read, topics_named

PUT_RIGHT: dict[str, set[str]] = {
    "Flight mode kills every radio, so get the caller to flip it back if it is on.": {"airplane_mode"},
    "When aeroplane mode shows up in the status bar, tell them to disable it.": {"airplane_mode"},
    "Airplane mode active → ask the user to turn it off.": {"airplane_mode"},
    "A missing SIM is cured by popping the SIM out and reinserting it; walk the user through that.": {
        "sim_seat"
    },
    "Tell subscribers whose card is not detected (no SIM) to re-seat it.": {"sim_seat"},
    "If you see that SIM card status is missing, then reseating is the remedy.": {"sim_seat"},
    "If the access point is misconfigured, restoring the default usually helps.": {"apn"},
    "Reset the APN when its name looks wrong.": {"apn"},
    "No pictures go out without an MMSC address: have the APN reset by the customer.": {"apn_mms"},
    "Unpaid invoice? Issue a payment request and let the user settle it.": {"overdue_bill"},
    "Past-due balances: raise a request for payment, the customer then pays it.": {"overdue_bill"},
    "You are free to unsuspend the line after payment.": {"line_suspension"},
    "Ensure that the line is active: resume suspended lines once overdue bills are paid.": {
        "line_suspension"
    },
    "If cellular data has been switched off, ask them to enable it again.": {"data_switch"},
    "First confirm that mobile data is on. If it is disabled, have the user enable mobile data.": {
        "data_switch"
    },
    "Users who travel need roaming allowed on their line, so activate roaming on the account.": {
        "roaming_line"
    },
    "For customers abroad, verify that the line has roaming; call enable_roaming if it hasn't.": {
        "roaming_line"
    },
    "For someone overseas, check that the handset permits roaming and have them toggle it if not.": {
        "roaming_phone"
    },
    "Exhausted data allowance: offer to top up.": {"data_usage"},
    "When usage is beyond the data limit, add 2 GB of data to the line.": {"data_usage"},
    "A phone stuck on 3G only should be moved on; ask the user to pick another network mode.": {
        "network_mode"
    },
    "Legacy network preference slows everything down, so guide them to select 4g_5g_preferred.": {
        "network_mode"
    },
    "Low data mode throttles; have the subscriber turn it off.": {"data_saver"},
    "Only toggle data saver mode if it is on.": {"data_saver"},
    "If the check shows Data Saver on, immediately have the user turn it off.": {"data_saver"},
    "A sluggish virtual private network is best closed: let the user disconnect.": {"vpn"},
    "Slow VPN? Ask the caller to shut it off.": {"vpn"},
    "Calls over Wi-Fi get in the way of MMS, so they must be disabled by the user when found on.": {
        "wifi_calling"
    },
    "WiFi calling interferes; instruct the user to switch it off if it is active.": {"wifi_calling"},
    "The messaging app wants access to storage; the user can grant it.": {"app_storage"},
    "Give the messages app its SMS permission when it is denied.": {"app_sms"},
    "If permissions of the messaging app are missing, have the user grant them.": {"app_sms", "app_storage"},
    "With Data Saver on or a poor VPN connected, ask them to turn off Data Saver and disconnect the VPN.": {
        "data_saver",
        "vpn",
    },
    # A negation that only asks for a check leaves the remedy standing.
    "Never toggle mobile data without looking at the network status first.": {"data_switch"},
    "Don't touch flight mode unless check_network_status says it is on; then have it turned off.": {
        "airplane_mode"
    },
    "Do not forget to have the customer disconnect a slow VPN.": {"vpn"},
    "Do not suggest disconnecting the VPN when its performance is good.": {"vpn"},
    "Do not switch Wi-Fi Calling blindly.": {"wifi_calling"},
}
LEAVE_ALONE: dict[str, set[str]] = {
    "Never have the customer toggle roaming.": {"roaming_phone"},
    "Don't ask anybody to reseat the SIM.": {"sim_seat"},
    "Avoid resetting the APN.": {"apn"},
    "Keep your hands off Wi-Fi Calling.": {"wifi_calling"},
    "Customers must not be told to disconnect their VPN.": {"vpn"},
    "Switching off flight mode is not allowed.": {"airplane_mode"},
    "You may not refuel data for anyone.": {"data_usage"},
    "We no longer refuel data.": {"data_usage"},
    "Leave the preferred network mode alone.": {"network_mode"},
    "Toggling mobile data is never a solution.": {"data_switch"},
    "Do not grant the storage permission to the messaging app under any conditions.": {"app_storage"},
    "It is forbidden to turn off Data Saver on a customer's phone.": {"data_saver"},
    "Even if the line is suspended, you should never resume it yourself.": {"line_suspension"},
    "An ended contract is no obstacle: resume the line anyway.": {"contract_end"},
}
UNCHECKED: dict[str, set[str]] = {
    "Have every caller toggle roaming at once.": {"roaming_phone"},
    "No matter what, tell the user to switch off Data Saver.": {"data_saver"},
    "Let customers toggle mobile data first thing, every time.": {"data_switch"},
    "Just ask them to turn flight mode off. Do so without checking.": {"airplane_mode"},
    "Whenever pictures cause trouble, have the user toggle Wi-Fi Calling immediately.": {"wifi_calling"},
    "Skip the checks; just have the customer toggle roaming.": {"roaming_phone"},
    "No check is needed. Have the customer disconnect the VPN.": {"vpn"},
}
HAND_OVER: dict[str, set[str]] = {
    "A locked SIM (PIN or PUK) goes to a human agent.": {"sim_lock"},
    "SIM security is for specialists: escalate whenever the SIM asks for its PIN.": {"sim_lock"},
    "Do not lift a suspension whose contract has expired.": {"contract_end"},
    "Under no circumstance should you resume a line whose contract end date is in the past.": {
        "contract_end"
    },
    "You can resume suspended lines unless the contract end date is past.": {"contract_end"},
    "If a VPN is connected, escalate to technical support.": {"vpn"},
    # What is refused because a human is to do it is handed over.
    "Do not refuel data; transfer the customer to a human agent.": {"data_usage"},
    "Never touch the VPN. If it is slow, hand the customer over to a human.": {"vpn"},
}
NOTHING_TO_DO = (
    "Airplane Mode disables all radios.",
    "Data Saver mode limits background traffic and may slow some apps.",
    "The messaging app needs the SMS permission.",
    "When a line is suspended, the customer has no service.",
    "toggle_roaming - Turns data roaming on or off.",
    "Be polite and brief.",
    "If nothing helps and the VPN is still slow, transfer to a human.",
    "Try everything before transferring the customer.",
)


def stances(text: str, context: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    return {(stance.setting, stance.kind) for stance in read(text, context).stances}


@pytest.mark.parametrize(
    ("kind", "text", "settings"),
    [
        (kind, text, settings)
        for kind, worded in (
            ("fix", PUT_RIGHT),
            ("forbid", LEAVE_ALONE),
            ("blind", UNCHECKED),
            ("transfer", HAND_OVER),
        )
        for text, settings in worded.items()
    ],
)
def test_paraphrases_are_understood(kind: str, text: str, settings: set[str]) -> None:
    assert stances(text) == {(setting, kind) for setting in settings}


@pytest.mark.parametrize("text", NOTHING_TO_DO)
def test_what_asks_for_nothing_takes_no_stance(text: str) -> None:
    assert stances(text) == set()


def test_polarity_is_judged_clause_by_clause() -> None:
    text = "Have them switch off Data Saver but never touch the VPN."
    assert stances(text) == {("data_saver", "fix"), ("vpn", "forbid")}


def test_a_waiver_of_checks_speaks_of_the_act_beside_it_only() -> None:
    before = (
        "Have the user toggle roaming; there is no need to check. If a VPN is slow, have the user close it."
    )
    assert stances(before) == {("roaming_phone", "blind"), ("vpn", "fix")}
    assert stances("Do not skip the checks; have the customer disconnect a slow VPN.") == {("vpn", "fix")}


def test_a_refusal_to_hand_over_what_only_a_human_can_mend_stays_a_refusal() -> None:
    assert stances("Do not escalate a SIM that is locked by its PIN.") == {("sim_lock", "forbid")}


def test_a_heading_says_what_it_is() -> None:
    line = "If it is connected, guide the user to disconnect it."
    assert stances(line) == set()
    assert stances(line, ("Speed", "VPN problems")) == {("vpn", "fix")}


def test_the_line_and_the_phone_have_a_roaming_switch_each() -> None:
    assert topics_named("Roaming is missing on the line.") == {"roaming_line"}
    assert topics_named("Data Roaming is off in the phone's settings.") == {"roaming_phone"}


def test_who_acts_is_read_from_the_main_clause() -> None:
    assert read("If the VPN is slow, ask the customer to disconnect it.").owner_stated
    assert not read("If a customer has a slow VPN, use disconnect_vpn.").owner_stated


def test_a_condition_is_told_from_the_lack_of_one() -> None:
    assert read("If the VPN is slow, disconnect it.").conditional
    assert not read("Never disconnect the VPN, even if it is slow.").conditional
    assert not read("Always disconnect the VPN without checking.").conditional


def frames_with_stances() -> list[tuple[str, str, str]]:
    """Every sentence that the reflector can make, with its setting and the stance it is meant to take."""
    sentences = []
    for name, phrases in PHRASES.items():
        complaints = [
            words
            for intent, words in COMPLAINT.items()
            if intent.removesuffix("_issue") in SETTING[name].services
            and (name, intent) != ("apn", "mms_issue")
        ]
        uses = [
            ("fix", FIX_FRAMES + CHECK_FRAMES + OWNER_FRAMES, phrases.acts),
            ("fix", BARE_FRAMES, phrases.bare),
            ("forbid", FORBID_FRAMES, phrases.acts),
            ("blind", BLIND_FRAMES, phrases.acts + phrases.bare),
            ("transfer", TRANSFER_FRAMES, ("",)),
            ("forbid", () if phrases.acts else KEEP_FRAMES, ("",)),
        ]
        for kind, frames, acts in uses:
            for frame in frames:
                for seen in phrases.seen:
                    for act in acts:
                        for complaint in complaints:
                            text = frame.format(
                                seen=seen,
                                act=act,
                                Act=act[:1].upper() + act[1:],
                                Look=phrases.look[:1].upper() + phrases.look[1:],
                                noun=phrases.noun,
                                complaint=complaint,
                            )
                            sentences.append((name, kind, text))
    return sentences


def test_every_lesson_the_reflector_can_word_says_what_it_is_meant_to_say() -> None:
    misread = [(t, stances(t)) for name, kind, t in frames_with_stances() if stances(t) != {(name, kind)}]
    assert misread == []


def test_each_setting_has_at_least_four_wordings() -> None:
    assert set(PHRASES) == set(SETTING)
    for phrases in PHRASES.values():
        frames = len(FIX_FRAMES) * len(phrases.acts) if phrases.acts else len(TRANSFER_FRAMES)
        assert frames * len(phrases.seen) >= 4
