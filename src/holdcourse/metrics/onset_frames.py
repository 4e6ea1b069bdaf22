"""How decisions depend on an error of the suspected onset: drift/onset_sensitivity.parquet.

A walk is made for each error; errors that would point outside the run are excluded and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from holdcourse.metrics.episode_outcomes import VERDICTS, Row, decided, verdict
from holdcourse.metrics.intervals import Bootstrap, mean_interval

COLUMNS = (
    "drift_type",
    "main_agent",
    "backbone",
    "error",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "excluded",
)
SAFE = "safe"
"""Right, or rolled back further than need be: the drift is gone and no write is overlooked."""

Key = tuple[str, str, str]
"""Drift type, main agent, backbone."""


def onset_sensitivity(
    walks: Mapping[Key, Sequence[Row]], errors: Sequence[int], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Share of the drifted runs by what the decision was worth; see `COLUMNS`.

    Args:
        walks: rows of onset/{type}/{main_agent}/{backbone}.jsonl.
        errors: steps by which the suspected onset was off.
        bootstrap: resamples, confidence, seed.
    """
    rows = []
    for (drift_type, main_agent, backbone), found in walks.items():
        for error in errors:
            mine = [row for row in found if row["error"] == error]
            verdicts = [None if row["walk"] is None else verdict(decided(row)) for row in mine]
            for metric in (*VERDICTS, SAFE):
                wanted = ("right", "too_early") if metric == SAFE else (metric,)
                values = np.array(
                    [np.nan if one is None else float(one in wanted) for one in verdicts], dtype=np.float64
                )
                mean = mean_interval({0: values}, bootstrap)
                rows.append(
                    {
                        "drift_type": drift_type,
                        "main_agent": main_agent,
                        "backbone": backbone,
                        "error": error,
                        "metric": metric,
                        "value": mean.estimate,
                        "low": mean.low,
                        "high": mean.high,
                        "n": mean.units,
                        "excluded": mean.excluded,
                    }
                )
    return pd.DataFrame(rows, columns=list(COLUMNS))
