"""The part of a plug-in that reads physical resources.

It is called to find what differs from the template, to repair that, and to
write a template of what exists. The methods that change a physical resource
are in :mod:`orch.plugin.resource`.
"""

import collections.abc

from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import reality
from orch.plugin import traits


class Observed(traits.Traits):
    """The part of a resource type that reads, and changes nothing."""

    def show(self, context: call_context.Context) -> object:
        """Return the live object as its service shows it (``show``).

        :returns: a JSON value, or ``None`` where there is nothing to show
        """
        return None

    def get_reality(
        self, context: call_context.Context
    ) -> reality.Reality | None:
        """Return the live properties of the physical resource.

        Called on types that declare ``has_reality``: right after each change
        (its answer then is the *baseline*), at an adoption, before an update
        by observed state, and when it is observed. Here it is what
        :meth:`show` returns under the names of properties, and what
        :meth:`handle_get_reality` returns before that. It changes nothing.

        :param context: with a physical id
        :returns: ``None`` where the type cannot read it
        :raises orch.plugin.reality.Vanished: it does not exist
        :raises orch.errors.OrchError: it cannot be read now, or is of
            another kind
        """
        if not self.has_reality:
            return None
        shown = self.show(context)
        found = (
            {name: shown[name] for name in self.schemas if name in shown}
            if isinstance(shown, collections.abc.Mapping)
            else {}
        )
        found.update(self.handle_get_reality(context) or {})
        return found

    def handle_get_reality(
        self, context: call_context.Context
    ) -> reality.Reality | None:
        """Return the live properties that :meth:`show` does not have.

        :returns: ``None`` for nothing
        :raises orch.errors.OrchError: as :meth:`get_reality`
        """
        return None

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[reality.ListAnswer] | None:
        """Read many physical resources of this type at once, in few calls.

        A service that can list is called once a page, and never once a
        resource.

        :param contexts: of one project, with physical ids, of any stacks
        :returns: an answer for each, in their order; those that are
            ``reality.UNLISTED``, and all of them for ``None``, are then read
            by :meth:`get_reality`
        :raises orch.errors.OrchError: none of them can be read now
        """
        return None

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that is compared.

        The desired state, the baseline and the live value are all normalised
        before they are compared; what does not matter to the service (order,
        case, a default that it spells out) has to be removed.

        :param name: of the property
        """
        return value

    def list_comparable(
        self, properties: collections.abc.Mapping[str, object]
    ) -> list[str]:
        """Return the given properties that describe the physical resource.

        The coverage of a drift report is the part of them that was compared.

        :param properties: of the resource, as they are stored
        """
        return [
            name
            for name, value in properties.items()
            if value is not None and name not in self.own_settings
        ]

    @property
    def write_only(self) -> frozenset[str]:
        """The properties that no answer of the service shows."""
        return frozenset()

    def is_like(self, name: str, one: object, other: object) -> bool:
        """Whether two values of a property are equal for the service.

        :param name: of the property; see :meth:`normalise`
        """
        if one == other:
            return True
        return bool(self.normalise(name, one) == self.normalise(name, other))

    @property
    def listed_as(self) -> str:
        """The type that lists of a project show its resources under.

        Both types have the same physical resources: what a stack owns by one
        of them it owns by the other. Empty for the type itself.
        """
        return ""

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        wanted: listing.PhysicalResourceFilter,
    ) -> collections.abc.Iterable[listing.PhysicalResource] | None:
        """Return the physical resources of this type in a project.

        Called while a caller waits for the answer, to write a template of
        them; :meth:`get_reality` is then called for each.

        :returns: ``None`` where the type cannot list
        :raises orch.errors.OrchError: the service cannot list them now
        """
        return None

    def holds(
        self, physical_name: str, data: collections.abc.Mapping[str, object]
    ) -> collections.abc.Collection[str]:
        """Return the ids of further physical resources of a resource.

        They are not its physical id, but belong to it, as the container of
        an object that a server polls. It does no input or output.

        :param data: those of the resource
        """
        return ()

    def leaves(
        self, name: str, stored: object, desired: object, live: object
    ) -> bool:
        """Whether a drift stays, as its repair would destroy too much.

        It does no input or output.

        :param stored: the desired property until now
        :param live: what it is, which is not ``desired``
        """
        return False
