"""No model can tell which arm asks it: arms that bring the same text send the same requests, byte for byte.

The requests are those of the real path: conversations through τ²'s orchestrator, reflection, evolution and
audit, for each arm as conf/ composes it. The offline model is a function of them; so is any other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from functools import cache

import pytest

from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import ModelsConfig
from holdcourse.evolution.asking import Asker
from holdcourse.evolution.evolve import evolve_graph
from holdcourse.evolution.extraction import extract
from holdcourse.evolution.holistic import evolve_holistic
from holdcourse.evolution.reflection import reflect
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.llm.chat import ROLES, ChatModel, ChatReply, ChatRequest, Role, canonical_json
from holdcourse.llm.door import Door
from holdcourse.metrics.audit import audit
from holdcourse.stages.cutting import arm_config
from holdcourse.telecom.data import main_policy
from holdcourse.telecom.digest import failure_digests
from holdcourse.telecom.draws import derive_seed
from holdcourse.telecom.evaluation import RolloutPlan, attempt
from holdcourse.telecom.tasks import load_tasks

STUDY, SEED = "smoke", 73911
ARMS = ("grace", "grace_no_sa", "hce")
TASKS = (
    "[mms_issue]break_app_sms_permission[PERSONA:None]",
    "[mobile_data_issue]bad_vpn|data_saver_mode_on[PERSONA:None]",
    "[service_issue]airplane_mode_on|unseat_sim_card[PERSONA:None]",
)
ALL_ARMS_ASK: tuple[Role, ...] = ("agent", "user", "reflector", "auditor")
GRAPH_ARMS_ASK: tuple[Role, ...] = ("extractor", "planner", "relations", "reconstructor")


@dataclass
class Recorder:
    """A door that keeps what passes through it, by role."""

    door: ChatModel
    calls: dict[Role, list[tuple[ChatRequest, ChatReply]]] = field(default_factory=lambda: defaultdict(list))

    def complete(self, request: ChatRequest) -> ChatReply:
        reply = self.door.complete(request)
        self.calls[request.role].append((request, reply))
        return reply


@cache
def first_batch(arm: str) -> Recorder:
    """All requests and replies of an arm's first batch, from the operator's main policy."""
    config = arm_config(STUDY, arm, (f"seeds=[{SEED}]",))
    recorder = Recorder(Door(config.simulated))
    text = main_policy()
    plan = RolloutPlan(
        instruction=text,
        agent=config.models.agent,
        user=config.models.user,
        rollout=config.rollout,
        seed=SEED,
        door=lambda: recorder,
        transcripts=True,
    )
    tasks = load_tasks(TASKS)
    simulations = [attempt(plan, tasks[task], recorder, trial=0) for task in TASKS]
    models: dict[str, RoleModel] = {
        role: getattr(config.models, role) for role in ROLES if role in ModelsConfig.model_fields
    }
    ask = Asker(recorder, models, derive_seed(SEED, "evolution", 1), config.arm.reply_attempts)
    observation = reflect(failure_digests(simulations), ask).observation
    assert not observation.is_empty
    if config.arm.kind == "holistic":
        evolve_holistic(text, observation, ask)
    else:
        schema = NetworkSchema.from_config(config.graph)
        state = extract(text, schema, ask, config.graph.section_characters).state
        evolved = evolve_graph(state, observation, config.arm, schema, ask)
        # Repairs would give the two graph arms different texts to reconstruct, and rightly so.
        assert [evolved.analysis.count(kind) for kind in ("contradiction", "redundancy")] == [0, 0]
    audit(recorder, config.models.auditor, text, 0, repeats=2, attempts=1, seed=SEED)
    return recorder


@pytest.mark.parametrize("role", ALL_ARMS_ASK)
def test_all_arms_ask_and_are_answered_alike_about_the_same_text(role: Role) -> None:
    calls = first_batch("grace").calls[role]
    assert calls
    assert first_batch("grace_no_sa").calls[role] == calls == first_batch("hce").calls[role]


@pytest.mark.parametrize("role", GRAPH_ARMS_ASK)
def test_graph_arms_ask_and_are_answered_alike_about_the_same_graph(role: Role) -> None:
    calls = first_batch("grace").calls[role]
    assert calls
    assert first_batch("grace_no_sa").calls[role] == calls


def test_arms_differ_by_the_roles_they_ask_and_by_nothing_else() -> None:
    asked = {arm: {role for role, calls in first_batch(arm).calls.items() if calls} for arm in ARMS}
    both = {*ALL_ARMS_ASK, *GRAPH_ARMS_ASK}
    assert asked == {
        "grace": both | {"analyst"},
        "grace_no_sa": both,
        "hce": {*ALL_ARMS_ASK, "holistic", "guard"},
    }


@pytest.mark.parametrize("arm", ARMS)
def test_no_request_names_arm_label_task_seed_or_study(arm: str) -> None:
    labels = [arm_config(STUDY, name).arm.label for name in ARMS]
    # Of a task id, the part that names the faults is the gold label.
    faults = [re.sub(r"\[.*?\]", "", task) for task in TASKS]
    names = [*ARMS, *labels, *TASKS, *faults, *"|".join(faults).split("|"), STUDY, str(SEED)]
    forbidden = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), re.IGNORECASE)
    for calls in first_batch(arm).calls.values():
        for request, _ in calls:
            assert forbidden.findall(canonical_json(asdict(request))) == []
