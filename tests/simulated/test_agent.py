from holdcourse.config.schema import CurveConfig, ReflectorRates, SimulatedConfig
from holdcourse.llm.chat import ChatMessage
from holdcourse.simulated.agent import OWNER_ERRORS_UNTIL_LEARNT, TRANSFER_SENTENCE
from holdcourse.simulated.provider import SimulatedProvider

from .conftest import constant_curve, provider
from .talk import (
    ABROAD,
    GREETING,
    NETWORK,
    NO_PICTURES,
    NO_SERVICE,
    SUSPENDED,
    conversation,
    play,
    policy,
)

SURE = provider(1.0)
VPN = "If check_vpn_status shows a poor VPN, ask the customer to disconnect the VPN."
POOR_VPN = {"check_vpn_status": "VPN is ON and connected. Details: {'server_performance': 'poor'}"}
ROAMING = "When a customer is abroad and Data Roaming is off on the phone, have the customer turn it on."
GIVES_UP = ["transfer_to_human_agents", TRANSFER_SENTENCE]


def recalls(model: SimulatedProvider, text: str, seeds: int) -> int:
    """In how many of so many conversations the agent looks at the VPN."""
    return sum("check_vpn_status" in play(model, text, ABROAD, POOR_VPN, seed=n) for n in range(seeds))


def test_it_knows_nothing_the_text_does_not_say() -> None:
    assert play(SURE, "Be kind.", ABROAD, POOR_VPN) == ["get_customer_by_phone", "run_speed_test", *GIVES_UP]


def test_it_checks_then_puts_right_then_verifies() -> None:
    done = play(SURE, VPN, ABROAD, POOR_VPN, solved_by=["disconnect_vpn"])
    assert done == ["get_customer_by_phone", "check_vpn_status", "disconnect_vpn", "run_speed_test"]


def test_what_is_in_order_is_left_alone() -> None:
    done = play(SURE, VPN, ABROAD, {"check_vpn_status": "VPN is turned OFF."})
    assert "disconnect_vpn" not in done


def test_what_has_nothing_to_do_with_the_complaint_is_left_alone() -> None:
    assert "check_vpn_status" not in play(SURE, VPN, NO_SERVICE, POOR_VPN)


def test_a_blind_rule_acts_without_a_check() -> None:
    done = play(SURE, "Always have the customer disconnect the VPN right away, without checking.", ABROAD, {})
    assert done[:2] == ["get_customer_by_phone", "disconnect_vpn"]


def test_a_forbidden_remedy_is_not_used() -> None:
    assert "disconnect_vpn" not in play(SURE, "Never have the customer disconnect the VPN.", ABROAD, POOR_VPN)


def test_a_rule_to_hand_over_does_so_once_the_check_shows_it() -> None:
    text = "If a VPN is connected, transfer the customer to a human agent."
    assert play(SURE, text, ABROAD, POOR_VPN) == ["get_customer_by_phone", "check_vpn_status", *GIVES_UP]
    assert "run_speed_test" in play(SURE, text, ABROAD, {"check_vpn_status": "VPN is turned OFF."})


def test_of_contradicting_rules_a_coin_picks_one() -> None:
    text = f"{VPN}\nNever have the customer disconnect the VPN."
    used = [("disconnect_vpn" in play(SURE, text, ABROAD, POOR_VPN, seed=n)) for n in range(200)]
    assert 60 < sum(used) < 140


def test_without_competence_nothing_is_recalled() -> None:
    assert "check_vpn_status" not in play(provider(0.0), VPN, ABROAD, POOR_VPN)


def test_a_rule_is_recalled_as_often_as_competence_says_however_often_it_is_stated() -> None:
    once = sum("check_vpn_status" in play(provider(0.5), VPN, ABROAD, POOR_VPN, seed=n) for n in range(200))
    thrice = sum(
        "check_vpn_status" in play(provider(0.5), f"{VPN}\n" * 3, ABROAD, {}, seed=n) for n in range(200)
    )
    assert 70 < once < 130
    assert 70 < thrice < 130


def test_roaming_concerns_those_abroad_only_and_needs_the_line_behind_the_number() -> None:
    text = f"{ROAMING}\nEnable roaming on the line of customers abroad with enable_roaming."
    off = {"check_network_status": NETWORK.replace("Data Roaming Enabled: Yes", "Data Roaming Enabled: No")}
    done = play(SURE, text, ABROAD, {**off, "enable_roaming": "Roaming enabled successfully"})
    assert done[:6] == [
        "get_customer_by_phone",
        "get_details_by_id",
        "get_details_by_id",
        "enable_roaming",
        "check_network_status",
        "toggle_roaming",
    ]
    assert "toggle_roaming" not in play(
        SURE, text, ABROAD.replace("I am abroad in France", "I am at home"), off
    )


