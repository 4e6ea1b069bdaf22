"""What is asked for in Simple Note, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.recipe import Recipe


def notes_like(name: str) -> str:
    """Code that prints the notes whose title holds {title} and leaves them in the variable `name`."""
    return f"""found = apis.simple_note.search_notes(
    query={{title}}, page_limit=20, access_token=simple_note_token
)
{name} = [
    apis.simple_note.show_note(note_id=note["note_id"], access_token=simple_note_token)
    for note in found if {{title}} in note["title"]
]
print(len({name}), "notes with that title")
for note in {name}:
    print("#", note["title"])
    print(note["content"])"""


LOOK_UP_IN_NOTE = Recipe(
    name="look_up_in_note",
    apps=("simple_note",),
    sentences=(
        "What does my note {title} give for {item}?",
        "Look into my note {title} and tell me what stands there for {item}.",
        "Which entry does the note {title} of mine have for {item}?",
    ),
    steps=(
        """found = apis.simple_note.search_notes(query={title}, page_limit=20, access_token=simple_note_token)
notes_to_read = [note for note in found if {title} in note["title"]]
print("notes:", ", ".join(note["title"] for note in found))""",
        """read_notes = {}
for note in notes_to_read:
    full = apis.simple_note.show_note(note_id=note["note_id"], access_token=simple_note_token)
    read_notes[full["title"]] = full["content"]
    print("#", full["title"])
    print(full["content"])""",
        """entry = next(line for line in read_notes[{title}].splitlines() if line.startswith({item} + ":"))
print(entry)
apis.supervisor.complete_task(answer=entry.split(":", 1)[1].strip())""",
    ),
    essential=(0, 1, 2),
    reads_only=True,
    difficulty=1,
)

WRITE_NOTE = Recipe(
    name="write_note",
    apps=("simple_note",),
    sentences=(
        "Write a note titled {title} with the tag {tag} that says {text} in Simple Note.",
        "Make a new Simple Note under the tag {tag} called {title} whose content is {text} and nothing else.",
        "Save the words {text} as a Simple Note with the title {title} and the tag {tag} please.",
    ),
    steps=(
        """tagged = apis.simple_note.search_notes(tags=[{tag}], page_limit=20, access_token=simple_note_token)
print(len(tagged), "notes have the tag", {tag})""",
        """for note in tagged:
    full = apis.simple_note.show_note(note_id=note["note_id"], access_token=simple_note_token)
    print("#", full["title"])
    print(full["content"])""",
        """done = apis.simple_note.create_note(
    title={title}, content={text}, tags=[{tag}], access_token=simple_note_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(2, 3),
    reads_only=False,
    difficulty=1,
)

RECIPES = (LOOK_UP_IN_NOTE, WRITE_NOTE)
