"""The stages of end-to-end recovery: their slices, who answers, walks under wrong suspicions, tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest
from tests.appworld.made_rows import LIKE, NOTES, PAY, REVERSIBLE, SONGS, made_row
from tests.metrics.made_episodes import episode, label, visit

from holdcourse.config.end_to_end import EndToEndConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_jsonl, read_object, write_json, write_jsonl
from holdcourse.llm.chat import ChatReply, ChatRequest, Usage
from holdcourse.recovery.injection_suite import attacks, probes
from holdcourse.recovery.injections import KINDS
from holdcourse.recovery.rules import RulesBackbone
from holdcourse.stages import drift_metrics, drift_tables, episodes, injection_walks, onset_walks, track_drift
from holdcourse.stages.backbones import Decoding, EndingAtAnswer, adapter_files, backbone_of
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.injection_walks import tried
from holdcourse.stages.recovery_slices import (
    BackboneSlice,
    DriftMetricsSlice,
    DriftTablesSlice,
    EpisodesSlice,
    InjectionWalksSlice,
    OnsetWalksSlice,
    TrackDriftSlice,
)
from holdcourse.stages.rules import RuleParameters
from holdcourse.stages.slices import validate
from holdcourse.stages.stage import execute


@pytest.fixture(scope="module")
def smoke() -> RuleParameters:
    return RuleParameters({"study": "smoke"})


def unit(backbone: str, drift_type: str = "I", main_agent: str = "large") -> dict[str, str]:
    return {"drift_type": drift_type, "main_agent": main_agent, "backbone": backbone}


# Slices


def test_a_job_is_given_the_models_it_asks_and_no_other(smoke: RuleParameters) -> None:
    asked = {
        backbone: sorted(cast("dict[str, Any]", smoke.slice("episodes", unit(backbone))["drift_agents"]))
        for backbone in ("rules", "frontier", "trained")
    }
    assert asked == {
        "rules": ["agent_large"],
        "frontier": ["agent_large", "recovery_large"],
        "trained": ["agent_large"],
    }
    small = smoke.slice("episodes", unit("oracle", "II", "small"))
    assert sorted(cast("dict[str, Any]", small["drift_agents"])) == ["agent_small"]
    assert smoke.slice("onset_walks", unit("rules"))["drift_agents"] == {}
    assert smoke.slice("onset_walks", unit("rules"))["simulated_drift"] is None


def test_training_concerns_the_trained_backbone_alone(smoke: RuleParameters) -> None:
    other = RuleParameters({"study": "smoke", "overrides": "training.seeds=[7] policy_model.label=Other"})
    for backbone in ("rules", "oracle", "frontier"):
        for stage in ("episodes", "onset_walks", "injection_walks"):
            assert other.slice(stage, unit(backbone)) == smoke.slice(stage, unit(backbone))
    seeds = [
        cast("dict[str, Any]", other.slice("episodes", unit(backbone))["small_model"])["training_seed"]
        for backbone in ("trained", "untrained")
    ]
    assert seeds == [7, None]


def test_another_cell_concerns_its_own_jobs_alone(smoke: RuleParameters) -> None:
    cell = "{drift_type: I, main_agent: large, backbones: [rules], modes: [rollback], warn: false}"
    one = RuleParameters({"study": "smoke", "overrides": [f"end_to_end.cells=[{cell}]"]})
    assert one.slice("episodes", unit("rules")) == smoke.slice("episodes", unit("rules"))
    assert one.slice("episodes", unit("oracle"))["acting"] is None
    assert one.slice("drift_metrics", {}) != smoke.slice("drift_metrics", {})


def test_the_agent_that_starts_again_is_the_one_that_drifted(smoke: RuleParameters) -> None:
    other = RuleParameters({"study": "smoke", "overrides": "drift.seed=5 end_to_end.seed=6"})
    values = other.slice("episodes", unit("rules"))
    assert (values["agent_seed"], values["recovery_seed"]) == (5, 6)


def test_rollbacks_without_the_warning_are_those_of_the_backbones_named(smoke: RuleParameters) -> None:
    modes = {
        backbone: cast("dict[str, Any]", smoke.slice("episodes", unit(backbone, "II", "small"))["acting"])
        for backbone in ("oracle",)
    }
    assert modes["oracle"] == {"modes": ["rollback", "unwarned"], "warn": True}
    plain = cast("dict[str, Any]", smoke.slice("episodes", unit("oracle"))["acting"])
    assert plain == {"modes": ["rollback"], "warn": False}


def test_a_cell_stands_once(smoke: RuleParameters) -> None:
    tree = smoke.base.end_to_end.model_dump()
    with pytest.raises(ValueError, match="two cells are of type I with the large agent"):
        EndToEndConfig.model_validate({**tree, "cells": [tree["cells"][0]] * 2})
    assert smoke.base.end_to_end.cell("III", "small") is None


def test_a_backbone_that_no_cell_names_is_refused(smoke: RuleParameters, tmp_path: Path) -> None:
    cfg = validate(EpisodesSlice, smoke.slice("episodes", unit("rules", "III", "small")))
    with pytest.raises(HoldcourseError, match="no backbone rules for type III and the small agent"):
        episodes.main(cfg, tmp_path)


# Who answers


def sliced(smoke: RuleParameters, backbone: str) -> BackboneSlice:
    return validate(OnsetWalksSlice, smoke.slice("onset_walks", unit(backbone)))


class NoDoor:
    def complete(self, request: ChatRequest) -> ChatReply:
        raise AssertionError(f"nothing is asked, least of all {request.model}")


def test_backbones_by_name(smoke: RuleParameters, tmp_path: Path) -> None:
    assert isinstance(backbone_of(sliced(smoke, "rules"), tmp_path, NoDoor(), {}), RulesBackbone)
    assert backbone_of(sliced(smoke, "oracle"), tmp_path, NoDoor(), {}).name == "oracle"
    frontier = backbone_of(sliced(smoke, "frontier"), tmp_path, NoDoor(), {})
    assert isinstance(frontier, Decoding)
    assert frontier.name == "frontier"
    # No limit of its own: that of conf/recovery/.
    assert frontier.sampling.max_tokens == smoke.base.recovery.sampling.max_tokens


def test_only_the_trained_model_needs_an_adapter(smoke: RuleParameters, tmp_path: Path) -> None:
    for backbone in ("rules", "frontier", "untrained"):
        assert adapter_files(sliced(smoke, backbone), tmp_path) == ()
    folder = DriftPaths(tmp_path).training("smollm2_135m", 0) / "adapter"
    assert [path.parent for path in adapter_files(sliced(smoke, "trained"), tmp_path)] == [folder, folder]


class Rambling:
    """Says more than its answer, or does not come to it."""

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[ChatReply]:
        texts = ("<reasoning>a</reasoning><answer>{}</answer> and so on <answer>", "<reasoning>a")
        return [ChatReply(text, (), "length", Usage(1, 1), 0.0, 0.0) for text in texts]


def test_a_reply_ends_with_its_answer() -> None:
    ended, cut_off = EndingAtAnswer(Rambling()).complete_many([])
    assert (ended.content, ended.stop_reason) == ("<reasoning>a</reasoning><answer>{}</answer>", "stop")
    assert (cut_off.content, cut_off.stop_reason) == ("<reasoning>a", "length")


def test_a_small_model_is_tried_with_some_texts_of_each_kind(smoke: RuleParameters) -> None:
    whole = validate(InjectionWalksSlice, smoke.slice("injection_walks", unit("rules")))
    assert tried(whole) == attacks(probes())
    values = smoke.slice("injection_walks", unit("trained"))
    some = validate(
        InjectionWalksSlice, {**values, "injection": {"backbones": ["trained"], "small_payloads": 12}}
    )
    planned = tried(some)
    assert [attack.payload.kind for attack in planned[: len(KINDS)]] == list(KINDS)
    assert len({attack.payload for attack in planned}) == len(planned) == 12
    everything = validate(
        InjectionWalksSlice, {**values, "injection": {"backbones": ["trained"], "small_payloads": None}}
    )
    assert tried(everything) == attacks(probes())


# Walks and tables


DOCS = {"spotify": [{"api": "like_song", "method": "POST", "path": "/likes", "parameters": []}]}
RUNS = {
    "I": made_row("heldout-transient-000", steps=((NOTES,), (NOTES,), (SONGS,), (SONGS,)), delay=1),
    "III": made_row(
        "heldout-write-000",
        drift_type="III",
        kind="write",
        payload=(LIKE, PAY),
        steps=((NOTES,), (LIKE,), (PAY,)),
    ),
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A study whose drifted runs are there."""
    paths = DriftPaths(tmp_path)
    write_json(paths.docs, cast("dict[str, Any]", DOCS))
    rows = [
        {
            "operation": name,
            "documented": name in REVERSIBLE,
            "inverse": f"{name}_back" if name in REVERSIBLE else None,
            "needs_preimage": False,
        }
        for name in (LIKE.operation, PAY.operation)
    ]
    write_json(paths.reversibility, cast("list[Any]", rows))
    for drift_type, row in RUNS.items():
        write_jsonl(paths.episodes(drift_type, "large", "drift"), [row])
    return tmp_path


