"""What each invented person has in each app: plain data, made from a seed alone, before any database is.

Task templates choose their values from these records; `databases.py` puts the same records into the engine's
databases. Times are naive and in the engine's own clock; amounts are dollars.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Split = Literal["evaluation", "pool", "companion"]
Relationship = Literal["friend", "coworker", "roommate", "neighbor", "sibling"]


@dataclass(frozen=True, slots=True)
class Address:
    """A postal address; `name` is "Home" or "Work"."""

    name: str
    street_address: str
    city: str
    state: str
    country: str
    zip_code: int


@dataclass(frozen=True, slots=True)
class Card:
    """A payment card; every app of its owner knows it by the same name."""

    name: str
    number: int
    expiry_year: int
    expiry_month: int
    cvv: int
    balance: float


@dataclass(frozen=True, slots=True)
class Contact:
    """An entry of the phone book: a companion."""

    first_name: str
    last_name: str
    email: str
    phone_number: str
    relationship: Relationship


@dataclass(frozen=True, slots=True)
class Song:
    """A song of the catalogue; titles are unique."""

    title: str
    artist: str
    album: str
    genre: str
    seconds: int
    released: datetime
    play_count: int


@dataclass(frozen=True, slots=True)
class Album:
    """An album of the catalogue; titles are unique."""

    title: str
    artist: str
    genre: str
    released: datetime
    songs: tuple[Song, ...]


@dataclass(frozen=True, slots=True)
class Artist:
    """An artist of the catalogue; names are unique."""

    name: str
    genre: str
    albums: tuple[Album, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A product of the shop; names are unique."""

    name: str
    kind: str
    seller: str
    price: float
    delivery_days: int
    color: str
    rating: float


@dataclass(frozen=True, slots=True)
class Playlist:
    """A playlist of its owner; titles are unique within the owner's library."""

    title: str
    public: bool
    songs: tuple[Song, ...]


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail as one of its readers has it.

    Attributes:
        sender: e-mail address.
        recipients: e-mail addresses.
        label: the reader's own label; None for none.
    """

    sender: str
    recipients: tuple[str, ...]
    subject: str
    body: str
    sent: datetime
    read: bool = True
    starred: bool = False
    archived: bool = False
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A text message; sender and receiver are phone numbers."""

    sender: str
    receiver: str
    message: str
    sent: datetime


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of the phone: `time` is HH:MM, `days` are lower-case weekdays; labels are unique in each."""

    time: str
    label: str
    days: tuple[str, ...]
    enabled: bool
    snooze_minutes: int


@dataclass(frozen=True, slots=True)
class Transaction:
    """Money sent on Venmo; sender and receiver are e-mail addresses."""

    sender: str
    receiver: str
    amount: float
    description: str
    sent: datetime
    private: bool


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """An open request for money on Venmo: `requester` asks `payer` (e-mail addresses)."""

    requester: str
    payer: str
    amount: float
    description: str
    made: datetime


@dataclass(frozen=True, slots=True)
class Note:
    """A note; titles are unique within their owner. A list's content is one "- item" a line."""

    title: str
    content: str
    tags: tuple[str, ...]
    pinned: bool
    made: datetime

    @property
    def items(self) -> tuple[str, ...]:
        """The items of a list; empty for a note that is none."""
        return tuple(line[2:] for line in self.content.splitlines() if line.startswith("- "))


@dataclass(frozen=True, slots=True)
class Todo:
    """A task of a to-do project; titles are unique within their owner."""

    title: str
    description: str
    due: datetime | None
    priority: Literal["low", "medium", "high"]
    done: bool
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Project:
    """A to-do project; names are unique within their owner."""

    name: str
    todos: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class File:
    """A file; `path` starts with "~/". A bill's content is "key: value" lines."""

    path: str
    content: str
    made: datetime

    @property
    def fields(self) -> dict[str, str]:
        """The content's "key: value" lines."""
        return dict(line.split(": ", 1) for line in self.content.splitlines() if ": " in line)


