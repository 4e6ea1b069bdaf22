"""Which unit of a study a stage works on when it is run by hand, told from the fields of its slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from holdcourse.config.compose import compose, group_choices
from holdcourse.stages.slices import StageConfig

EXAMPLE = "smoke"
GROUPS = ("arm", "policy_model")
KEYS = ("seed", "batch", "checkpoint", "split", "shard", "variant", "drift_type", "main_agent", "backbone")


def unit_keys(kind: type[StageConfig]) -> tuple[str, ...]:
    """The keys that name a stage's unit; none if it works on a whole study."""
    fields = kind.model_fields
    named = set(fields) | ({"arm"} if "arm_name" in fields else set())
    if "seed" not in fields:
        # A small model is then only told of.
        named.discard("policy_model")
    return tuple(key for key in (*GROUPS, *KEYS) if key in named)


def run_folder(name: str, kind: type[StageConfig]) -> str:
    """Hydra's folder for a run: from identity, not time, since two jobs of one second must not share one."""
    unit = [f"{key}-${{{f'{key}.name' if key in GROUPS else key}}}" for key in unit_keys(kind)]
    return "/".join(["${results}/${study}/hydra", name, *unit])


def usage(name: str, kind: type[StageConfig]) -> str:
    """What --help says of a stage: commands that the smoke study takes, and the keys of the stage's unit."""
    keys = unit_keys(kind)
    tree = compose(EXAMPLE).model_dump(mode="json")
    unit = {key: tree[key]["name"] if key in GROUPS else tree[key] for key in keys}
    lines = [_command(name, "", unit)]
    if not keys:
        return "\n".join([*lines, "  It works on a whole study."])
    last = keys[-1]
    value = unit[last]
    swept = [value, value + 1] if isinstance(value, int) else _choices(kind, last)[:2]
    lines.append(_command(name, " --multirun", {**unit, last: ",".join(map(str, swept))}) + "    a sweep")
    taken = " ".join(f"{key}={'|'.join(_choices(kind, key)) or 'N'}" for key in keys)
    return "\n".join([*lines, f"  Its unit: {taken}"])


def _command(name: str, option: str, unit: Mapping[str, object]) -> str:
    named = "".join(f" {key}={value}" for key, value in unit.items())
    return f"  python -m holdcourse.stages.{name}{option} study={EXAMPLE}{named}"


def _choices(kind: type[StageConfig], key: str) -> Sequence[str]:
    """What a key takes; nothing for a number."""
    return group_choices(key) if key in GROUPS else get_args(kind.model_fields[key].annotation)
