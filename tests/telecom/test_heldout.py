from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdcourse.config.schema import ProtocolConfig
from holdcourse.errors import HoldcourseError
from holdcourse.telecom.heldout import draw_heldout
from holdcourse.telecom.tasks import load_catalogue, task_info


def changed(config: ProtocolConfig, **values: object) -> ProtocolConfig:
    return ProtocolConfig.model_validate(config.model_dump() | values)


def test_strata_by_intent_and_number_of_issues(protocol_config):
    drawn = [task_info(task) for task in draw_heldout(load_catalogue(), protocol_config)]
    strata = Counter((task.intent, len(task.issues)) for task in drawn)
    # mms: 28 seats over 6/54/202/421/543/448/232/69/9 tasks; single issues get a seat, 0.08 is due.
    assert [strata["mms_issue", size] for size in range(1, 10)] == [1, 1, 2, 6, 7, 6, 3, 1, 1]
    # mobile data: 28 seats over 8/33/65/75/51/19/3 tasks.
    assert [strata["mobile_data_issue", size] for size in range(1, 8)] == [1, 4, 7, 8, 5, 2, 1]
    assert sum(strata["service_issue", size] for size in range(1, 6)) == 10
    assert all(strata["service_issue", size] for size in range(1, 6))


def test_transfer_expected_tasks_stay_within_their_allowance(protocol_config):
    for allowance in (0, 1, 4):
        config = changed(protocol_config, max_transfer_expected=allowance)
        drawn = [task_info(task) for task in draw_heldout(load_catalogue(), config)]
        assert len(drawn) == 66
        assert sum(task.transfer_expected for task in drawn) <= allowance


def test_more_than_there_are_of_an_intent_names_what_to_lower(protocol_config):
    config = changed(protocol_config, heldout_size=200)
    with pytest.raises(HoldcourseError) as caught:
        draw_heldout(load_catalogue(), config)
    message = str(caught.value)
    # 30 service tasks asked; 15 fixable ones and 4 that expect a transfer exist.
    assert "asks for 30 service_issue tasks" in message
    assert "there are 19" in message
    assert "lower protocol.heldout_size or protocol.heldout_intents.service_issue" in message


def test_more_than_there_are_in_all_names_what_to_lower(protocol_config):
    with pytest.raises(HoldcourseError, match="heldout_size=3000 asks for more tasks than the 2285"):
        draw_heldout(load_catalogue(), changed(protocol_config, heldout_size=3000))


@settings(max_examples=40)
@given(
    size=st.integers(1, 90),
    service=st.floats(0.0, 0.15),
    allowance=st.integers(0, 10),
)
def test_whatever_is_asked_is_drawn_exactly(size, service, allowance):
    rest = (1.0 - service) / 2
    config = ProtocolConfig(
        heldout_size=size,
        heldout_intents={"service_issue": service, "mobile_data_issue": rest, "mms_issue": rest},
        max_transfer_expected=allowance,
        batches=1,
        batch_size=1,
        batches_per_phase=1,
        phases=("A", "B"),
        mixture={"A": {"mms_issue": 1.0}, "B": {"mms_issue": 1.0}},
        initial_instruction="main_policy",
    )
    drawn = draw_heldout(load_catalogue(), config)
    assert len(drawn) == len(set(drawn)) == size
    assert sum(task_info(task).transfer_expected for task in drawn) <= allowance
