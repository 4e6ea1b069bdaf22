"""The schema behind conf/end_to_end/: which drifts are recovered by whom, and what else is asked of them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from holdcourse.config.section import Count, NonNegative, Section
from holdcourse.config.training import PolicyModelConfig

DriftKind = Literal["I", "II", "III"]
MainAgent = Literal["large", "small"]
Backbone = Literal["rules", "oracle", "frontier", "untrained", "trained"]
RecoveryMode = Literal["rollback", "unwarned", "restore", "compensate"]

ROLLBACKS: tuple[RecoveryMode, ...] = ("rollback", "unwarned")
"""Modes that leave the world alone; `unwarned` is the rollback without the cell's warning."""

SMALL_BACKBONES: tuple[Backbone, ...] = ("untrained", "trained")
"""Backbones that are the small model in this process."""


class Acting(Section):
    """What is done about a decision.

    Attributes:
        modes: what is done about the world; `rollback` is the paper's, `restore` and `compensate` are
            extensions, `unwarned` shows what the warning is worth.
        warn: whether the agent is told of the drift before it starts again (the paper does for Type II).
    """

    modes: Annotated[tuple[RecoveryMode, ...], Field(min_length=1)]
    warn: bool


class Cell(Acting):
    """One setting of Tables 2-4, or an extension of them.

    Attributes:
        drift_type: Type I, II or III.
        main_agent: whose runs drift and are done again.
        backbones: who answers in the recovery graph.
        unwarned: backbones whose rollbacks are carried out without the warning as well.
    """

    drift_type: DriftKind
    main_agent: MainAgent
    backbones: Annotated[tuple[Backbone, ...], Field(min_length=1)]
    unwarned: tuple[Backbone, ...] = ()

    def acting(self, backbone: Backbone) -> Acting:
        """What is done about the decisions of a backbone."""
        more: tuple[RecoveryMode, ...] = ("unwarned",) if backbone in self.unwarned else ()
        return Acting(modes=(*self.modes, *more), warn=self.warn)


class InjectionSettings(Section):
    """The suite of texts that address the recovery model itself.

    Attributes:
        backbones: who is tried.
        small_payloads: of the suite's payloads, how many a small model in this process is tried with, spread
            over their kinds; each once, at places and incidents in turn. Null for all of them everywhere.
    """

    backbones: tuple[Backbone, ...]
    small_payloads: Count | None


class SmallModelSettings(Section):
    """How the small model is run in this process.

    Attributes:
        rows: nodes answered at once.
        stop_at_answer: whether a reply ends with its answer, as with a stop sequence.
    """

    rows: Count
    stop_at_answer: bool


class SmallModel(Section):
    """The small model behind a backbone: which, the seed of its training (null: untrained), how it runs."""

    policy: PolicyModelConfig
    training_seed: NonNegative | None
    dtype: Literal["bfloat16", "float32"]
    run: SmallModelSettings


class EndToEndConfig(Section):
    """conf/end_to_end/: the end-to-end evaluation (drift paper §5.3.2).

    Attributes:
        cells: what is run, each drift type and main agent once.
        onset_errors: by how many steps the suspected onset is shifted from the true one, one walk each.
        onset_backbones: who is tried under these errors.
        injection: who is tried with the suite of injections, and with how many.
        small_model: how the small model runs.
        seed: sampling seed of recovery models; agents go on with that of their drifted runs.
    """

    cells: Annotated[tuple[Cell, ...], Field(min_length=1)]
    onset_errors: tuple[int, ...]
    onset_backbones: tuple[Backbone, ...]
    injection: InjectionSettings
    small_model: SmallModelSettings
    seed: NonNegative

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        named = [f"type {cell.drift_type} with the {cell.main_agent} agent" for cell in self.cells]
        twice = sorted({name for name in named if named.count(name) > 1})
        if twice:
            raise ValueError(f"two cells are of {twice[0]}; name each once, with all its backbones and modes")
        return self

    def cell(self, drift_type: str, main_agent: str) -> Cell | None:
        """The cell of a drift type and main agent; None if there is none."""
        for cell in self.cells:
            if (cell.drift_type, cell.main_agent) == (drift_type, main_agent):
                return cell
        return None
