"""Checks sizes and ties of rooms: ``python -m tools.house.shapes``.

- No room of the engine has more than a tenth of its lines.
- No file has more than 500 lines, but in rooms that are replaced as a whole.
- No file below 40 lines has a single reader, except packages, the lists that
  ``rooms.toml`` names, and rooms that are replaced as a whole.
- No imports go in a circle, those inside of functions included.
- No entry of ``rooms.toml`` is left behind by the room that it names.
"""

import ast
import collections
import collections.abc
import graphlib
import pathlib
import sys

from tools.house import walk

MAX_LINES = 500
MIN_LINES = 40
MAX_SHARE = 0.10
ENGINE = "orch/engine/"
ROOMS = "tools/house/rooms.toml"

Imports = dict[str, set[str]]


def check_lengths(
    sources: collections.abc.Iterable[walk.Source],
) -> collections.abc.Iterator[walk.Problem]:
    """Return the files that are too long."""
    for source in sources:
        count = _count_lines(source)
        if count > MAX_LINES and not walk.is_skipped(source.path):
            yield walk.Problem(
                source.path, 1, f"{count} lines, at most {MAX_LINES}"
            )


def check_shares(
    sources: collections.abc.Iterable[walk.Source],
) -> collections.abc.Iterator[walk.Problem]:
    """Return the packages directly below the engine that are too large."""
    counts: collections.Counter[str] = collections.Counter()
    total = 0
    for source in sources:
        if source.path.startswith(ENGINE):
            count = _count_lines(source)
            total += count
            package, slash, _ = source.path[len(ENGINE) :].partition("/")
            if slash:
                counts[package] += count
    for package, count in sorted(counts.items()):
        if count > MAX_SHARE * total:
            yield walk.Problem(
                f"{ENGINE}{package}/__init__.py",
                1,
                f"the package has {count} of {total} lines of the engine:"
                f" {count / total:.1%}, at most {MAX_SHARE:.0%}",
            )


def check_small(
    sources: collections.abc.Iterable[walk.Source],
    imports: Imports,
    by_design: collections.abc.Iterable[str],
) -> collections.abc.Iterator[walk.Problem]:
    """Return the small files that only one other file reads.

    :param by_design: paths of those that stand alone for a reason
    """
    readers = collections.defaultdict(set)
    for module, targets in imports.items():
        for target in targets:
            readers[target].add(module)
    for source in sources:
        count = _count_lines(source)
        found = readers[find_module(source.path)]
        if (
            count < MIN_LINES
            and len(found) == 1
            and not source.path.endswith("/__init__.py")
            and not walk.is_skipped(source.path)
            and not walk.is_in(source.path, by_design)
        ):
            yield walk.Problem(
                source.path,
                1,
                f"{count} lines and one reader, {found.pop()}: merge it"
                " there, or name it in rooms.toml with the reason",
            )


def check_listed_paths(
    paths: collections.abc.Collection[str],
    rooms: collections.abc.Iterable[str],
) -> collections.abc.Iterator[walk.Problem]:
    """Return the rooms that no file is in any more."""
    for room in rooms:
        if not any(walk.is_in(path, [room]) for path in paths):
            yield walk.Problem(ROOMS, 1, f"{room} names no file: remove it")


def find_circle(imports: Imports) -> list[str] | None:
    """Return modules that import each other in a circle, if there are any."""
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return None


def find_imports(
    sources: collections.abc.Collection[walk.Source],
) -> Imports:
    """Return which of these modules each one imports, wherever it does."""
    modules = {find_module(source.path) for source in sources}
    return {
        find_module(source.path): {
            target
            for node in source.nodes
            for target in _find_targets(node, modules)
        }
        for source in sources
    }


def find_module(path: str) -> str:
    """Return the dotted name of a file.

    A distribution of its own has a folder around its package: of the same
    name, or one in ``contrib``.
    """
    parts = pathlib.PurePosixPath(path).with_suffix("").parts
    if parts[0] == "contrib":
        parts = parts[2:]
    elif parts[0] == parts[1]:
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _find_targets(
    node: ast.AST, modules: collections.abc.Set[str]
) -> collections.abc.Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names if each.name in modules)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            full = f"{node.module}.{each.name}"
            if full in modules:
                yield full
            elif node.module in modules:
                yield node.module


def _count_lines(source: walk.Source) -> int:
    return len(source.text.splitlines())


def main() -> int:
    """Check all shapes, and print what is wrong."""
    sources = walk.load_sources()
    imports = find_imports(sources)
    rooms = walk.load_data("rooms.toml")
    listed = [
        *rooms["replaced"],
        *rooms["fixed"],
        *rooms["small"],
    ]
    problems = [
        *check_lengths(sources),
        *check_shares(sources),
        *check_small(sources, imports, rooms["small"]),
        *check_listed_paths([source.path for source in sources], listed),
    ]
    for each in problems:
        print(each)
    circle = find_circle(imports)
    if circle:
        print(f"imports go in a circle: {' -> '.join(circle)}")
    return int(bool(problems or circle))


if __name__ == "__main__":
    sys.exit(main())
