"""What is asked for in the phone app, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.recipe import Recipe

LATEST_TEXTS = """texts = apis.phone.search_text_messages(
    page_limit=6, sort_by="-created_at", access_token=phone_token
)
for text in texts:
    print(text["sent_at"][:16], text["sender"]["name"], "wrote:", text["message"])"""
"""Code that prints the latest text messages, sent or received."""

SET_ALARM = Recipe(
    name="set_alarm",
    apps=("phone",),
    sentences=(
        "Set an alarm for {time} with the label {label} on my phone.",
        "My phone should ring at {time} under the label {label} from now on, so create that alarm.",
        "Create one more alarm on my phone, at {time} and labelled {label} please.",
    ),
    steps=(
        """alarms = apis.phone.show_alarms(page_limit=20, access_token=phone_token)
for alarm in alarms:
    print(alarm["time"], alarm["label"], "on" if alarm["enabled"] else "off")""",
        LATEST_TEXTS,
        """print(apis.phone.create_alarm(time={time}, label={label}, access_token=phone_token)["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(2, 3),
    reads_only=False,
    difficulty=1,
)

SEND_TEXT = Recipe(
    name="send_text",
    apps=("phone",),
    sentences=(
        "Send the text message {message} to the phone number {phone} for me.",
        "Write a text message to {phone} from my phone that reads {message} and nothing more.",
        "Whoever has the number {phone} should get a text message from me with the words {message} in it.",
    ),
    steps=(
        LATEST_TEXTS,
        """whose = apis.phone.show_profile(phone_number={phone}, access_token=phone_token)
print({phone}, "belongs to", whose["first_name"], whose["last_name"])""",
        """done = apis.phone.send_text_message(
    phone_number={phone}, message={message}, access_token=phone_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(2, 3),
    reads_only=False,
    difficulty=1,
)

RECIPES = (SET_ALARM, SEND_TEXT)
