"""The pool: prompts as the graph asks them, true answers, balance, and nothing on both sides of the split."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.training.made_trajectories import DOCS, REVERSIBILITY, dataset, trajectory
from tests.training.test_adversarial import SCORER

from holdcourse.config.drift import PoolConfig
from holdcourse.config.recovery import RecoveryConfig, named_settings
from holdcourse.errors import HoldcourseError
from holdcourse.files import write_jsonl
from holdcourse.recovery.docs import docs_of
from holdcourse.recovery.envelope import wrap
from holdcourse.recovery.nodes import NODES
from holdcourse.training.judge_facts import correctness
from holdcourse.training.pool import Pool, answer_class, build_pool
from holdcourse.training.pool_card import checksum, data_card
from holdcourse.training.pool_composed import split_of
from holdcourse.training.pool_overlap import overlaps
from holdcourse.training.pool_rows import SPLITS, Material, operations_asked, undoing, walked
from holdcourse.training.prompt_rows import PromptRow, prompt_row, read_prompts

SIZES = PoolConfig(
    seed=0, train=10, heldout=4, heldout_operations=0.25, composed_writes=3, onset_shifts=(1, -1, 2, -2)
)
MANY = SIZES.model_copy(update={"train": 400})


@pytest.fixture(scope="module")
def settings() -> RecoveryConfig:
    return named_settings("paper")


@pytest.fixture(scope="module")
def pool(settings: RecoveryConfig) -> Pool:
    return build_pool(dataset(), DOCS, REVERSIBILITY, settings, SIZES, seed=0)


@pytest.fixture(scope="module")
def material(settings: RecoveryConfig) -> Material:
    return Material(docs_of(DOCS), undoing(REVERSIBILITY), settings)


def rows_of(row: dict[str, object], material: Material, shift: int = 0) -> dict[str, list[PromptRow]]:
    found: dict[str, list[PromptRow]] = {node: [] for node in NODES}
    for candidate in walked(row, material, shift, Counter()):
        found[candidate.row.node].append(candidate.row)
    return found


def test_each_node_has_its_share_in_both_splits(pool: Pool) -> None:
    for rows, number in ((pool.train, 10), (pool.heldout, 4)):
        assert Counter(row.node for row in rows) == dict.fromkeys(NODES, number)
        assert [row.node for row in rows[:10]] == [*NODES, *NODES]


def test_answers_are_balanced(pool: Pool) -> None:
    counted = Counter((row.node, answer_class(row)) for row in pool.train)
    assert counted["n1", "Y"] == counted["n1", "N"] == 5
    assert counted["n2", "writes"] == counted["n2", "None"] == 5
    assert counted["n5", "rollback_before_drift"] == counted["n5", "escalate_human"] == 5
    assert all(counted["n4", part] >= 3 for part in ("reversible", "irreversible", "both"))


def test_the_same_input_gives_the_same_pool_in_whatever_order(pool: Pool, settings: RecoveryConfig) -> None:
    mixed = dataset()
    random.Random(5).shuffle(mixed)
    again = build_pool(mixed, DOCS, REVERSIBILITY, settings, SIZES, seed=0)
    assert (checksum(again.train), checksum(again.heldout)) == (checksum(pool.train), checksum(pool.heldout))
    other = build_pool(mixed, DOCS, REVERSIBILITY, settings, SIZES, seed=1)
    assert checksum(other.train) != checksum(pool.train)


def test_a_walk_asks_each_node_with_the_true_answers_of_the_earlier_ones(material: Material) -> None:
    """Suspected at 5: step 5 writes, step 4 reads, steps 3 and 2 are aligned, which ends the walk (K = 2)."""
    rows = rows_of(trajectory(0, "train", "III", delay=0), material)
    assert [row.evidence["step"] for row in rows["n1"]] == [5, 4, 3, 2]
    assert [row.evidence["aligned"] for row in rows["n1"]] == [False, False, True, True]
    assert [row.label["write_operations"] for row in rows["n2"]] == ["alpha.add_thing", "None"]
    assert [row.label["read_operations"] for row in rows["n2"]] == ["None", "gamma.show_leaves"]
    assert [row.label for row in rows["n3"]] == [{"apps_name": "alpha"}]
    assert [row.label for row in rows["n4"]] == [
        {"write_reversible": "alpha.add_thing", "write_not_reversible": "None"}
    ]
    assert [row.label["action"] for row in rows["n5"]] == ["escalate_human"]
    assert rows["n4"][0].evidence["inverses"] == [
        {"operation": "alpha.add_thing", "inverse": "alpha.drop_thing"}
    ]


def test_a_read_only_drift_is_rolled_back_to_the_step_before_it(material: Material) -> None:
    (row,) = rows_of(trajectory(0, "train", "I"), material)["n5"]
    assert row.label["action"] == "rollback_before_drift"
    assert cast("dict[str, object]", row.label["arguments"])["rollback_to_step"] == 3
    assert row.evidence["target"] == 3


def test_a_run_that_never_drifted_goes_on_from_where_it_was_suspected(material: Material) -> None:
    for shift in (0, 1):
        (row,) = rows_of(trajectory(0, "train", "aligned"), material, shift)["n5"]
        assert (row.evidence["action"], row.evidence["target"]) == ("rollback_before_drift", 4 + shift)


def test_a_write_whose_old_value_is_needed_is_not_reversible() -> None:
    known = undoing(REVERSIBILITY)
    assert known.inverses["gamma.rename_leaf"] == "gamma.rename_leaf"
    assert "gamma.rename_leaf" not in known.reversible
    assert {name for name in known.reversible if not name.startswith("delta")} == {
        *("alpha.add_thing", "alpha.mark_thing", "alpha.unmark_thing", "beta.open_box", "beta.close_box")
    }


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(HoldcourseError, match=r"reversibility of a\.b: no inverse"):
        undoing([{"operation": "a.b", "documented": True, "needs_preimage": False}])


def test_the_onset_is_moved_only_within_the_trajectory(material: Material) -> None:
    row = trajectory(0, "train", "I", delay=0)
    assert rows_of(row, material, 1)["n1"][0].evidence["step"] == 6
    assert rows_of(row, material, -1)["n1"][0].evidence["step"] == 4
    assert rows_of(row, material, 2)["n1"] == rows_of(row, material, -2)["n1"] == []


def test_what_cannot_be_known_from_the_prompt_is_left_out(material: Material) -> None:
    left_out: Counter[str] = Counter()
    wrong = trajectory(0, "train", "I") | {"right_target": 1}
    short = replace(material, settings=material.settings.model_copy(update={"limits": _short(material)}))
    assert "n5" not in {candidate.row.node for candidate in walked(wrong, material, 0, left_out)}
    list(walked(trajectory(0, "train", "III"), short, 0, left_out))
    assert left_out == {
        "n5: what the walk found leads to another decision": 1,
        "n4: the prompt has no room for what the answer names": 1,
    }


def _short(material: Material) -> object:
    return material.settings.limits.model_copy(update={"documentation": 40})


def test_labels_in_the_envelope_earn_all_that_form_and_facts_give(pool: Pool) -> None:
    for row in (*pool.train, *pool.heldout):
        assert correctness(row, row.label) == 1
        completion = wrap("This is what the labels of the case say.", row.label)
        (vector,) = SCORER.score([completion], [row])
        form = {
            name: value
            for name, value in vector.components.items()
            if name.startswith(("json", "xml", "strict"))
        }
        assert set(form.values()) == {1}, (row.label, form)
        assert (vector.components["judge"] or 0) >= 0.5


def test_terms_are_words_that_the_prompt_shows(settings: RecoveryConfig) -> None:
    """The short prompts show n5 only what drifted first, so no text can be asked to name more."""
    short = Material(docs_of(DOCS), undoing(REVERSIBILITY), named_settings("short"))
    (row,) = rows_of(trajectory(0, "train", "I"), short)["n5"]
    assert row.evidence["terms"] == ["gamma", "4"]
    full = replace(short, settings=settings)
    (row,) = rows_of(trajectory(0, "train", "I"), full)["n5"]
    assert {"gamma", "leaves", "4"} <= set(cast("list[str]", row.evidence["terms"]))


def test_a_copy_of_the_prompt_is_worth_no_more_than_filler(pool: Pool) -> None:
    for row in pool.train:
        copied = wrap(row.messages[-1].content or "", row.label)
        filler = wrap("It was looked at with care and so it is as it is.", row.label)
        (first,), (second,) = SCORER.score([copied], [row]), SCORER.score([filler], [row])
        assert (first.components["judge"] or 0) <= (second.components["judge"] or 0)


def test_nothing_stands_on_both_sides(pool: Pool) -> None:
    assert overlaps(pool.train, pool.heldout) == []


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"id": "same"}, "1 ids in both splits, such as same"),
        ({"task_id": "hc01a00_1"}, "1 tasks in both splits, such as hc01a00_1"),
        ({"messages": ()}, "1 prompts in both splits"),
        ({"person": "Ann", "payload": "p_1"}, "1 pairs of person and payload in both splits"),
        ({"wording": "0"}, "1 wordings in both splits, such as 0"),
        ({"operations": ["b.c"]}, "1 write operations of n3 and n4 in both splits, such as b.c"),
    ],
)
def test_what_overlaps_is_named(pool: Pool, changed: dict[str, object], named: str) -> None:
    def with_change(row: PromptRow) -> PromptRow:
        if set(changed) <= {"id", "task_id", "messages"}:
            return replace(row, **changed)
        origin = cast("dict[str, object]", row.evidence["origin"])
        evidence = {**row.evidence, "origin": {**origin, **changed}, **changed}
        return replace(row, evidence=evidence)

    train = next(row for row in pool.train if row.node == "n1")
    heldout = next(row for row in pool.heldout if row.node == "n1")
    (found,) = overlaps([with_change(train)], [with_change(heldout)])
    assert found.startswith(named)


def test_a_leak_stops_the_build(settings: RecoveryConfig) -> None:
    rows = dataset()
    for row in rows:
        row["base_task_id"] = "hc01a00_1"
    with pytest.raises(
        HoldcourseError, match=r"leak into training: 1 tasks in both splits, such as hc01a00_1"
    ):
        build_pool(rows, DOCS, REVERSIBILITY, settings, SIZES, seed=0)


def test_too_few_prompts_are_named_by_node(settings: RecoveryConfig) -> None:
    with pytest.raises(HoldcourseError, match=r"train split gives too few different prompts: n1 \d+, n2"):
        build_pool(dataset(), DOCS, REVERSIBILITY, settings, MANY, seed=0)


def test_without_composed_sets_n3_and_n4_have_what_the_trajectories_wrote(settings: RecoveryConfig) -> None:
    sizes = SIZES.model_copy(update={"heldout": 2, "composed_writes": 0})
    with pytest.raises(HoldcourseError, match=r"n3 \d, n4 \d of 10 wanted; .*pool.heldout_operations"):
        build_pool(dataset(), DOCS, REVERSIBILITY, settings, sizes, seed=0)


def test_an_unknown_split_is_refused(settings: RecoveryConfig) -> None:
    with pytest.raises(HoldcourseError, match=r"unknown split pool; it is train or heldout"):
        build_pool([trajectory(0, "pool")], DOCS, REVERSIBILITY, settings, SIZES, seed=0)


def test_a_write_belongs_to_one_split_and_mixed_sets_to_none() -> None:
    names = [f"a.b{number}" for number in range(400)]
    by_split = {split: [name for name in names if split_of([name], 0.25) == split] for split in SPLITS}
    assert 60 < len(by_split["heldout"]) < 140
    assert len(by_split["train"]) + len(by_split["heldout"]) == 400
    train, heldout = by_split["train"][:3], by_split["heldout"][:3]
    assert split_of(train, 0.25) == "train"
    assert split_of([*heldout, heldout[0]], 0.25) == "heldout"
    assert split_of([*train, heldout[0]], 0.25) is None


def test_no_write_that_heldout_prompts_ask_about_is_asked_about_in_training(pool: Pool) -> None:
    asked = [
        {name for row in rows for name in operations_asked(row) if row.node == node}
        for rows in (pool.train, pool.heldout)
        for node in ("n3", "n4")
    ]
    assert all(asked)
    assert not (asked[0] | asked[1]) & (asked[2] | asked[3])


def test_no_set_is_composed_where_other_nodes_lack_prompts(
    settings: RecoveryConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("composed although n1 lacks prompts")

    monkeypatch.setattr("holdcourse.training.pool.composed", never)
    with pytest.raises(HoldcourseError, match=r"n1 \d+, n2 \d+, n5 \d+ of 400 wanted"):
        build_pool(dataset(), DOCS, REVERSIBILITY, settings, MANY, seed=0)


def test_rows_are_read_back_as_they_were(pool: Pool, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train.jsonl", [row.record() for row in pool.train])
    assert read_prompts(tmp_path / "train.jsonl") == list(pool.train)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"node": "n6"}, r"line 1: unknown node 'n6'; it is one of n1, n2"),
        ({"evidence": None, "label": None}, r"line 1: no evidence, label|no label, evidence"),
        (
            {"messages": [{"role": "boss", "content": "x"}]},
            r"line 1: unknown role 'boss'; it is one of system",
        ),
    ],
)
def test_a_row_of_another_kind_is_refused(pool: Pool, change: dict[str, object], message: str) -> None:
    record = {key: value for key, value in pool.train[0].record().items() if change.get(key, 1) is not None}
    record |= {key: value for key, value in change.items() if value is not None}
    with pytest.raises(HoldcourseError, match=message):
        prompt_row(record, "prompts, line 1")


def test_the_card_counts_and_warns(pool: Pool) -> None:
    card = data_card(pool, count=lambda text: len(text.split()), unit="words")
    assert f"| train | 50 | {len({row.task_id for row in pool.train})} |" in card
    assert checksum(pool.heldout) in card
    assert "| train | n1 classify_drift | N | 5 |" in card
    assert "## Length of a prompt in words" in card
    assert "redistributed in encrypted form only" in card
    assert "| n4: an operation belongs to the other split | 5 |" in card
