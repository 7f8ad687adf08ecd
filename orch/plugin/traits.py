"""What a resource type says of itself, once for all its resources.

What is done with a thing stands in :mod:`orch.plugin.resource`.
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
    :ivar own: its own property; dots lead into maps, and lists are gone
        through
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
    """What says which resources a group is made of; ``None`` for others."""
    support_status: typing.ClassVar[str] = "SUPPORTED"
    is_local: typing.ClassVar[bool] = False
    """Acts on the machine of the worker; off unless the operator allows."""
    has_reality: typing.ClassVar[bool] = False
    """Tells what its things are in the world: see ``Resource.get_reality``.
    """
    can_snapshot: typing.ClassVar[bool] = False
    """A deletion policy may ask for a snapshot before it is removed."""
    names_by_properties: typing.ClassVar[bool] = False
    """``reference_id`` depends on properties: a change in place may alter
    it."""
    accepts_any_property: typing.ClassVar[bool] = False
    """Takes also properties, and shows attributes, that it does not declare.
    """
    shows_any_attribute: typing.ClassVar[bool] = False
    """Shows also attributes that it does not declare, for example those of
    its members.
    """
    adopts_as_given: typing.ClassVar[bool] = False
    """``Resource.handle_adopt`` keeps the id that it is given, so that plans
    can look at the thing before.
    """
    is_nested_stack: typing.ClassVar[bool] = False
    """It is a stack with operations of its own; every change in place is
    told to it, that of its metadata too.
    """
    expects_batches: typing.ClassVar[bool] = False
    """Creations that begin together are told to it before: see
    ``Resource.expect``."""
    resumes_creation: typing.ClassVar[bool] = False
    """One whose creation has failed is gone on with (``continue_creation``),
    and one that a check found fault with is changed (``update``), until it is
    as wanted. It is not made anew; as with what holds a stack."""
    takes_signals: typing.ClassVar[bool] = False
    """Its resources take signals: see ``Resource.handle_signal``."""
    takes_signals_at_rest: typing.ClassVar[bool] = False
    """They take signals also while they are put to rest, rest or go."""
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
    """It is told what came with the template of its stack, while an
    operation brings that about: see ``inputs`` of the context."""
    examines: typing.ClassVar[bool] = False
    """Its services are asked about what a new stack wants of it before the
    stack is accepted: see :meth:`orch.plugin.resource.Resource.examine`."""
    is_new_each_update: typing.ClassVar[bool] = False
    """Every update of its stack replaces it, whatever its properties are."""
    chosen_by: typing.ClassVar[tuple[str, ...]] = ()
    """Properties that decide which type serves a resource: see
    ``Resource.serving_type``."""
    is_variant: typing.ClassVar[bool] = False
    """Serves resources that templates declare under the name of another
    type; no list of types names it."""
    is_schema_only: typing.ClassVar[bool] = False
    """Known by its schema, and nothing serves it: templates with it are
    checked, clients are told of it, but no resource of it is ever made and
    none of its methods is called.
    """

    @functools.cached_property
    def schemas(self) -> collections.abc.Mapping[str, schema.Property]:
        """The properties by name."""
        return {each.name: each for each in self.properties}

    @property
    def lacks(self) -> str | None:
        """What keeps this worker from serving the type, for people.

        A sentence on such types that says what to do; ``None`` where nothing
        does. A stack with such a resource is refused before anything is
        made.
        """
        if not self.is_schema_only:
            return None
        return (
            "Install plug-ins for them on all workers, or leave these"
            " resources out."
        )
