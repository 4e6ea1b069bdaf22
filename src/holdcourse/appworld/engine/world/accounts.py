"""Writes who the people are: their accounts, addresses, cards and passwords, in every app."""

from __future__ import annotations

from datetime import datetime

from holdcourse.appworld.engine.world.people import APPS
from holdcourse.appworld.engine.world.records import Address, Card, Person, World
from holdcourse.appworld.engine.world.tables import Tables

JOINED = datetime(2024, 11, 4, 9, 0, 0)
"""When all accounts were opened."""

_UNVERIFIED = ("phone", "gmail")
_COMPANIES = (
    "Amazon",
    "Spotify",
    "Venmo",
    "Gmail",
    "Splitwise",
    "Simple Note",
    "Todoist",
    "File System",
    "Phone",
)


def write_accounts(world: World, tables: Tables) -> None:
    """Add all people; a person's id is the same in every app."""
    for person in world.people:
        main = tables.add(
            "admin",
            "MainUser",
            first_name=person.first_name,
            last_name=person.last_name,
            email=person.email,
            phone_number=person.phone_number,
            birthday=person.birthday,
            sex=person.sex,
        )
        for address in person.addresses:
            place = tables.add("admin", "GlobalAddress", **_place(address))
            tables.add("admin", "UserAddress", global_address_id=place, main_user_id=main, name=address.name)
        for card in person.cards:
            tables.add(
                "admin",
                "PaymentCard",
                main_user_id=main,
                card_name=card.name,
                balance=card.balance,
                **_card(card, person),
            )
        for app in APPS:
            tables.add(
                "admin",
                "AccountPassword",
                main_user_id=main,
                account_name=app,
                password=person.passwords[app],
            )
            user = tables.add(app, "User", **_user(app, person))
            if app in ("venmo", "amazon", "spotify"):
                for card in person.cards:
                    tables.add(app, "PaymentCard", user_id=user, card_name=card.name, **_card(card, person))
            if app == "amazon":
                for address in person.addresses:
                    tables.add(app, "Address", user_id=user, name=address.name, **_place(address))


def _user(app: str, person: Person) -> dict[str, object]:
    fields: dict[str, object] = {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "password": person.passwords[app],
        "created_at": JOINED,
        "last_logged_in": JOINED,
    }
    fields["phone_number" if app == "phone" else "email"] = (
        person.phone_number if app == "phone" else person.email
    )
    if app not in _UNVERIFIED:
        fields["verified"] = True
    if app == "venmo":
        fields["venmo_balance"] = person.balance
    return fields


def _place(address: Address) -> dict[str, object]:
    return {
        "street_address": address.street_address,
        "city": address.city,
        "state": address.state,
        "country": address.country,
        "zip_code": address.zip_code,
    }


def _card(card: Card, person: Person) -> dict[str, object]:
    return {
        "owner_name": person.name,
        "card_number": card.number,
        "expiry_year": card.expiry_year,
        "expiry_month": card.expiry_month,
        "cvv_number": card.cvv,
    }


def write_companies() -> None:
    """Open the accounts from which the apps send their notices."""
    # Imported late: the engine must know its root first.
    from appworld.apps.api_lib import CompanyNotifier

    for name in _COMPANIES:
        CompanyNotifier(name).create_accounts(skip_if_exists=True)
