"""What takes several apps, and how it is done: tasks of the highest difficulty."""

from __future__ import annotations

from holdcourse.recipes.gmail import list_inbox, read_mails_of_friend
from holdcourse.recipes.notes import notes_like
from holdcourse.recipes.paging import contact, every
from holdcourse.recipes.recipe import Recipe
from holdcourse.recipes.splitwise import find_group, read_expenses
from holdcourse.recipes.spotify import read_playlists
from holdcourse.recipes.todo import find_project, read_todos
from holdcourse.recipes.venmo import find_friend, payments_with_friend

MAIL_LONG_SONGS = Recipe(
    name="mail_long_songs",
    apps=("spotify", "phone", "gmail"),
    sentences=(
        "Send a list by mail to {friend} with the titles of those songs on my Spotify playlist {playlist} "
        "that last longer than {seconds} seconds, under the subject {subject} please.",
        "Write a mail to {friend} that lists each song of my Spotify playlist {playlist} of more than "
        "{seconds} seconds and has the subject {subject} on top.",
        "I promised my friend {friend} a mail about those songs of my Spotify playlist {playlist} that run "
        "for over {seconds} seconds. Send the titles with {subject} as the subject.",
    ),
    steps=(
        read_playlists("shelf")
        + """
playlist_to_mail = next(playlist for playlist in shelf if playlist["title"] == {playlist})""",
        """songs_to_judge = [
    apis.spotify.show_song(song_id=number) for number in playlist_to_mail["song_ids"]
]
for song in songs_to_judge:
    print(song["title"], song["duration"], "seconds")
titles_to_mail = [song["title"] for song in songs_to_judge if song["duration"] > int({seconds})]""",
        contact("friend_to_mail"),
        list_inbox("inbox_to_skim") + "\n" + read_mails_of_friend("mails_to_skim", "inbox_to_skim"),
        """done = apis.gmail.send_email(
    email_addresses=[friend_to_mail["email"]],
    subject={subject},
    body=", ".join(titles_to_mail),
    access_token=gmail_token,
)
print(done["message"], titles_to_mail)""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 4, 5),
    reads_only=False,
    difficulty=3,
)

LIST_TO_TODOS = Recipe(
    name="list_to_todos",
    apps=("simple_note", "todoist", "phone"),
    sentences=(
        "Add each item of my note {title} as a task of its own to my Todoist project {project} and text "
        "{friend} how many tasks that makes.",
        "Turn every item on the note {title} into a task in my Todoist project {project}, then tell {friend} "
        "their number in a text message.",
        "I want one task in my Todoist project {project} per item of my note {title}. Afterwards text the "
        "number of new tasks to {friend} please.",
    ),
    steps=(
        notes_like("notes_to_turn"),
        find_project("project_to_load"),
        read_todos("todos_to_keep", "project_to_load"),
        """new_items = [
    line[2:] for note in notes_to_turn if note["title"] == {title}
    for line in note["content"].splitlines() if line.startswith("- ")
]
for item in new_items:
    done = apis.todoist.create_task(
        project_id=project_to_load["project_id"], title=item, access_token=todoist_token
    )
    print(item, "-", done["message"])""",
        contact("friend_to_count_for"),
        """done = apis.phone.send_text_message(
    phone_number=friend_to_count_for["phone_number"],
    message=f"{len(new_items)} new tasks",
    access_token=phone_token,
)
print(done["message"])
apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 3, 4, 5),
    reads_only=False,
    difficulty=3,
)

SPENT_TOGETHER = Recipe(
    name="spent_together",
    apps=("venmo", "splitwise"),
    sentences=(
        "How many dollars have I sent to {friend} on Venmo and paid for the Splitwise group {group} in "
        "total?",
        "Add what I sent {friend} through Venmo to all that I paid in the Splitwise group {group} and tell "
        "me the sum.",
        "What is the sum of my Venmo payments to {friend} and of the expenses of the Splitwise group {group} "
        "that were paid by me?",
    ),
    steps=(
        find_friend("friend_to_add") + "\n" + payments_with_friend("payments_to_add", "friend_to_add"),
        find_group("group_to_add"),
        read_expenses("expenses_to_add", "group_to_add"),
        """sent_to_friend = sum(
    payment["amount"] for payment in payments_to_add if payment["receiver"]["email"] == friend_to_add["email"]
)
paid_for_group = sum(
    expense["paid_amount"] for expense in expenses_to_add if expense["payer"]["email"] == profile["email"]
)
print("Venmo:", sent_to_friend, "Splitwise:", paid_for_group)""",
        """apis.supervisor.complete_task(answer=round(sent_to_friend + paid_for_group, 2))""",
    ),
    essential=(0, 1, 2, 3, 4),
    reads_only=True,
    difficulty=3,
)

