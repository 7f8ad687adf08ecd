"""Exclusions of a retry: resources that it skips, orphans or replaces."""

import collections.abc
import dataclasses
import typing

from orch import ids

LISTS: typing.Final = ("skip", "orphan", "replace")
"""The fields of names; each is an option of that name, too.

A resource of a child stack is named by its path: ``mid/leaf/t2``.
"""

_OPTIONS: typing.Final = {
    **{each: each for each in LISTS},
    "orphaned": "orphaned_ids",
    "replaced": "replaced_ids",
}
"""The option of an operation that each field is stored as."""

_MAX_LISTED: typing.Final = 10

SEPARATOR: typing.Final = "/"
"""Stands between the names of a path; no resource has it in its name."""


@dataclasses.dataclass(frozen=True, slots=True)
class RetryExclusions:
    """Resources that an operation need not bring to their end.

    It holds for all attempts of the operation, and for no later one.

    :ivar skip: names or paths of resources that stay as they are, and count as
        done
    :ivar orphan: names or paths of resources whose unfinished physical
        resources were given up
    :ivar orphaned: the incarnations that were meant: what is made in their
        place is none of them
    :ivar replace: names or paths of resources that are created again, whatever
        has become of their physical resources
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
        """Return what the options of an operation or of a request say."""
        # Fields by name; each is a set of texts.
        return cls(
            **{  # type: ignore[arg-type]
                field: frozenset(_names(options, key))
                for field, key in _OPTIONS.items()
            }
        )

    def to_options(self) -> dict[str, object]:
        """Return the options that say it; none when nothing is left out."""
        return {
            key: sorted(found)
            for field, key in _OPTIONS.items()
            if (found := getattr(self, field))
        }

    def put_into(
        self, options: collections.abc.Mapping[str, object]
    ) -> dict[str, object]:
        """Return the options of an operation with these exclusions alone."""
        kept = {
            key: value
            for key, value in options.items()
            if key not in _OPTIONS.values()
        }
        return {**kept, **self.to_options()}

    def lists(self) -> dict[str, frozenset[str]]:
        """Return the names and paths, by the list that has them."""
        return {each: getattr(self, each) for each in LISTS}

    def text(self) -> str:
        """Return what was left out, for people."""
        found = (
            f"{said}: {list_names(names)}"
            for said, names in (
                ("left out", self.skip),
                ("orphaned", self.orphan),
            )
            if names
        )
        return "; ".join(found)

    def extended(self, later: "RetryExclusions") -> "RetryExclusions":
        """Return these exclusions with later ones.

        What several name is in the list of the last that names it.
        """
        renamed = frozenset[str]().union(*later.lists().values())
        found: dict[str, frozenset[str]] = {
            field: getattr(self, field) | getattr(later, field)
            for field in _OPTIONS
        }
        for field, names in later.lists().items():
            found[field] -= renamed - names
        return RetryExclusions(**found)  # type: ignore[arg-type]

    def below(self, name: str) -> "RetryExclusions":
        """Return the exclusions in the child stack that a resource is."""
        start = name + SEPARATOR
        lists = {
            field: frozenset(
                each.removeprefix(start)
                for each in names
                if each.startswith(start)
            )
            for field, names in self.lists().items()
        }
        if not any(lists.values()):
            return NOTHING
        return dataclasses.replace(self, **lists)  # type: ignore[arg-type]


NOTHING: typing.Final = RetryExclusions()


def list_names(names: collections.abc.Collection[str]) -> str:
    """Return the first of some names, and how many more there are."""
    first = sorted(names)[:_MAX_LISTED]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")


def _names(
    options: collections.abc.Mapping[str, object], key: str
) -> list[str]:
    value = options.get(key)
    return [str(each) for each in value] if isinstance(value, list) else []
