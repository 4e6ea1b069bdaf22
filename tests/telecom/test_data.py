import hashlib

from holdcourse.telecom.data import data_digest, data_digests, data_directory, full_policy, main_policy
from holdcourse.telecom.engine import get_environment


def test_the_full_policy_is_what_tau2_gives_its_agent():
    assert full_policy() == get_environment().get_policy()
    assert len(full_policy()) == 23318


def test_the_main_policy_is_the_full_one_without_the_manual():
    assert len(main_policy()) == 5699
    assert full_policy().startswith(f"<main_policy>\n{main_policy()}\n</main_policy>\n<tech_support_policy>")


def test_digests_are_of_the_files_that_simulations_read():
    content = (data_directory() / "tasks.json").read_bytes()
    assert data_digest() == hashlib.sha256(content).hexdigest() == data_digests()["tasks.json"]
    assert {"db.toml", "user_db.toml", "tech_support_manual.md"} < set(data_digests())
