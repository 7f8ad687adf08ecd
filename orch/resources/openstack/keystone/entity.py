"""Base of the types of Keystone."""

import collections.abc

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import tokens
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

NAME = type_table.Field(name="name", is_named=True)
DESCRIPTION = type_table.Field(name="description", empty="")
ENABLED = type_table.Field(name="enabled")


class KeystoneEntity(base.OpenStackResource):
    """An entity of Keystone; the token is in its description."""

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Look for the token among the resources of the same name.

        Keystone lists none by description.
        """
        found = self._list_bearers(context)
        return self.create_result(found[0]) if found else None

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[call_context.PhysicalId]:
        """Return the ids of all that bear the token."""
        found = self._list_bearers(context)
        return [str(each[self.table.id_key]) for each in found]

    def _list_bearers(self, context: call_context.Context) -> list[wire.Body]:
        """Return the resources of the same name that bear the token."""
        name = self.body_of_properties(context).get("name")
        filters = {"name": str(name)} if name else {}
        return [
            each
            for each in self.api_collection(context).listed(filters)
            if tokens.has_token(each, self.table.token_key, context)
        ]

    def list_bodies(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> list[wire.Body | None] | None:
        """List all that the cloud has; read each where that is refused."""
        try:
            return super().list_bodies(contexts)
        except rest.CloudRefused:
            return None
