"""Prices, the ledger of calls, time limits: small rules worked out by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest
from tests.llm.scripted_provider import REQUEST

from holdcourse.config.compose import compose
from holdcourse.config.llm import ModelPrice, PricesConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.call_log import CallLog, read_calls
from holdcourse.llm.chat import ChatMessage, ChatReply, ChatRequest, ToolSpec, Usage
from holdcourse.llm.deadline import remaining_s, time_limit
from holdcourse.llm.failures import TimedOutError
from holdcourse.llm.ledger import line_of
from holdcourse.llm.prices import cost_of, estimated_prompt_tokens

LINE = line_of(REQUEST, ChatReply("x", (), "stop", Usage(3, 5), None, 0.25))
PRICES = PricesConfig(
    date="2026-11",
    source="made up",
    models={
        "full": ModelPrice(prompt=2.0, cached_prompt=0.5, completion=10.0),
        "plain": ModelPrice(prompt=2.0, completion=10.0),
        "null": None,
    },
)


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("full", Usage(1_000_000, 100_000), 3.0),
        ("full", Usage(1_000_000, 0, 400_000), 1.2 + 0.2),
        ("plain", Usage(1_000_000, 0, 400_000), 2.0),
        ("full", Usage(0, 0), 0.0),
        ("null", Usage(0, 0), None),
        ("missing", Usage(0, 0), None),
    ],
)
def test_a_call_costs_its_tokens(model, usage, dollars):
    assert cost_of(PRICES, model, usage) == (None if dollars is None else pytest.approx(dollars))


def test_the_shipped_prices_say_their_date_and_leave_unknown_what_they_do_not_know():
    prices = compose("paper").prices
    assert prices.date == "2026-11"
    assert cost_of(prices, "gemini/gemini-2.5-flash", Usage(1_000_000, 1_000_000)) == pytest.approx(2.80)
    assert cost_of(prices, "gemini/gemini-3.1-pro", Usage(1, 1)) is None


def test_an_estimate_counts_tools_too():
    plain = ChatRequest("agent", "m", (ChatMessage("user", "x" * 400),))
    tooled = ChatRequest("agent", "m", plain.messages, (ToolSpec("f", "y" * 400, {}),))
    assert estimated_prompt_tokens(plain) == 101
    assert 200 <= estimated_prompt_tokens(tooled) <= 220


def test_a_line_is_there_when_append_returns(tmp_path):
    log = CallLog(tmp_path / "deep" / "calls.jsonl")
    log.append(LINE, "answered")
    (row,) = read_calls(log.path)
    assert row["cost_usd"] == "unknown"
    assert (row["outcome"], row["prompt_tokens"], row["subject"]) == ("answered", 3, REQUEST.digest[:16])
    assert row["at"] == pytest.approx(time.time(), abs=60)


def test_a_killed_process_leaves_whole_lines(tmp_path):
    program = (
        "import pathlib, sys\n"
        "from tests.llm.test_ledger_of_calls import LINE, CallLog\n"
        "log = CallLog(pathlib.Path(sys.argv[1]))\n"
        "while True: log.append(LINE, 'answered'); print('.', flush=True)\n"
    )
    path = tmp_path / "calls.jsonl"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for _ in range(2)
    ]
    written = 0
    for process in processes:
        written += sum(process.stdout.readline() == ".\n" for _ in range(50))
        process.kill()
        process.wait()
    assert len(read_calls(path)) >= written == 100


def test_a_line_that_was_cut_off_at_the_end_is_left_out_and_another_is_named(tmp_path):
    path = tmp_path / "calls.jsonl"
    CallLog(path).append(LINE, "answered")
    path.write_bytes(path.read_bytes() + b'{"role": "ag')
    assert len(read_calls(path)) == 1
    path.write_bytes(b"junk\n" + json.dumps({}).encode() + b"\n")
    with pytest.raises(HoldcourseError, match="line 1"):
        read_calls(path)


def test_limits_nest_and_end():
    assert remaining_s(7.0) == 7.0
    with time_limit(3.0):
        assert 2.0 < remaining_s(7.0) <= 3.0
        with time_limit(1.0):
            assert remaining_s(7.0) <= 1.0
        with time_limit(None):
            assert 2.0 < remaining_s(7.0) <= 3.0
    with pytest.raises(TimedOutError, match="of 0 s"), time_limit(0.0):
        remaining_s(7.0)
    assert remaining_s(7.0) == 7.0
