"""Open models for a job: servers are started for those of its models that nobody serves yet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from holdcourse.config.llm import DoorSettings
from holdcourse.config.role_model import RoleModel
from holdcourse.serving.plan import plan_server
from holdcourse.serving.use import served


def needs_server(model: str, settings: DoorSettings, environ: Mapping[str, str]) -> bool:
    """Whether a server is to be started for a model.

    It is if conf/serving/ starts servers for such models and no running one is named, be it in llm.api_bases
    or in the variable that LiteLLM reads for the prefix (HOSTED_VLLM_API_BASE for hosted_vllm/).
    """
    serving = settings.serving
    if not serving.command or not model.startswith(serving.prefix) or settings.llm.mode == "replay":
        return False
    variable = f"{serving.prefix.rstrip('/').upper()}_API_BASE"
    return settings.llm.api_base(model) is None and not environ.get(variable)


@contextmanager
def serving(settings: DoorSettings, models: Mapping[str, RoleModel], out: Path) -> Iterator[DoorSettings]:
    """Settings under which all of a job's models can be reached, for as long as the context lasts.

    Args:
        settings: how the job reaches its models.
        models: its models by role.
        out: results/{study}; the servers' logs go to its folder logs/serving.

    Raises:
        ServingError: a server could not be started, or died while it was used.
    """
    wanted = dict.fromkeys(role.model for role in models.values())
    unserved = [model for model in wanted if needs_server(model, settings, os.environ)]
    plans = {model: plan_server(settings.serving, model, out / "logs" / "serving") for model in unserved}
    with ExitStack() as stack:
        urls = {model: stack.enter_context(served(plan)) for model, plan in plans.items()}
        bases = {**settings.llm.api_bases, **urls}
        yield settings.model_copy(update={"llm": settings.llm.model_copy(update={"api_bases": bases})})
