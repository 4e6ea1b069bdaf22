"""Makes one task: its start state, its ground truth, and the labels of its tests.

The labels say which tests pass when nothing was done; the engine wants them to tell a task's own demands
from the absence of damage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from holdcourse.appworld.engine.call_log import CallLog
from holdcourse.appworld.engine.selection import Planned
from holdcourse.appworld.engine.template import Scene, Truth
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.errors import HoldcourseError
from holdcourse.recipes.login import ORIENT, login_code
from holdcourse.recipes.recipe import Recipe

EXPERIMENT = "labels"
"""Where the engine leaves the outputs of the runs made here; removed once the world is built."""


def steps_of(recipe: Recipe, values: Mapping[str, str]) -> list[str]:
    """The code blocks of a reference solution: who am I, the logins, the recipe's steps."""
    return [
        ORIENT,
        login_code(recipe.apps),
        *(recipe.code(step, values) for step in range(len(recipe.steps))),
    ]


def _steps(planned: Planned) -> list[str]:
    return steps_of(planned.template.recipe, planned.values)


def make_task(
    root: Path, world: World, planned: Planned, operations: Mapping[tuple[str, str], tuple[str, str]]
) -> dict[str, object]:
    """Write a task's folder and return its manifest row.

    Args:
        root: the engine's root; it holds the base databases already.
        world: the people and what they have.
        planned: the task.
        operations: method and path of each operation, by app and name.

    Raises:
        HoldcourseError: the solution does not pass the task's own tests, or the do-nothing passes them all.
    """
    truth = _write_start(root, world, planned)
    _write_ground_truth(root, planned, truth)
    log = CallLog(operations)
    _label(root, planned, truth, log)
    recipe = planned.template.recipe
    return {
        "task_id": planned.task_id,
        "template": planned.template.name,
        "scenario": planned.task_id.split("_")[0],
        "split": planned.split,
        "difficulty": planned.template.difficulty,
        "instruction": planned.instruction,
        "wording": planned.wording,
        "values": dict(planned.values),
        "person": planned.person.email,
        "apps": list(recipe.apps),
        "reads_only": recipe.reads_only,
        "reference_calls": log.calls,
        "surfaces": {name: surface.step for name, surface in planned.template.surfaces.items()},
    }


def _folder(root: Path, task_id: str) -> Path:
    return root / "data" / "tasks" / task_id


def _write_start(root: Path, world: World, planned: Planned) -> Truth:
    from appworld.apps import get_all_apps
    from appworld.apps.api_lib import set_local_date_and_time
    from appworld.apps.model_lib import get_db_home_path
    from appworld.collections.apis import ApiCollection
    from appworld.collections.models import ModelCollection
    from appworld.common.constants import CANARY_STRING, DB_VERSION
    from appworld.common.datetime import DateTime

    apps = list(get_all_apps())
    now = DateTime.fromisoformat(world.now.isoformat())
    home = get_db_home_path("memory", "task_input", planned.task_id)
    base = str(root / "data" / "base_dbs")
    apis = None
    if planned.template.setup is not None:
        apis, _ = ApiCollection.load(
            to_db_home_path=home,
            from_db_home_path=base,
            load_apps=apps,
            date_and_time=now,
            allow_datetime_change=True,
            max_num_requests=10**6,
        )
    models = ModelCollection.load(to_db_home_path=home, from_db_home_path=base, load_apps=apps)
    freezer = set_local_date_and_time(now)
    try:
        _write_supervisor(models, planned.person, planned.instruction)
        scene = Scene(world, planned.person, planned.values, models, apis)
        if planned.template.setup is not None:
            planned.template.setup(scene)
        folder = _folder(root, planned.task_id)
        models.save(db_home_path=str(folder / "dbs"), format="changes", app_names=apps, delete_if_exists=True)
        truth = planned.template.truth(scene)
    finally:
        freezer.stop()
        if apis is not None:
            apis.close()
        models.close()
    _write_json(
        folder / "specs.json",
        {
            "instruction": planned.instruction,
            "supervisor": {
                "first_name": planned.person.first_name,
                "last_name": planned.person.last_name,
                "email": planned.person.email,
                "phone_number": planned.person.phone_number,
            },
            "datetime": world.now.isoformat(),
            "db_version": DB_VERSION,
            "canary_string": CANARY_STRING,
        },
    )
    return truth


