"""The audit: distribution, change over the run, disagreement of two judges; and its stage, end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tests.training.adversarial import GOOD
from tests.training.made_rows import N1, N2
from tests.training.test_adversarial import from_conf

from holdcourse.config.compose import conf_directory
from holdcourse.config.reward import JudgeAuditConfig, JudgeConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, read_text, write_jsonl
from holdcourse.llm.chat import ChatReply, ChatRequest, Usage
from holdcourse.stages import judge_audit as stage
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.stage import execute
from holdcourse.stages.training_slices import JudgeAuditSlice
from holdcourse.training.judge_audit import (
    Judged,
    by_node,
    by_window,
    disagreements,
    distribution,
    judged_rows,
    rank_correlation,
    sampled,
)

AUDIT = JudgeAuditConfig.model_validate(from_conf("judge_audit/default.yaml"))


def judged(step: int, score: float | None, words: int = 1, node: str = "n1", form: float = 7.0) -> Judged:
    return Judged(step, f"p{step}", node, " ".join(["word"] * words), score, form)  # type: ignore[arg-type]


def test_a_distribution_by_hand() -> None:
    scores = (0.0, 0.05, 0.5, 1.0, None)
    rows = [judged(1, score, words) for score, words in zip(scores, (1, 2, 3, 4, 9), strict=True)]
    found = distribution("n1", rows)
    assert (found.scored, found.unscored) == (4, 1)
    assert found.mean == pytest.approx(0.3875)
    assert found.median == pytest.approx(0.275)
    assert (found.at_0, found.at_1) == (0.5, 0.25)
    assert found.bins == (2, 0, 0, 0, 0, 1, 0, 0, 0, 1)
    assert (found.words, found.structural) == (2.5, 7.0)
    assert found.length_correlation == pytest.approx(1.0)


def test_no_score_is_no_mean() -> None:
    found = distribution("n1", [judged(1, None)])
    assert (found.scored, found.unscored, found.mean, found.median, found.length_correlation) == (
        0,
        1,
        None,
        None,
        None,
    )
    assert found.bins == (0,) * 10


def test_each_tenth_has_its_bin() -> None:
    found = distribution("n1", [judged(1, tenth / 10) for tenth in range(11)])
    assert found.bins == (1, 1, 1, 1, 1, 1, 1, 1, 1, 2)


def test_windows_are_equal_parts_of_the_run() -> None:
    rows = [judged(step, step / 10) for step in range(1, 11)]
    windows = by_window(rows, 5)
    assert [window.group for window in windows] == ["1–2", "3–4", "5–6", "7–8", "9–10"]
    assert [window.mean for window in windows] == pytest.approx([0.15, 0.35, 0.55, 0.75, 0.95])
    assert [window.group for window in by_window(rows[:2], 5)] == ["1–1", "2–2"]


def test_nodes_and_all_together() -> None:
    found = by_node([judged(1, 1.0), judged(1, 0.0, node="n5")])
    assert [(row.group, row.mean) for row in found] == [
        *(("n1", 1.0), ("n2", None), ("n3", None), ("n4", None), ("n5", 0.0), ("all", 0.5))
    ]


def test_disagreement_by_hand() -> None:
    rows = [judged(1, 1.0), judged(1, 0.5), judged(1, 0.0), judged(1, None), judged(1, 0.3)]
    found = {row.group: row for row in disagreements(rows, [0.4, 0.5, 0.2, 1.0, None], 0.5)}
    row = found["n1"]
    assert (row.compared, row.first, row.apart) == (3, 0.5, pytest.approx(1 / 3))
    assert row.second == pytest.approx(1.1 / 3)
    assert row.difference == pytest.approx((0.6 + 0.0 - 0.2) / 3)
    assert row.distance == pytest.approx((0.6 + 0.0 + 0.2) / 3)
    # Ranks 3, 2, 1 against 2, 3, 1: covariance 1, variances 2.
    assert row.correlation == pytest.approx(0.5)
    assert (found["n2"].compared, found["n2"].first) == (0, None)


def test_rank_correlation_shares_ties() -> None:
    assert rank_correlation([1.0, 1.0], [1.0, 2.0]) is None
    assert rank_correlation([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == pytest.approx(-1.0)


def test_the_sample_is_drawn_by_node_and_seed() -> None:
    rows = [judged(step, 0.5, node=node) for step in range(30) for node in ("n1", "n2")]
    config = AUDIT.model_copy(update={"sample": 7})
    drawn = sampled(rows, config)
    assert [sum(row.node == node for row in drawn) for node in ("n1", "n2")] == [7, 7]
    assert drawn == sampled(rows, config) != sampled(rows, config.model_copy(update={"seed": 1}))


def test_rows_of_another_kind_are_refused() -> None:
    with pytest.raises(HoldcourseError, match="has not made a step yet"):
        judged_rows([], "completions.jsonl")
    with pytest.raises(HoldcourseError, match=r"completions.jsonl, line 1: no node and components"):
        judged_rows([{"step": 1, "node": "n1"}], "completions.jsonl")


def completion(step: int, prompt: str, node: str, text: str, score: float | None) -> dict[str, object]:
    components = {"xml_count": 1.0, "strict": 0.5, "judge": score, "documentation": None}
    return {
        "step": step,
        "prompt_id": prompt,
        "node": node,
        "completion": text,
        "reward": 1.0,
        "components": components,
    }


class Half:
    """A model behind the door that finds everything half good."""

    def __init__(self, *settings: object) -> None:
        pass

    def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply('{"score": 0.5}', (), "stop", Usage(1, 1), 0.0, 0.0)


def slice_of(kind: str, model: str) -> JudgeAuditSlice:
    policy = yaml.safe_load(
        (conf_directory() / "policy_model" / "smollm2_135m.yaml").read_text(encoding="utf-8")
    )
    return JudgeAuditSlice(
        study="smoke",
        seed=0,
        policy_model=PolicyModelConfig.model_validate(policy),
        judge=JudgeConfig.model_validate(from_conf(f"judge/{kind}.yaml")),
        judge_audit=AUDIT,
        drift_agents={"judge": RoleModel(model=model, temperature=0.0, max_tokens=64)},
    )


def run(out: Path, cfg: JudgeAuditSlice, rows: list[dict[str, object]]) -> tuple[dict[str, object], str]:
    paths = DriftPaths(out)
    folder = paths.training(cfg.policy_model.name, 0)
    write_jsonl(folder / "completions.jsonl", rows)
    write_jsonl(paths.prompts("train"), [N1.record(), N2.record()])
    execute(stage.STAGE, cfg, out)
    return read_json(folder / "judge_audit.json"), read_text(folder / "judge_audit.md")  # type: ignore[return-value]


ROWS = [completion(step, "n1", "n1", GOOD, 1.0) for step in (1, 2)] + [
    completion(2, "n2", "n2", "nothing", 0.0)
]


def test_the_labels_judge_alone_is_audited_without_a_model(tmp_path: Path) -> None:
    found, page = run(tmp_path, slice_of("grounded", "simulated/judge"), ROWS)
    assert (found["judge"], found["other_judge"], found["disagreement"]) == (
        "grounded in execution labels",
        None,
        None,
    )
    assert "Judge of this run: **grounded in execution labels**" in page
    assert "Not measured" in page
    assert "| n1 classify_drift | 2 | 0 | 1.00 | 0.00 | 1.00 | 0.00 | 1.00 |" in page


def test_the_labels_judge_is_compared_with_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "Door", Half)
    found, page = run(tmp_path, slice_of("grounded", "hosted/judge"), ROWS)
    assert found["other_judge"] == "llm (hosted/judge)"
    assert "| n1 classify_drift | 2 | 1.00 | 0.50 | 0.50 | 0.50 | – | 0.00 |" in page
    assert "| all | 3 | 0.67 | 0.50 |" in page


def test_the_model_beside_the_labels_is_asked_as_judge_llm_would_ask_it() -> None:
    grounded, llm = from_conf("judge/grounded.yaml"), from_conf("judge/llm.yaml")
    assert {**grounded, "kind": "llm"} == llm


def test_the_model_beside_the_labels_is_asked_again_for_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Talkative(Half):
        """Gives no number until it is told that it gave none."""

        def complete(self, request: ChatRequest) -> ChatReply:
            told = len(request.messages) > 2
            return super().complete(request) if told else ChatReply("good", (), "stop", Usage(1, 1), 0.0, 0.0)

    monkeypatch.setattr(stage, "Door", Talkative)
    _, page = run(tmp_path, slice_of("grounded", "hosted/judge"), ROWS)
    assert "| all | 3 | 0.67 | 0.50 |" in page


def test_a_model_is_compared_with_the_labels(tmp_path: Path) -> None:
    rows = [completion(1, "n1", "n1", GOOD, 0.25), completion(1, "n2", "n2", "nothing", None)]
    found, page = run(tmp_path, slice_of("llm", "hosted/judge"), rows)
    assert (found["judge"], found["other_judge"]) == ("llm (hosted/judge)", "grounded in execution labels")
    assert "| n1 classify_drift | 1 | 0.25 | 1.00 | -0.75 | 0.75 | – | 1.00 |" in page


def test_a_prompt_that_the_pool_does_not_have_is_named(tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match=r"answers prompt gone, which .* does not have"):
        run(tmp_path, slice_of("grounded", "simulated/judge"), [completion(1, "gone", "n1", GOOD, 1.0)])
