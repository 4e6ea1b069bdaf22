"""Arguments for any documented operation, found generically: what reads show, and invented values.

A parameter that says which thing (an id, a path, an address) takes its value from what a read has shown, all
of them from one record where possible; a parameter that says what takes an invented value of its type within
its constraints.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from holdcourse.appworld.docs import Operation, Parameter, placeholders, segments
from holdcourse.appworld.wording import OVERWRITING, names_same, singular, thing, words

_WHICH = frozenset({"id", "path", "email", "code", "position"})
_MAKERS = ("create", "copy", "move", "compress", "decompress")
_WORD, _OTHER = "zinnia", "marigold"
"""What is written into a new thing, and into one that exists, which may hold the first."""
_FILE = "~/zinnia.txt"
_FOLDER = "~/zinnia/"


@dataclass(frozen=True, slots=True)
class Fact:
    """Values that belong together, as one read showed them.

    Attributes:
        values: by name; those of the records around and of the read's own arguments as well.
        read: the operation that showed them.
        keys: names of the values.
    """

    values: Mapping[str, object]
    read: str
    keys: tuple[str, ...] = ()


def facts_in(operation: Operation, asked: Mapping[str, object], response: object) -> list[Fact]:
    """All facts that one response holds."""
    label = "_".join(thing(operation.api)[0])
    outer = {name: value for name, value in asked.items() if not name.startswith("page_")}
    return [Fact(values, operation.name, tuple(values)) for values in _walk(response, outer, label)]


def assignments(
    operation: Operation, facts: Sequence[Fact], with_optional: bool = True
) -> Iterator[dict[str, object]]:
    """Ways to call an operation, the likeliest first; endless ones are for the caller to cut.

    First with the required parameters alone; then with those of one record that has exactly them; then with
    one optional parameter more at a time. An update that requires only what says which thing starts with the
    last.
    """
    required = [parameter for parameter in operation.inputs if parameter.required]
    more = [
        [parameter]
        for parameter in operation.inputs
        if not parameter.required and not OVERWRITING.match(parameter.name) and parameter.name not in _PAGING
    ]
    near = _nearest(operation, facts)
    bare = itertools.chain(_filled(required, operation, near), _whole(required, near))
    fuller = itertools.chain.from_iterable(_filled([*required, *one], operation, near) for one in more)
    only_which = operation.method == "PATCH" and all(
        _says_which(parameter, operation) for parameter in required
    )
    seen: set[str] = set()
    ways = [bare] if not with_optional else [fuller, bare] if only_which else [bare, fuller]
    for arguments in itertools.chain.from_iterable(ways):
        if (key := repr(sorted(arguments.items()))) not in seen:
            seen.add(key)
            yield arguments


def _nearest(operation: Operation, facts: Sequence[Fact]) -> list[Fact]:
    """The facts that hold something an operation asks for, those of the nearest reads first."""
    wanted = [_one(parameter) for parameter in operation.inputs]
    useful = [fact for fact in facts if any(_fitting(name, fact.keys) for name in wanted)]
    distances = {read: _distance(read, operation) for read in {fact.read for fact in useful}}
    return sorted(useful, key=lambda fact: distances[fact.read])


def _whole(required: Sequence[Parameter], facts: Sequence[Fact]) -> Iterator[dict[str, object]]:
    """Records of any app with all the required names: a card or an address from elsewhere."""
    names = [parameter.name for parameter in required]
    for fact in facts if len(names) > 1 else ():
        if all(name in fact.values for name in names):
            yield {name: fact.values[name] for name in names}


PRINCIPAL = "supervisor.show_profile"
"""The read that tells who the task's principal is."""

_PAGING = frozenset({"page_index", "page_limit", "sort_by", "query"})
_SAME_RECORD = 12
"""How many records are tried for the parameters that one record can give together."""
_EACH = 3
"""How many values are tried for a parameter that no record gives together with others."""


def _filled(
    parameters: Sequence[Parameter], operation: Operation, facts: Sequence[Fact]
) -> Iterator[dict[str, object]]:
    which = [parameter for parameter in parameters if _says_which(parameter, operation)]
    starts: list[dict[str, object]] = []
    for fact in facts if which else ():
        given: dict[str, object] = {}
        used: set[str] = set()
        for parameter in which:
            key = "" if _new_path(parameter, operation) else _given(parameter, fact)
            # One value is not two things: payer and receiver are two people.
            if key and key not in used:
                used.add(key)
                given[parameter.name] = _as_asked(parameter, fact.values[key])
        if given and given not in starts:
            starts.append(given)
        if len(starts) == _SAME_RECORD * 4:
            break
    me = {value for fact in facts if fact.read == PRINCIPAL for value in fact.values.values()}
    # Records that give more of the parameters come first, then those about somebody else, then nearer ones.
    starts.sort(key=lambda given: (-len(given), not me.isdisjoint(map(str, given.values()))))
    for start in [*starts[:_SAME_RECORD], {}]:
        rest = [parameter for parameter in parameters if parameter.name not in start]
        # What varies fastest stands last, and which thing matters more than what is written into it.
        rest.sort(key=lambda parameter: parameter in which)
        choices = [_choices(parameter, operation, facts) for parameter in rest]
        if all(choices):
            for combination in itertools.islice(itertools.product(*choices), _EACH * _EACH):
                yield {**start, **dict(zip([parameter.name for parameter in rest], combination, strict=True))}


