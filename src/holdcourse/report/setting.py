"""What a report has to say about how its numbers were made: models, arms, protocol, paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from holdcourse.config.paper import PaperConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import EvaluationConfig, ModelsConfig, ProtocolConfig
from holdcourse.config.study_command import DEFAULT_RESULTS, study_command
from holdcourse.llm.door import is_simulated
from holdcourse.metrics.intervals import Bootstrap
from holdcourse.metrics.transfer import Cycle, phase_cycles

OFFLINE_LABEL = "simulated language model: exercises the pipeline, is no evidence about the method"
PAPER_K = 3
"""The paper's reliability is pass^3."""


@dataclass(frozen=True)
class Setting:
    """Everything beside the results that tables and figures need.

    `arm_labels` maps the arms, in the order they are shown, to their printed names. `audited` are the
    checkpoints an auditor reads. `overrides` are what the study was composed with beside its file, and
    `results` is the folder that holds results/{study}.
    """

    study: str
    arm_labels: Mapping[str, str]
    seeds: tuple[int, ...]
    protocol: ProtocolConfig
    evaluation: EvaluationConfig
    audited: tuple[int, ...]
    models: ModelsConfig
    paper: PaperConfig
    overrides: tuple[str, ...] = ()
    results: str = DEFAULT_RESULTS

    @property
    def arms(self) -> tuple[str, ...]:
        """The study's arms, in the order they are shown."""
        return tuple(self.arm_labels)

    @property
    def final(self) -> int:
        """The last checkpoint."""
        return self.protocol.batches

    @property
    def k(self) -> int:
        """The k of the main reliability figures: the paper's 3, or the largest the study has."""
        return PAPER_K if PAPER_K in self.evaluation.ks else max(self.evaluation.ks)

    @property
    def bootstrap(self) -> Bootstrap:
        """How intervals are made."""
        return Bootstrap.of(self.evaluation)

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """The protocol's phase cycles."""
        return phase_cycles(self.protocol)

    @property
    def simulated(self) -> bool:
        """Whether any role is played by the offline language model."""
        return any(is_simulated(model) for model in self.model_names.values())

    @property
    def offline_label(self) -> str | None:
        """What every file must say when any model is simulated, else None."""
        return OFFLINE_LABEL if self.simulated else None

    @cached_property
    def model_names(self) -> dict[str, str]:
        """Model by role."""
        roles = {role: getattr(self.models, role) for role in ModelsConfig.model_fields}
        return {role: model.model for role, model in roles.items() if isinstance(model, RoleModel)}

    def papers_model(self, role: str) -> str | None:
        """The model that the paper names for a role, without its provider; it names two."""
        named = {"agent": self.paper.agent_model, "reference_agent": self.paper.reference_model}
        return named.get(role)

    def has_papers_model(self, role: str) -> bool:
        """Whether a role is played by the model that the paper names for it, whoever serves it."""
        return self.model_names[role].rpartition("/")[2] == self.papers_model(role)

    def ours(self, what: str, role: str) -> str:
        """Column title for our figure; it names the model unless it is the paper's.

        The paper names its agent's model and the reference; the models of all other roles are named.
        """
        if self.has_papers_model(role):
            return f"ours {what}".strip()
        return f"ours {what} ({self.model_names[role]})".replace("  ", " ")

    @property
    def command(self) -> str:
        """The command that makes the tables."""
        return study_command("tables", self.study, self.overrides, self.results)
