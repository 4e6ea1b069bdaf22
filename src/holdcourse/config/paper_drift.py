"""The schema behind conf/paper/drift.yaml: the drift paper's printed figures, settings and slips.

A figure is one printed number with what it measures and where it stands. `note` holds what the paper leaves
open.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from holdcourse.config.paper import PaperEntry

Variant = Literal["base", "trained"]
IntrinsicQuantity = Literal[
    "composite",
    "xml_count",
    "strict",
    "soft",
    "reasoning_length",
    "total_length",
    "json_valid",
    "json_schema",
    "json_sanity",
    "judge",
]
Node = Literal["n1", "n2", "n3", "n4", "n5"]
HyperparameterGroup = Literal["GRPO", "Sampling", "Optimizer", "LoRA", "Judge", "Precision & hw."]


class IntrinsicFigure(PaperEntry):
    """One figure of the intrinsic evaluation (§5.3.1, §5.4): a mean over held-out prompts.

    `policy_model` is a file of conf/policy_model/; `node` is null for all five together.
    """

    policy_model: str
    variant: Variant
    quantity: IntrinsicQuantity
    node: Node | None = None
    value: float
    where: str
    note: str = ""


class EndToEndFigure(PaperEntry):
    """One figure of Tables 2-4: task goal completion in percent on 40 tasks.

    `setting` is the row as printed; `backbone` says what recovers: none (drift, no recovery), no_drift,
    untrained, trained (Granite 3.3 2B), or frontier (the agent's own model). `difficulty` is null for the
    aggregate.
    """

    table: Literal[2, 3, 4]
    drift_type: Literal["I", "II"]
    agent: Literal["gpt-4o", "gpt-4o-mini"]
    setting: str
    backbone: Literal["no_drift", "none", "untrained", "trained", "frontier"]
    difficulty: Literal[1, 2, 3] | None
    value: Annotated[float, Field(ge=0.0, le=100.0)]
    note: str = ""


class Hyperparameter(PaperEntry):
    """One row of Table 5: `printed` as the paper has it, `key` where conf/ holds ours (null: nowhere)."""

    group: HyperparameterGroup
    name: str
    printed: str
    key: str | None
    value: float | str | None


class Disagreement(PaperEntry):
    """Where the paper disagrees with itself or with arithmetic, and which reading ours follows."""

    where: str
    printed: str
    against: str
    ours: str


class DriftClaim(PaperEntry):
    """One claim of the paper; `kind` says which evaluation tests it.

    `margin` is how far a share may lie on the other side of what it is compared with (ours).
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    kind: Literal["intrinsic", "end_to_end"]
    statement: str
    figure: str
    where: str
    margin: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.0
    note: str = ""


class DriftPaperConfig(PaperEntry):
    """conf/paper/drift.yaml: what the drift paper used, printed and claimed."""

    name: str
    title: str
    citation: str
    policy_models: tuple[str, ...]
    judge: str
    heldout_prompts: Annotated[int, Field(ge=1)]
    intrinsic: tuple[IntrinsicFigure, ...]
    end_to_end: tuple[EndToEndFigure, ...]
    hyperparameters: tuple[Hyperparameter, ...]
    disagreements: tuple[Disagreement, ...]
    claims: tuple[DriftClaim, ...]
    silent: dict[str, str]
    """What the paper does not say and the comparison needs: topic to what follows from it."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        keys: dict[str, list[tuple[object, ...]]] = {
            "intrinsic figure": [(f.policy_model, f.variant, f.quantity, f.node) for f in self.intrinsic],
            "end-to-end figure": [(f.table, f.setting, f.difficulty) for f in self.end_to_end],
            "claim": [(claim.name,) for claim in self.claims],
        }
        for what, found in keys.items():
            twice = [key for key in found if found.count(key) > 1]
            if twice:
                raise ValueError(f"an {what} stands twice: {twice[0]}")
        return self

    def intrinsic_figure(
        self, policy_model: str, variant: str, quantity: str, node: str | None = None
    ) -> IntrinsicFigure | None:
        """The figure printed for a model, or None where the paper prints none."""
        wanted = (policy_model, variant, quantity, node)
        for figure in self.intrinsic:
            if (figure.policy_model, figure.variant, figure.quantity, figure.node) == wanted:
                return figure
        return None

    def end_to_end_figure(self, table: int, backbone: str, difficulty: int | None) -> EndToEndFigure | None:
        """The figure of a table's cell, or None where the paper prints none."""
        for figure in self.end_to_end:
            if (figure.table, figure.backbone, figure.difficulty) == (table, backbone, difficulty):
                return figure
        return None
