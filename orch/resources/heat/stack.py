"""``OS::Heat::Stack``: a child stack of a template in a property."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import type_files

REMOTE: typing.Final = "OS::Heat::Stack::Remote"
"""The type that serves stacks of other installations."""

TEMPLATE: typing.Final = "template"

CONTEXT: typing.Final = "context"


class RemoteUnknown(errors.Invalid):
    """It shows too late that a stack belongs to another installation."""

    code = "orch.resource.remote_unknown"


@type_files.described("OS::Heat::Stack")
class HeatStack(nested_stack.NestedStackResource):
    """A child stack in this installation."""

    needs_members = False
    chosen_by = (CONTEXT,)

    def serving_type(
        self, properties: collections.abc.Mapping[str, object]
    ) -> str:
        """Return the remote type where region or credentials are given."""
        return REMOTE if is_remote_stack(properties) else self.type_name

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse what has to be known before the stack around it runs.

        :raises RemoteUnknown: it is to be made at another installation
        """
        if is_remote_stack(properties):
            raise RemoteUnknown(
                "whether OS::Heat::Stack is a stack of another installation"
                " has to show in the template: name region_name or"
                " credential_secret_id in the property context itself, not in"
                " a value that a resource gives for the whole of it"
            )

    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the one stage that there is."""
        self.validate(context.properties)
        values = context.properties["parameters"]
        assert isinstance(values, dict)
        return (
            nested_stack.Stage(
                template=str(context.properties["template"]),
                parameters=values,
                timeout_s=nested_stack.minutes_to_seconds(
                    context.properties.get("timeout")
                ),
            ),
        )

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return the name, or the outputs."""
        name, *rest = path
        if name == "stack_name":
            return nested_stack.find_part(view.stack_name, rest)
        if name == "outputs":
            return nested_stack.find_part(view.outputs, rest)
        raise errors.Invalid(f"{self.type_name} shows no attribute {name}")


def is_remote_stack(properties: collections.abc.Mapping[str, object]) -> bool:
    """Whether the properties name another installation."""
    where = properties.get(CONTEXT)
    return isinstance(where, collections.abc.Mapping) and bool(
        where.get("region_name") or where.get("credential_secret_id")
    )
