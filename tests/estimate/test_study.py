"""Dollars, hours, what a cache saves, and that an unknown price is unknown in every sum."""

import json

import pytest
from tests.estimate.small_study import PRICES, arms_of, flat, study

from holdcourse.estimate.hours import hours
from holdcourse.estimate.money import Money, price, total
from holdcourse.estimate.study import Held, as_json, estimate
from holdcourse.estimate.table import dollars
from holdcourse.estimate.volumes import Unit, Volume

FLASH, PRO = "gemini/gemini-2.5-flash", "gemini/gemini-3.1-pro"


def calls(model=FLASH, calls=1.0, prompt=0.0, completion=0.0, seconds=0.0):
    return Volume("evaluate", "agent", model, calls, prompt, completion, seconds)


def test_tokens_cost_what_the_price_list_says():
    assert price(calls(prompt=2e6, completion=1e5), PRICES, 0.0).usd == pytest.approx(2.0 + 1.0)


def test_a_cached_share_of_the_prompt_is_cheaper():
    assert price(calls(prompt=2e6), PRICES, 0.5).usd == pytest.approx(1.0 + 0.5)


def test_an_unknown_price_is_unknown_and_never_nothing():
    assert price(calls(PRO, prompt=1e6), PRICES, 0.0).usd is None


@pytest.mark.parametrize("model", ["simulated/agent", "simulated/reference"])
def test_the_offline_model_is_free(model):
    assert price(calls(model, prompt=1e9), PRICES, 0.0) == Money(0.0)


def test_calls_that_are_not_made_cost_nothing_whatever_their_price():
    assert price(calls(PRO, calls=0.0), PRICES, 0.0) == Money(0.0)


def test_one_unknown_makes_a_sum_unknown_with_the_known_part_as_a_bound():
    summed = total([Money(1.5), Money(0.0, (PRO,)), Money(2.0)])
    assert summed.usd is None
    assert summed == Money(3.5, (PRO,))
    assert dollars(summed) == "unknown (at least $3.50)"
    assert dollars(Money(0.0, (PRO,))) == "unknown"
    assert dollars(Money(1234.5)) == "$1,234.50"


def test_the_study_is_unknown_where_its_reference_model_is():
    config = study()
    mid = estimate(config, arms_of(config))["mid"]
    assert mid.money.usd is None
    assert mid.money.unpriced == (PRO,)
    assert mid.money.known_usd > 0
    by_role = {(row.volume.stage, row.volume.role): row.money.usd for row in mid.rows}
    assert by_role["reference", "reference_agent"] is None
    assert by_role["reference", "user"] == pytest.approx(60 * (50 * 1.0 + 5 * 10.0) / 1e6)


def test_what_the_cache_holds_is_subtracted_by_role_and_model():
    config = study()
    held = [Held("agent", FLASH, 30), Held("agent", PRO, 10), Held("planner", FLASH, 99)]
    before, after = (estimate(config, arms_of(config), answers)["mid"] for answers in ((), held))
    left = {(row.volume.stage, row.volume.role): row.volume.calls for row in after.rows}
    assert left["evolve", "agent"] == 0
    assert left["evaluate", "agent"] == 200 - 6
    assert left["reference", "reference_agent"] == 30
    assert left["evolve", "planner"] == 0
    assert after.answered == 24 + 6 + 10 + 2
    assert before.calls - after.calls == after.answered
    assert after.money.known_usd < before.money.known_usd


def test_a_cache_that_holds_all_leaves_nothing_to_pay_or_wait_for():
    config = study()
    roles = {(row.volume.role, row.volume.model) for row in estimate(config, arms_of(config))["mid"].rows}
    held = [Held(role.removeprefix("reference_"), model, 10_000) for role, model in sorted(roles)]
    done = estimate(config, arms_of(config), held)["mid"]
    assert (done.calls, done.money.usd, done.hours) == (0, 0.0, 0.0)


def test_the_cases_are_in_order():
    config = study(reasoning_tokens=flat(1.0).model_copy(update={"high": 50.0}))
    low, mid, high = estimate(config, arms_of(config)).values()
    assert low.money.known_usd < mid.money.known_usd < high.money.known_usd
    assert low.hours <= mid.hours <= high.hours


def test_as_json_says_unknown_in_words():
    config = study()
    record = json.loads(json.dumps(as_json(estimate(config, arms_of(config)))))
    assert record["mid"]["total"]["usd"] == "unknown"
    assert record["mid"]["total"]["unpriced_models"] == [PRO]
    assert {row["stage"] for row in record["high"]["rows"]} == {
        "initial",
        "evolve",
        "evaluate",
        "reference",
        "audit",
    }


def unit(chain, conversations, seconds, model=FLASH):
    return Unit(chain, conversations, (calls(model, seconds=seconds),), ())


def test_jobs_of_one_chain_wait_for_each_other():
    config = study("llm.concurrency.simulations=5")
    # Two jobs of one chain, each two waves of five conversations of 900 s.
    assert hours([unit("a", 10, 900.0), unit("a", 10, 900.0)], config) == pytest.approx(1.0)


def test_more_chains_than_jobs_share_them():
    config = study("llm.concurrency.simulations=5")
    chains = [unit(name, 5, 3600.0) for name in "abcd"]
    # Four hours of work for two jobs at once.
    assert hours(chains, config) == pytest.approx(2.0)


def test_a_model_answers_only_so_many_calls_at_once():
    config = study("llm.concurrency.simulations=100", "llm.concurrency.start=2", "llm.concurrency.max=2")
    assert hours([unit("a", 100, 3600.0)], config) == pytest.approx(50.0)


def test_the_offline_model_is_not_waited_for():
    assert hours([unit("a", 10, 900.0, "simulated/agent")], study()) == 0.0
