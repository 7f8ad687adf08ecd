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
            -> StackFacts with ``resources``
            create(name, inputs, options) -> Accepted
            delete(stack_id) -> Accepted, or null when already gone
            retry(stack_id, options) -> Accepted
            template(stack_id) -> map; environment(stack_id) -> map;
            files(stack_id) -> map of name to text
            outputs(stack_id) -> list[OutputFacts] without values
            output(stack_id, key) -> OutputFacts
resource    list(stack_id, nested_depth=0, with_attributes=False,
            filters: map of str to list of str) -> list[ResourceFacts]
            show(stack_id, name, with_attributes: list of str)
            -> ResourceFacts with ``attributes``
            metadata(stack_id, name) -> map
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
            show(stack_id, operation_id) -> OperationFacts
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
    branches after a failure, false by default.
    """

    timeout_mins: int | None
    disable_rollback: bool
    keep_going: bool
    tags: list[str]


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
    preview only; ``resources`` with preview only.
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


class OperationFacts(typing.TypedDict, total=False):
    """One operation of a stack."""

    id: str
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