def test_it_reboots_after_new_apn_settings_and_looks_at_a_sim_again_after_reseating_it() -> None:
    text = (
        "If no SIM card is detected, have the customer reseat the SIM.\n"
        "If the SIM is locked by its PIN, transfer the customer to a human.\n"
        "If the APN is broken, have the customer reset the APN settings and restart the phone."
    )
    results = {
        "check_sim_status": "No SIM card detected in the phone.",
        "check_apn_settings": "Current APN Name: broken",
        "reset_apn_settings": "APN settings will reset at reboot.",
    }
    done = play(SURE, text, NO_SERVICE, results)
    assert done[1:7] == [
        "check_sim_status",
        "reseat_sim_card",
        "check_sim_status",
        "check_apn_settings",
        "reset_apn_settings",
        "reboot_device",
    ]


SUSPENSION = (
    "Send a payment request for an overdue bill and have the customer make the payment.\n"
    "Once all bills are paid, resume the suspended line and have the customer restart the phone.\n"
)
EXPIRED = "Do not resume a line whose contract end date is in the past; transfer the customer instead."
BILLS = '[{"bill_id": "B1", "status": "Paid"}, {"bill_id": "B2", "status": "Overdue"}]'


def test_it_collects_the_bill_then_resumes_the_line() -> None:
    results = {
        "line": SUSPENDED,
        "get_bills_for_customer": BILLS,
        "send_payment_request": "Payment request sent",
        "resume_line": "{}",
    }
    done = play(SURE, SUSPENSION + EXPIRED, NO_SERVICE, results)
    assert done[3:8] == [
        "get_bills_for_customer",
        "send_payment_request",
        "make_payment",
        "resume_line",
        "reboot_device",
    ]


def test_a_line_whose_contract_has_ended_is_for_a_human() -> None:
    past = SUSPENDED.replace("2026-12-31", "2025-01-31")
    results = {
        "line": past,
        "get_bills_for_customer": BILLS,
        "send_payment_request": "sent",
        "resume_line": "{}",
    }
    assert play(SURE, SUSPENSION + EXPIRED, NO_SERVICE, results)[3:] == GIVES_UP
    assert "resume_line" in play(SURE, SUSPENSION, NO_SERVICE, results)


def test_with_a_signal_it_does_not_look_at_the_sim() -> None:
    text = "If no SIM card is detected, have the customer reseat the SIM."
    assert "check_sim_status" not in play(SURE, text, NO_PICTURES, {"check_network_status": NETWORK})


UNOWNED = "If a slow VPN is connected, use disconnect_vpn."


def test_when_the_text_leaves_open_who_acts_the_agent_may_try_the_customers_tool_first() -> None:
    # Recall needs competence and the mistake needs its lack, so a seed with both is looked for.
    half = provider(0.5)
    tries = [play(half, UNOWNED, ABROAD, POOR_VPN, solved_by=["run_speed_test"], seed=n) for n in range(40)]
    mistaken = [done for done in tries if done.count("disconnect_vpn") == 2]
    assert mistaken
    assert all(done.count("disconnect_vpn") <= 2 for done in tries)
    assert all(play(SURE, UNOWNED, ABROAD, POOR_VPN, seed=n).count("disconnect_vpn") == 1 for n in range(40))


def test_it_learns_from_repeated_errors_whose_tools_they_are() -> None:
    text = "\n".join(
        (
            "If Data Saver is active, use toggle_data_saver_mode.",
            UNOWNED,
            "If the network mode is 2G, use set_network_mode_preference to choose 4g_5g_preferred.",
            "If the mobile data switch is off, use toggle_data.",
            "If Airplane Mode is ON, use toggle_airplane_mode to end flight mode.",
        )
    )
    bad = {
        **POOR_VPN,
        "check_data_restriction_status": "Data Saver mode is ON",
        "check_network_mode_preference": "Network Mode Preference: 2g_only",
        "check_network_status": "Airplane Mode: ON\nMobile Data Enabled: No",
    }
    for seed in range(60):
        done = play(provider(0.6), text, ABROAD, bad, seed=seed)
        errors = sum(done.count(tool) - 1 for tool in set(done) if done.count(tool) == 2)
        assert errors <= OWNER_ERRORS_UNTIL_LEARNT


def test_it_asks_for_a_number_it_was_not_given() -> None:
    turns = (ChatMessage("assistant", GREETING), ChatMessage("user", "My phone shows no service."))
    reply = SURE.complete(conversation("agent", policy(VPN), turns))
    assert "phone number" in (reply.content or "")


def test_length_alone_makes_it_forget() -> None:
    curve = CurveConfig(floor=0.0, ceiling=1.0, half_length=2000.0, slope=2.0)
    rates = ReflectorRates(wrong=0.0, overgeneral=0.0)
    config = SimulatedConfig(curve=curve, reference_curve=constant_curve(1.0), reflector=rates)
    model = SimulatedProvider(config, curve)
    assert recalls(model, VPN, 60) > 45
    assert recalls(model, VPN + "\n" + "Be kind to every caller. " * 200, 60) < 25
