"""A small world's tasks, made by hand."""

from collections.abc import Mapping

from holdcourse.appworld.tasks import Task
from holdcourse.drift.records import Call


def made_task(
    number: int,
    split: str = "pool",
    *,
    template: str | None = None,
    difficulty: int = 1,
    reads_only: bool = False,
    write: str = "venmo.create_transaction",
    surfaces: Mapping[str, int] | None = None,
) -> Task:
    """A task whose reference run looks at a profile and, unless it only reads, writes once."""
    app, api = write.split(".")
    calls = [Call("supervisor", "show_profile", {}, "read", True)]
    if not reads_only:
        calls.append(Call(app, api, {"n": number}, "write", True))
    return Task(
        id=f"hc00{number:03d}_1",
        template=template or f"template{number % 5}",
        split=split,
        difficulty=difficulty,
        instruction=f"Do thing {number}.",
        values={"thing": str(number)},
        person=f"person{number % 7}@example.com",
        apps=(app,),
        reads_only=reads_only,
        reference_calls=tuple(calls),
        surfaces={"mail": 0} if surfaces is None else surfaces,
    )


def made_world(pool: int = 60, evaluation: int = 9) -> list[Task]:
    """Tasks of both splits: every second one a question, writes of two kinds in turn."""
    tasks = [
        made_task(
            number,
            reads_only=number % 2 == 0,
            write="venmo.create_transaction" if number % 4 == 1 else "spotify.like_song",
        )
        for number in range(pool)
    ]
    tasks += [
        made_task(500 + number, "evaluation", template=f"other{number}", difficulty=1 + number % 3)
        for number in range(evaluation)
    ]
    return tasks
