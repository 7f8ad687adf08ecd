"""The RPC contract: topic, namespaces, versions and the shapes that travel.

Every method is a *call* on topic :data:`TOPIC`, any worker answers, in the
namespace of its noun; ``operation.run`` alone is a *cast*. Arguments are
keywords. What travels is JSON: strings, numbers, booleans, null, lists and
maps; moments are seconds since 1970 UTC (``orch.clock``).

==========  =====================================================
namespace   methods (arguments) -> answer
==========  =====================================================
stack       identify(name_or_id) -> StackIdentity
            list(query: StackQuery) -> list[StackFacts]
            count(query: StackQuery) -> int
            show(stack_id, resolve_outputs=True) -> StackFacts
            preview(name, inputs: StackInputs, options: StackOptions)
            -> StackFacts with ``resources`` and ``plan``
            preview_update(stack_id, inputs, options) -> UpdatePreview
            create(name, inputs, options) -> Accepted
            update(stack_id, inputs, options) -> Accepted
            delete(stack_id, options) -> Accepted, or null when already gone
            retry(stack_id, options) -> Accepted
            act(stack_id, action: SUSPEND, RESUME or CHECK, options)
            -> Accepted, or null when there is nothing to do
            cancel(stack_id, rolls_back) -> Accepted: the operation that
            goes back, or the one that ends
            template(stack_id) -> map; environment(stack_id) -> map;
            files(stack_id) -> map of name to text
            outputs(stack_id) -> list[OutputFacts] without values
            output(stack_id, key) -> OutputFacts
resource    list(stack_id, nested_depth=0, with_attributes=False,
            filters: map of str to list of str) -> list[ResourceFacts]
            show(stack_id, name, with_attributes: list of str)
            -> ResourceFacts with ``attributes``
            metadata(stack_id, name) -> map
            signal(stack_id, name, details: any) -> Accepted: the operation
            that may go on
            mark_unhealthy(stack_id, name, is_unhealthy, reason) -> null;
            name: of the resource, or its physical id; reason: str or null
event       list(stack_id, resource_name=None, query: EventQuery)
            -> list[EventFacts]
            show(stack_id, resource_name, event_id) -> EventFacts with
            ``resource_properties``
template    validate(inputs: StackInputs, show_nested=False,
            ignore_errors: list of str) -> map, Heat's answer of /validate
            versions() -> list of {version, type, aliases}
            functions(version, with_condition_func=False)
            -> list of {functions, description}
type        list(filters: map, with_description=False)
            -> list of str, or of {resource_type, description}
            show(type_name, with_description=False) -> map, Heat's answer of
            /resource_types/{t}
            template(type_name, template_type) -> map
operation   run(operation_id)   (cast)
            list(stack_id) -> list[OperationFacts]
            show(stack_id, operation_id) -> OperationFacts with ``steps`` and
            ``resources``
plan        create(stack_id, wish: PlanWish) -> KeptPlanFacts
            list(stack_id) -> list[KeptPlanFacts] without ``plan``
            show(stack_id, plan_id) -> KeptPlanFacts
            delete(stack_id, plan_id) -> null
            apply(stack_id, plan_id) -> Accepted
snapshot    create(stack_id, name, options) -> SnapshotBegun; name: str or
            null
            list(stack_id) -> list[SnapshotFacts]
            show(stack_id, snapshot_id) -> SnapshotFacts
            delete(stack_id, snapshot_id) -> null
            restore(stack_id, snapshot_id, options) -> Accepted
service     list() -> list[ServiceFacts]
            revision() -> str
==========  =====================================================

A stack, resource, event or operation that does not exist, or belongs to
another project, is an ``orch.errors.NotFound``.
"""

import typing

TOPIC = "orch-engine"
VERSION = "1.0"
NAMESPACES = (
    "stack",
    "resource",
    "event",
    "template",
    "type",
    "operation",
    "plan",
    "snapshot",
    "service",
)


