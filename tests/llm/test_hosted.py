"""One call's way: kept answers are free, failures are counted by kind, money is counted once."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from tests.llm.scripted_provider import CALL, MODEL, REQUEST, ScriptedProvider, door_to, said, settings

from holdcourse.errors import HoldcourseError
from holdcourse.llm.budget import Budget
from holdcourse.llm.call_log import read_calls
from holdcourse.llm.chat import ChatMessage, Sampling
from holdcourse.llm.deadline import StoppedError, stopping_with, time_limit
from holdcourse.llm.failures import (
    AuthenticationError,
    BadRequestError,
    BudgetReachedError,
    MalformedReplyError,
    RateLimitedError,
    ReplayMissError,
    ServerError,
    TimedOutError,
)
from holdcourse.llm.retries import FailedTryError

PRICE = (100 * 1.0 + 10 * 2.0) / 1e6


def failing(kind=ServerError, again=True, **more) -> FailedTryError:
    return FailedTryError(kind("broken"), again=again, **more)


def spent(folder):
    return Budget(folder / "study" / "journal" / "budget.json", settings(folder).llm.budget).spent()


@pytest.mark.parametrize("answer", [said(), CALL, said("grüße \u2028 ok")])
def test_an_answer_is_asked_once_and_then_kept(tmp_path, answer):
    provider = ScriptedProvider(answer)
    first = door_to(tmp_path, provider).complete(REQUEST)
    second = door_to(tmp_path, provider).complete(REQUEST)
    assert len(provider.asked) == 1
    assert (first.content, first.tool_calls, first.stop_reason) == (
        answer.content,
        answer.tool_calls,
        answer.stop_reason,
    )
    assert replace(second, cached=False) == first
    assert second.cached
    assert first.cost_usd == pytest.approx(PRICE)
    assert spent(tmp_path).known_usd == pytest.approx(PRICE)


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, trial=1),
        replace(REQUEST, role="user"),
        replace(REQUEST, sampling=Sampling(seed=6)),
        replace(REQUEST, messages=(ChatMessage("user", "else"),)),
    ],
)
def test_another_request_is_another_call(tmp_path, other):
    provider = ScriptedProvider(said())
    door = door_to(tmp_path, provider)
    door.complete(REQUEST)
    assert not door.complete(other).cached


@pytest.mark.parametrize("answer", [said("I was", "length"), said(None, "refusal")])
def test_refusals_and_cut_off_answers_are_never_kept(tmp_path, answer):
    provider = ScriptedProvider(answer)
    door = door_to(tmp_path, provider)
    assert door.complete(REQUEST).stop_reason == door.complete(REQUEST).stop_reason == answer.stop_reason
    assert len(provider.asked) == 2
    outcomes = [row["outcome"] for row in read_calls(tmp_path / "calls.jsonl")]
    assert outcomes == [{"length": "cut_off", "refusal": "refused"}[answer.stop_reason]] * 2


def test_an_empty_answer_is_asked_again_with_another_seed_and_all_is_paid(tmp_path):
    provider = ScriptedProvider(said(""), said("fine"))
    reply = door_to(tmp_path, provider).complete(REQUEST)
    assert reply.content == "fine"
    assert [repeat for _, _, repeat in provider.asked] == [0, 1]
    assert (reply.attempts, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (2, 200, 20)
    assert reply.cost_usd == pytest.approx(2 * PRICE)
    assert spent(tmp_path).calls == 2


def test_an_answer_that_stays_empty_is_handed_back_and_kept(tmp_path):
    provider = ScriptedProvider(said(" \n"))
    door = door_to(tmp_path, provider)
    assert door.complete(REQUEST).content == " \n"
    assert door.complete(REQUEST).cached
    assert len(provider.asked) == 2


def test_tool_arguments_that_stay_unreadable_fail_and_are_paid(tmp_path):
    provider = ScriptedProvider(said(None, "tool_calls", malformed="arguments of f: no object"))
    with pytest.raises(MalformedReplyError, match="arguments of f"):
        door_to(tmp_path, provider).complete(REQUEST)
    assert len(provider.asked) == 2
    (line,) = read_calls(tmp_path / "calls.jsonl")
    assert (line["outcome"], line["attempts"], line["prompt_tokens"]) == ("malformed_reply", 2, 200)
    assert line["cost_usd"] == pytest.approx(2 * PRICE)
    assert spent(tmp_path).calls == 2


def test_a_passing_fault_is_tried_again(tmp_path):
    provider = ScriptedProvider(failing(), failing(RateLimitedError, retry_after_s=0.001), said())
    reply = door_to(tmp_path, provider).complete(REQUEST)
    assert (reply.content, reply.attempts, reply.usage.prompt_tokens) == ("fine", 3, 100)


@pytest.mark.parametrize(("again", "tries"), [(True, 3), (False, 1)])
def test_a_lasting_fault_fails_by_its_kind_and_costs_nothing(tmp_path, again, tries):
    kind = ServerError if again else BadRequestError
    provider = ScriptedProvider(failing(kind, again))
    with pytest.raises(kind):
        door_to(tmp_path, provider).complete(REQUEST)
    (line,) = read_calls(tmp_path / "calls.jsonl")
    assert (line["outcome"], line["attempts"], line["cost_usd"]) == (kind.kind, tries, 0.0)
    assert len(provider.asked) == tries
    assert spent(tmp_path).calls == 0


def test_what_timed_out_keeps_its_estimate_since_it_was_likely_paid(tmp_path):
    with pytest.raises(TimedOutError):
        door_to(tmp_path, ScriptedProvider(failing(TimedOutError))).complete(REQUEST)
    (line,) = read_calls(tmp_path / "calls.jsonl")
    assert line["cost_usd"] == "unknown"
    assert spent(tmp_path).calls == 1


def test_an_error_that_stops_the_job_is_not_tried_again_and_gives_its_reservation_back(tmp_path):
    provider = ScriptedProvider(AuthenticationError("no such key"))
    with pytest.raises(AuthenticationError):
        door_to(tmp_path, provider).complete(REQUEST)
    assert len(provider.asked) == 1
    assert spent(tmp_path).calls == 0


def test_replay_answers_from_the_cache_alone(tmp_path):
    recorded = door_to(tmp_path, ScriptedProvider(said())).complete(REQUEST)
    nobody = ScriptedProvider(AssertionError("replay must not ask"))
    door = door_to(tmp_path, nobody, mode="replay")
    assert replace(door.complete(REQUEST), cached=False) == recorded
    with pytest.raises(ReplayMissError) as caught:
        door.complete(replace(REQUEST, trial=2))
    for part in ("role agent", MODEL, "trial 2", replace(REQUEST, trial=2).digest, "how is the weather"):
        assert part in str(caught.value)
    assert nobody.asked == []


def test_an_unknown_price_stays_unknown(tmp_path):
    door = door_to(tmp_path, ScriptedProvider(said()))
    assert door.complete(replace(REQUEST, model="null")).cost_usd is None
    assert door.complete(replace(REQUEST, model="missing")).cost_usd is None
    door.complete(REQUEST)
    assert spent(tmp_path).usd is None
    assert spent(tmp_path).unpriced_calls == 2
    costs = [row["cost_usd"] for row in read_calls(tmp_path / "calls.jsonl")]
    assert costs == ["unknown", "unknown", pytest.approx(PRICE)]


# The first call is estimated at 256 tokens of answer, the next ones at the 10 that were measured.
@pytest.mark.parametrize("limit", [{"calls": 3}, {"usd": 0.00065}, {"tokens": 450}])
def test_a_budget_stops_before_the_call_that_would_pass_it(tmp_path, limit):
    provider = ScriptedProvider(said())
    door = door_to(tmp_path, provider, budget=limit)
    asked = replace(REQUEST, messages=(ChatMessage("user", "word" * 100),))
    name, most = next(iter(limit.items()))

    def spend_all() -> None:
        for trial in range(50):
            door.complete(replace(asked, trial=trial))

    with pytest.raises(BudgetReachedError, match=rf"llm\.budget\.{name}.*it has spent"):
        spend_all()
    used = spent(tmp_path)
    assert {"calls": used.calls, "usd": used.known_usd, "tokens": used.tokens}[name] <= most
    assert used.calls == len(provider.asked) >= 2
    assert door.complete(replace(asked, trial=0)).cached
    more = door_to(tmp_path, provider, budget={name: most * 2})
    assert not more.complete(replace(asked, trial=49)).cached


def test_a_limit_in_dollars_needs_a_price(tmp_path):
    door = door_to(tmp_path, ScriptedProvider(said()), budget={"usd": 1.0})
    with pytest.raises(HoldcourseError, match=r"price of null is unknown.*conf/prices"):
        door.complete(replace(REQUEST, model="null"))


def test_threads_that_ask_the_same_ask_once(tmp_path):
    provider = ScriptedProvider(said())
    door = door_to(tmp_path, provider)
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(door.complete(REQUEST))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(provider.asked) == 1
    assert sorted(reply.cached for reply in replies) == [False] + [True] * 7


def test_without_a_cache_every_call_is_asked(tmp_path):
    provider = ScriptedProvider(said())
    door = door_to(tmp_path, provider, cache=None)
    door.complete(REQUEST)
    assert not door.complete(REQUEST).cached
    assert len(provider.asked) == 2


def test_a_call_takes_no_longer_than_what_is_left_of_its_simulation(tmp_path):
    provider = ScriptedProvider(said())
    door = door_to(tmp_path, provider)
    with time_limit(2.0):
        door.complete(REQUEST)
    assert 0 < provider.asked[0][1] <= 2.0
    with pytest.raises(TimedOutError), time_limit(0.0):
        door.complete(replace(REQUEST, trial=1))
    assert len(provider.asked) == 1


def test_work_that_was_given_up_asks_nothing_more(tmp_path):
    provider, event = ScriptedProvider(said()), threading.Event()
    event.set()
    with pytest.raises(StoppedError), stopping_with(event):
        door_to(tmp_path, provider).complete(REQUEST)
    assert provider.asked == []


def test_a_key_that_comes_back_is_in_no_answer_and_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "planted-Zq7wN3x")
    provider = ScriptedProvider(said("your key is planted-Zq7wN3x"))
    reply = door_to(tmp_path, provider).complete(REQUEST)
    assert reply.content == "your key is [SOME_API_KEY redacted]"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"planted-Zq7wN3x" in path.read_bytes()] == []
