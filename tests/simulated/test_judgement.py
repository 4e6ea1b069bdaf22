from hypothesis import given
from hypothesis import strategies as st

from holdcourse.simulated.judgement import (
    adds_detail,
    contradicts,
    more_specific,
    redundant,
    same_subject,
    states,
    without_stance,
)
from holdcourse.simulated.reading import read
from holdcourse.simulated.verdict import Party, judge

FIX = "If Data Saver is on, have the customer turn it off."
SAME_FIX = "Ask the customer to disable Data Saver once check_data_restriction_status shows it active."
FORBID = "Never have the customer switch Data Saver off."
BLIND = "Always have the customer switch Data Saver off without checking."
HAND_OVER = "When Data Saver is on, transfer the customer to a human."
OTHER = "If a slow VPN is connected, have the customer disconnect it."
FACT = "Data Saver throttles everything the phone does online."
TEXTS = st.sampled_from(
    [FIX, SAME_FIX, FORBID, BLIND, HAND_OVER, OTHER, FACT, "Be polite at all times, please."]
)


def test_a_common_setting_is_a_common_subject() -> None:
    assert same_subject(read(FIX), read(FACT))
    assert not same_subject(read(FIX), read(OTHER))
    assert same_subject(read("Greet the caller by name."), read("Greet every caller by their name."))


def test_different_stances_on_one_setting_contradict() -> None:
    for other in (FORBID, BLIND, HAND_OVER):
        assert contradicts(read(FIX), read(other))
    assert not contradicts(read(FIX), read(SAME_FIX))
    assert not contradicts(read(FORBID), read(OTHER))


def test_leaving_alone_and_handing_over_go_together_unless_there_is_no_other_remedy() -> None:
    assert not contradicts(read(FORBID), read(HAND_OVER))
    locked = read("If the SIM is locked by its PIN, transfer to a human.")
    assert contradicts(locked, read("Do not transfer customers whose SIM is locked by a PIN."))


def test_paraphrases_of_a_rule_are_redundant_and_a_fact_beside_a_rule_is_not() -> None:
    assert redundant(read(FIX), read(SAME_FIX))
    assert not redundant(read(FIX), read(FACT))
    assert not redundant(read(FIX), read(FORBID))
    assert redundant(
        read("Greet every caller warmly by name."), read("Greet every caller warmly by their name.")
    )
    assert not redundant(read("customer ID"), read("customer ID"))


def test_the_one_that_says_more_is_more_specific() -> None:
    assert more_specific(read(FIX), read("Turn Data Saver off."))
    assert states(read(FIX), read("Turn Data Saver off."))
    assert adds_detail(read(FIX), read("Turn Data Saver off."))
    assert not adds_detail(read("Turn Data Saver off."), read(FIX))


def test_only_the_sentence_that_contradicts_is_cut() -> None:
    text = f"Be brief. {FORBID} {OTHER}"
    assert without_stance(text, "data_saver", "forbid") == f"Be brief. {OTHER}"
    assert without_stance(FORBID, "data_saver", "forbid") == ""


@given(TEXTS, TEXTS)
def test_issues_do_not_depend_on_the_order_of_the_pair(first: str, second: str) -> None:
    a, b = read(first), read(second)
    assert same_subject(a, b) == same_subject(b, a)
    assert contradicts(a, b) == contradicts(b, a)
    assert redundant(a, b) == redundant(b, a)
    assert not (more_specific(a, b) and more_specific(b, a))
    assert not (contradicts(a, b) and redundant(a, b))
    assert not contradicts(a, a)


def verdict(
    first: str, second: str, grounds: tuple[set[str], set[str]] = (set(), set())
) -> tuple[str, bool] | None:
    """Kind of the issue and whether the first gives way."""
    parties = [Party(t, read(t), frozenset(g)) for t, g in zip((first, second), grounds, strict=True)]
    found = judge(*parties)
    return (found.kind, found.first_gives_way) if found else None


def test_a_contradiction_costs_the_one_with_fewer_grounds() -> None:
    assert verdict(FIX, FORBID, (set(), {"k1"})) == ("contradiction", True)
    assert verdict(FIX, FORBID, ({"k1"}, set())) == ("contradiction", False)


def test_then_the_one_without_a_condition() -> None:
    assert verdict(FIX, FORBID) == ("contradiction", False)
    assert verdict(BLIND, FIX) == ("contradiction", True)


def test_then_the_older() -> None:
    assert verdict(FIX, HAND_OVER) == ("contradiction", True)
    assert verdict(HAND_OVER, FIX) == ("contradiction", True)


def test_a_redundancy_costs_the_one_that_says_less() -> None:
    assert verdict(SAME_FIX, FIX) == ("redundancy", False)
    assert verdict(FIX, SAME_FIX) == ("redundancy", True)


def test_rules_on_different_grounds_are_not_redundant() -> None:
    assert verdict(FIX, SAME_FIX, ({"k1"}, {"k2"})) is None
    assert verdict(FIX, SAME_FIX, ({"k1"}, {"k1", "k2"})) == ("redundancy", True)


def test_what_is_not_at_issue_has_no_verdict() -> None:
    assert verdict(FIX, OTHER) is None
    assert verdict(FIX, FACT) is None
