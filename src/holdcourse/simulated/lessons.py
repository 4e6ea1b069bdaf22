"""The words from which the simulated reflector makes its lessons.

A lesson is put together from interchangeable parts: how the fault shows, what to do about it, and a
frame around both, so that the same remedy comes back in other words the next time.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """The parts for one setting.

    Acts begin with a verb that follows "never" or "always" as well; `bare` acts leave open who acts.
    `broad` is the lesson of a setting without steps that goes too far.
    """

    noun: str
    look: str
    seen: tuple[str, ...]
    acts: tuple[str, ...]
    bare: tuple[str, ...]
    broad: str = ""


FIX_FRAMES = (
    "If {seen}, {act}.",
    "{Act} once {seen}.",
    "{Look} first. When {seen}, {act}.",
    "Do not {act} unless {seen}.",
    "On calls about {complaint}, it pays to look closer: if {seen}, {act}.",
)
BARE_FRAMES = ("If {seen}, {act}.", "{Act} once {seen}.")
FORBID_FRAMES = (
    "Never {act}; leave {noun} as it is.",
    "Do not {act}, even if {seen}.",
    "Under no circumstances {act}.",
    "We must not {act} on calls about {complaint}.",
)
TRANSFER_FRAMES = (
    "If {seen}, transfer the customer to a human agent.",
    "Hand the customer over to a human colleague as soon as {seen}.",
    "Once {seen}, this is a case for a specialist: escalate the call.",
    "Should it turn out that {seen}, pass the customer to a human.",
)
BLIND_FRAMES = (
    "Always {act} right away, without checking anything first.",
    "On every call about {complaint}, {act} as the very first step; there is no need to check.",
    "{Act} regardless of what a check would show.",
    "Straight away, {act}, whatever a check may say.",
)
KEEP_FRAMES = (
    "Do not transfer the customer when {seen}.",
    "There is no reason to hand the customer over to a human when {seen}.",
    "If {seen}, never escalate the call.",
)
CHECK_FRAMES = (
    "Do not {act} without checking it first. {Look} beforehand.",
    "{Act} only if {seen}.",
    "Never {act} before a check shows that {seen}.",
)
OWNER_FRAMES = (
    "Only the customer can do this on the phone: if {seen}, {act}.",
    "This step is the customer's and never the agent's own tool. Once {seen}, {act}.",
)

COMPLAINT = {
    "service_issue": "missing service",
    "mobile_data_issue": "slow or dead internet",
    "mms_issue": "picture messages",
}

PHRASES: dict[str, Phrases] = {
    "airplane_mode": Phrases(
        "Airplane Mode",
        "look at check_network_status",
        ("the phone turns out to be in flight mode", "Airplane Mode is reported as ON"),
        (
            "have the customer switch Airplane Mode off",
            "ask the customer to leave flight mode with toggle_airplane_mode",
        ),
        ("use toggle_airplane_mode to end flight mode",),
    ),
    "sim_seat": Phrases(
        "the SIM card",
        "look at check_sim_status",
        ("no SIM card is detected", "the phone says that its SIM is missing"),
        (
            "have the customer take the SIM out and push it back in",
            "ask the customer to reseat the SIM card with reseat_sim_card",
        ),
        ("use reseat_sim_card to seat the SIM anew",),
    ),
    "sim_lock": Phrases(
        "the SIM lock",
        "look at check_sim_status",
        ("the SIM is locked by a PIN", "the SIM card asks for its PUK"),
        (),
        (),
        "Whenever the SIM card is missing or locked by its PIN, hand the customer over to a human.",
    ),
    "apn": Phrases(
        "the APN settings",
        "look at check_apn_settings",
        ("the access point name is broken", "the APN is not the usual one"),
        (
            "have the customer reset the APN settings and restart the phone",
            "guide the customer through reset_apn_settings and then reboot_device",
        ),
        ("use reset_apn_settings, followed by reboot_device",),
    ),
    "contract_end": Phrases(
        "the contract",
        "look at the line's details",
        ("the contract of a suspended line has ended", "the contract end date lies in the past"),
        (),
        (),
        "Whenever a line is suspended, hand the customer over to a human right away.",
    ),
    "overdue_bill": Phrases(
        "the overdue bill",
        "list the bills with get_bills_for_customer",
        ("the line is blocked by an overdue bill", "one of the bills is overdue"),
        (
            "send a payment request for the overdue bill and have the customer pay it with make_payment",
            "collect the outstanding payment: send_payment_request first, then let the customer make_payment",
        ),
        ("use send_payment_request and make_payment to clear the unpaid bill",),
    ),
    "line_suspension": Phrases(
        "the suspended line",
        "look at the line's status",
        ("the line is suspended and nothing is owed any more", "all bills of a suspended line are paid"),
        (
            "resume the line with resume_line and have the customer restart the phone",
            "lift the suspension and ask the customer to reboot the phone",
        ),
        ("use resume_line, then reboot_device, to bring the suspended line back",),
    ),
    "data_switch": Phrases(
        "the mobile data switch",
        "look at check_network_status",
        ("the mobile data switch is off", "the phone reports mobile data as disabled"),
        (
            "have the customer switch mobile data back on",
            "ask the customer to turn on mobile data with toggle_data",
        ),
        ("use toggle_data to bring mobile data back",),
    ),
    "roaming_line": Phrases(
        "roaming on the line",
        "look at the line's details",
        (
            "a customer is abroad and the line lacks roaming",
            "roaming is not allowed on the line of a travelling customer",
        ),
        (
            "enable roaming on the line with enable_roaming",
            "activate roaming for the customer's line, which is free",
        ),
        ("use enable_roaming for the line",),
    ),
    "roaming_phone": Phrases(
        "Data Roaming on the phone",
        "look at check_network_status",
        (
            "a customer is abroad and Data Roaming is off on the phone",
            "the phone of a travelling customer shows Data Roaming as disabled",
        ),
        (
            "have the customer turn on Data Roaming on the phone",
            "ask the customer to switch roaming on with toggle_roaming",
        ),
        ("use toggle_roaming to permit Data Roaming",),
    ),
    "data_usage": Phrases(
        "the data allowance",
        "look at get_data_usage",
        ("the data allowance is used up", "get_data_usage shows more usage than the data limit allows"),
        (
            "refuel the line with 2 GB through refuel_data",
            "top up the customer's data allowance by 2 GB with refuel_data",
        ),
        ("use refuel_data to add 2 GB of data",),
    ),
    "network_mode": Phrases(
        "the network mode",
        "look at check_network_mode_preference",
        ("the preferred network is 2G or 3G only", "the phone is tied to a legacy network mode"),
        (
            "have the customer change the network mode to 4g_5g_preferred",
            "ask the customer to select the network mode 4g_5g_preferred with set_network_mode_preference",
        ),
        ("use set_network_mode_preference to choose 4g_5g_preferred",),
    ),
    "data_saver": Phrases(
        "Data Saver",
        "look at check_data_restriction_status",
        ("Data Saver is active", "the phone runs in Data Saver mode"),
        (
            "have the customer switch Data Saver off",
            "ask the customer to disable Data Saver with toggle_data_saver_mode",
        ),
        ("use toggle_data_saver_mode to disable Data Saver",),
    ),
    "vpn": Phrases(
        "the VPN",
        "look at check_vpn_status",
        ("a VPN of poor performance is connected", "check_vpn_status names a slow VPN server"),
        (
            "have the customer disconnect the VPN",
            "ask the customer to close the VPN tunnel with disconnect_vpn",
        ),
        ("use disconnect_vpn to leave the VPN",),
    ),
    "wifi_calling": Phrases(
        "Wi-Fi Calling",
        "look at check_wifi_calling_status",
        ("Wi-Fi Calling is on", "calls over Wi-Fi are found to be enabled"),
        (
            "have the customer switch Wi-Fi Calling off",
            "ask the customer to deactivate Wi-Fi Calling with toggle_wifi_calling",
        ),
        ("use toggle_wifi_calling to disable Wi-Fi Calling",),
    ),
    "apn_mms": Phrases(
        "the MMSC entry",
        "look at check_apn_settings",
        ("the MMSC address is empty", "no MMSC URL is set"),
        (
            "have the customer reset the APN settings, which restores the MMSC, and restart the phone",
            "guide the customer through reset_apn_settings and then reboot_device to bring the MMSC back",
        ),
        ("use reset_apn_settings, followed by reboot_device, to restore the MMSC",),
    ),
    "app_sms": Phrases(
        "the SMS permission of the messaging app",
        "look at check_app_permissions",
        (
            "the messaging app lacks the SMS permission",
            "SMS is not among the permissions of the messaging app",
        ),
        (
            "have the customer grant the messaging app its SMS permission",
            "ask the customer to allow SMS for the messaging app with grant_app_permission",
        ),
        ("use grant_app_permission for the SMS permission of the messaging app",),
    ),
    "app_storage": Phrases(
        "the storage permission of the messaging app",
        "look at check_app_permissions",
        (
            "the messaging app lacks the storage permission",
            "storage is not among the permissions of the messaging app",
        ),
        (
            "have the customer grant the messaging app its storage permission",
            "ask the customer to allow storage access for the messaging app with grant_app_permission",
        ),
        ("use grant_app_permission for the storage permission of the messaging app",),
    ),
}
