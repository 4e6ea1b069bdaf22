"""What is asked for in Gmail, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.paging import every
from holdcourse.recipes.recipe import Recipe


def list_inbox(name: str) -> str:
    """Code that lists the inbox and leaves its threads in the variable `name`."""
    return (
        every(name, "gmail.show_inbox_threads", "access_token=gmail_token")
        + f"""
for thread in {name}:
    print(thread["created_at"][:10], "read" if thread["read"] else "unread", "-", thread["subject"])"""
    )


def read_mails_of_friend(name: str, inbox: str) -> str:
    """Code that prints the mails of {friend} in `inbox` and leaves them in the variable `name`."""
    return f"""{name} = []
for thread in {inbox}:
    if {{friend}} in [person["name"].split()[0] for person in thread["participants"]]:
        mail = apis.gmail.show_thread(email_thread_id=thread["email_thread_id"], access_token=gmail_token)
        first = mail["emails"][0]
        if first["sender"]["name"].split()[0] == {{friend}}:
            {name}.append(mail)
            print("read" if mail["read"] else "unread", "-", first["subject"], "-", first["body"])"""


LATEST_MAILS = """latest = apis.gmail.show_inbox_threads(
    page_limit=4, sort_by="-created_at", access_token=gmail_token
)
for thread in latest:
    mail = apis.gmail.show_thread(email_thread_id=thread["email_thread_id"], access_token=gmail_token)
    first = mail["emails"][0]
    print(first["sender"]["name"], "-", first["subject"], "-", first["body"])"""
"""Code that prints the four latest mails of the inbox."""

STAR_MAIL = Recipe(
    name="star_mail",
    apps=("gmail",),
    sentences=(
        "Star the mail with the subject {subject} in my Gmail inbox.",
        "My Gmail inbox has a mail about {subject} and I want a star on it.",
        "Look among the subjects of my Gmail inbox for {subject} and put a star on that mail.",
    ),
    steps=(
        """threads = apis.gmail.show_inbox_threads(query={subject}, page_limit=20, access_token=gmail_token)
alike = [thread for thread in threads if {subject} in thread["subject"]]
for thread in alike:
    print("starred" if thread["starred"] else "no star", "-", thread["subject"])
mail_to_star = next(thread for thread in alike if thread["subject"] == {subject})""",
        """for thread in alike:
    mail = apis.gmail.show_thread(email_thread_id=thread["email_thread_id"], access_token=gmail_token)
    first = mail["emails"][0]
    print(first["sender"]["name"], "-", first["subject"], "-", first["body"])""",
        """done = apis.gmail.mark_thread_starred(
    email_thread_id=mail_to_star["email_thread_id"], access_token=gmail_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3),
    reads_only=False,
    difficulty=1,
)

SEND_MAIL = Recipe(
    name="send_mail",
    apps=("gmail",),
    sentences=(
        "Send a mail to {email} with the subject {subject} and the text {text} from my Gmail.",
        "Use my Gmail to write {email} a mail under the subject {subject} whose body is {text} exactly.",
        "Somebody at the address {email} should get a mail from my Gmail that is headed {subject} and says "
        "{text} in its body.",
    ),
    steps=(
        LATEST_MAILS,
        """users = apis.gmail.search_users(query={email}, page_limit=5)
print([user["first_name"] + " " + user["last_name"] for user in users if user["email"] == {email}])""",
        """done = apis.gmail.send_email(
    email_addresses=[{email}], subject={subject}, body={text}, access_token=gmail_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(2, 3),
    reads_only=False,
    difficulty=1,
)

COUNT_UNREAD_SINCE = Recipe(
    name="count_unread_since",
    apps=("gmail",),
    sentences=(
        "How many unread mails have come into my Gmail inbox since {date} that day included?",
        "Count the mails in my Gmail inbox of {date} or later that I have not read yet and tell me.",
        "Of the mails that arrived in my Gmail inbox on {date} or afterwards, how many are still unread?",
    ),
    steps=(
        list_inbox("inbox_to_count"),
        """mails_since = []
for thread in inbox_to_count:
    if thread["created_at"][:10] >= {date}:
        mail = apis.gmail.show_thread(email_thread_id=thread["email_thread_id"], access_token=gmail_token)
        mails_since.append(mail)
        first = mail["emails"][0]
        print("read" if mail["read"] else "unread", "-", first["subject"], "-", first["body"])""",
        """unread_since = [mail["emails"][0]["subject"] for mail in mails_since if not mail["read"]]
print(len(unread_since), "unread:", ", ".join(unread_since))""",
        """apis.supervisor.complete_task(answer=len(unread_since))""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=True,
    difficulty=2,
)

RECIPES = (STAR_MAIL, SEND_MAIL, COUNT_UNREAD_SINCE)
