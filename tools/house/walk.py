"""Walks the sources of the house: its files, and the names they define."""

import ast
import collections.abc
import dataclasses
import fnmatch
import functools
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = ("orch", "orchclient", "contrib")
# Only the names of these are checked.
TEST_PACKAGES = ("tests", "tools", "bench")
TEXTS = ("*.md", "contrib/*/*.md", "doc/**/*", "etc/**/*", "examples/**/*")
_NOT_SOURCES = ("*/build/*", "*/setup.py", "contrib/*/tests/*")
_TEXT_SUFFIXES = (".rst", ".md", ".yaml", ".yml", ".json", ".sample", ".conf")
# What happened and was decided stays as it was written.
_NOT_TEXTS = ("doc/adr/", "doc/build/")
_WRITTEN = re.compile(
    r"(?<![\w-])(?P<flag>--[a-z][a-z-]+)"
    r"|\b(?P<code>orch\.[a-z]+\.[a-z_]+)\b(?!\.)"
    r"|(?<![\w.])(?P<key>[A-Za-z]+(?:_[A-Za-z0-9]+)+)\b"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_KEY = re.compile(r"[a-z][a-z0-9_]*")


@dataclasses.dataclass(frozen=True)
class Source:
    """One parsed file.

    :ivar path: from the root of the checkout, with slashes
    """

    path: str
    text: str
    tree: ast.Module

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Return all nodes of its tree, as ``ast.walk`` does."""
        return tuple(ast.walk(self.tree))

    @property
    def module(self) -> str:
        """Return the last part of its dotted name: a package's is its own."""
        path = pathlib.PurePosixPath(self.path)
        return path.parent.name if path.stem == "__init__" else path.stem


@dataclasses.dataclass(frozen=True)
class Name:
    """One name that a file defines.

    :ivar kind: ``module``, ``class``, ``function`` (of a module), ``method``,
        ``constant``, ``field``, ``column``, ``key``, ``option``, ``flag`` or
        ``code``
    """

    path: str
    line: int
    kind: str
    name: str


@dataclasses.dataclass(frozen=True)
class Problem:
    """What a check has found."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@functools.cache
def load_data(name: str) -> dict[str, dict[str, str]]:
    """Return the data that stands beside this file."""
    with (pathlib.Path(__file__).parent / name).open("rb") as file:
        return tomllib.load(file)


def is_in(path: str, rooms: collections.abc.Iterable[str]) -> bool:
    """Whether a path is one of the rooms, or in one that ends in a slash.

    :param rooms: paths, with the wildcards of a shell
    """
    return any(
        fnmatch.fnmatchcase(path, f"{room}*" if room.endswith("/") else room)
        for room in rooms
    )


def is_skipped(path: str) -> bool:
    """Whether the checks of words and first lines leave a file out."""
    rooms = load_data("rooms.toml")
    return is_in(path, [*rooms["replaced"], *rooms["fixed"]])


@functools.cache
def load_sources(packages: tuple[str, ...] = PACKAGES) -> tuple[Source, ...]:
    """Return all files of the packages, in the order of their paths."""
    sources = []
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            shown = path.relative_to(ROOT).as_posix()
            if not is_in(shown, _NOT_SOURCES):
                sources.append(parse(shown, path.read_text(encoding="utf-8")))
    return tuple(sources)


def parse(path: str, text: str) -> Source:
    """Return the source of a file, parsed."""
    return Source(path, text, ast.parse(text, path))


@functools.cache
def load_texts() -> tuple[tuple[str, str], ...]:
    """Return path and text of all documents, samples and examples."""
    return tuple(
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for folder in TEXTS
        for path in sorted(ROOT.glob(folder))
        if path.suffix in _TEXT_SUFFIXES
        and not is_in(path.relative_to(ROOT).as_posix(), _NOT_TEXTS)
    )


def iterate_written(path: str, text: str) -> collections.abc.Iterator[Name]:
    """Return the names of several words, flags and codes in a text."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in _WRITTEN.finditer(line):
            kind = found.lastgroup
            assert kind is not None
            yield Name(path, number, kind, found[0])


def split(name: str) -> list[str]:
    """Return the words of a name, in small letters."""
    return [
        part
        for part in re.split(r"[^a-z0-9]+", _HUMP.sub("_", name).lower())
        if part
    ]


def iterate_names(source: Source) -> collections.abc.Iterator[Name]:
    """Return what a file defines, itself first, then by lines."""
    yield Name(source.path, 1, "module", source.module)
    group = _find_group(source)
    names = [
        Name(source.path, line, kind, name)
        for node in source.nodes
        for kind, name, line in _read(node, group)
    ]
    yield from sorted(names, key=lambda each: each.line)


_Found = collections.abc.Iterator[tuple[str, str, int]]


def _read(node: ast.AST, group: str) -> _Found:
    match node:
        case ast.ClassDef():
            yield "class", node.name, node.lineno
            yield from _read_class(node)
        case ast.Module():
            yield from _read_module(node)
        case ast.Call():
            yield from _read_call(node, group)
        case ast.Dict():
            for key in node.keys:
                if (text := _text(key)) and key is not None:
                    yield "key", text, key.lineno
        case ast.Subscript():
            if text := _text(node.slice):
                yield "key", text, node.lineno


def _read_module(node: ast.Module) -> _Found:
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "function", each.name, each.lineno
        elif isinstance(each, ast.Assign | ast.AnnAssign):
            for name in _targets(each):
                yield "constant", name, each.lineno


def _read_class(node: ast.ClassDef) -> _Found:
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "method", each.name, each.lineno
        elif isinstance(each, ast.Assign | ast.AnnAssign):
            for name in _targets(each):
                yield "field", name, each.lineno
                if name == "code" and isinstance(each.value, ast.Constant):
                    yield "code", str(each.value.value), each.lineno


def _read_call(node: ast.Call, group: str) -> _Found:
    called = _called(node)
    texts = [
        each.value
        for each in node.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    if not texts:
        return
    if called.endswith("Opt"):
        yield "option", f"{group}.{texts[0]}", node.lineno
    elif called == "Column":
        yield "column", texts[0], node.lineno
    elif called == "add_argument":
        for text in texts:
            yield "flag", text, node.lineno


def _called(node: ast.Call) -> str:
    """Return the last part of the name that is called, if it has one."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _find_group(source: Source) -> str:
    """Return the group of the options that a file declares."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and _called(node).endswith("OptGroup"):
            return str(_text(node.args[0]))
    return "DEFAULT"


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _text(node: ast.AST | None) -> str | None:
    """Return a string constant that could be a name."""
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _KEY.fullmatch(node.value)
    ):
        return node.value
    return None
