"""The grounds that the simulated reflector gives for its lessons.

A wrong or over-general lesson is believed by whoever draws it, so it comes with a ground as often as a
sound one, in words of its own. Grounds are one sentence each, name their setting and no other, say
nothing about what to do, and name neither a condition nor a person who acts: whatever they are attached
to says the same with them as without. That a ground is there, or how it is worded, tells nobody whether
the lesson is sound.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grounds:
    """Why a lesson holds: `sound` as things are, `wrong` for doing the opposite, `broad` for not checking."""

    sound: tuple[str, ...]
    wrong: tuple[str, ...]
    broad: tuple[str, ...]


GROUNDS: dict[str, Grounds] = {
    "airplane_mode": Grounds(
        (
            "In flight mode the radio is silent, so nothing else can work.",
            "Flight mode cuts the phone off from every network.",
        ),
        (
            "Flight mode has nothing to do with a missing signal.",
            "The radio of a phone in flight mode wakes up by itself.",
        ),
        (
            "Flight mode is by far the likeliest cause of any trouble.",
            "Nearly every silent phone turns out to be in flight mode.",
        ),
    ),
    "sim_seat": Grounds(
        (
            "A loose SIM card cannot sign in to the network.",
            "With its SIM missing, the phone has no identity on the network.",
        ),
        (
            "A loose SIM card finds its way back into the tray.",
            "A missing SIM is a fault of the reader that nobody can mend.",
        ),
        (
            "Every SIM card sits a little loose in its tray.",
            "A loose SIM is behind most lost signals.",
        ),
    ),
    "sim_lock": Grounds(
        (
            "Unlocking a SIM takes a person with access to the vault.",
            "No tool at hand opens a locked SIM.",
        ),
        (
            "A locked SIM opens by itself the next morning.",
            "A SIM that is locked does not keep a phone from the network.",
        ),
        (
            "A SIM without a sign of life is as a rule a locked SIM.",
            "All faults of a SIM come from its PIN.",
        ),
    ),
    "apn": Grounds(
        (
            "With a wrong access point the phone cannot join the network.",
            "A phone loads new APN settings at its next start.",
        ),
        (
            "The access point name plays no part in a phone's reception.",
            "The network mends a wrong APN overnight.",
        ),
        (
            "APN settings wear out with time on any phone.",
            "A broken access point name is the commonest of faults.",
        ),
    ),
    "contract_end": Grounds(
        (
            "A line without a running contract may not be switched on by us.",
            "Renewing an expired contract is the sales team's job.",
        ),
        (
            "An expired contract renews itself within a day.",
            "A contract that has run out does not hold up the line.",
        ),
        (
            "A contract has run out behind nearly every silent line.",
            "The contract is the usual reason for a line's silence.",
        ),
    ),
    "overdue_bill": Grounds(
        (
            "A line stays blocked as long as a bill is overdue.",
            "An unpaid bill keeps the line from being switched on.",
        ),
        (
            "An overdue bill has no effect on a line.",
            "An unpaid bill is the accounting team's job.",
        ),
        (
            "There is an unpaid bill on nearly every account.",
            "A blocked line is blocked by an overdue bill, as all experience shows.",
        ),
    ),
    "line_suspension": Grounds(
        (
            "A suspended line does not come back by the payment alone.",
            "A phone learns of a resumed line at its next start.",
        ),
        (
            "A suspended line comes back by itself overnight.",
            "A suspension is the fraud team's job.",
        ),
        (
            "A silent line is nearly always a suspended one.",
            "Suspended lines are behind most of our calls.",
        ),
    ),
    "data_switch": Grounds(
        (
            "With its data switch off the phone does not even try to go online.",
            "No app gets through while mobile data is off.",
        ),
        (
            "The mobile data switch has no effect on a connection.",
            "Mobile data being off matters little to a phone's apps.",
        ),
        (
            "The data switch is off on most phones.",
            "No other fault is as common as mobile data being off.",
        ),
    ),
    "roaming_line": Grounds(
        (
            "Foreign networks refuse a line without roaming.",
            "A line that lacks roaming is turned away abroad.",
        ),
        (
            "A traveller's line finds its own way in without roaming.",
            "Roaming on the line comes at a high price.",
        ),
        (
            "A line comes without roaming as a rule.",
            "A line tends to lose its roaming now and then.",
        ),
    ),
    "roaming_phone": Grounds(
        (
            "Abroad, a phone with its roaming off stays offline.",
            "A phone whose roaming is off ignores foreign networks.",
        ),
        (
            "Roaming drains a phone's battery and brings no connection.",
            "A phone finds foreign networks with its roaming off.",
        ),
        (
            "Most phones come with roaming off.",
            "A phone loses its roaming setting at every border.",
        ),
    ),
    "data_usage": Grounds(
        (
            "A line that has used up its data is cut off from the network.",
            "Beyond the data limit the network lets nothing through.",
        ),
        (
            "Beyond the data limit a line keeps its full speed.",
            "A data allowance that is used up comes back the next morning.",
        ),
        (
            "The data allowance is used up on nearly every slow line.",
            "A line goes over its data limit sooner or later.",
        ),
    ),
    "network_mode": Grounds(
        (
            "A legacy network is too slow for data.",
            "A 2G connection carries neither fast data nor pictures.",
        ),
        (
            "A legacy network is the steadier one for data.",
            "The network mode has no bearing on speed.",
        ),
        (
            "A phone falls back to a legacy network sooner or later.",
            "A 3G connection is the commonest cause of a slow phone.",
        ),
    ),
    "data_saver": Grounds(
        (
            "Data Saver throttles everything the phone does online.",
            "With Data Saver on, a phone never reaches full speed.",
        ),
        (
            "Data Saver makes a phone faster by cutting out waste.",
            "Data Saver spares the battery and costs no speed.",
        ),
        (
            "Data Saver is on in most phones.",
            "Data Saver comes on by itself now and then.",
        ),
    ),
    "vpn": Grounds(
        (
            "A detour over a slow VPN server eats up the speed.",
            "All traffic is as slow as the VPN it passes through.",
        ),
        (
            "A VPN server brings a phone closer to the network.",
            "The speed of a phone does not depend on its VPN.",
        ),
        (
            "Any VPN slows a phone down.",
            "A VPN is the usual cause of a slow connection.",
        ),
    ),
    "wifi_calling": Grounds(
        (
            "Our network carries no pictures over Wi-Fi Calling.",
            "With Wi-Fi Calling on, the message takes a path the carrier does not serve.",
        ),
        (
            "Wi-Fi Calling is the surest way for a picture to arrive.",
            "Wi-Fi Calling spares a phone's battery and harms nothing.",
        ),
        (
            "Wi-Fi Calling comes on by itself at every update.",
            "Wi-Fi Calling is behind most lost pictures.",
        ),
    ),
    "apn_mms": Grounds(
        (
            "Pictures are delivered through the MMSC.",
            "Without an MMSC address a picture has nowhere to go.",
        ),
        (
            "Pictures are delivered without the MMSC.",
            "The network fills in an empty MMSC address overnight.",
        ),
        (
            "An MMSC address tends to get lost.",
            "The MMSC is the usual cause of a lost picture.",
        ),
    ),
    "app_sms": Grounds(
        (
            "Without the SMS permission the messaging app is not let near the network.",
            "An app without SMS access cannot pass a message on.",
        ),
        (
            "The SMS permission has no effect on pictures.",
            "Messaging works as well without the SMS permission.",
        ),
        (
            "A messaging app loses its SMS permission at every update.",
            "The SMS permission is absent from most messaging apps.",
        ),
    ),
    "app_storage": Grounds(
        (
            "The picture lies in storage, and the app needs permission to read it there.",
            "A messaging app without storage permission finds no picture.",
        ),
        (
            "A messaging app gets by without the storage permission.",
            "The storage permission is a risk to privacy and brings nothing.",
        ),
        (
            "A messaging app loses its storage permission at every update.",
            "The storage permission is absent from most messaging apps.",
        ),
    ),
}
