"""Compare the functions of two commits, wherever they are: a move changes none of their bodies.

    python tools/moved_functions.py d48b02f HEAD

Bodies are compared as syntax trees, so comments, line breaks and docstrings do not count. It prints
the functions that only one of the commits has, then how many have the same body, and ends with
status 1 if any differ.
"""

import argparse
import ast
import subprocess
import sys
from collections import Counter
from hashlib import sha256

FOLDERS = ("src", "reproduction/src")

Function = tuple[str, str]
"""The name of a function with that of its class, and the hash of its body."""


def sources(commit: str, folders: list[str]) -> list[str]:
    """Return the text of every Python file of a commit."""
    listed = _git("ls-tree", "-r", "-z", "--name-only", commit, "--", *folders)
    return [_git("show", f"{commit}:{path}") for path in listed.split("\0") if path.endswith(".py")]


def functions(text: str) -> Counter[Function]:
    r"""Return the functions of a file and of classes and functions in it.

    Examples
    --------
    >>> one, other = functions("def f(x):\n  return x"), functions("def g(x):\n  return  (x)")
    >>> [name for name, _ in one], [body for _, body in one] == [body for _, body in other]
    (['f'], True)
    """
    found: Counter[Function] = Counter()

    def visit(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = outer
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{outer}.{child.name}".lstrip(".")
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found[name, _hash(child)] += 1
            visit(child, name)

    visit(ast.parse(text), "")
    return found


def only_in_one(old: Counter[Function], new: Counter[Function]) -> tuple[list[str], list[str]]:
    r"""Return the names of functions whose bodies only the old and only the new commit has.

    Examples
    --------
    >>> moved = functions("def g(x):\n  return x")
    >>> only_in_one(functions("def f(x):\n  return x"), moved)
    ([], [])
    >>> only_in_one(moved, functions("def g(x):\n  return -x"))
    (['g'], ['g'])
    """
    before, after = (Counter(body for _, body in found.elements()) for found in (old, new))
    return _names(old, before - after), _names(new, after - before)


def _names(found: Counter[Function], bodies: Counter[str]) -> list[str]:
    left = Counter(bodies)
    names = []
    for name, body in sorted(found.elements()):
        if left[body] > 0:
            left[body] -= 1
            names.append(name)
    return names


def _hash(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return sha256("\n".join(map(ast.dump, body)).encode()).hexdigest()


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", help="a commit")
    parser.add_argument("new", help="another commit")
    parser.add_argument("folders", nargs="*", default=list(FOLDERS))
    asked = parser.parse_args()
    old, new = (
        sum(map(functions, sources(commit, asked.folders)), Counter())
        for commit in (asked.old, asked.new)
    )
    gone, added = only_in_one(old, new)
    for mark, names in (("-", gone), ("+", added)):
        for name in names:
            print(mark, name)
    same = old.total() - len(gone)
    print(f"{same:,} functions have the same body; {len(gone):,} are only in {asked.old}", end="")
    print(f", {len(added):,} only in {asked.new}.")
    return 1 if gone or added else 0


if __name__ == "__main__":
    sys.exit(main())