def _choices(parameter: Parameter, operation: Operation, facts: Sequence[Fact]) -> list[object]:
    if not _says_which(parameter, operation):
        return _invented(parameter, _OTHER if operation.method == "PATCH" else _WORD)
    found: list[object] = []
    if _new_path(parameter, operation):
        found.append(_FOLDER if "directory" in parameter.name else _FILE)
    # Where two people are asked for, one of them is often the principal.
    for fact in [*facts[:1], *(fact for fact in facts if fact.read == PRINCIPAL), *facts[1:]]:
        key = _given(parameter, fact)
        if key and (value := _as_asked(parameter, fact.values[key])) not in found:
            found.append(value)
        if len(found) == _EACH:
            break
    return found


def _given(parameter: Parameter, fact: Fact) -> str:
    """The key of a fact that holds a value for a parameter; "" if there is none."""
    for key in _fitting(_one(parameter), fact.keys):
        value = fact.values[key]
        if isinstance(value, _TYPES.get(parameter.type, (str, int))) and not isinstance(value, bool):
            return key
    return ""


def _as_asked(parameter: Parameter, value: object) -> object:
    return [value] if parameter.type.startswith("list") else value


def _one(parameter: Parameter) -> str:
    """A parameter's name, in the singular when it takes a list."""
    return "_".join(words(parameter.name)) if parameter.type.startswith("list") else parameter.name


@cache
def _fitting(wanted: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that hold what is wanted: under its own name, with more before it, with less."""
    exact = [key for key in keys if key == wanted]
    longer = [key for key in keys if key != wanted and names_same(key, wanted)]
    shorter = [key for key in keys if key != wanted and names_same(wanted, key) and words(key)[-1] in _WHICH]
    return (*exact, *longer, *shorter)


_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "string": (str,),
    "list[string]": (str,),
    "number": (int, float),
}


def _says_which(parameter: Parameter, operation: Operation) -> bool:
    if any(text.startswith("value in") for text in parameter.constraints):
        return False
    last = words(parameter.name)[-1]
    return last in _WHICH or parameter.name in {*placeholders(operation.path), "phone_number"}


def _new_path(parameter: Parameter, operation: Operation) -> bool:
    """Whether a path is one to be made, and so must not be one that exists."""
    if not parameter.name.endswith("path") or not operation.api.startswith(_MAKERS):
        return False
    return parameter.name.startswith("destination") or operation.api.startswith("create")


def _invented(parameter: Parameter, word: str) -> list[object]:
    if choice := next((text for text in parameter.constraints if text.startswith("value in")), ""):
        return list(re.findall(r"'([^']*)'", choice))
    if parameter.type == "boolean":
        return [True, False]
    if parameter.type in ("integer", "number"):
        return list(_numbers(parameter))
    if parameter.type == "list[number]":
        return [[1.0]]
    text = _SHAPES.get(words(parameter.name)[-1], word)
    return [[text]] if parameter.type.startswith("list") else [text]


def _numbers(parameter: Parameter) -> list[int]:
    bounds = " ".join(parameter.constraints)
    low = re.search(r">=? ([\d.e+]+)", bounds)
    high = re.search(r"<=? ([\d.e+]+)", bounds)
    if low and high:
        first, last = int(float(low[1])), int(float(high[1]))
        return list(dict.fromkeys([min(first + 2, last - 1), first + 1, first]))
    if low:
        return [int(float(low[1])) + 1, int(float(low[1])) + 2]
    return [2035, 1] if "year" in parameter.name else [3, 1]


_SHAPES = {
    "date": "2035-01-05",
    "birthday": "1990-01-05",
    "at": "2035-01-05T08:00:00",
    "time": "05:15",
    "relationship": "friend",
    "day": "monday",
    "color": "red",
}


def _distance(read: str, operation: Operation) -> int:
    """How far a read stands from an operation: by app, then by what both are about."""
    app, _, api = read.partition(".")
    if app != operation.app:
        return 100
    shown = thing(api)[0]
    if any(part and shown[-len(part) :] == part for part in thing(operation.api)):
        return 1
    if segments(operation.path)[1:2] and singular(segments(operation.path)[1]) in shown:
        return 2
    return 3


def _walk(node: object, around: Mapping[str, object], label: str) -> Iterator[dict[str, object]]:
    if isinstance(node, Mapping):
        own = {
            (f"{label}_id" if key == "id" and label else str(key)): value
            for key, value in node.items()
            if isinstance(value, str | int | float) and not isinstance(value, bool)
        }
        values = {**around, **own}
        yield values
        kept = {key: value for key, value in values.items() if words(key)[-1:] and words(key)[-1] in _WHICH}
        for key, value in node.items():
            if isinstance(value, Mapping | list):
                yield from _walk(value, kept, singular(str(key)))
    elif isinstance(node, list):
        # A folder inside others first: what is done to the outermost is done to all.
        for item in sorted(node, key=_outwardness):
            if isinstance(item, Mapping):
                yield from _walk(item, around, label)
            elif isinstance(item, str | int):
                yield {**around, _scalar_name(item, label): item}


def _outwardness(item: object) -> int:
    return -item.count("/") if isinstance(item, str) and item.startswith(("~/", "/")) else 0


def _scalar_name(item: object, label: str) -> str:
    """What a bare value of a list is called: a path by its look, anything else by the list."""
    if isinstance(item, str) and item.startswith(("~/", "/")):
        return "directory_path" if item.endswith("/") else "file_path"
    return "_".join(words(label)) or "value"


def table_facts(rows: Iterable[tuple[str, Mapping[str, object]]]) -> list[Fact]:
    """Facts from the databases themselves, for codes that no read shows: columns under their table's name."""
    found: list[Fact] = []
    for table, row in rows:
        app, _, name = table.partition(".")
        one = "_".join(words(name))
        values = {
            f"{one}_{column}" if column in ("id", "code") else column: value
            for column, value in row.items()
            if isinstance(value, str | int) and words(column)[-1:] and words(column)[-1] in _WHICH
        }
        found.append(Fact(values, f"{app}.rows_of_{name}", tuple(values)))
    return found
