"""A template as a type of resources: its parameters are the properties."""

import collections.abc
import typing

from orch import errors
from orch.plugin import acts
from orch.plugin import holder
from orch.template import identity
from orch.template import nested_type

_MEMBER: typing.Final = "resource."


class TemplateHolder(holder.Holder):
    """What a template among the files of a request is as a type."""

    needs_members = False

    def __init__(
        self, type_name: str, found: nested_type.NestedType | None
    ) -> None:
        """Serve a template.

        :param found: ``None`` where nothing is to be made of it any more
        """
        self._document = found.source.document.root if found else {}
        # Each template is a type, so what others say of their class is said
        # of the instance.
        self.__dict__.update(
            type_name=type_name,
            properties=found.properties if found else (),
            attributes=found.attributes if found else (),
            names_by_properties=bool(found and found.has_stack_id),
        )

    def stages(
        self,
        context: acts.Context,
        members: collections.abc.Sequence[holder.Member],
    ) -> collections.abc.Sequence[holder.Stage]:
        """Return the one stage that there is."""
        return (
            holder.Stage(
                template=self._document, parameters=context.properties
            ),
        )

    def reference_id(self, context: acts.Context) -> str:
        """Return what the template says, else what names its stack.

        Source: Heat, which gives the ARN of the stack.
        """
        said = context.attributes.get(nested_type.STACK_ID)
        if said is not None:
            return str(said)
        if context.physical_id is None:
            return context.name
        return identity.Identity(
            context.physical_id,
            context.physical_name,
            context.request.project_id or "",
        ).arn

    def read(
        self, context: acts.Context, path: holder.Path, view: holder.View
    ) -> object:
        """Return an output, or an attribute of one of its resources."""
        name, *rest = path
        text = str(name)
        if any(one.name == text for one in self.attributes):
            return holder.part(holder.output_of(context, view, text), rest)
        if text.startswith(_MEMBER):
            member, *inner = text.removeprefix(_MEMBER).split(".", 1)
            return member_value(view, member, (*inner, *rest))
        raise errors.Invalid(
            f"{self.type_name} has no output {text}; add it to the template,"
            f" or read {_MEMBER}NAME.ATTRIBUTE"
        )


def member_value(
    view: holder.View, name: str, path: collections.abc.Sequence[object]
) -> object:
    """Return an attribute of a resource of a stack, or what stands for it.

    :raises orch.errors.Invalid: there is no such resource or attribute
    """
    if path:
        return view.attribute(name, tuple(path))
    for member in view.members:
        if member.name == name:
            return member.reference_id
    raise errors.Invalid(f"The Resource ({name}) could not be found.")
