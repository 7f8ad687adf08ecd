"""Requests and answers about plans."""

import typing

from orch.rpc.contract import drift
from orch.rpc.contract import lifecycle
from orch.rpc.contract import requests
from orch.rpc.contract import rest


class PlaceChange(typing.TypedDict):
    """The narrowest place in a property at which two values differ.

    :ivar place: its name, as drift policies have it
    :ivar kind: ``removed`` or ``added`` for an element of a list whose length
        changes, which ``place`` names; else ``changed``
    :ivar index: of that element, in the old or the new list; else null
    :ivar old: null where there is nothing
    :ivar new: null where there is nothing
    """

    place: str
    kind: typing.Annotated[str, rest.Words(drift.DIFFERENCE_KINDS)]
    index: rest.Count | None
    old: object
    new: object


class PropertyChange(typing.TypedDict, total=False):
    """The planned change of a property.

    Asterisks stand for what a hidden parameter goes into.

    :ivar old: missing where there is no value yet
    :ivar new: missing where there will be none; what only the run makes known
        is ``{"known_later": true}``, at any depth
    :ivar needs_replacement: it cannot be changed in place
    :ivar places: what differs in two maps or lists; missing for other values
    """

    old: object
    new: object
    needs_replacement: bool
    places: list[PlaceChange]


class ChangeFacts(typing.TypedDict):
    """One change of a plan.

    :ivar kind: ``create``, ``adopt``, ``update``, ``read``, ``check``,
        ``suspend``, ``resume``, ``snapshot``, ``keep`` (a snapshot before the
        removal), ``delete``, ``retain``; ``forget``, which removes a snapshot
        of the stack, and ``clean-up``, which what is removed waits for, are
        of no resource
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
    resource_name: str
    resource_type: str
    physical_id: rest.PhysicalId
    replaces: str | None
    reason: str
    after: list[str]
    is_certain: bool
    properties: dict[str, PropertyChange]
    child_plan: typing.NotRequired["PlanFacts"]


class PlanFacts(typing.TypedDict):
    """The ordered changes of an operation.

    :ivar text: the same for users, a line a change
    :ivar unchanged: names of resources that do not change
    :ivar returns: names of those that get an earlier physical resource back
    :ivar skipped: names of those that are left out by request
    :ivar orphans: names of those that are forgotten by request
    :ivar warnings: which physical resources could not be read, so that their
        stored properties counted, and what an adoption leaves out
    :ivar verdicts: of the lifecycle plug-ins that support previews, other
        than allow; the plan of a whole operation has them
    """

    action: str
    text: str
    changes: list[ChangeFacts]
    unchanged: list[str]
    returns: list[str]
    skipped: list[str]
    orphans: list[str]
    warnings: typing.NotRequired[typing.Annotated[list[str], rest.Default([])]]
    verdicts: typing.NotRequired[list[lifecycle.VerdictFacts]]


class PlanRequest(typing.TypedDict, total=False):
    """What a plan is asked for of.

    ``action``: update, delete, rollback, suspend, resume, check, snapshot,
    restore, cancel_update, retry. ``inputs`` come with update only,
    ``snapshot_id`` with restore, ``name`` with snapshot. ``plan_name``: no
    other plan of the stack has it. ``plan_description``: any text.
    """

    action: str
    inputs: requests.StackInputs
    options: requests.StackOptions
    snapshot_id: str
    name: str
    plan_name: str
    plan_description: str


class SavedPlanFacts(typing.TypedDict):
    """The facts of a plan that the service stores.

    It runs exactly so, while the stack is as it was.

    :ivar request: the requested action, such as ``update``
    :ivar basis: the state of the stack that the plan was made for
    :ivar is_current: the stack is still in that state
    :ivar operation_id: the operation that has run it
    :ivar name: null for a plan that was saved without a name
    :ivar is_empty: it changes no resource, template, value or tag
    """

    id: str
    name: typing.NotRequired[rest.OptionalText]
    description: typing.NotRequired[rest.OptionalText]
    request: str
    action: str
    basis: str
    is_current: bool
    is_empty: typing.NotRequired[typing.Annotated[bool, rest.Default(False)]]
    requested_by: typing.NotRequired[rest.OptionalText]
    operation_id: typing.NotRequired[rest.OptionalText]
    created_at: rest.Time
    plan: typing.NotRequired[typing.Annotated[PlanFacts, rest.INLINE]]
