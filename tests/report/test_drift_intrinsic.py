"""Table 1, Table 5, the tables by node and component, and the claims, on numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.report.made_intrinsic import POLICY, read, results, row, rows, setting

from holdcourse.recovery.nodes import NAMES, NODES, NodeId
from holdcourse.report.drift_evaluation import drift_evaluation
from holdcourse.report.drift_hyperparameters import drift_hyperparameters, looked_up
from holdcourse.report.drift_intrinsic import (
    drift_intrinsic,
    drift_intrinsic_components,
    drift_intrinsic_nodes,
)
from holdcourse.report.intrinsic_claims import TESTS, drift_intrinsic_claims
from holdcourse.report.intrinsic_results import COMPONENTS, IntrinsicResults, best_composite
from holdcourse.report.setting import OFFLINE_LABEL
from holdcourse.report.writing import as_markdown
from holdcourse.training.rewards.vector import RewardVector


def test_table_1_by_hand() -> None:
    """Base 1.5 everywhere; trained 4.5 on one half and 1 on the other: mean 2.75, gain 1.25, half improve."""
    composite, judge = drift_intrinsic(results(), setting()).rows
    assert (composite["base"], composite["trained"], composite["gain"]) == (1.5, 2.75, 1.25)
    assert (composite["improved"], composite["share"], composite["prompts"]) == (5, 0.5, 10)
    assert judge["gain"] == pytest.approx(0.4)
    assert judge["improved"] == 10
    assert float(str(composite["low"])) < 1.25 < float(str(composite["high"]))


def test_the_papers_figures_stand_beside_a_model_of_the_paper() -> None:
    granite = "granite_3_3_2b"
    composite, judge = drift_intrinsic(results(granite), setting(granite)).rows
    assert (composite["paper_base"], composite["paper_trained"]) == ("3.68", "5.15")
    assert (judge["paper_base"], judge["paper_trained"]) == ("0.71", "0.90")


def test_beside_another_model_they_are_named() -> None:
    composite, _ = drift_intrinsic(results(), setting()).rows
    assert composite["paper_trained"] == "Granite 5.15, Qwen 4.80"
    assert any("not a model of the paper" in note for note in drift_intrinsic(results(), setting()).notes)


def test_every_node_and_component_has_its_row() -> None:
    nodes = drift_intrinsic_nodes(results(), setting()).rows
    assert [str(found["node"])[:2] for found in nodes] == [*NODES, *NODES]
    assert all(found["prompts"] == 2 for found in nodes)
    components = drift_intrinsic_components(results(), setting()).rows
    assert len(components) == len(COMPONENTS)
    assert components[0]["base"] == 0.25


def test_what_the_judge_could_not_score_is_left_out_and_counted() -> None:
    """One completion of two without a score: the other counts. Both without: the prompt is excluded."""
    unscored = [
        (POLICY, 0, "base", row("n1-0", "n1", 1.0)),
        (POLICY, 0, "trained", row("n1-0", "n1", 3.0)),
        (POLICY, 0, "trained", row("n1-0", "n1", None, None)),
        (POLICY, 0, "base", row("n1-1", "n1", 1.0)),
        (POLICY, 0, "trained", row("n1-1", "n1", None, None)),
    ]
    composite, _ = drift_intrinsic(IntrinsicResults.of(unscored), setting()).rows
    assert (composite["gain"], composite["prompts"], composite["excluded"]) == (2.0, 1, 1)


def test_offline_trajectories_label_every_table() -> None:
    offline = setting(agent="simulated/appworld_agent")
    for make in (drift_intrinsic, drift_intrinsic_nodes, drift_intrinsic_components, drift_intrinsic_claims):
        assert make(results(), offline).label == OFFLINE_LABEL
        assert make(results(), setting()).label is None


def test_table_5_reads_every_value_from_the_configuration() -> None:
    groups = {
        "training": read("training/paper"),
        "reward": read("reward/paper"),
        "judge": read("judge/llm"),
    }
    table = drift_hyperparameters(groups, setting(), {"SmolLM2 135M": "CPU"})  # type: ignore[arg-type]
    assert len(table.rows) == 24
    assert {found["name"]: found["same"] for found in table.rows if found["same"] != "yes"} == {
        "Backbone": None,
        "GPU": None,
    }
    by_name = {found["name"]: found["ours"] for found in table.rows}
    assert (by_name["Backbone"], by_name["GPU"]) == ("grounded in execution labels", "CPU")


def test_table_5_says_what_differs() -> None:
    groups = {"training": read("training/cpu"), "reward": read("reward/paper"), "judge": read("judge/llm")}
    table = drift_hyperparameters(groups, setting(), {})  # type: ignore[arg-type]
    differing = {found["name"] for found in table.rows if found["same"] == "no"}
    assert "Rank r" in differing
    assert "Group size G" not in differing


def test_without_a_model_that_judges_its_workers_are_no_setting() -> None:
    groups = {
        "training": read("training/cpu"),
        "reward": read("reward/paper"),
        "judge": read("judge/grounded"),
    }
    table = drift_hyperparameters(groups, setting(), {})  # type: ignore[arg-type]
    (workers,) = (found for found in table.rows if found["name"] == "Parallel workers")
    assert (workers["ours"], workers["same"]) == ("no model judges", None)


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(KeyError, match=r"training.lora.rnk: no rnk"):
        looked_up({"training": {"lora": {"rank": 1}}}, "training.lora.rnk")


def test_every_intrinsic_claim_has_a_test() -> None:
    claims = {claim.name for claim in setting().paper.claims if claim.kind == "intrinsic"}
    assert claims == set(TESTS)


def test_claims_of_a_model_that_the_paper_does_not_train_are_not_tested() -> None:
    table = drift_intrinsic_claims(results(), setting())
    assert {found["verdict"] for found in table.rows} == {"not tested with these models"}
    assert {found["reason"] for found in table.rows} == {"SmolLM2 135M is not a model of the paper"}


def test_claims_on_a_model_of_the_paper() -> None:
    qwen = "qwen_2_5_1_5b"
    verdicts = {
        str(found["claim"]): (found["verdict"], found["ours"])
        for found in drift_intrinsic_claims(results(qwen), setting(qwen)).rows
    }
    assert verdicts["Training raises the mean composite reward."] == ("reproduced", "1.50 → 2.75")
    assert verdicts["The composite reward rises on every held-out prompt."] == ("not reproduced", "5 of 10")
    offline = drift_intrinsic_claims(results(qwen), setting(qwen, agent="simulated/appworld_agent"))
    assert {found["verdict"] for found in offline.rows} == {"not tested with these models"}


RISK = "The judge sub-score of evaluate_risk improves less than that of the extraction nodes n1 and n2."


def risk_claim(**gains: tuple[float, ...]) -> Mapping[str, object]:
    """The claim's row when the judge gives base 0 everywhere and trained what is named, a prompt a value."""
    qwen = "qwen_2_5_1_5b"
    made = [
        (qwen, 0, variant, row(f"{node}-{number}", node, 1.0, 0.0 if variant == "base" else gain))
        for node, some in gains.items()
        for number, gain in enumerate(some)
        for variant in ("base", "trained")
    ]
    table = drift_intrinsic_claims(IntrinsicResults.of(made), setting(qwen))
    return next(found for found in table.rows if found["claim"] == RISK)


