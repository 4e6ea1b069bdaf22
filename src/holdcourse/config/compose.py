"""Composition of conf/ by Hydra into one checked `Config`."""

from __future__ import annotations

import difflib
import os
import re
from functools import lru_cache
from pathlib import Path

from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel, ValidationError
from yaml import YAMLError

from holdcourse.config.schema import Config, ConfigError


def conf_directory() -> Path:
    """The folder conf/: $HOLDCOURSE_CONF, else that of the source tree, else that of the working directory.

    Raises:
        ConfigError: none of them exists.
    """
    named = os.environ.get("HOLDCOURSE_CONF")
    candidates = (
        [Path(named)] if named else [Path(__file__).resolve().parents[3] / "conf", Path.cwd() / "conf"]
    )
    for candidate in candidates:
        if (candidate / "config.yaml").is_file():
            return candidate.resolve()
    raise ConfigError(
        f"no conf/config.yaml found in {', '.join(str(candidate) for candidate in candidates)}; "
        "run from a clone of the repository or set HOLDCOURSE_CONF to its conf folder"
    )


def group_choices(group: str) -> list[str]:
    """The options of a configuration group: the names of the YAML files in conf/`group`/."""
    return sorted(path.stem for path in (conf_directory() / group).glob("*.yaml"))


def compose(study: str, overrides: tuple[str, ...] = ()) -> Config:
    """Compose and check the configuration of a study.

    Args:
        study: a file of conf/study/.
        overrides: Hydra overrides such as "arm=hce" or "evaluation.trials=4".

    Raises:
        ConfigError: an unknown study, group or key, or a value out of range; it names the choices.
    """
    choices = group_choices("study")
    if study not in choices:
        raise ConfigError(f"unknown study {study!r}; conf/study/ has {', '.join(choices)}")
    return _compose(study, tuple(overrides))


@lru_cache(maxsize=256)
def _compose(study: str, overrides: tuple[str, ...]) -> Config:
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(config_dir=str(conf_directory()), version_base="1.3"):
            tree = hydra_compose("config", overrides=[f"study={study}", *overrides])
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(_readable(error)) from error
    except (YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"a file of conf/ cannot be read as YAML: {error}") from error
    return check(tree)


def check(tree: DictConfig) -> Config:
    """Check a composed tree against the schema.

    Raises:
        ConfigError: naming each offending key and what it takes.
    """
    try:
        tree = OmegaConf.masked_copy(tree, [str(key) for key in tree if key != "hydra"])
        values = OmegaConf.to_container(tree, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise ConfigError(_readable(error)) from error
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_violations(error)) from error
    unknown = [arm for arm in config.arms if arm not in group_choices("arm")]
    if unknown:
        raise ConfigError(
            f"arms names unknown {', '.join(unknown)}; conf/arm/ has {', '.join(group_choices('arm'))}"
        )
    return config


def _readable(error: Exception) -> str:
    text = str(error).strip()
    text = re.sub(r"\n?\s*(full_key|object_type|reference_type)[:=].*", "", text)
    text = re.sub(r"\nConfig search path:.*", "", text, flags=re.DOTALL)
    cause = error.__cause__
    if cause is not None and str(cause) and str(cause).split("\n")[0] not in text:
        text += f" ({str(cause).splitlines()[0]})"
    named = re.search(r"(?:Could not override '([\w.@/]+)'|Key '([\w.]+)' (?:is not in struct|not in))", text)
    if named:
        key = next(group for group in named.groups() if group)
        near = difflib.get_close_matches(key, sorted(_all_keys(Config)), n=3, cutoff=0.5)
        text += f"\nknown keys nearest to it: {', '.join(near)}" if near else ""
    return text


def _violations(error: ValidationError) -> str:
    lines = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"]) or "configuration"
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            siblings = _keys_beside(key)
            message = (
                f"unknown key; {key.rpartition('.')[0] or 'the configuration'} has {', '.join(siblings)}"
            )
            lines.append(f"{key}: {message}")
        elif item["type"] == "value_error":
            lines.append(f"{key}: {message}")
        else:
            lines.append(f"{key}={item['input']!r}: {message}")
    return "\n".join(lines)


def _keys_beside(key: str) -> list[str]:
    model: type[BaseModel] = Config
    for part in key.split(".")[:-1]:
        field = model.model_fields.get(part)
        if (
            field is None
            or not isinstance(field.annotation, type)
            or not issubclass(field.annotation, BaseModel)
        ):
            return []
        model = field.annotation
    return sorted(model.model_fields)


def _all_keys(model: type[BaseModel], prefix: str = "") -> set[str]:
    keys = set()
    for name, field in model.model_fields.items():
        keys.add(prefix + name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            keys |= _all_keys(field.annotation, f"{prefix}{name}.")
    return keys
