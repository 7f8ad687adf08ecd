"""The resource types of one stack: installed ones and child stacks."""

import collections.abc
import typing

from orch import errors
from orch.context import request
from orch.engine.execution import planning
from orch.engine.nested import child_creation
from orch.engine.nested import child_operations as askings
from orch.engine.nested import children as nests
from orch.engine.nested import stack_type
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import registry
from orch.plugin import resource
from orch.template import inputs
from orch.template.environment import registry as template_registry
from orch.template.resources import nested_type

_MEMBER: typing.Final = "resource."


class TemplateHolder(nested_stack.NestedStackResource):
    """The resource type that a template file of a request defines."""

    needs_members = False
    writes_template = False

    def __init__(
        self, type_name: str, found: nested_type.NestedType | None
    ) -> None:
        """Serve a template.

        :param found: ``None`` where no resource of it is to be created any
            more
        """
        self._document = found.source.document.root if found else {}
        # Each template is a type, so what others define on their class is set
        # on the instance.
        self.__dict__.update(
            type_name=type_name,
            properties=found.properties if found else (),
            attributes=found.attributes if found else (),
            names_by_properties=bool(found and found.has_stack_id),
        )

    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the only stage: the whole template."""
        return (
            nested_stack.Stage(
                template=self._document, parameters=context.properties
            ),
        )

    def reference_id(self, context: call_context.Context) -> str:
        """Return the reference id in the template, else the stack's ARN.

        Source: Heat, which gives the ARN of the stack.
        """
        said = context.attributes.get(nested_type.STACK_ID)
        if said is not None:
            return str(said)
        if context.physical_id is None:
            return context.name
        return inputs.Identity(
            context.physical_id,
            context.physical_name,
            context.request.project_id or "",
        ).arn

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return an output, or an attribute of one of its resources."""
        name, *rest = path
        text = str(name)
        if any(one.name == text for one in self.attributes):
            return nested_stack.find_part(
                nested_stack.read_output(context, view, text), rest
            )
        if text.startswith(_MEMBER):
            member, *sub_path = text.removeprefix(_MEMBER).split(".", 1)
            return member_value(view, member, (*sub_path, *rest))
        raise errors.Invalid(
            f"{self.type_name} has no output {text}; add it to the template,"
            f" or read {_MEMBER}NAME.ATTRIBUTE"
        )


def member_value(
    view: nested_stack.ChildView,
    name: str,
    path: collections.abc.Sequence[object],
) -> object:
    """Return an attribute of a member, or its reference id.

    :raises orch.errors.Invalid: the resource or attribute does not exist
    """
    if path:
        return view.attribute(name, tuple(path))
    for member in view.members:
        if member.name == name:
            return member.reference_id
    raise errors.Invalid(f"The Resource ({name}) could not be found.")


def serve_types(child_stacks: nests.ChildStacks) -> registry.Types:
    """Return the types of a stack."""
    return StackTypes(child_stacks.installed_types, child_stacks)


def types_factory(
    around: nests.NestedContext,
) -> collections.abc.Callable[
    [planning.Loaded, child_creation.Acting], registry.Types
]:
    """Return the function that builds the types for an operation."""

    def serve_loaded(
        loaded: planning.Loaded, acting: child_creation.Acting
    ) -> registry.Types:
        return serve_types(
            askings.ChildOperations(
                around,
                loaded.stack,
                loaded.parsed_template,
                acting,
                rows=loaded.rows,
                requested_by=request.RequestContext.from_stored(
                    acting.operation.context
                ),
            )
        )

    return serve_loaded


class StackTypes:
    """Finds the plug-in of a type in a stack."""

    def __init__(
        self, installed: registry.Types, child_stacks: nests.ChildStacks
    ) -> None:
        """Serve the types of one stack.

        :param child_stacks: the stack
        """
        self._installed = installed
        self._child_stacks = child_stacks
        self._found: dict[str, resource.Resource] = {}

    def find(self, type_name: str) -> resource.Resource | None:
        """Return the plug-in of a type; ``None`` for an unknown type."""
        if template_registry.is_template(type_name):
            return self.get(type_name)
        found = self._installed.find(type_name)
        return self.get(type_name) if _holds_stack(found) else found

    def get(self, type_name: str) -> resource.Resource:
        """Return the plug-in that serves a type.

        :raises orch.plugin.registry.UnknownType: no plug-in serves it
        """
        found = self._found.get(type_name)
        if found is None:
            found = self._found[type_name] = self._get(type_name)
        return found

    def names(self) -> list[str]:
        """Return the names of the installed types, sorted."""
        return self._installed.names()

    def _get(self, type_name: str) -> resource.Resource:
        plugin: resource.Resource
        if template_registry.is_template(type_name):
            plugin = TemplateHolder(
                type_name, self._child_stacks.nested_type(type_name)
            )
        else:
            plugin = self._installed.get(type_name)
        if isinstance(plugin, nested_stack.NestedStackResource):
            return stack_type.StackType(plugin, self._child_stacks)
        return plugin


def _holds_stack(found: resource.Resource | None) -> bool:
    return (
        isinstance(found, nested_stack.NestedStackResource)
        and not found.is_schema_only
    )
