"""What a template declares of one resource."""

import collections.abc
import dataclasses

from orch import errors
from orch.plugin import nested_stack
from orch.plugin import resource
from orch.template.language import expression
from orch.template.resources import nested_type

CheckType = collections.abc.Callable[[str], None]
"""Raises Forbidden if who asks may not have resources of a type."""


def check_with_rows(type_name: str) -> None:
    """Refuse no type: each is checked when a row of it is made."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One active resource of a template.

    :ivar type_name: the type that serves it
    :ivar declared_type: the type that the template names
    :ivar requires: resources that it directly depends on, each once
    :ivar deletion_policy: ``Delete``, ``Retain`` or ``Snapshot``
    :ivar external_id: id of an existing thing that it stands for
    :ivar hooks: where its operations stop and wait (``pre-create``, …)
    :ivar restricted_actions: what an update may not do to it
    """

    name: str
    type_name: str
    declared_type: str
    requires: tuple[str, ...] = ()
    deletion_policy: str = "Delete"
    update_policy: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    description: str = ""
    external_id: str | None = None
    hooks: tuple[str, ...] = ()
    restricted_actions: tuple[str, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        """The type that serves it, and the one that the template names."""
        if self.type_name == self.declared_type:
            return (self.type_name,)
        return self.type_name, self.declared_type

    def check_types(self, check_type: CheckType) -> None:
        """Check the types of the resource.

        :raises orch.errors.Forbidden: it names the resource
        """
        for each in self.types:
            try:
                check_type(each)
            except errors.Forbidden as error:
                raise errors.Forbidden(
                    f"resources.{self.name}: {error.message}"
                ) from None


@dataclasses.dataclass(slots=True)
class Parsed:
    """A resource as parsed, before its references were followed.

    :ivar plugin: what serves its type; ``None`` for a template, or when
        there is none
    :ivar nested: the template that is its type, when one is
    :ivar written: its properties as the template has them
    """

    declaration: Declaration
    plugin: resource.Resource | None
    nested: nested_type.NestedType | None
    properties: expression.Expression
    metadata: expression.Expression
    depends_on: tuple[str, ...]
    written: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )

    @property
    def is_nested_stack(self) -> bool:
        """A resource of its type is a stack with resources of its own."""
        return self.nested is not None or (
            self.plugin is not None
            and (
                self.plugin.members is not None
                or isinstance(self.plugin, nested_stack.NestedStackResource)
            )
        )