def test_risk_moves_least_where_both_differences_lie_below_0() -> None:
    """0.1 at n4, 0.5 at n1, 0.3 at n2: the difference to n2 is the less favourable one."""
    found = risk_claim(n1=(0.5,) * 4, n2=(0.3,) * 6, n4=(0.1,) * 5)
    assert found["verdict"] == "reproduced"
    assert (found["gain"], found["low"], found["high"]) == pytest.approx((-0.2, -0.2, -0.2))
    assert (found["prompts"], found["ours"]) == (11, "n1 +0.50, n2 +0.30, n4 +0.10")


def test_a_smaller_mean_alone_is_no_smaller_gain() -> None:
    """Means 0.45 against 0.5 and 0.9, over prompts that differ by far more than that."""
    found = risk_claim(n1=(0.9,) * 8, n2=(0.0, 1.0) * 4, n4=(0.0, 0.9) * 4)
    assert found["verdict"] == "not reproduced"
    assert found["gain"] == pytest.approx(-0.05)
    assert float(str(found["low"])) < 0 < float(str(found["high"]))


def test_risk_cannot_be_told_without_prompts_at_each_node() -> None:
    found = risk_claim(n1=(0.5, 0.4), n4=(0.1, 0.2))
    assert (found["verdict"], found["reason"]) == ("not tested with these models", "too few prompts")


