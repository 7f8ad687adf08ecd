"""Requests and answers about plans."""

import typing

from orch.rpc.contract import lifecycle
from orch.rpc.contract import requests
from orch.rpc.contract import rest


class PropertyChange(typing.TypedDict, total=False):
    """One property in a plan.

    ``old`` is missing where nothing stands, ``new`` where nothing will.
    ``{"known_later": true}`` stands in ``new`` for what comes into being with
    the run, asterisks for what a hidden parameter goes into.
    ``needs_replacement``: it cannot be changed in place.
    """

    old: object
    new: object
    needs_replacement: bool


class ChangeFacts(typing.TypedDict):
    """One change of a plan.

    ``kind``: create, adopt, update, read, check, suspend, resume, snapshot,
    keep (a snapshot before the removal), delete, retain; forget, which
    removes a snapshot of the stack, and clean-up, which what is removed waits
    for, are of no resource. ``physical_id``: of the thing that stands;
    ``replaces``: of the one whose place the new one takes. ``after``: keys of
    the changes that come before. ``is_certain`` is false when only the run
    can tell whether, or how, anything is to be done. ``child_plan``: the plan
    of the stack that the resource is, where that is known before.
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
    """What an operation does, in order; ``text`` says it to people.

    Names of resources: ``unchanged`` stay as they are, in ``returns`` an
    earlier thing takes its place back, ``skipped`` and ``orphans`` are left
    out by request. ``warnings``: sentences on things that could not be read,
    so that their stored properties counted. ``verdicts``: what those lifecycle
    plug-ins say, other than allow, that answer before anything is asked for;
    the plan of a whole operation has them.
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
    ``snapshot_id`` with restore, ``name`` with snapshot.
    """

    action: str
    inputs: requests.StackInputs
    options: requests.StackOptions
    snapshot_id: str
    name: str


class SavedPlanFacts(typing.TypedDict):
    """A plan that can be run: exactly it, while the stack is as it was.

    ``request``: the action that it was asked for, a word of
    :class:`PlanRequest`. ``basis``: the state of the stack that it was made
    for; ``is_current``: it is still so. ``operation_id``: what has run it.
    """

    id: str
    request: str
    action: str
    basis: str
    is_current: bool
    requested_by: typing.NotRequired[rest.OptionalText]
    operation_id: typing.NotRequired[rest.OptionalText]
    created_at: rest.Time
    plan: typing.NotRequired[typing.Annotated[PlanFacts, rest.INLINE]]
