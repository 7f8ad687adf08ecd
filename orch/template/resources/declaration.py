"""What a template declares of one resource."""

import collections.abc
import dataclasses

from orch.plugin import nested_stack
from orch.plugin import resource
from orch.template.language import expression
from orch.template.resources import nested_type


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
