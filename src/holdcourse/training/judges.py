"""The judge that a configuration names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdcourse.config.reward import JudgeConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatModel, canonical_json
from holdcourse.training.judge_cache import JudgeCache
from holdcourse.training.judge_grounded import GroundedJudge
from holdcourse.training.judge_llm import LlmJudge, rubrics_digest
from holdcourse.training.rewards.scorer import Judge


@contextmanager
def judging(
    config: JudgeConfig,
    door: ChatModel | None = None,
    model: RoleModel | None = None,
    cache: Path | None = None,
) -> Iterator[Judge]:
    """The judge of conf/judge/, for as long as the context lasts.

    Args:
        config: conf/judge/.
        door: where a model is asked; needed for kind=llm.
        model: the judge's model; needed for kind=llm.
        cache: journal of a model's scores, so that a resumed run asks nothing twice; None keeps none.

    Raises:
        HoldcourseError: kind=llm without a door or model, or a cache that cannot be used.
    """
    if config.kind == "grounded":
        yield GroundedJudge(config.grounding)
        return
    if door is None or model is None:
        raise HoldcourseError(
            "judge=llm asks a model, but none was given; name one in conf/drift_models/ (judge), or choose "
            "judge=grounded, which needs none"
        )
    identity = canonical_json([model.model_dump(mode="json"), rubrics_digest()])
    with JudgeCache(identity, cache) as known:
        yield LlmJudge(door, model, config.attempts, config.workers, known)
