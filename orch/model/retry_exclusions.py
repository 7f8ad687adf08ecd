"""Exclusions of a retry: resources that it skips or orphans."""

import collections.abc
import dataclasses
import typing

from orch import ids

_SKIP = "skip"
_ORPHAN = "orphan"
_ORPHANED = "orphaned_ids"


@dataclasses.dataclass(frozen=True, slots=True)
class RetryExclusions:
    """Resources that an operation need not bring to their end.

    It holds for all attempts of the operation, and for no later one.

    :ivar skip: names of resources that stay as they are, and count as done
    :ivar orphan: names of resources whose unfinished things were given up
    :ivar orphaned: the incarnations that were meant: what is made in their
        place is none of them
    """

    skip: frozenset[str] = frozenset()
    orphan: frozenset[str] = frozenset()
    orphaned: frozenset[ids.ResourceId] = frozenset()

    @classmethod
    def of(
        cls, options: collections.abc.Mapping[str, object]
    ) -> "RetryExclusions":
        """Return what the options of an operation say."""
        return cls(
            skip=frozenset(_names(options, _SKIP)),
            orphan=frozenset(_names(options, _ORPHAN)),
            orphaned=frozenset(
                ids.ResourceId(each) for each in _names(options, _ORPHANED)
            ),
        )

    def to_options(self) -> dict[str, object]:
        """Return the options that say it; none when nothing is left out."""
        named = {
            _SKIP: self.skip,
            _ORPHAN: self.orphan,
            _ORPHANED: self.orphaned,
        }
        return {key: sorted(value) for key, value in named.items() if value}


NOTHING: typing.Final = RetryExclusions()


def _names(
    options: collections.abc.Mapping[str, object], key: str
) -> list[str]:
    value = options.get(key)
    return [str(each) for each in value] if isinstance(value, list) else []