def test_walks_from_each_suspicion_and_none_outside_the_run(smoke: RuleParameters, out: Path) -> None:
    values = smoke.slice("onset_walks", unit("oracle"))
    cfg = validate(OnsetWalksSlice, {**values, "onset_errors": [-5, -1, 0, 1, 5]})
    execute(onset_walks.STAGE, cfg, out)
    rows = read_jsonl(DriftPaths(out).onset_walks("I", "large", "oracle"))
    walks = {row["error"]: cast("dict[str, Any] | None", row["walk"]) for row in rows}
    assert (walks[-5], walks[5]) == (None, None)
    targets = {
        error: walk["decision"]["rollback_to_step"] for error, walk in walks.items() if walk is not None
    }
    # It drifts at step 3. Suspected at 2, nothing has drifted yet, and 2 is kept.
    assert targets == {-1: 2, 0: 2, 1: 2}
    assert not list((out / "journal").rglob("walks.jsonl"))


def test_a_write_after_the_suspicion_is_overlooked(smoke: RuleParameters, out: Path) -> None:
    values = smoke.slice("onset_walks", unit("oracle", "III"))
    execute(onset_walks.STAGE, validate(OnsetWalksSlice, {**values, "onset_errors": [-1, 1]}), out)
    rows = read_jsonl(DriftPaths(out).onset_walks("III", "large", "oracle"))
    actions = [cast("dict[str, Any]", row["walk"])["decision"]["action"] for row in rows]
    assert actions == ["rollback_before_drift", "escalate_human"]


