"""A fingerprint of the code that a cell depends on.

Two parts: the package `untie`, as a whole; and, of the evaluation, only the definitions that a
job's function reaches. So a new figure recomputes nothing, and a new coupling everything.
Comments, docstrings and layout don't count.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import untie

PACKAGE = Path(untie.__file__).parent
EVALUATION = "untie_paper"
_NOT_IN_CELLS = ("cli",)
"""What lies in the package's folder and is no part of what cells use."""


@cache
def package_fingerprint() -> str:
    """Return a text that changes with the package's code and data."""
    content = hashlib.sha256()
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.csv.gz")]):
        part = path.relative_to(PACKAGE)
        if part.parts[0] not in _NOT_IN_CELLS:
            content.update(f"{part.as_posix()}\n".encode())
            is_code = path.suffix == ".py"
            content.update(_plain(_parse(path)).encode() if is_code else path.read_bytes())
    return content.hexdigest()


@cache
def function_fingerprint(function: Callable[..., Any]) -> str:
    """Return a text that changes with a function and whatever of the evaluation it reaches."""
    reached: dict[tuple[str, str], str] = {}
    _reach(function.__module__, function.__name__, function.__module__, reached)
    return hashlib.sha256(repr(sorted(reached.items())).encode()).hexdigest()


def _reach(module: str, name: str, home: str, reached: dict[tuple[str, str], str]) -> None:
    """Note the definition of a name and, in turn, of everything that it mentions."""
    statements = _definitions(module).get(name, [])
    if (module, name) in reached or not statements:
        return
    reached[module, name] = "\n".join(_plain(statement) for statement in statements)
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                _reach(module, node.id, home, reached)
            for imported, names in _imports(node):
                if imported == home or f"{imported}.".startswith(f"{EVALUATION}."):
                    for inner in names or _definitions(imported):
                        _reach(imported, inner, home, reached)


def _imports(node: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """Yield a module and the names taken from it; no names stand for all."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, []) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            # "from package import module" names a module, not something inside one.
            if f"{node.module}.".startswith(f"{EVALUATION}.") and _find(inner):
                yield inner, []
            else:
                yield node.module, [alias.name]


def _find(module: str) -> Any:
    """Return where a module is, or None where there is no such module."""
    try:
        return find_spec(module)
    except (ImportError, ValueError):
        return None


@cache
def _definitions(module: str) -> dict[str, list[ast.stmt]]:
    """Return the statements at the top of a module by the names that they define or change."""
    spec = _find(module)
    if spec is None or not spec.origin:
        raise TypeError(
            f"The module {module!r} has no source file; functions of jobs must stand in a file "
            f"that can be imported."
        )
    found: dict[str, list[ast.stmt]] = {}
    for line in _parse(Path(spec.origin)).body:
        for statement in _one_import_each(line):
            for name in _defined(statement):
                found.setdefault(name, []).append(statement)
    return found


def _one_import_each(statement: ast.stmt) -> list[ast.stmt]:
    """Take names apart that are imported together: what uses one need not know the others."""
    if isinstance(statement, ast.Import):
        return [ast.Import([alias]) for alias in statement.names]
    if isinstance(statement, ast.ImportFrom):
        source = statement.module, statement.level
        return [ast.ImportFrom(source[0], [alias], source[1]) for alias in statement.names]
    return [statement]


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        # TABLE["x"] = ... changes TABLE.
        return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    names: set[str] = set()
    for node in ast.walk(statement):  # imports, conditions, calls that change what they are given
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return names


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _plain(node: ast.AST) -> str:
    """Return code without comments, docstrings and layout."""
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        if isinstance(body, list):
            # Not every node has a body, but this one does.
            inner.body = [s for s in body if not _is_text(s)] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(node)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
