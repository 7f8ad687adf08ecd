"""Requests and answers about stacks."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import drift
from orch.rpc.contract import identity
from orch.rpc.contract import leftovers
from orch.rpc.contract import lifecycle
from orch.rpc.contract import methods
from orch.rpc.contract import operations
from orch.rpc.contract import plans
from orch.rpc.contract import requests
from orch.rpc.contract import resources
from orch.rpc.contract import rest


class StackQuery(typing.TypedDict, total=False):
    """Which stacks to list; every key may be missing.

    ``filters``: column to allowed values; columns: id, name, action, status,
    project_id, username, parent_id, disable_rollback, timeout_mins.
    ``sort_keys``: among name, status, created_at, updated_at.
    ``tags``, ``tags_any``, ``not_tags``, ``not_tags_any``: lists.
    ``all_projects``: do not filter by the caller's project.
    """

    limit: int | None
    marker: str | None
    sort_keys: list[str]
    sort_dir: str
    filters: dict[str, list[str]]
    tags: list[str]
    tags_any: list[str]
    not_tags: list[str]
    not_tags_any: list[str]
    show_deleted: bool
    show_nested: bool
    all_projects: bool


class OutputFacts(typing.TypedDict, total=False):
    """One output; ``value`` and ``error`` only where it was resolved.

    ``value`` is plain; ``sensitive``: whether it may be shown on request
    only. So is what is listed without a value and cannot be computed from
    what is stored.
    """

    key: str
    description: str
    value: object
    error: str
    sensitive: bool


class WaitFacts(typing.TypedDict):
    """A resource that waits.

    :ivar kind: what it waits for: retry, signal or breakpoint
    :ivar path: names of the resources that lead to it, ``mid/leaf/b``
    :ivar reason: why the last call failed, or the breakpoint
    :ivar next_try_at: when it goes on by itself
    """

    kind: str
    path: str
    reason: typing.Annotated[str, rest.Default("")]
    next_try_at: rest.OptionalTime


class BlockedFacts(typing.TypedDict):
    """What a stack in progress waits for, in child stacks too.

    :ivar reason: a sentence; the status reason says it, too
    :ivar next_try_at: when the first of the resources goes on by itself
    :ivar resources: the first few of them
    :ivar others: how many more there are
    """

    reason: str
    next_try_at: rest.OptionalTime
    resources: list[WaitFacts]
    others: rest.Count


class StackFacts(typing.TypedDict, total=False):
    """What is known of a stack.

    ``parameters``, ``outputs``, ``template_description`` come with show and
    preview only; ``resources`` and ``plan`` with preview only.
    ``revision`` comes with show only: another one after each change.
    ``verdicts`` come with show only: what lifecycle plug-ins have said of the
    newest operation, other than allow. ``drift`` comes with show only, and
    ``omitted``: what the newest operation has skipped or orphaned.
    ``blocked`` comes only while the stack waits.
    """

    id: str
    name: str
    project_id: str
    action: str
    status: str
    status_reason: str
    description: object
    template_description: object
    created_at: float
    updated_at: float | None
    deleted_at: float | None
    disable_rollback: bool
    timeout_mins: int | None
    username: str | None
    user_id: str | None
    parent_id: str | None
    root_id: str
    tags: list[str]
    revision: str
    parameters: dict[str, str]
    outputs: list[OutputFacts]
    resources: list[resources.Previewed]
    plan: plans.PlanFacts
    failed_resources: list[operations.FailureFacts]
    verdicts: list[lifecycle.VerdictFacts]
    drift: drift.DriftSummary
    blocked: BlockedFacts
    omitted: list[leftovers.OmittedFacts]


class UpdatePreview(typing.TypedDict):
    """What an update would do.

    ``changes``: resources by ``unchanged``, ``updated``, ``replaced``,
    ``added``, ``deleted``; those that are new, replaced or unchanged look as
    nothing of them existed, as Heat shows them.
    """

    changes: dict[str, list[resources.ResourceFacts]]
    plan: plans.PlanFacts


@methods.namespace("stack")
class Stacks(typing.Protocol):
    """Stacks: queries, and operations on them."""

    @methods.reads()
    def identify(
        self, ctxt: request.RequestContext, name_or_id: str
    ) -> identity.StackIdentity:
        """Return the identity of the stack of a name or id.

        :raises orch.errors.NotFound: none that this caller may see
        """

    @methods.reads()
    def list(
        self, ctxt: request.RequestContext, query: StackQuery
    ) -> list[StackFacts]:
        """Return the stacks that match the query, in its order."""

    @methods.reads()
    def count(self, ctxt: request.RequestContext, query: StackQuery) -> int:
        """Return how many stacks match the query, whatever its limit."""

    @methods.reads()
    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        resolve_outputs: bool = True,
    ) -> StackFacts:
        """Return all facts of a stack, of a deleted one too.

        :param resolve_outputs: False where outputs are not used; it saves
            reading the template
        """

    @methods.changes(once=True)
    def create(
        self,
        ctxt: request.RequestContext,
        name: str,
        inputs: requests.StackInputs,
        options: requests.StackOptions,
    ) -> identity.Accepted:
        """Accept a new stack durably; nothing has run yet."""

    @methods.changes(once=True)
    def update(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        inputs: requests.StackInputs,
        options: requests.StackOptions,
    ) -> identity.Accepted:
        """Accept an update of a stack durably; nothing has run yet."""

    @methods.changes(once=True)
    def delete(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        options: requests.StackOptions = requests.NO_OPTIONS,
    ) -> identity.Accepted | None:
        """Accept a deletion durably; ``None`` for a stack that is deleted."""

    @methods.changes(once=True)
    def retry(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        options: requests.StackOptions,
    ) -> identity.Accepted:
        """Accept a retry of the failed operation durably."""

    @methods.changes(once=True)
    def act(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        action: str,
        options: requests.StackOptions,
    ) -> identity.Accepted | None:
        """Accept an action durably; ``None`` where there is nothing to do.

        :param action: ``SUSPEND``, ``RESUME`` or ``CHECK``
        """

    @methods.changes(once=True)
    def cancel(
        self, ctxt: request.RequestContext, stack_id: str, rolls_back: bool
    ) -> identity.Accepted:
        """Accept the cancellation of an operation durably.

        :param rolls_back: the stack returns to what it was before
        :returns: the operation that rolls back, or the one that ends
        """

    @methods.reads()
    def template(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return the template in force."""

    @methods.reads()
    def environment(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return the merged environment, hidden parameters redacted."""

    @methods.reads()
    def files(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, str]:
        """Return the files of the template, name to text."""

    # A method above is named list, which hides the built-in type in here.
    @methods.reads()
    def outputs(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> collections.abc.Sequence[OutputFacts]:
        """Return names and descriptions of the outputs, no values."""

    @methods.reads()
    def output(
        self, ctxt: request.RequestContext, stack_id: str, key: str
    ) -> OutputFacts:
        """Return one output with its value.

        :raises orch.errors.NotFound: the template declares no such output
        """