MAILS_TO_TODOS = Recipe(
    name="mails_to_todos",
    apps=("gmail", "todoist"),
    sentences=(
        "For every unread mail from {friend} in my Gmail inbox add a task with the same title as the mail to "
        "my Todoist project {project}.",
        "Make a task in my Todoist project {project} out of each unread mail that {friend} sent to my Gmail "
        "inbox, named exactly like the subject.",
        "Each mail that {friend} wrote to my Gmail inbox and that I have not read yet should become a task "
        "of my Todoist project {project}, one per mail and titled by its subject.",
    ),
    steps=(
        list_inbox("inbox_to_sort"),
        read_mails_of_friend("mails_to_sort", "inbox_to_sort"),
        find_project("project_to_feed"),
        read_todos("todos_in_place", "project_to_feed"),
        """for mail in mails_to_sort:
    if not mail["read"]:
        subject = mail["emails"][0]["subject"]
        done = apis.todoist.create_task(
            project_id=project_to_feed["project_id"], title=subject, access_token=todoist_token
        )
        print(subject, "-", done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 4, 5),
    reads_only=False,
    difficulty=3,
)

PASS_ON_DUE_DATE = Recipe(
    name="pass_on_due_date",
    apps=("todoist", "phone", "simple_note"),
    sentences=(
        "Send a text message to {friend} with the due date of the task {task} in my Todoist project "
        "{project}, written like 2025-01-31, and keep it in a new Simple Note titled {title} as well.",
        "Find out when the task {task} of my Todoist project {project} is due, send {friend} that date by "
        "text message in the form 2025-01-31 and put it into a Simple Note called {title} too.",
        "Please look up by when {task} must be done in my Todoist project {project}. Let {friend} know by "
        "text message, spelled like 2025-01-31, and save the date in a new Simple Note under the title "
        "{title} for me.",
    ),
    steps=(
        find_project("project_to_date"),
        read_todos("todos_to_date", "project_to_date")
        + """
due_date = next(todo["due_date"] for todo in todos_to_date if todo["title"] == {task})[:10]""",
        contact("friend_to_text"),
        """texts = apis.phone.search_text_messages(
    phone_number=friend_to_text["phone_number"],
    page_limit=5,
    sort_by="-created_at",
    access_token=phone_token,
)
for text in texts:
    print(text["sent_at"][:16], text["sender"]["name"], "wrote:", text["message"])""",
        """done = apis.phone.send_text_message(
    phone_number=friend_to_text["phone_number"],
    message={task} + ": " + due_date,
    access_token=phone_token,
)
print(due_date, "-", done["message"])""",
        """done = apis.simple_note.create_note(
    title={title}, content=due_date, access_token=simple_note_token
)
print(done["message"])
apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 4, 5),
    reads_only=False,
    difficulty=3,
)

NOTE_LIKED_SONGS = Recipe(
    name="note_liked_songs",
    apps=("spotify", "simple_note"),
    sentences=(
        "Write a new Simple Note titled {title} that lists every song by {artist} that I like on Spotify.",
        "Collect the titles of all songs by {artist} among my Spotify likes in a Simple Note called {title} "
        "please.",
        "I need a Simple Note with the title {title} holding the title of each song by {artist} that I have "
        "liked on Spotify.",
    ),
    steps=(
        read_playlists("shelf"),
        every("likes", "spotify.show_liked_songs", "access_token=spotify_token")
        + """
liked_by_artist = [
    song["title"] for song in likes if {artist} in [artist["name"] for artist in song["artists"]]
]
print(len(likes), "liked songs; by", {artist} + ":", ", ".join(liked_by_artist))""",
        notes_like("notes_like_it"),
        """done = apis.simple_note.create_note(
    title={title},
    content=", ".join(liked_by_artist) or "none",
    access_token=simple_note_token,
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(1, 3, 4),
    reads_only=False,
    difficulty=3,
)

RECIPES = (
    MAIL_LONG_SONGS,
    LIST_TO_TODOS,
    SPENT_TOGETHER,
    MAILS_TO_TODOS,
    PASS_ON_DUE_DATE,
    NOTE_LIKED_SONGS,
)
