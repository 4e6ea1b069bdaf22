"""Find, for every write of a world, a call that succeeds and changes something.

Most writes can be called in a task's start state with what its reads show. The others need something to be
done first: an expense can be undeleted once it is deleted, a product wrapped once it is in the cart, a
notification marked once somebody has caused it. So the writes are gone through in rounds, each with those
that the rounds before have made callable. Every try begins with the start state.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdcourse.appworld.docs import Operation
from holdcourse.appworld.engine.arguments import PRINCIPAL, Fact, assignments, facts_in, table_facts
from holdcourse.appworld.engine.trial_world import CallFailedError, TrialWorld
from holdcourse.appworld.inverses import Inverse, inverses
from holdcourse.appworld.wording import names_same, same_thing, thing, verb, words

TRIES = 40
"""Ways to call an operation that are tried before it counts as not callable."""

READ_ROUNDS = 3
"""How often the reads are gone through, each time with what the time before has shown."""

PER_READ = 8
"""Ways in which one read is called each time."""

STAGES = 2
"""How many writes may be made first to set the stage for another."""

SETTINGS = 5
"""How many writes are tried for setting the stage."""

_ADDING = frozenset({"add", "play"})


@dataclass(frozen=True, slots=True)
class Deed:
    """One write as it was made.

    Attributes:
        operation: name.
        arguments: without tokens.
        by_other: whether another person of the world made it, to set the stage.
    """

    operation: str
    arguments: Mapping[str, object]
    by_other: bool = False


class Deeds:
    """Calls that work, for each write of one world.

    Args:
        world: opened once; it is put back before each try.
        only: look for these writes alone, and for what they need; for all when empty.

    Attributes:
        found: write -> the deeds that set the stage for it, and it, in order.
        reads_made: reads that could be called.
        reads_that_write: reads that changed a database when they were called.
    """

    def __init__(self, world: TrialWorld, only: Sequence[str] = ()) -> None:
        self.world = world
        self.inverses: Mapping[str, Inverse] = inverses(world.docs)
        self.reads_made: set[str] = set()
        self.reads_that_write: set[str] = set()
        self.found: dict[str, list[Deed]] = {}
        self._last: list[Fact] = []
        self._facts = self._read_all()
        self._tried: set[tuple[str, str]] = set()
        self._by_other: dict[str, list[Deed]] = {}
        wanted = list(only) or list(self.inverses)
        self._search(self._with_settings(wanted) if only else wanted)

    def make(self, deeds: Sequence[Deed]) -> None:
        """Carry out deeds in this process.

        Raises:
            CallFailedError: one of them was refused.
        """
        for deed in deeds:
            with self.world.acting(deed.by_other):
                response = self.world.call(deed.operation, deed.arguments)
            self._last = facts_in(self.world.docs[deed.operation], deed.arguments, response)

    def facts_after(self, app: str) -> list[Fact]:
        """What is known after a deed: its own values, its app's reads made again, and the rest."""
        fresh = list(self._last)
        for read in self.world.docs.of_app(app) if fresh else ():
            if read.kind == "read":
                fresh += self._read(read, [*fresh, *self._facts] if not read.required else fresh, 2)
        return [*fresh, *self._facts]

    def _search(self, wanted: Sequence[str]) -> None:
        for stage in range(STAGES + 1):
            for name in wanted:
                if name in self.found:
                    continue
                deeds = self._directly(name) if stage == 0 else self._staged(name)
                if deeds:
                    self.found[name] = deeds
        for name in wanted:
            if name not in self.found and (deeds := self._after_another(name)):
                self.found[name] = deeds

    def _directly(self, name: str) -> list[Deed]:
        self.world.start_over()
        self._last = []
        return self._first_that_works(name, self._facts)

    def _staged(self, name: str) -> list[Deed]:
        for setting in self._settings(name):
            if setting in self.found and (name, setting) not in self._tried:
                self._tried.add((name, setting))
                self.world.start_over()
                self.make(self.found[setting])
                if made := self._on_stage(name):
                    return [*self.found[setting], *made]
        return []

    def _after_another(self, name: str) -> list[Deed]:
        """With the stage set by what another person does toward the principal."""
        for setting in self._toward_others(self.world.docs[name].app):
            if setting not in self._by_other:
                self.world.start_over()
                self._by_other[setting] = self._toward_principal(setting)
            if before := self._by_other[setting]:
                self.world.start_over()
                self.make(before)
                if made := self._on_stage(name):
                    return [*before, *made]
        return []

    def _toward_principal(self, setting: str) -> list[Deed]:
        """A write that another person makes with the principal's address."""
        # As if the write itself had shown it, and so the likeliest of all.
        me = Fact(self.world.principal, setting, tuple(self.world.principal))
        rest = [fact for fact in self._facts if fact.read != PRINCIPAL]
        with self.world.acting(True):
            own = [
                fact
                for read in self.world.docs.of_app(self.world.docs[setting].app)
                if read.kind == "read" and not read.required
                for fact in self._read(read, (), 1)
            ]
            return self._first_that_works(setting, [me, *own, *rest], by_other=True)

    def _on_stage(self, name: str) -> list[Deed]:
        made = self._first_that_works(name, [*self._last, *self._facts])
        return made or self._first_that_works(name, self.facts_after(self.world.docs[name].app))

    def _first_that_works(self, name: str, facts: Sequence[Fact], by_other: bool = False) -> list[Deed]:
        operation = self.world.docs[name]
        for arguments in itertools.islice(assignments(operation, facts), TRIES):
            before = self.world.writes()
            try:
                response = self.world.call(name, arguments)
            except CallFailedError:
                continue
            if self.world.writes() > before:
                self._last = facts_in(operation, arguments, response)
                return [Deed(name, arguments, by_other)]
        return []

    def _settings(self, name: str) -> list[str]:
        """Writes that may set the stage, the likeliest first.

        Those that this one undoes; those that make what it asks for; those that add to the same place, by
        path or by name (a product must be in the cart before it is wrapped).
        """
        operation = self.world.docs[name]
        named = {word for part in thing(operation.api) for word in part}
        undone: list[str] = []
        making: list[str] = []
        adding: list[str] = []
        for write, inverse in self.inverses.items():
            other = self.world.docs[write]
            if other.app != operation.app or write == name:
                continue
            if inverse.inverse == name:
                undone.append(write)
            elif other.method == "POST" and (
                any(
                    names_same(key, asked) or key == f"{asked}s"
                    for key in _keys(other)
                    for asked in operation.required
                )
                or (inverse.category == "create" and same_thing(other.api, operation.api))
            ):
                making.append(write)
            elif other.method == "POST" and (
                operation.path.startswith(f"{other.path}/")
                or operation.path == other.path
                or (verb(other.api) in _ADDING and set(thing(other.api)[1]) & named)
            ):
                adding.append(write)
        return [*undone, *making, *adding][:SETTINGS]

    def _toward_others(self, app: str) -> list[str]:
        return [
            operation.name
            for operation in self.world.docs.of_app(app)
            if operation.kind == "write"
            and any(
                {"email", "phone"} & set(words(parameter.name))
                for parameter in operation.inputs
                if parameter.required
            )
        ][:SETTINGS]

    def _with_settings(self, wanted: Sequence[str]) -> list[str]:
        needed = dict.fromkeys(wanted)
        for _ in range(STAGES):
            for name in list(needed):
                needed.update(dict.fromkeys(self._settings(name)))
        return list(needed)

    def _read_all(self) -> list[Fact]:
        facts: dict[str, Fact] = {}
        for _ in range(READ_ROUNDS):
            for read in self.world.docs.of_kind("read"):
                if read.app != "api_docs":
                    found = self._read(read, list(facts.values()), PER_READ)
                    facts.update((repr((fact.read, fact.values)), fact) for fact in found)
        tables = self.world.snapshot()
        rows = ((table, row) for table, rows in tables.items() for row in rows.values())
        return [*facts.values(), *table_facts(rows)]

    def _read(self, read: Operation, facts: Sequence[Fact], limit: int) -> list[Fact]:
        found: list[Fact] = []
        paged = {parameter.name for parameter in read.inputs} & {"page_limit"}
        for arguments in itertools.islice(assignments(read, facts, with_optional=False), limit):
            before = self.world.writes()
            try:
                response = self.world.call(read.name, {**arguments, **dict.fromkeys(paged, 20)})
            except CallFailedError:
                continue
            self.reads_made.add(read.name)
            if self.world.writes() > before:
                self.reads_that_write.add(read.name)
            found += facts_in(read, arguments, response)
        return found


def _keys(operation: Operation) -> list[str]:
    return list(map(str, operation.returns)) if isinstance(operation.returns, dict) else []
