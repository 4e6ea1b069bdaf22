"""Table 5 of the drift paper: its training settings with ours beside them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pydantic import JsonValue

from holdcourse.config.paper_drift import Hyperparameter
from holdcourse.report.intrinsic_results import IntrinsicSetting
from holdcourse.report.table import Cell, Column, ReportTable


def drift_hyperparameters(
    settings: Mapping[str, JsonValue], setting: IntrinsicSetting, devices: Mapping[str, str]
) -> ReportTable:
    """Table 5.

    Args:
        settings: the composed groups `training`, `reward` and `judge` by name.
        setting: how the numbers were made.
        devices: what each policy was trained on, by its label.
    """
    rows = [_row(printed, settings, setting, devices) for printed in setting.paper.hyperparameters]
    differing = sum(row["same"] == "no" for row in rows)
    return ReportTable(
        "drift_hyperparameters",
        f"Table 5: training configuration, the paper's and ours (preset {setting.preset}).",
        (
            Column("group", "group"),
            Column("name", "hyperparameter"),
            Column("paper", "paper"),
            Column("ours", "ours"),
            Column("same", "same"),
            Column("key", "where ours stands in conf/"),
        ),
        tuple(rows),
        (
            f"{differing} of {len(rows)} rows differ. conf/training/paper.yaml holds the paper's values "
            "to the letter.",
            f"Made by: {setting.command}",
        ),
        setting.offline_label,
    )


def _row(
    printed: Hyperparameter,
    settings: Mapping[str, JsonValue],
    setting: IntrinsicSetting,
    devices: Mapping[str, str],
) -> dict[str, Cell]:
    if printed.key is None:
        ours = setting.judge if printed.group == "Judge" else _devices(devices)
        same = None
    elif printed.key.startswith("judge.") and looked_up(settings, "judge.kind") != "llm":
        ours, same = "no model judges", None
    else:
        value = looked_up(settings, printed.key)
        ours, same = str(value), "yes" if value == printed.value else "no"
    return {
        "group": printed.group,
        "name": printed.name,
        "paper": printed.printed,
        "ours": ours,
        "same": same,
        "key": printed.key,
    }


def looked_up(settings: Mapping[str, JsonValue], key: str) -> JsonValue:
    """The value of a dotted key, such as training.lora.rank.

    Raises:
        KeyError: there is no such key.
    """
    start: JsonValue = dict(settings)

    def inner(tree: JsonValue, name: str) -> JsonValue:
        if not isinstance(tree, dict) or name not in tree:
            raise KeyError(f"{key}: no {name}")
        return tree[name]

    return reduce(inner, key.split("."), start)


def _devices(devices: Mapping[str, str]) -> str | None:
    names = sorted(set(devices.values()))
    if len(names) == 1:
        return names[0]
    return ", ".join(f"{label}: {device}" for label, device in devices.items()) or None
