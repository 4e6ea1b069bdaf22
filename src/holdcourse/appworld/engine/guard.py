"""What agent code may not say: it is refused before it runs (drift paper §5.1, the agent acts by code).

The shell that an agent is given holds `apis` and plain Python. Code that reaches for anything else, above all
for the ground truth, is refused by its syntax tree here. This is the first fence: `sandbox`, `watch` and
`enclosure` hold at run time, should code pass it that ought not to.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator

_WORDS = {
    "imports": """bisect calendar collections collections.abc copy datetime functools heapq itertools
        json math numbers pendulum pprint random re string textwrap typing""",
    "modules": """IPython appworld asyncio builtins codecs ctypes fcntl gc importlib inspect io
        linecache marshal mmap multiprocessing os pathlib pickle pkgutil posix pty runpy
        shutil socket sqlite3 sqlalchemy subprocess sys sysconfig tempfile threading
        tracemalloc urllib zipimport""",
    "names": """ApiCollection In Out Requester breakpoint compile delattr dir eval exec exit
        get_ipython globals help input locals memoryview open quit requester setattr vars""",
    "attributes": """admin ag_code ag_frame cr_code cr_frame cr_origin f_back f_builtins f_code f_globals
        f_locals f_trace get_type_hints gi_code gi_frame gi_yieldfrom mro requester tb_frame
        tb_next with_traceback""",
    "read": "__name__ __init__ __doc__",
    "defined": """__init__ __str__ __repr__ __eq__ __lt__ __le__ __gt__ __ge__ __hash__ __len__ __iter__
        __next__ __contains__ __getitem__ __setitem__ __bool__ __add__ __post_init__""",
}

IMPORTS = frozenset(_WORDS["imports"].split())
"""Modules that agent code may import: a part of what the engine allows by itself."""

LONGEST_CODE = 50_000
"""Characters of the longest code (ours): longer than any step that works, too short to stall a parser."""

_MODULES = frozenset(_WORDS["modules"].split())
_NAMES = _MODULES | frozenset(_WORDS["names"].split())
_ATTRIBUTES = _MODULES | frozenset(_WORDS["attributes"].split())
_READ = frozenset(_WORDS["read"].split())
_DEFINED = frozenset(_WORDS["defined"].split())
_FORMATS = frozenset({"format", "format_map", "vformat"})
_INNER_FIELD = re.compile(r"\{[^{}]*[.\[]\s*_")


def refusal(code: str) -> str | None:
    """Why this code is not executed, or None if it is.

    Code that does not parse is let through: the engine itself answers it with the syntax error, and runs
    nothing.
    """
    if len(code) > LONGEST_CODE:
        return f"the code is {len(code)} characters long, more than {LONGEST_CODE}"
    try:
        tree = ast.parse(code.strip())
    except SyntaxError:
        return None
    except (ValueError, RecursionError, MemoryError):
        return "the code cannot be read"
    try:
        return next(_Reader(tree).problems(), None)
    except RecursionError:
        return "the code is nested too deeply"


class _Reader:
    """Looks for what is not allowed in one syntax tree."""

    def __init__(self, tree: ast.AST) -> None:
        self._nodes = list(ast.walk(tree))
        # A name that the code binds by itself is its own: `dir = "~/bills"` reaches for nothing.
        self._own = {
            *(
                node.id
                for node in self._nodes
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            ),
            *(node.arg for node in self._nodes if isinstance(node, ast.arg)),
        }

    def problems(self) -> Iterator[str]:
        """What is not allowed, in the order of the tree."""
        for node in self._nodes:
            problem = self._problem(node)
            if problem is not None:
                yield f"line {getattr(node, 'lineno', 1)}: {problem}"

    def _problem(self, node: ast.AST) -> str | None:
        match node:
            case ast.Import(names=names):
                return _first(
                    _import_problem(alias.name) or _bound_problem(alias.asname or "") for alias in names
                )
            case ast.ImportFrom(module=module, names=names, level=level):
                found = "relative imports are not allowed" if level else _import_problem(module or "")
                return found or _first(
                    _imported_problem(alias.name) or _bound_problem(alias.asname or "") for alias in names
                )
            case ast.Attribute(attr=attr, value=value):
                return _attribute_problem(attr) or self._format_problem(attr, value)
            case ast.MatchClass(kwd_attrs=attrs):
                return _first(_attribute_problem(attr) for attr in attrs)
            case ast.Name(id=name):
                return _bound_problem(name) if name in self._own else _name_problem(name)
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                return _bound_problem(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchMapping(rest=str(name)):
                return _bound_problem(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                return None if name in _DEFINED else _bound_problem(name)
            case ast.AsyncFunctionDef() | ast.Await() | ast.AsyncFor() | ast.AsyncWith():
                return "asynchronous code is not allowed"
            case ast.Subscript(value=ast.Name(id="apis"), slice=ast.Constant(value=str(name))):
                return _attribute_problem(name)
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]
            ):
                return _attribute_problem(name)
            case _:
                return None

    def _format_problem(self, attr: str, template: ast.expr) -> str | None:
        """Templates read attributes too: `"{0.__class__}".format(x)`."""
        if attr not in _FORMATS:
            return None
        inner = "a format that reads inner attributes is not allowed"
        if isinstance(template, ast.Constant) and isinstance(template.value, str):
            return inner if _reads_inner(template.value) else None
        # A template kept in a variable: any text of the code may be the one.
        texts = (node.value for node in self._nodes if isinstance(node, ast.Constant))
        return inner if any(isinstance(text, str) and _INNER_FIELD.search(text) for text in texts) else None


def _first(problems: Iterator[str | None]) -> str | None:
    return next((problem for problem in problems if problem is not None), None)


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4


def _import_problem(module: str) -> str | None:
    return None if module in IMPORTS else f"the import of {module} is not allowed"


def _imported_problem(name: str) -> str | None:
    if name.startswith("_") or name in _ATTRIBUTES:
        return f"the import of {name} is not allowed"
    return None


def _attribute_problem(name: str) -> str | None:
    if name not in _READ and (name.startswith("_") or name in _ATTRIBUTES):
        return f"the attribute {name} is not allowed"
    return None


def _name_problem(name: str) -> str | None:
    return f"the name {name} is not allowed" if name in _NAMES else _bound_problem(name)


def _bound_problem(name: str) -> str | None:
    return f"the name {name} is not allowed" if _dunder(name) and name not in _READ else None


def _reads_inner(template: str) -> bool:
    try:
        fields = [f"{field or ''} {inner or ''}" for _, field, inner, _ in string.Formatter().parse(template)]
    except ValueError:
        return False
    return any(re.search(r"[.\[]\s*_", field) for field in fields)
