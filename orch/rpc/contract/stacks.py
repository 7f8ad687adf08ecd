"""Requests and answers about stacks."""

import typing

from orch.rpc.contract import drift
from orch.rpc.contract import lifecycle
from orch.rpc.contract import operations
from orch.rpc.contract import plans
from orch.rpc.contract import resources


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
    """One output; ``value`` and ``error`` only where it was resolved."""

    key: str
    description: str
    value: object
    error: str


class StackFacts(typing.TypedDict, total=False):
    """What is known of a stack.

    ``parameters``, ``outputs``, ``template_description`` come with show and
    preview only; ``resources`` and ``plan`` with preview only.
    ``revision`` comes with show only: another one after each change.
    ``verdicts`` come with show only: what lifecycle plug-ins have said of the
    newest operation, other than allow. ``drift`` comes with show only.
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


class UpdatePreview(typing.TypedDict):
    """What an update would do.

    ``changes``: resources by ``unchanged``, ``updated``, ``replaced``,
    ``added``, ``deleted``; those that are new, replaced or unchanged look as
    nothing of them existed, as Heat shows them.
    """

    changes: dict[str, list[resources.ResourceFacts]]
    plan: plans.PlanFacts
