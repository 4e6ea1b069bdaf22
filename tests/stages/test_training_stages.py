"""The stages of training from prompts to tables, for real on a tiny policy, each once and not twice."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.training.made_rows import N1, N2, N3, N4, N5
from tests.training.test_judge_llm import ScriptedJudge
from tests.training.tiny_policy import make, training

from holdcourse.config.drift import DriftModelsConfig
from holdcourse.config.reward import JudgeConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_jsonl, read_object, write_json, write_jsonl
from holdcourse.llm.chat import ModelError
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.slices import validate
from holdcourse.stages.stage import execute
from holdcourse.stages.training_slices import (
    ExportPolicySlice,
    IntrinsicReportSlice,
    IntrinsicSlice,
    TrackTrainingSlice,
    TrainSlice,
)

pytest.importorskip("trl")

from holdcourse.stages import export_policy, intrinsic, intrinsic_report, scoring, track_training, train

CONF = Path(__file__).parents[2] / "conf"
VARIANTS = ("base", "trained")


def read(place: str) -> dict[str, Any]:
    value = yaml.safe_load((CONF / f"{place}.yaml").read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


class Study:
    """A study's folder with prompts, and the slices of its stages."""

    def __init__(self, folder: Path) -> None:
        self.out = folder / "results" / "test"
        self.paths = DriftPaths(self.out)
        make(folder / "tiny")
        rows = [replace(row, id=f"{row.id}-{number}") for number in range(4) for row in (N1, N2, N3, N4, N5)]
        for split, some in (("train", rows[:10]), ("heldout", rows[10:])):
            write_jsonl(self.paths.prompts(split), [row.record() for row in some])
        tiny = {"source": "path", "place": str(folder / "tiny"), "sha256": None, "identity": "tests/tiny"}
        self.policy = {**read("policy_model/smollm2_135m"), **tiny, "name": "tiny", "label": "Tiny"}
        self.training = training(intrinsic={"samples": 2, "temperature": 0.9, "seed": 0, "rows": 4})
        models = DriftModelsConfig.model_validate(read("drift_models/simulated"))
        scored = {
            "seed": 0,
            "policy_model": self.policy,
            "reward": read("reward/paper"),
            "judge": read("judge/grounded"),
            "drift_agents": {"judge": models.judge.model_dump()},
            "simulated_drift": None,
        }
        run = {"training": self.training.model_dump(mode="json")}
        self.train = self.slice(TrainSlice, **scored, **run, trajectory_agent=models.agent_large.model)
        self.intrinsic = {
            variant: self.slice(
                IntrinsicSlice, **scored, variant=variant, decoding=self.training.decoding.model_dump()
            )
            for variant in VARIANTS
        }
        self.report = self.slice(
            IntrinsicReportSlice,
            policies={"tiny": self.policy},
            reward=scored["reward"],
            judge=scored["judge"],
            judge_model=models.judge.model,
            trajectory_agent=models.agent_large.model,
            evaluation={**read("evaluation/paper"), "resamples": 50},
            paper_drift=read("paper/drift"),
            report={**read("report/default"), "formats": ["svg"]},
            overrides=[],
            **run,
        )
        self.track = self.slice(
            TrackTrainingSlice,
            tracking=read("tracking/wandb"),
            **{name: scored[name] for name in ("seed", "policy_model", "reward", "judge")},
            **run,
        )
        self.export = self.slice(ExportPolicySlice, seed=0, policy_model=self.policy)

    def slice(self, kind: Any, **values: object) -> Any:
        return validate(kind, {"study": "test", **values})


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study whose policy is trained and evaluated."""
    made = Study(tmp_path_factory.mktemp("study"))
    execute(train.STAGE, made.train, made.out)
    for variant in VARIANTS:
        execute(intrinsic.STAGE, made.intrinsic[variant], made.out)
    return made


def test_training_leaves_its_declared_files_and_nothing_else(study: Study) -> None:
    folder = study.paths.training("tiny", 0)
    declared = {*train.STAGE.outputs(study.train, study.out), folder / "provenance.json"}
    assert {path for path in folder.rglob("*") if path.is_file()} == declared
    assert list((study.out / "journal").rglob("checkpoint-*")) == []
    record = read_object(folder / "training.json")
    assert record["prompts"] == 10
    assert record["judge"] == "grounded in execution labels"
    assert "is no evidence about the method" in (folder / "README.md").read_text()


def test_no_file_names_this_machine(study: Study) -> None:
    for path in study.paths.training("tiny", 0).rglob("*.json"):
        if path.name not in (
            "training.json",
            "provenance.json",
        ):  # these hold the place of a user's own model
            assert str(study.out.parents[1]) not in path.read_text()


def test_both_variants_answer_every_held_out_prompt(study: Study) -> None:
    heldout = [row["id"] for row in read_jsonl(study.paths.prompts("heldout"))]
    for variant in VARIANTS:
        rows = read_jsonl(study.paths.intrinsic("tiny", 0, variant))
        assert [row["prompt_id"] for row in rows] == [name for name in heldout for _ in range(2)]


def test_what_is_made_is_not_made_again(study: Study) -> None:
    for stage, cfg in ((train.STAGE, study.train), (intrinsic.STAGE, study.intrinsic["base"])):
        before = {path: path.stat().st_mtime_ns for path in stage.outputs(cfg, study.out)}
        execute(stage, cfg, study.out)
        assert {path: path.stat().st_mtime_ns for path in before} == before


def test_an_evaluation_whose_judge_was_away_is_finished_by_running_it_again(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results" / "test"
    heldout = read_jsonl(study.paths.prompts("heldout"))
    write_jsonl(DriftPaths(out).prompts("heldout"), heldout)
    judge = RoleModel(model="hosted/judge", temperature=0.0, max_tokens=64)
    cfg = study.intrinsic["base"].model_copy(
        update={"judge": JudgeConfig.model_validate(read("judge/llm")), "drift_agents": {"judge": judge}}
    )
    away = ScriptedJudge(ModelError("no route"), "0.5")
    monkeypatch.setattr(scoring, "Door", lambda *_: away)
    with pytest.raises(HoldcourseError, match="could not be reached about 1 of 20 completions"):
        execute(intrinsic.STAGE, cfg, out)
    assert not intrinsic.STAGE.outputs(cfg, out)[0].exists()
    back = ScriptedJudge("0.5")
    monkeypatch.setattr(scoring, "Door", lambda *_: back)
    execute(intrinsic.STAGE, cfg, out)
    assert len(back.asked) == 1
    rows = read_jsonl(intrinsic.STAGE.outputs(cfg, out)[0])
    assert [row["components"]["judge"] for row in rows] == [0.5] * 20
    assert list((out / "journal").rglob("*.jsonl")) == []


def test_the_base_depends_on_no_training_setting(study: Study) -> None:
    assert "training" not in type(study.intrinsic["base"]).model_fields
    assert study.paths.training("tiny", 0) not in [
        path.parent.parent for path in intrinsic.STAGE.inputs(study.intrinsic["base"], study.out)
    ]


def test_the_report_is_made_of_what_was_scored(study: Study) -> None:
    execute(intrinsic_report.STAGE, study.report, study.out)
    for path in intrinsic_report.STAGE.outputs(study.report, study.out):
        assert path.is_file(), path
    table = (study.out / "tables" / "drift_intrinsic.csv").read_text()
    assert '"Tiny"' in table
    assert "simulated language model: exercises the pipeline" in table
    page = (study.paths.drift / "intrinsic" / "examples.html").read_text()
    assert "n3 search_api: best gain" in page


def test_a_report_on_other_settings_than_those_of_the_run_is_refused(study: Study) -> None:
    training = study.report.training.model_copy(update={"max_steps": 99})
    words = study.report.reward.words.model_copy(update={"longest": 9})
    for name, section in (
        ("training", training),
        ("reward", study.report.reward.model_copy(update={"words": words})),
        ("judge", JudgeConfig.model_validate({**read("judge/grounded"), "workers": 9})),
    ):
        other = study.report.model_copy(update={name: section})
        with pytest.raises(HoldcourseError, match=rf"training.json was made with another {name} than"):
            intrinsic_report.main(other, study.out)


def test_another_policy_or_judge_behind_the_completions_is_refused(study: Study) -> None:
    policy = study.report.policies["tiny"].model_copy(update={"place": "elsewhere"})
    with pytest.raises(HoldcourseError, match=r"training.json was made with another policy_model"):
        intrinsic_report.main(study.report.model_copy(update={"policies": {"tiny": policy}}), study.out)
    llm = JudgeConfig.model_validate(read("judge/llm"))
    asked = study.report.model_copy(update={"judge": llm, "judge_model": "hosted/other"})
    with pytest.raises(HoldcourseError, match=r"another judge and judge's model than"):
        intrinsic_report.main(asked, study.out)


@pytest.mark.parametrize("changed", ["adapter", "prompts", "record"])
def test_completions_of_another_adapter_or_of_other_prompts_are_refused(
    study: Study, tmp_path: Path, changed: str
) -> None:
    shutil.copytree(study.out, tmp_path / "test")
    paths = DriftPaths(tmp_path / "test")
    match changed:
        case "adapter":
            told = paths.training("tiny", 0) / "training.json"
            write_json(told, {**read_object(told), "adapter_sha256": "0" * 64})
            match = r"trained.jsonl was not made with heldout.jsonl and adapter_model.safetensors"
        case "prompts":
            write_jsonl(paths.prompts("heldout"), read_jsonl(paths.prompts("heldout"))[1:])
            match = r"base.jsonl was not made with heldout.jsonl"
        case _:
            write_json(paths.intrinsic("tiny", 0, "base").with_suffix(".provenance.json"), {})
            match = r"base.jsonl was made with another policy_model and reward"
    with pytest.raises(HoldcourseError, match=match):
        intrinsic_report.main(study.report, tmp_path / "test")


def test_the_adapters_settings_are_an_input_too(study: Study) -> None:
    asked = [path.name for path in intrinsic.STAGE.inputs(study.intrinsic["trained"], study.out)]
    assert asked == ["heldout.jsonl", "adapter_config.json", "adapter_model.safetensors"]


def test_each_adapter_has_its_evaluation_beside_it(study: Study) -> None:
    execute(intrinsic_report.STAGE, study.report, study.out)
    place = study.paths.training("tiny", 0) / "evaluation.md"
    assert place in intrinsic_report.STAGE.outputs(study.report, study.out)
    page = place.read_text()
    assert "# Evaluation of Tiny, seed 0" in page
    assert "simulated language model: exercises the pipeline" in page
    assert "| R (mean) | all |" in page
    digest = str(read_object(place.with_name("training.json"))["adapter_sha256"])
    assert digest in page
    assert digest in place.with_name("README.md").read_text()


def test_a_run_is_recorded_for_weights_and_biases(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "disabled")
    execute(track_training.STAGE, study.track, study.out)
    record = json.loads((study.out / "tracking" / "training-tiny-seed0.json").read_text())
    assert record["mode"] == "disabled"


def test_a_policy_is_exported_as_one_checkpoint(
    study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOLDCOURSE_CACHE", str(tmp_path))
    execute(export_policy.STAGE, study.export, study.out)
    record = read_object(study.paths.training("tiny", 0) / "export.json")
    assert str(record["name"]).startswith("tiny-trained-")
    checkpoint = study.paths.training("tiny", 0) / str(record["checkpoint"])
    assert (checkpoint / "model.safetensors").is_file()
    assert record["gguf"] is None
