"""The part of a plug-in that checks, adopts and abandons.

The methods that change a physical resource are in :mod:`orch.plugin.resource`.
"""

import collections.abc

from orch import errors
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.plugin import observed


class Adoptable(observed.Observed):
    """The part of a resource type that takes over what exists."""

    def get_id_scope(
        self,
        account: id_scopes.Account,
        properties: collections.abc.Mapping[str, object],
    ) -> str | None:
        """Return where a physical id names one physical resource.

        A physical resource belongs to one resource of the installation: two
        with the same type, id and scope are the same one. It only computes.
        The text is stored as a hash.

        :param account: in whose name the services act on it
        :param properties: the known ones, with defaults
        :returns: such as the address of the service, or the project; ``None``
            while a property that says it is not known; here: everywhere, as
            for ids that are unique as they are
        """
        return id_scopes.EVERYWHERE

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Adopt an existing physical resource; create nothing.

        For types that must translate what is given, or notify their service.
        It may be called again after a crash.

        :param context: as it will be, with ``given`` not in it yet
        :returns: id, data and metadata that the resource has from now on
        :raises orch.errors.OrchError: it cannot be adopted; it stays as it
            is, and is not touched later
        """
        return given

    def is_adopted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once the adoption is complete."""
        return call_context.DONE

    def abandon(self, context: call_context.Context) -> None:
        """Start the abandonment of a physical resource; remove nothing.

        For types that are a child stack: its resources are abandoned as well.
        """

    def is_abandoned(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once the abandonment is complete."""
        return call_context.DONE

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Check whether the physical resource exists and is healthy.

        Here: of a type that ``has_reality``, whether it can be read; any
        other counts as healthy.

        :returns: ``None`` when it is, else how to poll again
        :raises orch.errors.OrchError: it is not; the text says what is wrong
        """
        if self.has_reality:
            self.get_reality(context)
        return call_context.DONE

    def inspect(
        self, context: call_context.Context
    ) -> call_context.Inspection:
        """Check the physical resource and read it, as its adoption does.

        Here by :meth:`check` and :meth:`get_reality`. For types of which one
        answer of the service says both.

        :raises orch.errors.Transient: its service gives no answer now
        """
        fault: errors.OrchError | None = None
        if type(self).check is not Adoptable.check:
            try:
                pending = self.check(context)
            except errors.Transient:
                raise
            except errors.OrchError as error:
                fault = error
            else:
                if pending is not call_context.DONE:
                    return call_context.Inspection(pending=pending)
        try:
            found = self.get_reality(context)
        except errors.Transient:
            raise
        except errors.OrchError as error:
            return call_context.Inspection(fault=fault or error)
        return call_context.Inspection(fault=fault, reality=found)

    def inspect_all(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[call_context.Inspection | None] | None:
        """Check and read many physical resources at once, in few calls.

        What it finds only confirms: where it has a fault, is pending or
        differs from the properties, :meth:`inspect` decides. Here by
        :meth:`observe`, of types without a check of their own.

        :param contexts: of one project, with physical ids
        :returns: an inspection for each, in their order; ``None`` where
            :meth:`inspect` has to be called, for all or for one of them
        :raises orch.errors.OrchError: none of them can be listed now
        """
        kind = type(self)
        if (
            kind.observe is observed.Observed.observe
            or kind.check is not Adoptable.check
            or kind.inspect is not Adoptable.inspect
        ):
            return None
        listed = self.observe(contexts)
        if listed is None:
            return None
        return [
            call_context.Inspection(reality=each)
            if isinstance(each, collections.abc.Mapping)
            else None
            for each in listed
        ]
