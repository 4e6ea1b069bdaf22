"""Digest of the code a stage runs, found by following its imports without executing them.

Snakemake does not see edits to imported modules; a rule therefore passes this digest as a parameter. It
covers the modules of holdcourse that a module reaches through its imports, also those inside functions, and
the templates that stand beside them.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

import holdcourse

PACKAGE = "holdcourse"
ROOT = Path(holdcourse.__file__).resolve().parent


def code_digest(module: str) -> str:
    """SHA-256 over the sources reachable from a module, as 16 hexadecimal digits.

    Raises:
        ModuleNotFoundError: the module is not part of holdcourse.
    """
    digest = hashlib.sha256()
    for name in sorted(reachable(module)):
        for path in _sources(name):
            digest.update(f"{path.relative_to(ROOT)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def reachable(module: str) -> frozenset[str]:
    """Names of the holdcourse modules that a module imports, directly or not, itself included."""
    if not _exists(module):
        raise ModuleNotFoundError(f"{module} is not a module of {PACKAGE}")
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imports(name))
    return frozenset(found)


def _exists(module: str) -> bool:
    return module.split(".")[0] == PACKAGE and _file(module).is_file()


def _file(module: str) -> Path:
    base = ROOT.joinpath(*module.split(".")[1:])
    package = base / "__init__.py"
    return package if package.is_file() else base.with_suffix(".py")


def _sources(module: str) -> list[Path]:
    path = _file(module)
    templates = sorted(path.parent.rglob("*.j2")) if path.parent != ROOT else []
    return [path, *templates]


@cache
def _imports(module: str) -> frozenset[str]:
    names: set[str] = set()
    parents = module.split(".")[:-1]
    names.update(".".join(parents[: depth + 1]) for depth in range(1, len(parents)))
    for node in ast.walk(ast.parse(_file(module).read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(name for name in names if _exists(name))