class StackIdentity(typing.TypedDict):
    """Which stack, and the project that owns it."""

    project_id: str
    stack_name: str
    stack_id: str


class Accepted(typing.TypedDict):
    """The answer to an accepted request: it is durable, nothing ran yet."""

    identity: StackIdentity
    operation_id: str


class StackInputs(typing.TypedDict, total=False):
    """What describes a stack; every key may be missing.

    ``template``: map or text. ``environment``: map or text. ``parameters``:
    map. ``files``: name to text. ``environment_files``: names in ``files``,
    in the order in which they are merged.
    """

    template: object
    environment: object
    parameters: dict[str, object]
    files: dict[str, str]
    environment_files: list[str]


class StackOptions(typing.TypedDict, total=False):
    """How an operation runs; every key may be missing.

    ``timeout_mins``: whole minutes, missing or 0 for the default.
    ``disable_rollback``: true by default. ``keep_going``: finish independent
    branches after a failure, false by default. Of updates alone:
    ``existing``: what the request does not name stays as it is stored;
    ``clear_parameters``: stored values that go back to their defaults.

    With ``retry`` every method goes on with its action, which must have
    failed; the request then bears no inputs. Of retries alone: ``skip`` and
    ``orphan``, names of resources that are not complete: the former stay as
    they are and count as done, the things of the latter are left behind and
    forgotten.
    """

    timeout_mins: int | None
    disable_rollback: bool
    keep_going: bool
    tags: list[str]
    existing: bool
    clear_parameters: list[str]
    retry: bool
    skip: list[str]
    orphan: list[str]


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


class EventQuery(typing.TypedDict, total=False):
    """Which events to list; every key may be missing.

    ``filters``: resource_status, resource_action, resource_name,
    resource_type, each a list. ``sort_keys``: event_time, resource_type.
    """

    limit: int | None
    marker: str | None
    sort_keys: list[str]
    sort_dir: str
    nested_depth: int
    filters: dict[str, list[str]]


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
    parameters: dict[str, str]
    outputs: list[OutputFacts]
    resources: list["ResourceFacts"]
    plan: "PlanFacts"


class ResourceFacts(typing.TypedDict, total=False):
    """What is known of a resource.

    ``attributes``, ``description`` and ``properties`` come where a method
    says so. ``parent_resource`` only for resources of nested stacks.
    """

    id: str
    name: str
    type_name: str
    physical_id: str | None
    action: str
    status: str
    status_reason: str
    created_at: float
    updated_at: float
    required_by: list[str]
    description: str
    metadata: dict[str, object]
    attributes: dict[str, object]
    properties: dict[str, object]
    parent_resource: str
    stack: StackIdentity
    nested_stack: StackIdentity | None


class EventFacts(typing.TypedDict, total=False):
    """One event."""

    id: str
    sequence: int
    created_at: float
    resource_name: str
    resource_type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    stack: StackIdentity
    root_stack: StackIdentity
    resource_properties: dict[str, object]


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


class ChangeFacts(typing.TypedDict, total=False):
    """One change of a plan.

    ``kind``: create, adopt, update, read, check, suspend, resume, snapshot,
    keep (a snapshot before the removal), delete, retain; forget, which
    removes a snapshot of the stack, and clean-up, which what is removed waits
    for, are of no resource. ``physical_id``: of the thing that stands;
    ``replaces``: of the one whose place the new one takes. ``after``: keys of
    the changes that come before. ``is_certain`` is false when only the run
    can tell whether, or how, anything is to be done.
    """

    key: str
    kind: str
    resource_name: str
    resource_type: str
    physical_id: str | None
    replaces: str | None
    reason: str
    after: list[str]
    is_certain: bool
    properties: dict[str, PropertyChange]


