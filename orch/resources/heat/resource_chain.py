"""``OS::Heat::ResourceChain``: resources of several types, one by one."""

import collections.abc
import typing

from orch.plugin import acts
from orch.plugin import holder
from orch.plugin import members as members_
from orch.plugin import schema
from orch.resources.groups import policies
from orch.resources.groups import roster


class ResourceChain(holder.Holder):
    """Resources with the same properties, each made after the one before."""

    type_name = "OS::Heat::ResourceChain"
    needs_members = False
    shows_any_attribute = True
    members = members_.Members(
        types="resources", properties="resource_properties"
    )
    properties = (
        schema.Property(
            "concurrent",
            schema.Type.BOOLEAN,
            "Whether the members are made at the same time.",
            default=False,
        ),
        schema.Property(
            "resource_properties",
            schema.Type.MAP,
            "Properties of each member.",
        ),
        schema.Property(
            "resources",
            schema.Type.LIST,
            "The types of the members, in the order in which they are made.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
        ),
    )
    attributes = (
        schema.Attribute(
            "attributes",
            schema.Type.MAP,
            "An attribute of each member, by name of the member:"
            " get_attr: [CHAIN, attributes, ATTRIBUTE].",
        ),
        schema.Attribute(
            "refs",
            schema.Type.LIST,
            "What get_resource gives for each member.",
        ),
    )

    def stages(
        self,
        context: acts.Context,
        members: collections.abc.Sequence[holder.Member],
    ) -> collections.abc.Sequence[holder.Stage]:
        """Return the one stage that there is."""
        types = typing.cast("list[object]", context.properties["resources"])
        given = context.properties.get("resource_properties")
        is_chained = not context.properties.get("concurrent")
        found = {
            str(place): roster.written(
                {
                    "type": str(type_name),
                    "properties": given,
                    "depends_on": [str(place - 1)]
                    if is_chained and place
                    else None,
                }
            )
            for place, type_name in enumerate(types)
        }
        return [holder.Stage(template=roster.template(found))]

    def read(
        self, context: acts.Context, path: holder.Path, view: holder.View
    ) -> object:
        """Return an attribute of the chain, or of each member a list."""
        return policies.read(self.type_name, context.name, path, view)
