"""What types tell of the things that stand in the world.

See ``orch.plugin.resource.Resource.list_things``.
"""

import collections.abc
import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which things of a type somebody looks for.

    :ivar name: what their service calls them, ``*`` for any text; ``None``
        for any name
    :ivar tag: one that they bear; ``None`` for any, and for none
    :ivar acts_for: the stack in whose name its service is asked, where
        nobody waits whose token would do; empty for the caller's
    """

    name: str | None = None
    tag: str | None = None
    acts_for: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A thing that stands in the world, be it somebody's resource or not.

    :ivar physical_id: as ``handle_adopt`` takes it
    :ivar name: what its service calls it, empty for nothing
    :ivar data: what its adoption needs beside the id
    """

    physical_id: str
    name: str = ""
    data: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
