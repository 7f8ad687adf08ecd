"""The declarations of a resource type, the same for all resources.

The methods that act on a physical resource are in
:mod:`orch.plugin.resource`.
"""

import collections.abc
import dataclasses
import functools
import typing

from orch.plugin import members as members_
from orch.plugin import schema


@dataclasses.dataclass(frozen=True, slots=True)
class ComesAfter:
    """Resources that one comes after, although it does not name them.

    Those of a type with a property that is written like one of its own: a
    port comes after the subnets of its network.

    :ivar type_name: of the others
    :ivar own: its own property; dots lead into maps, and lists are
        iterated
    :ivar theirs: the property of the others, likewise
    """

    type_name: str
    own: str
    theirs: str


class Traits:
    """The declarations of a type; a type overrides what differs."""

    type_name: typing.ClassVar[str]
    properties: typing.ClassVar[schema.Properties] = ()
    attributes: typing.ClassVar[schema.Attributes] = ()
    update_policy: typing.ClassVar[schema.Properties] = ()
    """What the resource's ``update_policy`` in a template may hold."""
    members: typing.ClassVar[members_.Members | None] = None
    """The properties that define a group's members; ``None`` for others."""
    support_status: typing.ClassVar[str] = "SUPPORTED"
    is_local: typing.ClassVar[bool] = False
    """Acts on the machine of the worker; off unless the operator allows."""
    has_reality: typing.ClassVar[bool] = False
    """Reads live properties: see ``Resource.get_reality``.
    """
    own_settings: typing.ClassVar[frozenset[str]] = frozenset()
    """Properties that only configure the type, such as the address of a
    service: they are not of the physical resource, and cannot drift."""
    can_snapshot: typing.ClassVar[bool] = False
    """A deletion policy may ask for a snapshot before it is removed."""
    names_by_properties: typing.ClassVar[bool] = False
    """``reference_id`` depends on properties: a change in place may alter
    it."""
    has_sensitive_reference: typing.ClassVar[bool] = False
    """``reference_id`` returns a secret."""
    accepts_any_property: typing.ClassVar[bool] = False
    """Takes also properties, and shows attributes, that it does not declare.
    """
    shows_any_attribute: typing.ClassVar[bool] = False
    """Shows also attributes that it does not declare, for example those of
    its members.
    """
    has_late_effects: typing.ClassVar[bool] = True
    """A creation may take effect after its worker has died. False where the
    worker itself makes the physical resource, and where to make it again
    changes nothing: see ``Resource.late_effect_s``.
    """
    adopts_as_given: typing.ClassVar[bool] = False
    """``Resource.handle_adopt`` leaves the id that it is given, so that plans
    can read the physical resource before.
    """
    is_nested_stack: typing.ClassVar[bool] = False
    """It is a child stack with operations of its own; it is notified of every
    change in place, that of its metadata too.
    """
    expects_batches: typing.ClassVar[bool] = False
    """It is notified before creations that begin together: see
    ``Resource.expect``."""
    resumes_creation: typing.ClassVar[bool] = False
    """One whose creation has failed is continued (``continue_creation``), and
    one that failed a check is updated (``update``), until it has its desired
    state. It is not created anew; as with child stacks."""
    takes_signals: typing.ClassVar[bool] = False
    """Its resources take signals: see ``Resource.handle_signal``."""
    takes_signals_at_rest: typing.ClassVar[bool] = False
    """They take signals also while they are suspended or deleted."""
    listens_to: typing.ClassVar[str | None] = None
    """The property that names another resource of the stack, by what
    ``get_resource`` gives for it, whose signals it waits for.
    """
    refers_to: typing.ClassVar[str | None] = None
    """The property that names another resource of the stack, by its physical
    id, its physical name or its own name; acts on it come with what the
    engine knows of that one
    (:attr:`orch.plugin.call_context.Context.referred`).
    """
    comes_after: typing.ClassVar[tuple[ComesAfter, ...]] = ()
    """What its resources are made after, and removed before."""
    is_scalable: typing.ClassVar[bool] = False
    """It is a group with a size that signals change."""
    takes_inputs: typing.ClassVar[bool] = False
    """It gets the files and environment of its stack's template, while an
    operation applies that: see ``inputs`` of the context."""
    examines: typing.ClassVar[bool] = False
    """Its services check the resources of a new stack before the stack is
    accepted: see :meth:`orch.plugin.resource.Resource.examine`."""
    is_new_each_update: typing.ClassVar[bool] = False
    """Every update of its stack replaces it, whatever its properties are."""
    chosen_by: typing.ClassVar[tuple[str, ...]] = ()
    """Properties that decide which type serves a resource: see
    ``Resource.serving_type``."""
    is_variant: typing.ClassVar[bool] = False
    """Serves resources that templates declare under the name of another
    type; no list of types names it."""
    is_facade: typing.ClassVar[bool] = True
    """A template that an environment maps it to has the required properties
    and the attributes of the type."""
    is_schema_only: typing.ClassVar[bool] = False
    """Known by its schema, without a plug-in: templates with it are checked,
    clients can read it, but no resource of it is ever created and none of its
    methods is called.
    """
    withdrawn: typing.ClassVar[str] = ""
    """Why no service has it any more, and what to use; of such a type."""

    @functools.cached_property
    def schemas(self) -> collections.abc.Mapping[str, schema.Property]:
        """The properties by name."""
        return {each.name: each for each in self.properties}

    @property
    def lacks(self) -> str | None:
        """Why this worker cannot serve the type, for users.

        A sentence on such types that says what to do; ``None`` where it can.
        A stack with such a resource is refused before anything is created.
        """
        if not self.is_schema_only:
            return None
        if self.withdrawn:
            return self.withdrawn
        return (
            "Install plug-ins for them on all workers, or leave these"
            " resources out."
        )