def _write_supervisor(models: Any, person: Person, instruction: str) -> None:
    app = models.supervisor
    supervisor = app.Supervisor.create_save(
        first_name=person.first_name,
        last_name=person.last_name,
        email=person.email,
        phone_number=person.phone_number,
        birthday=person.birthday,
        sex=person.sex,
    ).id
    app.AccountPassword.save_all(
        [
            app.AccountPassword.create(supervisor_id=supervisor, account_name=name, password=password)
            for name, password in person.passwords.items()
        ]
    )
    app.Address.save_all(
        [
            app.Address.create(
                supervisor_id=supervisor,
                name=address.name,
                street_address=address.street_address,
                city=address.city,
                state=address.state,
                country=address.country,
                zip_code=address.zip_code,
            )
            for address in person.addresses
        ]
    )
    app.PaymentCard.save_all(
        [
            app.PaymentCard.create(
                supervisor_id=supervisor,
                owner_name=person.name,
                card_name=card.name,
                card_number=card.number,
                expiry_year=card.expiry_year,
                expiry_month=card.expiry_month,
                cvv_number=card.cvv,
            )
            for card in person.cards
        ]
    )
    app.Task.create_save(supervisor_id=supervisor, instruction=instruction)


def _write_ground_truth(root: Path, planned: Planned, truth: Truth) -> None:
    folder = _folder(root, planned.task_id) / "ground_truth"
    body = "\n".join(_steps(planned)).replace("\n", "\n    ")
    solution = f"def solution(apis, requester):\n    {body}\n"
    _write_json(folder / "public_data.json", {})
    _write_json(folder / "private_data.json", dict(truth.private_data))
    _write_json(folder / "answer.json", truth.answer)
    _write_json(folder / "required_apps.json", list(planned.template.recipe.apps))
    _write_json(folder / "test_data.json", None)
    _write_json(folder / "metadata.json", _metadata(planned, [], 0))
    for name, text in (
        ("evaluation.py", planned.template.evaluation),
        ("solution.py", solution),
        ("compiled_solution.py", solution),
    ):
        (folder / name).write_text(text)


def _metadata(planned: Planned, operations: Sequence[str], calls: int) -> dict[str, object]:
    return {
        "mode": "full",
        "difficulty": planned.template.difficulty,
        "num_apps": len(planned.template.recipe.apps),
        "num_apis": len(operations),
        "num_api_calls": calls,
        "num_solution_code_lines": sum(step.count("\n") + 1 for step in _steps(planned)),
    }


def _label(root: Path, planned: Planned, truth: Truth, log: CallLog) -> None:
    """Run nothing, then the solution, in one episode; write the labels of the tests and the calls."""
    from appworld.environment import AppWorld
    from appworld.evaluator import TestTracker

    folder = _folder(root, planned.task_id) / "ground_truth"
    with AppWorld(task_id=planned.task_id, experiment_name=EXPERIMENT, ground_truth_mode="full") as episode:
        if truth.answer is None:
            # A deed is closed without an answer; closing alone is the do-nothing of the engine's own tasks.
            episode.execute("apis.supervisor.complete_task()")
        nothing = episode.evaluate()
        log.watch(episode.requester)
        # In one go: each call of `execute` saves all databases.
        output = episode.execute("\n".join(_steps(planned)))
        done = episode.evaluate()
        requests = [dict(request) for request in episode.requester.requests]
    if not done.success or "Execution failed" in output:
        raise HoldcourseError(
            f"task {planned.task_id} ({planned.template.name}): its solution fails "
            f"{done.fail_count} of {done.num_tests} tests; values {dict(planned.values)}; "
            f"failures {done.to_dict()['failures']}; output {output}"
        )
    if nothing.success:
        raise HoldcourseError(
            f"task {planned.task_id} ({planned.template.name}) is passed by doing nothing; "
            f"values {dict(planned.values)}"
        )
    labelled = TestTracker.prepare_test_data(
        [dict(passed) for passed in done.passes], [dict(passed) for passed in nothing.passes]
    )
    _write_json(
        folder / "test_data.json",
        [{"requirement": test["requirement"], "label": test["label"]} for test in labelled],
    )
    operations = sorted({f"{call['app']}.{call['api']}" for call in log.calls})
    _write_json(folder / "metadata.json", _metadata(planned, operations, len(log.calls)))
    _write_json(folder / "api_calls.json", requests[len(requests) - len(log.calls) :])


def _write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")
