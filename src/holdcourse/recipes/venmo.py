"""What is asked for in Venmo, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.paging import every
from holdcourse.recipes.recipe import Recipe


def find_friend(name: str) -> str:
    """Code that puts the Venmo friend {friend} into the variable `name` and prints it."""
    return (
        every("friends", "venmo.search_friends", "access_token=venmo_token")
        + f"""
{name} = next(person for person in friends if person["first_name"] == {{friend}})
print({name}["first_name"], {name}["last_name"], {name}["email"])"""
    )


def payments_with_friend(name: str, friend: str) -> str:
    """Code that prints all payments to and from `friend` and leaves them in the variable `name`."""
    return every(
        name, "venmo.show_transactions", f'user_email={friend}["email"], access_token=venmo_token'
    ) + print_payments(name)


def list_requests(name: str) -> str:
    """Code that prints the open requests received and leaves them in the variable `name`."""
    return (
        every(name, "venmo.show_received_payment_requests", 'status="pending", access_token=venmo_token')
        + f"""
for request in {name}:
    print(request["sender"]["name"], "asks for", request["amount"], "dollars for", request["description"])"""
    )


def print_payments(name: str) -> str:
    """Code that prints the payments in the variable `name`."""
    return f"""
for payment in {name}:
    way = payment["sender"]["name"].split()[0] + " to " + payment["receiver"]["name"].split()[0]
    print(payment["created_at"][:10], way, payment["amount"], "for", payment["description"])"""


SEND_MONEY = Recipe(
    name="send_money",
    apps=("venmo",),
    sentences=(
        "Make a Venmo payment of {amount} dollars to {email} with the note {memo} please.",
        "I owe some money to {email}, so pay {amount} dollars for {memo} through Venmo.",
        "On Venmo, transfer {amount} dollars to {email} and describe the payment as {memo} exactly.",
    ),
    steps=(
        """users = apis.venmo.search_users(query={email}, page_limit=5, access_token=venmo_token)
user_to_pay = next(user for user in users if user["email"] == {email})
print(user_to_pay["first_name"], user_to_pay["last_name"], user_to_pay["email"])""",
        """latest = apis.venmo.show_transactions(
    page_limit=6, sort_by="-created_at", access_token=venmo_token
)"""
        + print_payments("latest"),
        """done = apis.venmo.create_transaction(
    receiver_email=user_to_pay["email"],
    amount=float({amount}),
    description={memo},
    access_token=venmo_token,
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3),
    reads_only=False,
    difficulty=1,
)

SENT_ABOVE = Recipe(
    name="sent_above",
    apps=("venmo",),
    sentences=(
        "What do all the Venmo payments of more than {amount} dollars that I have sent add up to?",
        "Sum up those payments sent by me on Venmo that were above {amount} dollars and tell me the total.",
        "Looking only at Venmo payments over {amount} dollars, how much money have I sent to others in "
        "total?",
    ),
    steps=(
        """account = apis.venmo.show_account(access_token=venmo_token)
print(account["email"], "has", account["friend_count"], "friends")""",
        every("payments_to_judge", "venmo.show_transactions", "access_token=venmo_token")
        + print_payments("payments_to_judge"),
        """payments_above = [
    payment["amount"] for payment in payments_to_judge
    if payment["sender"]["email"] == profile["email"] and payment["amount"] > float({amount})
]
print(len(payments_above), "payments:", round(sum(payments_above), 2))""",
        """apis.supervisor.complete_task(answer=round(sum(payments_above), 2))""",
    ),
    essential=(1, 2, 3),
    reads_only=True,
    difficulty=2,
)

DENY_REQUESTS = Recipe(
    name="deny_requests",
    apps=("venmo",),
    sentences=(
        "Deny every open Venmo request that asks me for more than {amount} dollars.",
        "Whoever asks me for over {amount} dollars on Venmo gets nothing, so deny those open requests.",
        "Go through the open requests in my Venmo and decline each one above {amount} dollars.",
    ),
    steps=(
        list_requests("open_requests"),
        """requests_to_deny = [request for request in open_requests if request["amount"] > float({amount})]
print("above the limit:", len(requests_to_deny), "of", len(open_requests))""",
        """for request in requests_to_deny:
    done = apis.venmo.deny_payment_request(
        payment_request_id=request["payment_request_id"], access_token=venmo_token
    )
    print(request["sender"]["name"], request["amount"], "-", done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 1, 2, 3),
    reads_only=False,
    difficulty=2,
)

RECIPES = (SEND_MONEY, SENT_ABOVE, DENY_REQUESTS)
