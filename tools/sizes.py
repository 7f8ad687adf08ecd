"""Count the statements and the pass-through functions of packages.

A statement is what ``ast`` calls one, docstrings excepted. A pass-through
function has one statement, a call of one other function with its own
parameters and nothing else.

``python -m tools.sizes [DIRECTORY ...]`` counts in directories, by default
those of all distributions; another checkout can be compared by its path.
"""

import argparse
import ast
import collections
import collections.abc
import pathlib
import typing

_DIRECTORIES: typing.Final = ("orch", "orchclient", "contrib")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_DOCUMENTED: typing.Final = (
    ast.Module,
    ast.ClassDef,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
)


def count_statements(tree: ast.AST) -> int:
    """Return how many statements there are, docstrings not counted."""
    return sum(
        isinstance(node, ast.stmt)
        - (
            isinstance(node, _DOCUMENTED)
            and ast.get_docstring(node) is not None
        )
        for node in ast.walk(tree)
    )


def find_pass_throughs(tree: ast.AST) -> collections.abc.Iterator[_Function]:
    """Yield the functions that hand their parameters to one other."""
    for node in ast.walk(tree):
        if isinstance(node, _Function) and _is_pass_through(node):
            yield node


def _is_pass_through(node: _Function) -> bool:
    body = node.body[ast.get_docstring(node) is not None :]
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    call = body[0].value
    if isinstance(call, ast.Await):
        call = call.value
    if not isinstance(call, ast.Call) or not call.args + call.keywords:
        return False
    given = [*call.args, *(each.value for each in call.keywords)]
    declared = node.args
    names = {
        each.arg
        for each in (
            *declared.posonlyargs,
            *declared.args,
            *declared.kwonlyargs,
            *filter(None, (declared.vararg, declared.kwarg)),
        )
    }
    return all(
        isinstance(each, ast.Name) and each.id in names
        for each in map(_unstarred, given)
    )


def _unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="*", default=_DIRECTORIES)
    for directory in map(pathlib.Path, parser.parse_args().directories):
        rooms: collections.Counter[str] = collections.Counter()
        passed: collections.Counter[str] = collections.Counter()
        for path in sorted(directory.rglob("*.py")):
            inner = path.relative_to(directory)
            if "tests" in inner.parts:
                continue
            room = inner.parts[0] if len(inner.parts) > 1 else "."
            tree = ast.parse(path.read_text())
            rooms[room] += count_statements(tree)
            passed[room] += len(list(find_pass_throughs(tree)))
        print(f"{directory}: statements, pass-through functions")
        for room, count in rooms.most_common():
            print(f"  {room:<24} {count:>7} {passed[room]:>5}")
        print(f"  {'all':<24} {rooms.total():>7} {passed.total():>5}")


if __name__ == "__main__":
    _main()
