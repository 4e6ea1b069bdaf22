"""The composite reward of a stage: its judge asked through the unit's door, its scores journalled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdcourse.llm.door import Door
from holdcourse.stages.training_slices import ScoredSlice
from holdcourse.stages.unit_journal import JUDGE_CACHE, UnitJournals
from holdcourse.training.judges import judging
from holdcourse.training.rewards.scorer import Scorer


@contextmanager
def scoring(journals: UnitJournals, cfg: ScoredSlice) -> Iterator[Scorer]:
    """The scorer that conf/reward/ and conf/judge/ name, for as long as the context lasts."""
    if cfg.judge.kind == "grounded":
        with judging(cfg.judge) as judge:
            yield Scorer(cfg.reward, judge)
        return
    door = Door(None, cfg.door, journals.folder / "calls.jsonl", cfg.simulated_drift)
    cache = journals.folder / JUDGE_CACHE
    with judging(cfg.judge, door, cfg.drift_agents["judge"], cache) as judge:
        yield Scorer(cfg.reward, judge)
