"""The schema behind conf/paper/: the figures of a paper that ours are compared with, and its claims.

A figure is one printed number with what it measures, where it stands and what the paper leaves open.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Quantity = Literal["pass_hat_3", "contradictions", "redundancies", "characters"]
ClaimName = Literal[
    "grace_improves",
    "order_at_end",
    "grace_above_hce",
    "hce_declines",
    "no_sa_declines",
    "grace_above_reference",
    "hce_most_contradictions",
    "hce_longest",
    "no_sa_most_redundant",
    "grace_retains",
    "hce_forgets",
]


class PaperEntry(BaseModel):
    """Base of all entries: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PaperFigure(PaperEntry):
    """One printed figure.

    `arm` is a file of conf/arm/, "zero_shot" for the agent's model with ℓ_0, or "reference" for the
    stronger model with ℓ_0. `checkpoint` is null where the paper names none. `low` and `high` are set
    instead of one `value` where it prints a range.
    """

    quantity: Quantity
    arm: str
    checkpoint: Annotated[int, Field(ge=0)] | None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    sd: Annotated[float, Field(ge=0.0)] | None = None
    where: str
    note: str = ""

    @model_validator(mode="after")
    def _one_value_or_a_range(self) -> Self:
        is_range = self.low is not None and self.high is not None
        if (self.value is None) != is_range or (self.low is None) != (self.high is None):
            raise ValueError("give either value, or low and high")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low {self.low:g} is above high {self.high:g}")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """The printed range; the value twice where one value is printed."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        if low is None or high is None:
            raise ValueError("a figure has a value or a range")
        return low, high

    @property
    def text(self) -> str:
        """The figure as printed: the value, value ± sd, or low-high."""
        digits = 0 if self.quantity == "characters" else 2 if self.quantity != "pass_hat_3" else 3
        if self.value is None:
            return f"{self.low:,.{digits}f}–{self.high:,.{digits}f}"
        printed = f"{self.value:,.{digits}f}"
        return printed if self.sd is None else f"{printed} ± {self.sd:,.{digits}f}"


class PaperClaim(PaperEntry):
    """One claim. `figure` is what the paper prints for it, in words; report/claims.py tests it by name."""

    name: ClaimName
    statement: str
    figure: str
    where: str
    note: str = ""


class PaperConfig(PaperEntry):
    """conf/paper/: what a paper used, printed and claimed."""

    name: str
    title: str
    citation: str
    agent_model: str
    reference_model: str
    seeds: Annotated[int, Field(ge=1)]
    final_checkpoint: Annotated[int, Field(ge=1)]
    peak_checkpoint_no_sa: Annotated[int, Field(ge=1)]
    figures: tuple[PaperFigure, ...]
    claims: tuple[PaperClaim, ...]
    silent: dict[str, str]
    """What the paper does not say and the comparison needs: topic to what follows from it."""

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [claim.name for claim in self.claims]
        keys = [(figure.quantity, figure.arm, figure.checkpoint) for figure in self.figures]
        if len(set(names)) != len(names):
            raise ValueError("a claim is named twice")
        if len(set(keys)) != len(keys):
            raise ValueError("a figure (quantity, arm, checkpoint) is given twice")
        return self

    def figure(self, quantity: Quantity, arm: str, checkpoint: int | None) -> PaperFigure | None:
        """The figure printed for an arm's checkpoint, or None where the paper prints none."""
        for figure in self.figures:
            if (figure.quantity, figure.arm, figure.checkpoint) == (quantity, arm, checkpoint):
                return figure
        return None