def test_the_claims_say_how_they_are_told() -> None:
    notes = " ".join(drift_intrinsic_claims(results(), setting()).notes)
    assert "Components are ranked by their mean gains alone, equal ones in the paper's order" in notes
    assert "Gains at two nodes are compared by their difference, unpaired" in notes


@pytest.mark.parametrize(
    ("reward", "node", "best"),
    [("paper", "n1", 8.5), ("paper", "n4", 8.5), ("documentation", "n1", 8.5), ("documentation", "n4", 9.5)],
)
def test_the_best_composite_is_that_of_an_answer_as_it_should_be(
    reward: str, node: NodeId, best: float
) -> None:
    config = setting(reward=reward).reward
    whole = {**dict.fromkeys(COMPONENTS, 1.0), "soft": config.tags.soft}
    extra = {"documentation": 1.0 if node == "n4" else None}
    assert best_composite(config, node) == best == RewardVector({**whole, **extra}, config.weights).composite


def test_the_best_composite_follows_the_weights() -> None:
    config = setting().reward
    weights = config.weights.model_copy(update={"judge": 3.0, "soft": 2.0})
    assert best_composite(config.model_copy(update={"weights": weights}), "n1") == 11.0


@pytest.mark.parametrize(
    ("reward", "said"), [("paper", "at most 8.5"), ("documentation", "at most 9.5 at n4, 8.5 elsewhere")]
)
def test_the_notes_say_how_much_can_be_earned(reward: str, said: str) -> None:
    assert any(f"({said})" in note for note in drift_intrinsic(results(), setting(reward=reward)).notes)


def test_the_evaluation_of_one_run_by_hand() -> None:
    """Base 1.5 everywhere; trained 4.5 and 1 at each node. Another run's figures stay out."""
    other = [(POLICY, 1, variant, row("n1-0", "n1", 9.0)) for variant in ("base", "trained")]
    both, offline = IntrinsicResults.of([*rows(), *other]), setting(agent="simulated/appworld_agent")
    table = drift_evaluation(both, offline, POLICY, 0, "ab12")
    assert [(found["quantity"], found["node"]) for found in table.rows] == [
        ("R (mean)", "all"),
        ("r_judge", "all"),
        *(("R (mean)", f"{node} {NAMES[node]}") for node in NODES),
    ]
    composite, judge, *nodes = table.rows
    assert (composite["base"], composite["trained"], composite["gain"]) == (1.5, 2.75, 1.25)
    assert (composite["prompts"], composite["excluded"]) == (10, 0)
    assert (composite["improved"], composite["share"]) == (5, 0.5)
    assert float(str(composite["low"])) < 1.25 < float(str(composite["high"]))
    assert judge["gain"] == pytest.approx(0.4)
    assert {(found["gain"], found["prompts"]) for found in nodes} == {(1.25, 2)}
    assert table.label == OFFLINE_LABEL
    page = as_markdown(table)
    for said in (
        "95% low",
        "the mean of its 2 completions",
        "judged by: grounded",
        "1 training run;",
        "SHA-256 ab12",
    ):
        assert said in page


def test_the_evaluation_counts_what_could_not_be_scored() -> None:
    unscored = [
        (POLICY, 0, "base", row("n1-0", "n1", 1.0)),
        (POLICY, 0, "trained", row("n1-0", "n1", None, None)),
    ]
    composite, *_ = drift_evaluation(IntrinsicResults.of(unscored), setting(), POLICY, 0, "ab12").rows
    assert (composite["gain"], composite["prompts"], composite["excluded"]) == (None, 0, 1)
    assert composite["share"] is None


def test_results_of_several_runs_are_paired_within_each() -> None:
    twice = [*rows(), *((policy, 1, variant, found) for policy, _, variant, found in rows())]
    composite, _ = drift_intrinsic(IntrinsicResults.of(twice), setting()).rows
    assert (composite["prompts"], composite["runs"]) == (20, 2)


def test_a_run_that_was_stopped_early_is_told_of_under_every_table() -> None:
    told = "reward fell; the adapter is that of step 20 of 30"
    stopped = replace(setting(), stopped={(POLICY, 0): told, (POLICY, 1): "no seed of this report"})
    results = IntrinsicResults.of(rows())
    for table in (drift_intrinsic(results, stopped), drift_intrinsic_nodes(results, stopped)):
        notes = [note for note in table.notes if "stopped early" in note]
        assert notes == [f"{stopped.policies[POLICY].label}, seed 0: training stopped early ({told})."]
    assert not any("stopped early" in note for note in drift_intrinsic(results, setting()).notes)
