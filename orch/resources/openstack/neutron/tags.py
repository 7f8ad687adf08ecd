"""The tags of a resource of Neutron, which have their own request."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

TAGS: typing.Final = "tags"

FIELD: typing.Final = type_table.Field(
    name=TAGS, is_sent=False, normal=wire.sort_list
)


class Tagged(base.OpenStackResource):
    """Base of the types of Neutron whose physical resources have tags."""

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer at once where there is nothing to wait for or to settle."""
        given = self.properties_given(context)
        if self.table.status is None and not self.settles(given):
            return call_context.DONE
        return super().is_created(context)

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether the tags are to be brought about."""
        return TAGS in changed

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Bring the tags about, where they differ."""
        desired = wire.sort_list(context.properties.get(TAGS))
        if TAGS not in changed or wire.sort_list(body.get(TAGS)) == desired:
            return
        api_collection = self.api_collection(context)
        place = f"{api_collection.place(self.id_of(context))}/{TAGS}"
        api_collection.ask("PUT", place, {TAGS: desired})
