import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdcourse.config.schema import ProtocolConfig
from holdcourse.errors import HoldcourseError
from holdcourse.telecom.data import full_policy, main_policy
from holdcourse.telecom.protocol import Protocol, draw_protocol, initial_instruction_text, phase_of
from holdcourse.telecom.tasks import load_catalogue, task_info


def changed(config: ProtocolConfig, **values: object) -> ProtocolConfig:
    return ProtocolConfig.model_validate(config.model_dump() | values)


@pytest.mark.parametrize("seed", range(10))
def test_ten_batches_of_twenty_fit_beside_the_heldout_tasks(protocol_config, seed):
    protocol = draw_protocol(load_catalogue(), protocol_config, seed)
    drawn = [task for batch in protocol.batches for task in batch.tasks]
    assert [len(batch.tasks) for batch in protocol.batches] == [20] * 10
    assert len(set(drawn)) == 200
    assert not set(drawn) & set(protocol.heldout)


def test_the_mixture_follows_the_phase(protocol_config):
    protocol = draw_protocol(load_catalogue(), protocol_config, 0)
    assert "".join(batch.phase for batch in protocol.batches) == "AABBAABBAA"
    for batch in protocol.batches:
        counts = Counter(task_info(task).intent for task in batch.tasks)
        mostly, little = (
            ("mobile_data_issue", "mms_issue") if batch.phase == "A" else ("mms_issue", "mobile_data_issue")
        )
        assert counts == {mostly: 14, little: 3, "service_issue": 3}


def test_seeds_share_the_heldout_tasks_and_differ_in_experience(protocol_config):
    protocols = [draw_protocol(load_catalogue(), protocol_config, seed) for seed in range(3)]
    assert len({protocol.heldout for protocol in protocols}) == 1
    assert len({protocol.batches for protocol in protocols}) == 3


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), random=st.randoms(use_true_random=False))
def test_a_draw_depends_on_seed_and_tasks_only(seed, random):
    config = ProtocolConfig(
        heldout_size=6,
        heldout_intents={"mobile_data_issue": 0.5, "mms_issue": 0.5},
        max_transfer_expected=1,
        batches=3,
        batch_size=4,
        batches_per_phase=1,
        phases=("B", "A"),
        mixture={"A": {"mms_issue": 1.0}, "B": {"mobile_data_issue": 1.0}},
        initial_instruction="main_policy",
    )
    tasks = list(load_catalogue()[::8])
    expected = draw_protocol(tasks, config, seed)
    random.shuffle(tasks)
    assert draw_protocol(tasks, config, seed) == expected
    assert [batch.phase for batch in expected.batches] == ["B", "A", "B"]


def test_a_protocol_survives_its_file(protocol_config):
    protocol = draw_protocol(load_catalogue(), protocol_config, 0)
    assert Protocol.from_json(json.loads(json.dumps(protocol.to_json()))) == protocol


def test_a_file_that_is_no_protocol_is_refused(protocol_config):
    with pytest.raises(HoldcourseError, match=r"not a protocol \(heldout"):
        Protocol.from_json({"seed": 0, "batches": [], "data_digest": ""})
    whole = draw_protocol(load_catalogue(), protocol_config, 0).to_json()
    with pytest.raises(HoldcourseError, match="drawn from a task file with SHA-256 000000000000…"):
        Protocol.from_json(whole | {"data_digest": "0" * 64})


def test_batches_are_numbered_from_one(protocol_config):
    protocol = draw_protocol(load_catalogue(), protocol_config, 0)
    assert protocol.batch(1) == protocol.batches[0]
    assert protocol.batch(10) == protocol.batches[9]
    for number in (0, 11):
        with pytest.raises(HoldcourseError, match="batches 1 to 10"):
            protocol.batch(number)
        with pytest.raises(HoldcourseError, match="gives 1 to 10"):
            phase_of(number, protocol_config)


def test_more_experience_than_there_is_names_what_to_lower(protocol_config):
    with pytest.raises(HoldcourseError, match=r"ask for 4000 tasks.*are 2219; lower protocol.batch_size"):
        draw_protocol(load_catalogue(), changed(protocol_config, batch_size=400), 0)
    with pytest.raises(HoldcourseError, match=r"asks for 60 service_issue tasks.*there are 37; lower"):
        draw_protocol(load_catalogue(), changed(protocol_config, batch_size=40), 0)


def test_the_first_instruction_is_a_policy_or_a_file(protocol_config, tmp_path):
    assert initial_instruction_text(protocol_config) == main_policy()
    full = changed(protocol_config, initial_instruction="full_policy")
    assert initial_instruction_text(full) == full_policy()
    own = tmp_path / "own.md"
    own.write_bytes("Be kind – always.\n".encode())
    config = changed(protocol_config, initial_instruction="file", initial_instruction_file=str(own))
    assert initial_instruction_text(config) == "Be kind – always.\n"


@pytest.mark.parametrize(
    ("content", "complaint"), [(b" \n", "is empty"), (b"caf\xe9", "not UTF-8"), (None, "is not a file")]
)
def test_a_first_instruction_that_cannot_be_used_is_named(protocol_config, tmp_path, content, complaint):
    own = tmp_path / "own.md"
    if content is not None:
        own.write_bytes(content)
    config = changed(protocol_config, initial_instruction="file", initial_instruction_file=str(own))
    with pytest.raises(HoldcourseError, match=rf"own\.md.*{complaint}"):
        initial_instruction_text(config)
