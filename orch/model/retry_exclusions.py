"""Exclusions of a retry: resources that it skips, orphans or replaces."""

import collections.abc
import dataclasses
import typing

from orch import ids

_SKIP = "skip"
_ORPHAN = "orphan"
_ORPHANED = "orphaned_ids"
_REPLACE = "replace"
_REPLACED = "replaced_ids"


@dataclasses.dataclass(frozen=True, slots=True)
class RetryExclusions:
    """Resources that an operation need not bring to their end.

    It holds for all attempts of the operation, and for no later one.

    :ivar skip: names of resources that stay as they are, and count as done
    :ivar orphan: names of resources whose unfinished things were given up
    :ivar orphaned: the incarnations that were meant: what is made in their
        place is none of them
    :ivar replace: names of resources that are created again, whatever has
        become of their physical resources
    :ivar replaced: the incarnations that were meant
    """

    skip: frozenset[str] = frozenset()
    orphan: frozenset[str] = frozenset()
    orphaned: frozenset[ids.ResourceId] = frozenset()
    replace: frozenset[str] = frozenset()
    replaced: frozenset[ids.ResourceId] = frozenset()

    @classmethod
    def of(
        cls, options: collections.abc.Mapping[str, object]
    ) -> "RetryExclusions":
        """Return what the options of an operation say."""
        return cls(
            skip=frozenset(_names(options, _SKIP)),
            orphan=frozenset(_names(options, _ORPHAN)),
            orphaned=_ids(options, _ORPHANED),
            replace=frozenset(_names(options, _REPLACE)),
            replaced=_ids(options, _REPLACED),
        )

    def to_options(self) -> dict[str, object]:
        """Return the options that say it; none when nothing is left out."""
        named = {
            _SKIP: self.skip,
            _ORPHAN: self.orphan,
            _ORPHANED: self.orphaned,
            _REPLACE: self.replace,
            _REPLACED: self.replaced,
        }
        return {key: sorted(value) for key, value in named.items() if value}


NOTHING: typing.Final = RetryExclusions()


def _names(
    options: collections.abc.Mapping[str, object], key: str
) -> list[str]:
    value = options.get(key)
    return [str(each) for each in value] if isinstance(value, list) else []


def _ids(
    options: collections.abc.Mapping[str, object], key: str
) -> frozenset[ids.ResourceId]:
    return frozenset(ids.ResourceId(each) for each in _names(options, key))
