"""``OS::Heat::ResourceChain``: resources of several types, one by one."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import members as members_
from orch.plugin import nested_stack
from orch.plugin import schema
from orch.resources.groups import membership
from orch.resources.groups import update_policies


class ResourceChain(nested_stack.NestedStackResource):
    """Resources with the same properties, created one after another."""

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
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the one stage that there is."""
        types = typing.cast("list[object]", context.properties["resources"])
        given = context.properties.get("resource_properties")
        is_chained = not context.properties.get("concurrent")
        found = {
            str(place): membership.without_missing(
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
        return [nested_stack.Stage(template=membership.build_template(found))]

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return an attribute of the chain, or of each member a list."""
        return update_policies.read_attribute(
            self.type_name, context.name, path, view
        )
