"""What is to be done with bills and other apps: tasks of the highest difficulty."""

from __future__ import annotations

from holdcourse.recipes.files import list_bills, read_bills
from holdcourse.recipes.gmail import LATEST_MAILS
from holdcourse.recipes.notes import notes_like
from holdcourse.recipes.paging import contact
from holdcourse.recipes.recipe import Recipe
from holdcourse.recipes.splitwise import find_group, read_expenses
from holdcourse.recipes.venmo import list_requests


def _sum_bills(name: str, bills: str) -> str:
    """Code that sums the amounts of `bills` from {first} to {last} 2025 into the variable `name`."""
    return f"""months = ["January", "February", "March", "April", "May", "June"]
span = [month + " 2025" for month in months[months.index({{first}}): months.index({{last}}) + 1]]
{name} = round(sum(float(bill["amount"]) for bill in {bills}.values() if bill.get("month") in span), 2)
print(", ".join(span), "sum:", {name})"""


SHARE_BILL = Recipe(
    name="share_bill",
    apps=("file_system", "splitwise", "phone"),
    sentences=(
        "Take the amount of my {kind} bill of {month} 2025 from my files, record it in the Splitwise group "
        "{group} as {description} paid by me and shared equally by all members, and text {friend} the "
        "amount.",
        "I have paid the {kind} bill of {month} 2025 for the Splitwise group {group}, so record the amount "
        "from my files there under the description {description} with equal shares for everybody in the "
        "group, then send {friend} a text message that states it.",
        "All members of my Splitwise group {group} share my {kind} bill of {month} 2025 in equal parts. "
        "Enter its amount from my files there as {description} with me as the payer and let {friend} know "
        "the amount by text message.",
    ),
    steps=(
        list_bills("paths_to_share") + "\n" + read_bills("bills_to_share", "paths_to_share"),
        find_group("group_to_charge"),
        read_expenses("expenses_before", "group_to_charge"),
        contact("friend_to_tell"),
        """month = {month} + " 2025"
bill_to_share = next(bill for bill in bills_to_share.values() if bill.get("month") == month)
done = apis.splitwise.record_expense(
    description={description},
    paid_amount=float(bill_to_share["amount"]),
    payer_email=profile["email"],
    debtor_emails=[member["email"] for member in group_to_charge["members"]],
    group_id=group_to_charge["group_id"],
    access_token=splitwise_token,
)
print(bill_to_share["amount"], "dollars -", done["message"])""",
        """done = apis.phone.send_text_message(
    phone_number=friend_to_tell["phone_number"],
    message={description} + ": " + bill_to_share["amount"] + " dollars",
    access_token=phone_token,
)
print(done["message"])
apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 3, 4, 5),
    reads_only=False,
    difficulty=3,
)

NOTE_BILL_SUM = Recipe(
    name="note_bill_sum",
    apps=("file_system", "simple_note"),
    sentences=(
        "Add up all my {kind} bills from {first} to {last} 2025 and write the sum into a new Simple Note "
        "titled {title} please.",
        "Make a Simple Note called {title} that holds the total of the {kind} bills in my files for the "
        "months {first} to {last} 2025.",
        "Work out what my {kind} bills of the months {first} to {last} 2025 come to and keep the result as a "
        "Simple Note under the title {title} for me.",
    ),
    steps=(
        list_bills("paths_to_sum"),
        read_bills("bills_to_sum", "paths_to_sum"),
        _sum_bills("bill_sum", "bills_to_sum"),
        notes_like("notes_already"),
        """done = apis.simple_note.create_note(
    title={title}, content=f"{bill_sum:.2f}", access_token=simple_note_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 4, 5),
    reads_only=False,
    difficulty=3,
)

MAIL_BILL_SUM = Recipe(
    name="mail_bill_sum",
    apps=("file_system", "gmail"),
    sentences=(
        "Sum up the {kind} bills in my files from {first} to {last} 2025 and mail the sum to {email} under "
        "the subject {subject} please.",
        "Mail the total of my {kind} bills for the months {first} to {last} 2025 to {email} with the subject "
        "{subject} on top.",
        "How much were my {kind} bills from {first} to {last} 2025 in total? Let {email} know by mail and "
        "use {subject} as the subject.",
    ),
    steps=(
        list_bills("paths_to_mail"),
        read_bills("bills_to_mail", "paths_to_mail"),
        _sum_bills("sum_to_mail", "bills_to_mail"),
        LATEST_MAILS,
        """done = apis.gmail.send_email(
    email_addresses=[{email}],
    subject={subject},
    body=f"{sum_to_mail:.2f} dollars",
    access_token=gmail_token,
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 4, 5),
    reads_only=False,
    difficulty=3,
)

ADD_BILL_AND_REQUESTS = Recipe(
    name="add_bill_and_requests",
    apps=("file_system", "venmo"),
    sentences=(
        "How many dollars do my {kind} bill of {month} 2025 and all open requests that I received on Venmo "
        "make together?",
        "Suppose I pay my {kind} bill of {month} 2025 and grant every open Venmo request made to me, what "
        "does that cost me in total?",
        "Tell me the sum of the {kind} bill of {month} 2025 in my files and of the amounts that others ask "
        "from me in open Venmo requests.",
    ),
    steps=(
        list_bills("paths_to_total"),
        read_bills("bills_to_total", "paths_to_total"),
        list_requests("requests_to_total"),
        """month = {month} + " 2025"
bill_to_total = next(bill for bill in bills_to_total.values() if bill.get("month") == month)
asked_in_total = sum(request["amount"] for request in requests_to_total)
grand_total = round(float(bill_to_total["amount"]) + asked_in_total, 2)
print("bill:", bill_to_total["amount"], "requests:", asked_in_total, "in total:", grand_total)""",
        """apis.supervisor.complete_task(answer=grand_total)""",
    ),
    essential=(0, 1, 2, 3, 4),
    reads_only=True,
    difficulty=3,
)

RECIPES = (SHARE_BILL, NOTE_BILL_SUM, MAIL_BILL_SUM, ADD_BILL_AND_REQUESTS)
