"""What a resource plug-in tells of its things as they are in the world.

It is asked to find what differs from the template, to repair that, and to
write a template of what is there. What is done with a thing stands in
:mod:`orch.plugin.resource`.
"""

import collections.abc

from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import reality
from orch.plugin import traits


class Observed(traits.Traits):
    """The part of a resource type that looks, and changes nothing."""

    def show(self, context: call_context.Context) -> object:
        """Return the live object as its service shows it (``show``).

        :returns: a JSON value, or ``None`` where there is nothing to show
        """
        return None

    def get_reality(
        self, context: call_context.Context
    ) -> reality.Reality | None:
        """Return what the thing's properties are in the world now.

        Asked of types that declare ``has_reality``: right after each change
        (its answer then is the *baseline*), when a thing is adopted, before
        an update that goes by what is, and when it is observed. Here it is
        what :meth:`show` gives under the names of properties, and what
        :meth:`handle_get_reality` gives before that. It changes nothing.

        :param context: with a physical id
        :returns: ``None`` where the type cannot tell
        :raises orch.plugin.reality.Vanished: the thing is not there
        :raises orch.errors.OrchError: it cannot be read now, or is another
            kind of thing
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
        """Return what :meth:`show` does not tell under a property's name.

        :returns: ``None`` for nothing
        :raises orch.errors.OrchError: as :meth:`get_reality`
        """
        return None

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[reality.Answer] | None:
        """Look at many things of this type at once, in few calls.

        What a service can list is listed, a call a page, and never read one
        by one.

        :param contexts: of one project, with physical ids, of any stacks
        :returns: an answer for each, in their order; ``None`` where the type
            cannot list: each is then read by :meth:`get_reality`
        :raises orch.errors.OrchError: none of them can be read now
        """
        return None

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in.

        What a template wants, the baseline and what is there now all come
        through here before they are compared; what does not matter to the
        service (order, case, a default that it spells out) is to be lost.

        :param name: of the property
        """
        return value

    def is_like(self, name: str, one: object, other: object) -> bool:
        """Answer whether two values of a property are one to the service.

        :param name: of the property; see :meth:`normalise`
        """
        if one == other:
            return True
        return bool(self.normalise(name, one) == self.normalise(name, other))

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        wanted: listing.PhysicalResourceFilter,
    ) -> collections.abc.Iterable[listing.PhysicalResource] | None:
        """Return the things of this type that the caller's project has.

        Read while somebody waits for the answer, to write a template of
        them; :meth:`get_reality` is then asked of each.

        :returns: ``None`` where the type cannot list
        :raises orch.errors.OrchError: the service does not tell
        """
        return None

    def holds(
        self, physical_name: str, data: collections.abc.Mapping[str, object]
    ) -> collections.abc.Collection[str]:
        """Return ids of things that a resource has beside its own.

        They are not its physical id, and yet belong to it, as the container
        of an object that a server polls. It does no input or output.

        :param data: those of the resource
        """
        return ()

    def leaves(
        self, name: str, stored: object, wanted: object, live: object
    ) -> bool:
        """Answer whether a drift stays: to mend it would destroy too much.

        It does no input or output.

        :param stored: the property as it was wanted until now
        :param live: what it is, which is not ``wanted``
        """
        return False
