# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: plans."""

import collections.abc
import dataclasses
import datetime

from orchclient import response_parser
from orchclient import stack_identity
from orchclient.values import lifecycle
from orchclient.values import methods


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PlaceChange:
    """The narrowest place in a property at which two values differ.

    :ivar place: its name, as drift policies have it
    :ivar kind: ``removed`` or ``added`` for an element of a list whose length
        changes, which ``place`` names; else ``changed``
    :ivar index: of that element, in the old or the new list; else ``None``
    :ivar old: ``None`` where there is nothing
    :ivar new: ``None`` where there is nothing
    """

    place: str
    kind: str = "changed"
    index: int | None = None
    old: object = None
    new: object = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "PlaceChange":
        """Return the value that a body describes."""
        return cls(
            place=response_parser.required_text(body, "place"),
            kind=response_parser.get_text(body, "kind", "changed"),
            index=response_parser.find_integer(body, "index"),
            old=body.get("old"),
            new=body.get("new"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChange:
    """The planned change of a property.

    :ivar old: ``ABSENT`` where there is no value yet
    :ivar new: ``ABSENT`` where there will be none; what only the run makes
        known is ``{"known_later": true}``, at any depth
    :ivar needs_replacement: it cannot be changed in place
    :ivar places: what differs in two maps or lists; missing for other values
    """

    old: object = response_parser.ABSENT
    new: object = response_parser.ABSENT
    needs_replacement: bool = False
    places: tuple[PlaceChange, ...] | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "PropertyChange":
        """Return the value that a body describes."""
        return cls(
            old=body.get("old", response_parser.ABSENT),
            new=body.get("new", response_parser.ABSENT),
            needs_replacement=response_parser.get_boolean(
                body, "needs_replacement"
            ),
            places=response_parser.find_values(body, "places", PlaceChange.of),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Change(methods.ChangeMethods):
    """One change of a plan.

    :ivar kind: ``create``, ``adopt``, ``update``, ``read``, ``check``,
        ``suspend``, ``resume``, ``snapshot``, ``keep`` (a snapshot before the
        removal), ``delete``, ``retain``; ``forget``, which removes a snapshot
        of the stack, and ``clean-up``, which what is removed waits for, are of
        no resource
    :ivar physical_id: of what it changes; empty where nothing exists yet
    :ivar replaces: physical id of the resource that it replaces
    :ivar after: keys of the changes that must be complete before
    :ivar is_certain: false when only the run can tell whether, or how, to do
        it
    :ivar child_plan: the plan of the child stack that the resource is, where
        that is known before
    """

    key: str
    kind: str
    name: str = ""
    type: str = ""
    physical_id: str = ""
    replaces: str | None = None
    reason: str = ""
    after: tuple[str, ...] = ()
    is_certain: bool = True
    properties: collections.abc.Mapping[str, PropertyChange] = (
        dataclasses.field(default_factory=dict)
    )
    child_plan: "Plan | None" = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Change":
        """Return the value that a body describes."""
        return cls(
            key=response_parser.required_text(body, "key"),
            kind=response_parser.required_text(body, "kind"),
            name=response_parser.get_text(body, "resource_name"),
            type=response_parser.get_text(body, "resource_type"),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            replaces=response_parser.find_text(body, "replaces"),
            reason=response_parser.get_text(body, "reason"),
            after=response_parser.get_texts(body, "after"),
            is_certain=response_parser.get_boolean(body, "is_certain", True),
            properties=response_parser.get_value_map(
                body, "properties", PropertyChange.of
            ),
            child_plan=response_parser.find_value(body, "child_plan", Plan.of),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plan(methods.PlanMethods):
    """The ordered changes of an operation.

    :ivar text: the same for users, a line a change
    :ivar unchanged: names of resources that do not change
    :ivar returns: names of those that get an earlier physical resource back
    :ivar skipped: names of those that are left out by request
    :ivar orphans: names of those that are forgotten by request
    :ivar warnings: which physical resources could not be read, so that their
        stored properties counted, and what an adoption leaves out
    :ivar verdicts: of the lifecycle plug-ins that support previews, other than
        allow; the plan of a whole operation has them
    :ivar saved: facts of a saved plan; ``None`` for a preview
    """

    action: str
    text: str = ""
    changes: tuple[Change, ...] = ()
    unchanged: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    verdicts: tuple[lifecycle.Verdict, ...] = ()
    saved: "SavedPlan | None" = None

    @classmethod
    def of(
        cls, body: response_parser.Json, saved: "SavedPlan | None" = None
    ) -> "Plan":
        """Return the value that a body describes."""
        return cls(
            action=response_parser.required_text(body, "action"),
            text=response_parser.get_text(body, "text"),
            changes=response_parser.get_values(body, "changes", Change.of),
            unchanged=response_parser.get_texts(body, "unchanged"),
            returns=response_parser.get_texts(body, "returns"),
            skipped=response_parser.get_texts(body, "skipped"),
            orphans=response_parser.get_texts(body, "orphans"),
            warnings=response_parser.get_texts(body, "warnings"),
            verdicts=response_parser.get_values(
                body, "verdicts", lifecycle.Verdict.of
            ),
            saved=saved,
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlan:
    """The facts of a plan that the service stores.

    :ivar name: ``None`` for a plan that was saved without a name
    :ivar request: the requested action, such as ``update``
    :ivar basis: the state of the stack that the plan was made for
    :ivar is_current: the stack is still in that state
    :ivar is_empty: it changes no resource, template, value or tag
    :ivar operation_id: the operation that has run it
    """

    id: str
    name: str | None = None
    description: str | None = None
    request: str = ""
    action: str = ""
    basis: str = ""
    is_current: bool = False
    is_empty: bool = False
    requested_by: str | None = None
    operation_id: str | None = None
    created_at: datetime.datetime
    stack: stack_identity.StackIdentity

    @classmethod
    def of(
        cls, body: response_parser.Json, stack: stack_identity.StackIdentity
    ) -> "SavedPlan":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            name=response_parser.find_text(body, "name"),
            description=response_parser.find_text(body, "description"),
            request=response_parser.get_text(body, "request"),
            action=response_parser.get_text(body, "action"),
            basis=response_parser.get_text(body, "basis"),
            is_current=response_parser.get_boolean(body, "is_current"),
            is_empty=response_parser.get_boolean(body, "is_empty"),
            requested_by=response_parser.find_text(body, "requested_by"),
            operation_id=response_parser.find_text(body, "operation_id"),
            created_at=response_parser.required_time(body, "created_at"),
            stack=stack,
        )
