"""How much a study asks, on one small enough to count by hand."""

import pytest
from tests.estimate.small_study import arms_of, flat, study

from holdcourse.config.schema import ConfigError
from holdcourse.estimate.volumes import Planner, Volume, initial_characters


def volumes(config, case="mid"):
    """Calls and prompt tokens by stage and role."""
    sums: dict[tuple[str, str], Volume] = {}
    for unit in Planner(config, arms_of(config), case).units():
        for volume in unit.volumes:
            key = (volume.stage, volume.role)
            sums[key] = sums[key].plus(volume) if key in sums else volume
    return sums


def test_without_a_cache_everything_is_asked_by_every_arm():
    found = {key: volume.calls for key, volume in volumes(study("llm.cache=null")).items()}
    assert found == {
        ("initial", "extractor"): 5,
        # 2 arms × 2 batches × 4 conversations × 2 and 3 calls
        ("evolve", "agent"): 32,
        ("evolve", "user"): 48,
        ("evolve", "reflector"): 4,
        ("evolve", "planner"): 2,
        ("evolve", "holistic"): 2,
        # 2 arms × 3 checkpoints × 10 tasks × 2 trials × 2 and 3 calls
        ("evaluate", "agent"): 240,
        ("evaluate", "user"): 360,
        ("reference", "reference_agent"): 40,
        ("reference", "user"): 60,
        # 2 arms × 1 checkpoint × 3 repeats
        ("audit", "auditor"): 6,
    }


def test_with_a_cache_what_all_arms_ask_of_the_first_instruction_is_asked_once():
    found = {key: volume.calls for key, volume in volumes(study()).items()}
    assert found["evolve", "agent"] == 24
    assert found["evolve", "reflector"] == 3
    assert found["evaluate", "agent"] == 200
    assert found["evolve", "planner"] == 2


def test_the_agent_reads_the_instruction_as_it_grows():
    # ℓ_0 once for both arms, ℓ_1 and ℓ_2 of each; 200 characters beside it, 40 calls a checkpoint.
    characters = 40 * ((1000 + 200) + (1100 + 200) + (1200 + 200) + (1200 + 200) + (1400 + 200))
    assert volumes(study())["evaluate", "agent"].prompt_tokens == characters / 4


def test_the_customer_does_not_read_it():
    assert volumes(study())["evaluate", "user"].prompt_tokens == 300 * 200 / 4


@pytest.mark.parametrize(("case", "last"), [("low", 1000), ("mid", 1400), ("high", 3000)])
def test_the_case_says_how_the_instruction_grows(case, last):
    holistic = volumes(study("arms=[hce]"), case)["audit", "auditor"]
    assert holistic.prompt_tokens == 3 * (40 + last) / 4


def test_rewriting_writes_what_it_reads():
    # Batches 1 and 2 rewrite 1000 and 1200 characters.
    assert volumes(study("arms=[hce]"))["evolve", "holistic"].completion_tokens == 2200 / 4


def test_reading_a_shorter_first_instruction_takes_fewer_calls():
    config = study("protocol.initial_instruction=main_policy")
    assert initial_characters(config) == 400
    assert volumes(config)["initial", "extractor"].calls == pytest.approx(2.0)


def test_a_first_instruction_from_a_file_is_measured(tmp_path):
    file = tmp_path / "instruction.md"
    file.write_text("Be kind to the customer.", encoding="utf-8")
    config = study("protocol.initial_instruction=file", f"protocol.initial_instruction_file={file}")
    assert initial_characters(config) == 24


def test_longer_conversations_have_more_calls_that_read_more():
    longer = volumes(study(conversation_calls=flat(2.0)))["reference", "user"]
    assert longer.calls == 120
    assert longer.prompt_tokens == 120 * 400 / 4


def test_hidden_reasoning_is_billed_as_completion():
    plain, thinking = (volumes(study(reasoning_tokens=flat(tokens))) for tokens in (0.0, 7.0))
    more = thinking["audit", "auditor"].completion_tokens - plain["audit", "auditor"].completion_tokens
    assert more == pytest.approx(7 * 6)


def test_an_arm_nobody_measured_is_named():
    config = study("arms=[grace_no_sa]")
    with pytest.raises(ConfigError, match="like grace_no_sa"):
        volumes(config)
