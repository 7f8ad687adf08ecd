"""Entry points that only one test has, beside those that are installed.

To read the facts of all installed packages takes half a second, and a test
that lays a package of its own on the path would do it anew.
"""

import collections
import functools
import importlib.metadata
import pathlib

import fixtures

_read = importlib.metadata.entry_points
_Groups = dict[str, list[importlib.metadata.EntryPoint]]


class _Found(importlib.metadata.EntryPoints):
    """Entry points of which each group is at hand.

    Stevedore selects each group, and each time all of them are looked at.
    """

    by_group: _Groups

    def select(self, **wanted: str) -> importlib.metadata.EntryPoints:
        """Return those that match, as any entry points do."""
        if wanted.keys() == {"group"}:
            group = self.by_group.get(wanted["group"], [])
            return importlib.metadata.EntryPoints(group)
        return super().select(**wanted)


@functools.cache
def _find_installed() -> tuple[importlib.metadata.EntryPoint, ...]:
    found = _read()
    return tuple(
        each for group in found.groups for each in found.select(group=group)
    )


class Beside(fixtures.Fixture):
    """A directory on the path, whose packages are found beside the others."""

    def __init__(self, directory: pathlib.Path) -> None:
        super().__init__()
        self._directory = str(directory)

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        # Before: what only this test has is not installed.
        _find_installed()
        self.useFixture(fixtures.PythonPathEntry(self._directory))
        self.useFixture(
            fixtures.MonkeyPatch("importlib.metadata.entry_points", self._all)
        )

    def _all(self) -> importlib.metadata.EntryPoints:
        own = importlib.metadata.distributions(path=[self._directory])
        found = _Found(
            [
                *(each for one in own for each in one.entry_points),
                *_find_installed(),
            ]
        )
        found.by_group = collections.defaultdict(list)
        for each in found:
            found.by_group[each.group].append(each)
        return found
