"""What is asked for on Amazon, and how it is done."""

from __future__ import annotations

from holdcourse.recipes.recipe import Recipe


def find_product(name: str) -> str:
    """Code that searches for {product} and puts it into the variable `name`."""
    return f"""hits = apis.amazon.search_products(query={{product}}, page_limit=5)
for product in hits:
    print(product["name"], "-", product["price"], "dollars, rated", product["rating"])
{name} = next(product for product in hits if product["name"] == {{product}})"""


def read_questions(product: str) -> str:
    """Code that prints what other customers asked about `product`."""
    return f"""questions = apis.amazon.show_product_questions(
    product_id={product}["product_id"], page_limit=20
)
print(len(questions), "questions of customers")
for question in questions:
    print(question["user"]["name"], "asks:", question["question"])"""


PRODUCT_PRICE = Recipe(
    name="product_price",
    apps=("amazon",),
    sentences=(
        "How many dollars does the product {product} cost on Amazon?",
        "Look up the price of {product} on Amazon for me.",
        "What would I have to pay for one {product} on Amazon, without fees and taxes?",
    ),
    steps=(
        find_product("product_to_price"),
        read_questions("product_to_price"),
        """print("price:", product_to_price["price"])
apis.supervisor.complete_task(answer=product_to_price["price"])""",
    ),
    essential=(0, 2),
    reads_only=True,
    difficulty=1,
)

WISH_FOR = Recipe(
    name="wish_for",
    apps=("amazon",),
    sentences=(
        "Put the product {product} on my Amazon wish list.",
        "My Amazon wish list should hold one {product} as well, so add it.",
        "I would like to get {product} some day, so save it on my Amazon wish list.",
    ),
    steps=(
        find_product("product_to_wish"),
        read_questions("product_to_wish"),
        """done = apis.amazon.add_product_to_wish_list(
    product_id=product_to_wish["product_id"], access_token=amazon_token
)
print(done["message"])""",
        """apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3),
    reads_only=False,
    difficulty=1,
)

ORDER_PRODUCT = Recipe(
    name="order_product",
    apps=("amazon",),
    sentences=(
        "Empty my Amazon cart and order {quantity} of {product} to my {address} address with my {card} card.",
        "Clear the cart on Amazon, then buy {quantity} pieces of {product} with the {card} card, sent to my "
        "{address} address.",
        "Place an Amazon order of {quantity} times {product} and nothing else, charged to my {card} card and "
        "delivered to my {address} address, whatever the cart holds now.",
    ),
    steps=(
        find_product("product_to_order"),
        read_questions("product_to_order"),
        """done = apis.amazon.add_product_to_cart(
    product_id=product_to_order["product_id"],
    quantity=int({quantity}),
    clear_cart_first=True,
    access_token=amazon_token,
)
cart = apis.amazon.show_cart(access_token=amazon_token)
print([(item["product_name"], item["quantity"]) for item in cart["cart_items"]], cart["total_cost"])""",
        """cards = apis.amazon.show_payment_cards(access_token=amazon_token)
addresses = apis.amazon.show_addresses(access_token=amazon_token)
print("cards:", [card["card_name"] for card in cards], "addresses:", [place["name"] for place in addresses])
card_to_charge = next(card for card in cards if card["card_name"] == {card})
address_to_use = next(place for place in addresses if place["name"] == {address})""",
        """done = apis.amazon.place_order(
    payment_card_id=card_to_charge["payment_card_id"],
    address_id=address_to_use["address_id"],
    access_token=amazon_token,
)
print(done["message"])
apis.supervisor.complete_task()""",
    ),
    essential=(0, 2, 3, 4),
    reads_only=False,
    difficulty=2,
)

RECIPES = (PRODUCT_PRICE, WISH_FOR, ORDER_PRODUCT)
