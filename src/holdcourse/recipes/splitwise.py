"""What is asked for in Splitwise, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.paging import every
from holdcourse.recipes.recipe import Recipe


def list_groups(name: str) -> str:
    """Code that prints the groups and leaves them in the variable `name`."""
    return (
        every(name, "splitwise.show_groups", "access_token=splitwise_token")
        + f"""
for group in {name}:
    print("group:", group["name"], "with", ", ".join(member["name"] for member in group["members"]))"""
    )


def find_group(name: str) -> str:
    """Code that prints the groups and puts {group} into the variable `name`."""
    return (
        list_groups("groups")
        + f"""
{name} = next(group for group in groups if group["name"] == {{group}})"""
    )


def read_expenses(name: str, group: str) -> str:
    """Code that prints the expenses of `group` and leaves them in the variable `name`."""
    return (
        every(
            name,
            "splitwise.show_group_expenses",
            f'group_id={group}["group_id"], access_token=splitwise_token',
        )
        + f"""
for expense in {name}:
    print(expense["description"], "-", expense["paid_amount"], "dollars paid by", expense["payer"]["name"])"""
    )


COUNT_EXPENSES_ABOVE = Recipe(
    name="count_expenses_above",
    apps=("splitwise",),
    sentences=(
        "How many expenses of more than {amount} dollars are there in my Splitwise groups?",
        "Count the expenses above {amount} dollars over all groups that I have on Splitwise and tell me.",
        "In all my groups on Splitwise taken together, what is the number of expenses over {amount} dollars?",
    ),
    steps=(
        list_groups("groups_to_count"),
        """expenses_to_count = []
for group in groups_to_count:
    shared = apis.splitwise.show_group_expenses(
        group_id=group["group_id"], page_limit=20, access_token=splitwise_token
    )
    expenses_to_count += shared
    for expense in shared:
        print(group["name"], "-", expense["description"], "-", expense["paid_amount"], "dollars")""",
        """expenses_above = [
    expense["description"] for expense in expenses_to_count if expense["paid_amount"] > float({amount})
]
print(len(expenses_above), "are above:", ", ".join(expenses_above))""",
        """apis.supervisor.complete_task(answer=len(expenses_above))""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=True,
    difficulty=2,
)

RECIPES = (COUNT_EXPENSES_ABOVE,)
