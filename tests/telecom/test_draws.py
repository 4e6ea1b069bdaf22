from hypothesis import given
from hypothesis import strategies as st

from holdcourse.telecom.draws import derive_seed, ordered_by_hash
from holdcourse.telecom.tasks import load_catalogue


@given(st.integers(0, 2**40), st.text(), st.integers(0, 100))
def test_a_seed_has_31_bits(seed, task, trial):
    assert 0 <= derive_seed(seed, task, trial) < 2**31


def test_seed_trial_and_task_all_matter_and_seed_0_is_a_seed():
    seeds = [derive_seed(seed, task, trial) for seed in range(5) for task in "abc" for trial in range(3)]
    assert len(set(seeds)) == 45
    assert derive_seed(0, "a", 0) == 1946361465


@given(st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_the_tasks_come(random):
    tasks = list(load_catalogue()[:30])
    expected = ordered_by_hash(tasks, "purpose", 0)
    random.shuffle(tasks)
    assert ordered_by_hash(tasks, "purpose", 0) == expected


def test_the_order_depends_on_the_purpose():
    tasks = load_catalogue()[:30]
    assert ordered_by_hash(tasks, "experience", 0) != ordered_by_hash(tasks, "experience", 1)
