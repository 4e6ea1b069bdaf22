"""What is asked for in Todoist, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.paging import every
from holdcourse.recipes.recipe import Recipe


def find_project(name: str) -> str:
    """Code that lists the projects and puts {project} into the variable `name`."""
    return (
        every("projects", "todoist.show_projects", "access_token=todoist_token")
        + f"""
for project in projects:
    print("project:", project["name"], project["num_tasks"], "tasks")
{name} = next(project for project in projects if project["name"] == {{project}})"""
    )


def read_todos(name: str, project: str) -> str:
    """Code that prints the tasks of `project` and leaves them in the variable `name`."""
    return f"""board = apis.todoist.show_tasks(project_id={project}["project_id"], access_token=todoist_token)
{name} = board["no_section_tasks"] + [todo for section in board["sections"] for todo in section["tasks"]]
for todo in {name}:
    due = (todo["due_date"] or "no date")[:10]
    state = "done" if todo["is_completed"] else "open"
    print(state, "-", todo["title"], "- due", due, "-", todo["priority"], todo["description"] or "")"""


ADD_TODO = Recipe(
    name="add_todo",
    apps=("todoist",),
    sentences=(
        "Add the task {task} to my Todoist project {project} with the due date {date}.",
        "In Todoist, the project {project} needs a new task {task} that is due on {date}.",
        "My Todoist project {project} should get one more task called {task} that has to be done by {date}.",
    ),
    steps=(
        find_project("project_to_extend"),
        read_todos("todos_before", "project_to_extend"),
        """done = apis.todoist.create_task(
    project_id=project_to_extend["project_id"], title={task}, due_date={date}, access_token=todoist_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3),
    reads_only=False,
    difficulty=1,
)

COUNT_DUE_TODOS = Recipe(
    name="count_due_todos",
    apps=("todoist",),
    sentences=(
        "How many open tasks in all my Todoist projects together are due before {date}?",
        "Count the unfinished tasks of my Todoist projects with a due date earlier than {date} and tell me.",
        "What is the number of tasks in my Todoist that are not done and have to be done before {date} "
        "comes?",
    ),
    steps=(
        every("projects_to_count", "todoist.show_projects", "access_token=todoist_token")
        + """
for project in projects_to_count:
    print("project:", project["name"], project["num_tasks"], "tasks")""",
        """todos_to_count = []
for project in projects_to_count:
    board = apis.todoist.show_tasks(project_id=project["project_id"], access_token=todoist_token)
    todos = board["no_section_tasks"] + [todo for section in board["sections"] for todo in section["tasks"]]
    todos_to_count += todos
    for todo in todos:
        due = (todo["due_date"] or "no date")[:10]
        print("done" if todo["is_completed"] else "open", "-", todo["title"], "- due", due)""",
        """due_todos = [
    todo["title"] for todo in todos_to_count
    if not todo["is_completed"] and todo["due_date"] and todo["due_date"][:10] < {date}
]
print(len(due_todos), "are due:", ", ".join(due_todos))""",
        """apis.supervisor.complete_task(answer=len(due_todos))""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=True,
    difficulty=2,
)

FINISH_TODOS = Recipe(
    name="finish_todos",
    apps=("todoist",),
    sentences=(
        "Mark every open task of my Todoist project {project} that is due before {date} as done.",
        "All tasks in my Todoist project {project} with a due date earlier than {date} are finished, so tick "
        "them off.",
        "Tick off whatever is still open and due before {date} in my Todoist project {project} please.",
    ),
    steps=(
        find_project("project_to_finish"),
        read_todos("todos_to_finish", "project_to_finish"),
        """for todo in todos_to_finish:
    if not todo["is_completed"] and todo["due_date"] and todo["due_date"][:10] < {date}:
        done = apis.todoist.update_task(
            task_id=todo["task_id"], is_completed=True, access_token=todoist_token
        )
        print(todo["title"], "-", done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=False,
    difficulty=2,
)

RECIPES = (ADD_TODO, COUNT_DUE_TODOS, FINISH_TODOS)