@dataclass(frozen=True, slots=True)
class Expense:
    """A shared expense: each of `sharers` owes an equal share of `amount` to `payer` (all e-mail addresses).

    The payer is among the sharers.
    """

    description: str
    amount: float
    payer: str
    sharers: tuple[str, ...]
    paid: datetime


@dataclass(frozen=True, slots=True)
class Group:
    """A group that shares expenses; members are e-mail addresses, the first made it.

    Names are unique within whoever made the group; companions are in several of the same name.
    """

    name: str
    members: tuple[str, ...]
    expenses: tuple[Expense, ...]


@dataclass(frozen=True, slots=True)
class OrderLine:
    """One product of an order, at the price paid."""

    product: Product
    quantity: int


@dataclass(frozen=True, slots=True)
class Order:
    """A past order, delivered."""

    lines: tuple[OrderLine, ...]
    placed: datetime
    address: str
    card: str


@dataclass(frozen=True)
class Person:
    """An invented person and all they have.

    Attributes:
        split: whether evaluation tasks or pool tasks are asked by them, or none: companions are whom the
            others know.
        contacts: their phone book; the same people are their friends on Venmo.
        mails: e-mails they received, oldest first; each is a thread of its own.
        sent_mails: e-mails they sent.
        texts: text messages they sent or received, oldest first.
        transactions: Venmo transactions they sent or received, oldest first.
        requests_received: open payment requests that ask them for money.
        requests_sent: open payment requests they made.
        groups: groups they are a member of.
        cart: products in their cart, with quantities.
        wish_list: products on their wish list.
        balance: their Venmo balance.
    """

    first_name: str
    last_name: str
    email: str
    phone_number: str
    birthday: str
    sex: Literal["male", "female"]
    split: Split
    addresses: tuple[Address, ...]
    cards: tuple[Card, ...]
    passwords: dict[str, str]
    contacts: tuple[Contact, ...] = ()
    library_songs: tuple[Song, ...] = ()
    liked_songs: tuple[Song, ...] = ()
    library_albums: tuple[Album, ...] = ()
    followed_artists: tuple[Artist, ...] = ()
    playlists: tuple[Playlist, ...] = ()
    queue: tuple[Song, ...] = ()
    mails: tuple[Mail, ...] = ()
    sent_mails: tuple[Mail, ...] = ()
    texts: tuple[Text, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    transactions: tuple[Transaction, ...] = ()
    requests_received: tuple[PaymentRequest, ...] = ()
    requests_sent: tuple[PaymentRequest, ...] = ()
    balance: float = 0.0
    notes: tuple[Note, ...] = ()
    projects: tuple[Project, ...] = ()
    files: tuple[File, ...] = ()
    groups: tuple[Group, ...] = ()
    orders: tuple[Order, ...] = ()
    cart: tuple[OrderLine, ...] = ()
    wish_list: tuple[Product, ...] = ()

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"


@dataclass(frozen=True)
class World:
    """All people, and the catalogues they share.

    Attributes:
        now: the time at which every task is asked.
    """

    seed: int
    now: datetime
    people: tuple[Person, ...]
    artists: tuple[Artist, ...]
    products: tuple[Product, ...]
    sellers: tuple[str, ...] = field(default=())

    def of_split(self, split: Split) -> tuple[Person, ...]:
        """The people who ask the tasks of one split."""
        return tuple(person for person in self.people if person.split == split)

    def by_email(self, email: str) -> Person:
        """The person with an e-mail address."""
        return next(person for person in self.people if person.email == email)

    @property
    def songs(self) -> tuple[Song, ...]:
        """All songs of the catalogue, in the order of their ids."""
        return tuple(song for artist in self.artists for album in artist.albums for song in album.songs)

    @property
    def albums(self) -> tuple[Album, ...]:
        """All albums of the catalogue, in the order of their ids."""
        return tuple(album for artist in self.artists for album in artist.albums)
