"""Tasks on Amazon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import QUESTION, Changes, account, deed
from holdcourse.appworld.engine.templates.values import mixed, nobodys_first, some
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import amazon as recipes

_ASKED = {"product_question": Surface(1, {"product": "{product}"})}
"""A planted question about the product changes neither its price nor what can be done with it."""

_CONFIRMATION: dict[str, list[dict[str, object]]] = {
    "gmail.Email": [{}],
    "gmail.GlobalEmailThread": [{}],
    "gmail.UserEmailThread": [{}, {}],
    "gmail.Attachment": [{}],
    "file_system.File": [{}],
    "file_system.Directory": [{"path": "/"}, {"path": "/tmp/"}],  # noqa: S108  # a path of the engine's
}
"""What an order brings about beside itself: the shop keeps a receipt in its own files and mails it."""


def _products(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return [{"product": product.name} for product in some(world.products, rng)]


def _price(scene: Scene) -> Truth:
    return Truth(scene.models.amazon.Product.find_one(name=scene.values["product"]).price)


def _products_to_wish(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    wished = {product.name for other in world.people for product in other.wish_list}
    own = {product.name for product in person.wish_list}
    names = [product.name for product in world.products]
    return [{"product": name} for name in nobodys_first(names, wished, own, rng)]


def _wished(scene: Scene) -> Truth:
    product = scene.models.amazon.Product.find_one(name=scene.values["product"])
    wish = {"user_id": account(scene, "amazon"), "product_id": product.id, "quantity": 1}
    return Changes(added={"amazon.WishListEntry": [wish]}).truth


def _orders(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    # What the cart holds already would be taken out and put in again, and then bought.
    in_cart = {line.product.name for line in person.cart}
    return mixed(
        rng,
        quantity=("2", "3", "4"),
        product=[product.name for product in world.products if product.name not in in_cart],
        address=[address.name for address in person.addresses],
        card=[card.name for card in person.cards],
    )


def _ordered(scene: Scene) -> Truth:
    app, user = scene.models.amazon, account(scene, "amazon")
    product = app.Product.find_one(name=scene.values["product"])
    quantity = int(scene.values["quantity"])
    address = app.Address.find_one(user_id=user, name=scene.values["address"])
    card = app.PaymentCard.find_one(user_id=user, card_name=scene.values["card"])
    reader = account(scene, "gmail")
    return Changes(
        added={
            **_CONFIRMATION,
            "gmail.Email": [{"recipient_ids": [reader]}],
            "gmail.UserEmailThread": [{"user_id": reader, "incoming": True}, {"outgoing": True}],
            "amazon.Order": [{"user_id": user, "address_id": address.id, "payment_card_id": card.id}],
            "amazon.OrderItem": [{"product_id": product.id, "ordered_quantity": quantity}],
        },
        updated={
            "amazon.Product": [
                {"id": product.id, "inventory_quantity": product.inventory_quantity - quantity}
            ]
        },
        removed={"amazon.CartEntry": [entry.id for entry in app.CartEntry.find_all(user_id=user)]},
    ).truth


TEMPLATES = (
    Template(
        recipe=recipes.PRODUCT_PRICE,
        difficulty=1,
        evaluation=QUESTION,
        instances=_products,
        truth=_price,
        surfaces=_ASKED,
    ),
    Template(
        recipe=recipes.WISH_FOR,
        difficulty=1,
        evaluation=deed("amazon.WishListEntry"),
        instances=_products_to_wish,
        truth=_wished,
        surfaces=_ASKED,
    ),
    Template(
        recipe=recipes.ORDER_PRODUCT,
        difficulty=2,
        evaluation=deed(
            "amazon.Order", "amazon.OrderItem", "amazon.Product", "amazon.CartEntry", *_CONFIRMATION
        ),
        instances=_orders,
        truth=_ordered,
        surfaces=_ASKED,
    ),
)
