"""Base of the types of Keystone."""

import collections.abc

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import base
from orch.resources.openstack import tokens
from orch.resources.openstack import type_table

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
        name = self.body_of_properties(context).get("name")
        filters = {"name": str(name)} if name else {}
        for each in self.api_collection(context).listed(filters):
            if tokens.has_token(each, self.table.token_key, context):
                return self.create_result(each)
        return None

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[reality.Answer] | None:
        """List all that the cloud has; read each where that is refused."""
        try:
            return super().observe(contexts)
        except rest.CloudRefused:
            return None