class PlanFacts(typing.TypedDict, total=False):
    """What an operation does, in order; ``text`` says it to people.

    Names of resources: ``unchanged`` stay as they are, in ``returns`` an
    earlier thing takes its place back, ``skipped`` and ``orphans`` are left
    out by request.
    """

    action: str
    text: str
    changes: list[ChangeFacts]
    unchanged: list[str]
    returns: list[str]
    skipped: list[str]
    orphans: list[str]


class UpdatePreview(typing.TypedDict):
    """What an update would do.

    ``changes``: resources by ``unchanged``, ``updated``, ``replaced``,
    ``added``, ``deleted``; those that are new, replaced or unchanged look as
    nothing of them existed, as Heat shows them.
    """

    changes: dict[str, list[ResourceFacts]]
    plan: PlanFacts


class PlanWish(typing.TypedDict, total=False):
    """What a plan is asked for of.

    ``action``: update, delete, rollback, suspend, resume, check, snapshot,
    restore, cancel_update, retry. ``inputs`` come with update only,
    ``snapshot_id`` with restore, ``name`` with snapshot.
    """

    action: str
    inputs: StackInputs
    options: StackOptions
    snapshot_id: str
    name: str


class KeptPlanFacts(typing.TypedDict, total=False):
    """A plan that can be run: exactly it, while the stack is as it was.

    ``request``: the action that it was asked for, a word of
    :class:`PlanWish`. ``basis``: the state of the stack that it was made for;
    ``is_current``: it is still so. ``operation_id``: what has run it.
    """

    id: str
    request: str
    action: str
    basis: str
    is_current: bool
    asked_by: str | None
    operation_id: str | None
    created_at: float
    plan: PlanFacts


class SnapshotFacts(typing.TypedDict):
    """One snapshot; ``data``: the stack at that time, Heat's export.

    Hidden parameters are covered in it.
    """

    id: str
    name: str | None
    status: str
    status_reason: str
    created_at: float
    data: dict[str, object]


class SnapshotBegun(typing.TypedDict):
    """A snapshot that was accepted, and the operation that takes it."""

    snapshot: SnapshotFacts
    accepted: Accepted


class AttemptFacts(typing.TypedDict):
    """One attempt of an operation; ``number`` counts from 1."""

    number: int
    asked_by: str | None
    state: str
    reason: str
    started_at: float | None
    finished_at: float | None


class StepFacts(typing.TypedDict):
    """One step of an operation's plan; ``state``: WAITING until it began."""

    kind: str
    resource_name: str
    state: str


class ProgressFacts(typing.TypedDict):
    """What an operation has done to one resource so far, last of all."""

    name: str
    type_name: str
    action: str
    status: str
    reason: str
    started_at: float | None
    finished_at: float | None


class OperationFacts(typing.TypedDict, total=False):
    """One operation of a stack.

    ``inputs_hash``: of template, environment, parameters and files; null
    when nothing is to be left. ``next_try_at``: when a blocked one goes on by
    itself; ``expected_at``: when it should have ended, by what earlier ones
    took; null when nobody knows. ``plan_id``: the kept plan that it runs.
    ``steps`` and ``resources`` come with show only, ``steps`` once it was
    planned: those of its last run.
    """

    id: str
    inputs_hash: str | None
    attempts: list[AttemptFacts]
    skip: list[str]
    orphan: list[str]
    keep_going: bool
    plan_id: str | None
    next_try_at: float | None
    expected_at: float | None
    steps: list[StepFacts] | None
    resources: list[ProgressFacts]
    action: str
    state: str
    attempt: int
    reason: str
    total: int
    done: int
    failures: list[dict[str, object]]
    superseded_by: str | None
    asked_by: str | None
    worker: str | None
    created_at: float
    started_at: float | None
    finished_at: float | None


class ServiceFacts(typing.TypedDict, total=False):
    """One process that reports; ``is_up`` by the database's clock."""

    id: str
    host: str
    binary: str
    topic: str
    report_interval_s: int
    is_up: bool
    created_at: float
    updated_at: float
