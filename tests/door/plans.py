"""Plans and tasks of simulations by the simulated model, in process or over HTTP."""

from __future__ import annotations

from holdcourse.config.compose import compose
from holdcourse.config.role_model import RoleModel
from holdcourse.telecom.evaluation import RolloutPlan
from holdcourse.telecom.protocol import initial_instruction_text
from holdcourse.telecom.tasks import load_catalogue


def plan_for(
    door, scheme: str, simulation_timeout_s: float | None = None, max_steps: int = 200
) -> RolloutPlan:
    """`scheme` is openai/ for a served model, nothing for one in process."""
    return RolloutPlan(
        instruction=initial_instruction_text(compose("smoke").protocol),
        agent=RoleModel(model=f"{scheme}simulated/agent", temperature=0.0, max_tokens=None),
        user=RoleModel(model=f"{scheme}simulated/user", temperature=0.0, max_tokens=None),
        rollout=compose("smoke").rollout.model_copy(update={"max_steps": max_steps}),
        seed=0,
        door=door,
        simulation_timeout_s=simulation_timeout_s,
    )


def some_tasks(number: int) -> list[str]:
    """So many tasks with one issue, which the simulated agent solves now and then, spread over all."""
    catalogue = sorted(task.id for task in load_catalogue() if len(task.issues) == 1)
    return catalogue[:: len(catalogue) // number][:number]
