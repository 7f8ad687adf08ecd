"""Values that know which parts of them are sensitive.

A path leads to a part: keys of maps and positions in lists. All that is in a
sensitive part is sensitive; the empty path stands for the whole value.
"""

import collections.abc
import typing

from orch import redacted
from orch.model import flat_fields

Step: typing.TypeAlias = str | int
Path: typing.TypeAlias = tuple[Step, ...]
Paths: typing.TypeAlias = tuple[Path, ...]

_SCALARS: typing.Final = (str, int, float)

_NO_NAMES: typing.Final[frozenset[Step]] = frozenset()

WHOLE: typing.Final[Paths] = ((),)
"""The paths of a value that is sensitive as a whole."""


class Marked(dict[str, object]):
    """A map, and the paths of what is sensitive in it.

    :ivar sensitive: the paths, each beginning with a key of the map
    """

    __slots__ = ("sensitive",)

    def __init__(
        self,
        values: collections.abc.Mapping[str, object]
        | collections.abc.Iterable[tuple[str, object]] = (),
        sensitive: collections.abc.Iterable[Path] = (),
    ) -> None:
        """Mark the values at these paths.

        The empty path stands for one to each of the values.
        """
        super().__init__(values)
        if sensitive == ():
            self.sensitive: Paths = ()
            return
        paths = dict.fromkeys(sensitive)
        if () in paths:
            paths = dict.fromkeys((key,) for key in self)
        self.sensitive = tuple(paths)


def paths_of(values: object) -> Paths:
    """Return the paths of what is sensitive; none of a plain value."""
    return values.sensitive if isinstance(values, Marked) else ()


def is_marked_alike(first: object, second: object) -> bool:
    """Whether the same parts of two values are sensitive."""
    one, other = paths_of(first), paths_of(second)
    return one == other or set(one) == set(other)


def merge(
    *parts: collections.abc.Mapping[str, object],
) -> Marked:
    """Return all maps in one, with the marks of all of them.

    Of two values of one key the last one stays, with the marks of both.
    """
    if len(parts) == 1:
        return Marked(parts[0], paths_of(parts[0]))
    found: dict[str, object] = {}
    for each in parts:
        found.update(each)
    return Marked(found, (path for each in parts for path in paths_of(each)))


def below(paths: collections.abc.Iterable[Path], *steps: Step) -> Paths:
    """Return the paths within a part, as seen from there.

    It is sensitive as a whole where what it is in is.
    """
    found = []
    for path in paths:
        if path[: len(steps)] == steps:
            found.append(path[len(steps) :])
        elif steps[: len(path)] == path:
            found.append(())
    return tuple(found)


def names(paths: Paths) -> frozenset[Step]:
    """Return the keys of a map under which something is sensitive."""
    if not paths:
        return _NO_NAMES
    return frozenset(path[0] for path in paths if path)


def parts(value: object, paths: Paths) -> collections.abc.Iterator[object]:
    """Yield what is at the paths, as far as they lead."""
    for path in paths:
        yield _part(value, path)


def texts(value: object, paths: Paths) -> frozenset[str]:
    """Return the texts by which what is at the paths appears elsewhere."""
    return frozenset(
        text
        for part in parts(value, paths)
        for text in redacted.find_texts(part)
        if text
    )


def redact(value: object, paths: Paths) -> object:
    """Return the value with ``******`` for what is at the paths."""
    if not paths or value is None:
        return value
    if () in paths:
        return redacted.TEXT
    inner: dict[Step, list[Path]] = {}
    for step, *rest in paths:
        inner.setdefault(step, []).append(tuple(rest))
    if isinstance(value, collections.abc.Mapping):
        return {
            key: redact(each, tuple(inner.get(key, ())))
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [
            redact(each, tuple(inner.get(place, ())))
            for place, each in enumerate(value)
        ]
    # The path leads into a text that was a map where it was marked.
    return redacted.TEXT


def find(
    value: object,
    is_sensitive: collections.abc.Callable[[object], bool],
    path: Path = (),
) -> collections.abc.Iterator[Path]:
    """Yield the paths of all texts and numbers that are sensitive.

    :param is_sensitive: answers for one that is no map and no list; for the
        key of a map, it is what the key leads to that is sensitive
    """
    if isinstance(value, collections.abc.Mapping):
        for key, each in value.items():
            if is_sensitive(key):
                yield (*path, key)
            else:
                yield from find(each, is_sensitive, (*path, key))
    elif isinstance(value, list | tuple):
        for place, each in enumerate(value):
            yield from find(each, is_sensitive, (*path, place))
    elif is_sensitive(value):
        yield path


def find_leaves(
    value: object, *, depth: int = 0, path: Path = ()
) -> collections.abc.Iterator[Path]:
    """Yield the paths of all texts and numbers.

    :param depth: the shortest path that is wanted
    """
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for step, each in parts:
            yield from find_leaves(each, depth=depth, path=(*path, step))
    elif value is not None and len(path) >= depth:
        yield path


def find_sensitive(values: collections.abc.Mapping[str, object]) -> Paths:
    """Return the paths of what is sensitive by a mark or by its name."""
    paths = paths_of(values)
    for key, each in values.items():
        if each is not None and (
            not isinstance(each, _SCALARS) or flat_fields.is_secret(key)
        ):
            return (*paths, *find_named(values))
    return paths


def find_named(
    value: object, path: Path = ()
) -> collections.abc.Iterator[Path]:
    """Yield the paths of what has the name of a secret: ``admin_pass``."""
    # It runs for each row that is stored, and on values of any depth: a scalar
    # takes no step, and a level no frame.
    pending = [(path, value)]
    while pending:
        path, value = pending.pop()
        inner: list[tuple[Path, object]] = []
        if isinstance(value, collections.abc.Mapping):
            for key, each in value.items():
                if each is None:
                    continue
                if flat_fields.is_secret(str(key)):
                    yield (*path, key)
                elif not isinstance(each, _SCALARS):
                    inner.append(((*path, key), each))
        elif isinstance(value, list | tuple):
            inner += [
                ((*path, place), each)
                for place, each in enumerate(value)
                if not isinstance(each, _SCALARS)
            ]
        pending += reversed(inner)


def _part(value: object, path: Path) -> object:
    for step in path:
        if isinstance(value, collections.abc.Mapping):
            value = value.get(str(step))
        elif isinstance(value, list | tuple) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            return value
    return value
