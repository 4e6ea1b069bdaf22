"""How the offline result depends on assumed model ability: last checkpoints along the curve's slope."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from holdcourse.config.schema import ReportConfig
from holdcourse.metrics.intervals import Interval, mean_interval, seed_values
from holdcourse.report.drawing import arm_styles, drawing, finish, new_figure
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting


def shift_competence(results: ShiftResults, setting: Setting, report: ReportConfig) -> Figure:
    """pass^k of every arm's last checkpoint against the slope of the competence curve, with its interval."""
    scores = results.sensitivity[results.sensitivity["k"] == setting.k]
    slopes = sorted(float(slope) for slope in scores["slope"].unique())
    styles = arm_styles(setting, report)
    with drawing(report):
        figure = new_figure(7.5, 4.6)
        axes = figure.subplots()
        for number, (arm, style) in enumerate(styles.items()):
            intervals = [_interval(scores, arm, slope, setting) for slope in slopes]
            middle = np.array([_number(interval.estimate) for interval in intervals])
            spread = [
                [_number(interval.estimate) - _number(interval.low) for interval in intervals],
                [_number(interval.high) - _number(interval.estimate) for interval in intervals],
            ]
            # Side by side, since the arms' intervals overlap.
            places = np.arange(len(slopes)) + (number - (len(styles) - 1) / 2) * 0.12
            axes.errorbar(
                places,
                middle,
                yerr=spread,
                color=style.colour,
                marker=style.marker,
                linestyle=style.line,
                capsize=3,
                label=style.label,
            )
        axes.set_xticks(range(len(slopes)), [f"{slope:g}" for slope in slopes])
        axes.set_xlim(-0.5, len(slopes) - 0.5)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel("slope of the assumed competence curve (0: one middling competence at any length)")
        axes.set_ylabel(f"pass^{setting.k} at the last checkpoint")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")
        seeds = f"{count} seed" if (count := scores["seed"].nunique()) == 1 else f"{count} seeds"
        return finish(
            figure,
            setting,
            "Dependence on assumed model ability",
            f"Each point is a smaller study of its own ({seeds}, last checkpoint only). "
            f"Bars: {setting.bootstrap.confidence:.0%} bootstrap over tasks within seed.",
        )


def _interval(scores: pd.DataFrame, arm: str, slope: float, setting: Setting) -> Interval:
    cell = scores[(scores["arm"] == arm) & (scores["slope"] == slope)]
    return mean_interval(seed_values(cell, "pass_hat_k"), setting.bootstrap)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