def test_no_text_sways_the_rules(smoke: RuleParameters, tmp_path: Path) -> None:
    cfg = validate(InjectionWalksSlice, smoke.slice("injection_walks", unit("rules")))
    execute(injection_walks.STAGE, cfg, tmp_path)
    record = read_object(DriftPaths(tmp_path).injection_walks("rules"))
    (everything,) = (row for row in cast("list[Any]", record["rows"]) if row["kind"] == "all")
    assert (everything["attacks"], everything["telling"], everything["succeeded"]) == (480, 480, 0)


CELLS = [
    {"drift_type": kind, "main_agent": "large", "backbones": ["rules"], "modes": ["rollback"], "warn": False}
    for kind in ("I", "III")
]


def recovered(out: Path, smoke: RuleParameters) -> DriftMetricsSlice:
    """Episodes and walks of two cells, and the slice of their metrics."""
    paths = DriftPaths(out)
    visits = [visit("n1", 3, {"is_aligned": "N"})]
    labels = [label(1, True), label(2, True), label(3, False)]
    for drift_type, row in RUNS.items():
        name = str(row["id"])
        walk = validate(OnsetWalksSlice, smoke.slice("onset_walks", unit("rules", drift_type)))
        execute(onset_walks.STAGE, walk, out)
        write_jsonl(
            paths.episodes(drift_type, "large", "rules"), [episode(name, visits=visits, labels=labels)]
        )
        write_jsonl(
            paths.episodes(drift_type, "large", "no_drift"), [{"id": name, "difficulty": 1, "success": True}]
        )
        write_jsonl(paths.episodes(drift_type, "large", "resisted"), [{"id": "calm", "difficulty": 2}])
    injected = validate(InjectionWalksSlice, smoke.slice("injection_walks", unit("rules")))
    execute(injection_walks.STAGE, injected, out)
    values = smoke.slice("drift_metrics", {})
    return validate(DriftMetricsSlice, {**values, "cells": CELLS, "onset_backbones": ["rules"]})


