"""What is asked for in the file system, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.recipe import Recipe


def list_bills(name: str) -> str:
    """Code that lists the folder of the {kind} bills and leaves the paths in the variable `name`."""
    return f"""{name} = apis.file_system.show_directory(
    directory_path="~/bills/" + {{kind}}, entry_type="files", access_token=file_system_token
)
print("\\n".join({name}))"""


def read_bills(name: str, paths: str) -> str:
    """Code that prints the files `paths` and leaves their "key: value" entries in the variable `name`."""
    return f"""{name} = {{}}
for path in {paths}:
    content = apis.file_system.show_file(file_path=path, access_token=file_system_token)["content"]
    {name}[path.split("/")[-1]] = dict(line.split(": ", 1) for line in content.splitlines() if ": " in line)
    print(path.split("/")[-1], "-", content.replace("\\n", ", "))"""


BILL_AMOUNT = Recipe(
    name="bill_amount",
    apps=("file_system",),
    sentences=(
        "What amount does my {kind} bill of {month} 2025 in the file system come to?",
        "Look up in my files how many dollars the {kind} bill for {month} 2025 was.",
        "How high is the {kind} bill for {month} 2025 that lies in my bills folder?",
    ),
    steps=(
        list_bills("paths_to_read"),
        read_bills("bills_to_read", "paths_to_read"),
        """month = {month} + " 2025"
bill_found = next(bill for bill in bills_to_read.values() if bill.get("month") == month)
print("amount:", bill_found["amount"])""",
        """apis.supervisor.complete_task(answer=float(bill_found["amount"]))""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=True,
    difficulty=1,
)

RECIPES = (BILL_AMOUNT,)
