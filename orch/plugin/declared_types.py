"""What is known of a resource type before its class is loaded."""

import collections.abc
import dataclasses
import typing

from orch.plugin import facts
from orch.plugin import traits


@dataclasses.dataclass(frozen=True, slots=True)
class DeclaredType:
    """A type that is loaded at its first use.

    :ivar load: returns the class; it may raise anything
    :ivar support_status: as :class:`orch.plugin.traits.Traits` has it, and so
        the others
    :ivar like: the type that this one is an older name of; empty for none
    :ivar is_loaded: the class exists already
    :ivar replaces: the type of that name of another package, which takes its
        place if it cannot be loaded
    """

    load: collections.abc.Callable[[], type]
    support_status: str
    is_local: bool
    is_variant: bool
    like: str = ""
    is_loaded: bool = False
    replaces: typing.Optional["DeclaredType"] = None

    @classmethod
    def of_facts(
        cls, load: collections.abc.Callable[[], type], found: facts.Facts
    ) -> typing.Self:
        """Return the type that facts describe.

        :raises orch.plugin.facts.BadFacts: they have another form
        """
        return cls(
            load,
            facts.read_text(found, "support_status")
            or traits.Traits.support_status,
            facts.read_flag(found, "is_local"),
            facts.read_flag(found, "is_variant"),
            facts.read_text(found, "like"),
        )

    @classmethod
    def of_class(cls, kind: type[traits.Traits]) -> typing.Self:
        """Return the type of a class that is loaded."""
        return cls(
            lambda: kind,
            kind.support_status,
            kind.is_local,
            kind.is_variant,
            is_loaded=True,
        )
