"""``OS::Heat::ResourceChain``: resources of several types, one by one."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import type_files
from orch.resources.groups import membership
from orch.resources.groups import update_policies


@type_files.described("OS::Heat::ResourceChain")
class ResourceChain(nested_stack.NestedStackResource):
    """Resources with the same properties, created one after another."""

    needs_members = False

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
