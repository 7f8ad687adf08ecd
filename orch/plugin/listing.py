"""Lists of the physical resources of a type that exist in the world.

See ``orch.plugin.resource.Resource.list_physical_resources``.
"""

import collections.abc
import dataclasses
import fnmatch


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalResourceFilter:
    """Which physical resources of a type to list.

    :ivar name: what their service calls them, ``*`` for any text; ``None``
        for any name
    :ivar tag: one that they bear; ``None`` for any, and for none
    :ivar acts_for: the stack whose credential is used, where no caller's
        token is available; empty for the caller's
    :ivar is_of_project: it has to belong to the caller's project: resources
        of the whole cloud, or of a user, are not listed
    """

    name: str | None = None
    tag: str | None = None
    acts_for: str = ""
    is_of_project: bool = False

    def fits(self, physical_resource: "PhysicalResource") -> bool:
        """Whether a physical resource has the name and the tag."""
        return fnmatch.fnmatchcase(
            physical_resource.name, self.name or "*"
        ) and (self.tag is None or self.tag in physical_resource.tags)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalResource:
    """A physical resource, whether a stack has it or not.

    :ivar physical_id: as ``handle_adopt`` takes it
    :ivar name: what its service calls it, empty for nothing
    :ivar tags: those that it bears
    :ivar data: what its adoption needs beside the id
    :ivar is_named: the id is a name: one of another project may have it too
    :ivar held_by: ids of physical resources that include it, as a server
        includes its disk
    """

    physical_id: str
    name: str = ""
    tags: tuple[str, ...] = ()
    data: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    is_named: bool = False
    held_by: tuple[str, ...] = ()
