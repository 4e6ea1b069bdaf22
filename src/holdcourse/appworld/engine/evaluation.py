"""The source of a task's evaluation, as the engine loads it."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import dedent, indent

_HEAD = """import json


def evaluate(test, public_data, private_data, main_user, models, ground_truth_answer):
    given = json.loads(models.end.supervisor.Task.first().answer)
    with test("the answer is the expected one"):
        test.answer(given, ground_truth_answer)
    with test({changes!r}):
        test.case(models.changed_model_names(), "==", {changed})
"""


def source(changed: Iterable[str], body: str = "") -> str:
    """The evaluation of a task that changes exactly the records of some models.

    Args:
        changed: models by name, such as "gmail.Email"; none for a question.
        body: further tests, at the indentation of a function body's zero; they see `test`, `private_data`,
            `main_user`, `models` (with `start`, `end`, `changed_records`) and `ground_truth_answer`.
    """
    names = sorted(changed)
    literal = "{" + ", ".join(map(repr, names)) + "}" if names else "set()"
    changes = f"only these records change: {', '.join(names)}" if names else "no record changes"
    return _HEAD.format(changes=changes, changed=literal) + indent(dedent(body).strip("\n"), "    ") + "\n"
