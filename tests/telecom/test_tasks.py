from collections import Counter

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.telecom.tasks import load_catalogue, load_tasks, task_hash, task_info, tasks_of_intent

ROAMING = "[mobile_data_issue]user_abroad_roaming_enabled_off[PERSONA:None]"


def test_the_catalogue_holds_every_shipped_task_once():
    catalogue = load_catalogue()
    assert len({task.id for task in catalogue}) == 2285
    assert Counter(task.intent for task in catalogue) == {
        "service_issue": 47,
        "mobile_data_issue": 254,
        "mms_issue": 1984,
    }


def test_only_service_tasks_expect_a_transfer():
    expecting = [task for task in load_catalogue() if task.transfer_expected]
    assert Counter(task.intent for task in expecting) == {"service_issue": 32}


def test_an_id_is_taken_apart():
    task = task_info("[service_issue]airplane_mode_on|lock_sim_card_pin[PERSONA:Easy]")
    assert task.issues == ("airplane_mode_on", "lock_sim_card_pin")
    assert (task.intent, task.persona, task.transfer_expected) == ("service_issue", "Easy", True)


def test_only_the_asked_tasks_are_loaded_in_the_order_asked():
    last = load_catalogue()[-1].id
    tasks = load_tasks([last, ROAMING])
    assert list(tasks) == [last, ROAMING]
    assert tasks[ROAMING].evaluation_criteria.actions[0].name == "toggle_roaming"


def test_an_unknown_task_is_named_with_its_nearest_known():
    with pytest.raises(HoldcourseError, match=r"toggle_off.*nearest: .*roaming_enabled_off") as caught:
        load_tasks(["[mobile_data_issue]user_abroad_roaming_toggle_off[PERSONA:None]"])
    assert ROAMING in str(caught.value)
    with pytest.raises(HoldcourseError, match="unknown task 'nothing of the kind'"):
        task_info("nothing of the kind")


def test_an_unknown_intent_is_named_with_the_known_ones():
    with pytest.raises(HoldcourseError, match=r"'mms'; telecom has service_issue.*did you mean mms_issue"):
        tasks_of_intent(load_catalogue(), "mms")


def test_a_hash_can_be_part_of_a_file_name():
    hashes = {task_hash(task.id) for task in load_catalogue()}
    assert len(hashes) == 2285
    assert all(text.isalnum() and len(text) == 12 for text in hashes)