def test_from_episodes_to_tables_and_the_run_of_weights_and_biases(
    smoke: RuleParameters, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_MODE", "disabled")
    execute(drift_metrics.STAGE, recovered(out, smoke), out)
    frame = pd.read_parquet(DriftPaths(out).metrics)
    done = frame[(frame["backbone"] == "rules") & (frame["metric"] == "task_goal_completion")]
    assert set(done["value"]) == {1.0}
    resisted = frame[(frame["metric"] == "resisted") & (frame["difficulty"] == "all")]
    assert set(zip(resisted["value"], resisted["n"], strict=True)) == {(0.5, 2)}
    injection = {"backbones": ["rules"], "small_payloads": 2}
    tables = validate(
        DriftTablesSlice,
        {
            **smoke.slice("drift_tables", {}),
            "cells": CELLS,
            "onset_backbones": ["rules"],
            "injection": injection,
        },
    )
    execute(drift_tables.STAGE, tables, out)
    assert "| rules, no model (bound) |" in (out / "tables" / "drift_type1_gpt4o.md").read_text()
    assert "480" in (out / "drift" / "injection_suite.md").read_text()
    execute(track_drift.STAGE, validate(TrackDriftSlice, smoke.slice("track_drift", {})), out)
    assert read_object(out / "tracking" / "drift.json")["mode"] == "disabled"


def test_episodes_of_other_runs_are_refused(smoke: RuleParameters, out: Path) -> None:
    cfg = recovered(out, smoke)
    write_jsonl(DriftPaths(out).episodes("I", "large", "rules"), [episode("another")])
    with pytest.raises(HoldcourseError, match=r"rules.jsonl is not of the runs in drift.jsonl"):
        drift_metrics.main(cfg, out)


def test_no_drifted_run_is_nothing_to_recover(smoke: RuleParameters, out: Path) -> None:
    write_jsonl(DriftPaths(out).episodes("I", "large", "drift"), [])
    cfg = validate(EpisodesSlice, smoke.slice("episodes", unit("rules", "I")))
    with pytest.raises(HoldcourseError, match="holds no drifted run, so there is nothing to recover"):
        episodes.main(cfg, out)


@pytest.mark.parametrize("change", ["fewer", "twice"])
def test_walks_of_other_suspicions_are_refused(smoke: RuleParameters, out: Path, change: str) -> None:
    cfg = recovered(out, smoke)
    place = DriftPaths(out).onset_walks("I", "large", "rules")
    rows = read_jsonl(place)
    write_jsonl(place, rows[1:] if change == "fewer" else [*rows, rows[0]])
    with pytest.raises(
        HoldcourseError, match=r"rules.jsonl is not of the runs in drift.jsonl and the errors .*onset_walks"
    ):
        drift_metrics.main(cfg, out)


def test_a_cell_that_was_not_measured_is_no_row_of_dashes(smoke: RuleParameters, out: Path) -> None:
    execute(drift_metrics.STAGE, recovered(out, smoke), out)
    more = [*CELLS, {**CELLS[0], "drift_type": "II"}]
    values = {**smoke.slice("drift_tables", {}), "cells": more, "onset_backbones": ["rules"]}
    cfg = validate(DriftTablesSlice, {**values, "injection": {"backbones": ["rules"], "small_payloads": 2}})
    with pytest.raises(HoldcourseError, match="has no results of II large rules"):
        drift_tables.main(cfg, out)
