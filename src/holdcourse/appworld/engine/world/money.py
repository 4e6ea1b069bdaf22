"""Writes payments, shared expenses, and what was bought."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from holdcourse.appworld.engine.world.accounts import JOINED
from holdcourse.appworld.engine.world.records import Address, Group, Order, Person, World
from holdcourse.appworld.engine.world.tables import Tables

_DELIVERY_FEE = 5.0
_TAX = 0.1


def write_money(world: World, tables: Tables) -> None:
    """Add friendships, payments, requests, groups and orders, oldest first."""
    numbers = {person.email: number for number, person in enumerate(world.people, start=1)}
    for person in world.people:
        for contact in person.contacts:
            pair = (numbers[person.email], numbers[contact.email])
            for user, friend in (pair, pair[::-1]):
                tables.add("venmo", "Friendship", user_id=user, friend_id=friend, created_at=JOINED)
    payments = [payment for person in world.people for payment in person.transactions]
    for payment in sorted(payments, key=lambda payment: (payment.sent, payment.sender, payment.receiver)):
        tables.add(
            "venmo",
            "Transaction",
            sender_id=numbers[payment.sender],
            receiver_id=numbers[payment.receiver],
            amount=payment.amount,
            description=payment.description,
            private=payment.private,
            created_at=payment.sent,
            updated_at=payment.sent,
        )
    requests = [
        request for person in world.people for request in (*person.requests_received, *person.requests_sent)
    ]
    for request in sorted(requests, key=lambda request: (request.made, request.requester, request.payer)):
        tables.add(
            "venmo",
            "PaymentRequest",
            sender_id=numbers[request.requester],
            receiver_id=numbers[request.payer],
            amount=request.amount,
            description=request.description,
            created_at=request.made,
            updated_at=request.made,
        )
    groups = [group for person in world.people for group in person.groups]
    for place, group in enumerate(groups):
        _write_group(place, group, numbers, tables)
    _write_shop(world, tables)


def _write_group(place: int, group: Group, numbers: Mapping[str, int], tables: Tables) -> None:
    members = [numbers[email] for email in group.members]
    made = tables.add(
        "splitwise",
        "Group",
        user_id=members[0],
        name=group.name,
        description="",
        created_at=JOINED,
        invitation_code=f"g{place:04d}",
    )
    for member in members:
        tables.add("splitwise", "GroupMember", group_id=made, user_id=member, joined_at=JOINED)
    for expense in sorted(group.expenses, key=lambda expense: expense.paid):
        payer = numbers[expense.payer]
        sharers = [numbers[email] for email in expense.sharers]
        number = tables.add(
            "splitwise",
            "Expense",
            user_id=payer,
            group_id=made,
            payer_id=payer,
            debtor_ids=sharers,
            participant_ids=list(dict.fromkeys((payer, *sharers))),
            description=expense.description,
            amount=expense.amount,
            created_at=expense.paid,
        )
        for sharer in sharers:
            tables.add(
                "splitwise",
                "ExpenseShare",
                expense_id=number,
                debtor_id=sharer,
                share_amount=expense.amount / len(sharers),
                created_at=expense.paid,
            )


def _write_shop(world: World, tables: Tables) -> None:
    sellers = {name: tables.add("amazon", "Seller", name=name, rating=4.0) for name in world.sellers}
    for name in ("UPS", "USPS", "FedEx"):
        tables.add("amazon", "Deliverer", name=name)
    goods = {
        product.name: tables.add(
            "amazon",
            "Product",
            product_type=product.kind,
            name=product.name,
            description=f"A {product.color} {product.kind} by {product.name.split()[0]}.",
            seller_id=sellers[product.seller],
            price=product.price,
            delivery_days=product.delivery_days,
            inventory_quantity=80,
            weight=1.0,
            length=10.0,
            width=10.0,
            height=10.0,
            color=product.color,
            rating=product.rating,
            seller_rating=4.0,
        )
        for product in world.products
    }
    for number, person in enumerate(world.people, start=1):
        for line in person.cart:
            tables.add(
                "amazon",
                "CartEntry",
                user_id=number,
                product_id=goods[line.product.name],
                quantity=line.quantity,
            )
        for product in person.wish_list:
            tables.add("amazon", "WishListEntry", user_id=number, product_id=goods[product.name], quantity=1)
        for order in person.orders:
            _write_order(number, person, order, goods, tables)


def _write_order(number: int, person: Person, order: Order, goods: Mapping[str, int], tables: Tables) -> None:
    cards = [card.name for card in person.cards]
    addresses = [address.name for address in person.addresses]
    card = person.cards[cards.index(order.card)]
    address = person.addresses[addresses.index(order.address)]
    cost = sum(line.product.price * line.quantity for line in order.lines)
    made = tables.add(
        "amazon",
        "Order",
        user_id=number,
        # Addresses and cards were added person by person, so that their ids follow from the person's.
        address_id=(number - 1) * len(addresses) + addresses.index(order.address) + 1,
        payment_card_id=(number - 1) * len(cards) + cards.index(order.card) + 1,
        tax=round(cost * _TAX, 2),
        delivery_fee=_DELIVERY_FEE,
        created_at=order.placed,
        address_text=_one_line(address),
        payment_card_digits=str(card.number)[-4:],
    )
    for line in order.lines:
        arrival = order.placed.replace(hour=18, minute=0) + timedelta(days=line.product.delivery_days)
        tables.add(
            "amazon",
            "OrderItem",
            order_id=made,
            product_id=goods[line.product.name],
            price=line.product.price,
            ordered_quantity=line.quantity,
            returned_quantity=0,
            gift_wrap_quantity=0,
            expected_delivery_at=arrival,
            delivered_at=arrival,
        )


def _one_line(address: Address) -> str:
    return f"{address.street_address}, {address.city}, {address.state}, {address.country}, {address.zip_code}"
