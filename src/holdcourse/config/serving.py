"""The schema behind conf/serving/: a server of open models that the job that needs it starts.

Like conf/llm/, this says how a model is reached and never what is asked: nothing here reruns anything.
"""

from __future__ import annotations

import string
from typing import Annotated, Self

from pydantic import Field, model_validator

from holdcourse.config.section import Count, NonNegative, Seconds, Section

PLACES = ("environment", "script", "name", "weights", "host", "port", "threads")
"""What a command may name in braces."""


class ServedModel(Section):
    """One model that a server of its own serves.

    `name` is the model's name in conf/models/ without its prefix; `weights` is what the server loads: a
    folder, a file or a name it knows. `arguments` are added to the command.
    """

    name: str
    weights: str
    arguments: tuple[str, ...] = ()


class ServingConfig(Section):
    """conf/serving/: how a server is started, told to be ready, shared and stopped.

    `command` is a list of words, in which {environment}, {script}, {name}, {weights}, {host}, {port} and
    {threads} are replaced; empty starts nothing. A model is served if its name begins with `prefix`. `port` 0
    takes a free one. The server counts as ready when `health_path` answers 200 and `models_path` lists the
    model (null asks no such list). When no job has used it for `linger_s`, it is stopped. `log` is a folder;
    null is results/{study}/logs/serving.
    """

    command: tuple[str, ...] = ()
    environment: str = ""
    prefix: str = "hosted_vllm/"
    models: tuple[ServedModel, ...] = ()
    arguments: tuple[str, ...] = ()
    host: Annotated[str, Field(pattern=r"^(127\.\d+\.\d+\.\d+|localhost)$")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 0
    health_path: Annotated[str, Field(pattern=r"^/")] = "/health"
    models_path: Annotated[str, Field(pattern=r"^/")] | None = "/v1/models"
    api_path: Annotated[str, Field(pattern=r"^/")] = "/v1"
    start_timeout_s: Seconds = 900.0
    stop_timeout_s: Seconds = 30.0
    linger_s: Annotated[float, Field(ge=0.0)] = 20.0
    restarts: NonNegative = 1
    threads: Count = 1
    log: str | None = None

    @model_validator(mode="after")
    def _command_is_usable(self) -> Self:
        words = (*self.command, *self.arguments, *(word for model in self.models for word in model.arguments))
        try:
            fields = {
                field
                for word in words
                for _, field, _, _ in string.Formatter().parse(word)
                if field is not None
            }
        except ValueError as error:
            raise ValueError(f"command: {error}; write a brace that is meant as {{{{ or }}}}") from None
        unknown = sorted(fields - set(PLACES))
        if unknown:
            raise ValueError(
                f"command names {{{unknown[0]}}}; it may name {', '.join(f'{{{p}}}' for p in PLACES)}"
            )
        names = [model.name for model in self.models]
        if len(set(names)) != len(names):
            raise ValueError("models names one model twice")
        return self
