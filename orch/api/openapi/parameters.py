"""Parameters of query strings, of paths and in headers, as OpenAPI has them.

A handler that reads one more needs it here: ``tests/unit/api`` compares.
"""

import typing

from orch.api.response_schemas import shapes
from orch.api.schemas import search
from orch.rpc import contract
from orch.rpc.contract import search_limits

Parameter = dict[str, object]

_NAME: typing.Final[shapes.Schema] = {"type": "string", "minLength": 1}
_LIST: typing.Final[shapes.Schema] = {"type": "array", "items": shapes.TEXT}
_DIRECTION: typing.Final = shapes.one_of("asc", "desc")


def _query(
    name: str, schema: shapes.Schema, description: str = ""
) -> Parameter:
    return {
        "name": name,
        "in": "query",
        "schema": schema,
        **({"description": description} if description else {}),
    }


def path(name: str) -> Parameter:
    """Return the parameter that stands in braces in a path."""
    return {"name": name, "in": "path", "required": True, "schema": _NAME}


def _header(name: str, description: str) -> Parameter:
    """Return a header that a request may bear."""
    return {
        "name": name,
        "in": "header",
        "description": description,
        "schema": {"type": "string"},
    }


PAGE: typing.Final = (
    _query("limit", shapes.COUNT, "Rows of the answer at most."),
    _query("marker", shapes.TEXT, "Id of the last row of the page before."),
)
_GLOBAL: typing.Final = _query(
    "global_tenant", shapes.FLAG, "Of all projects, not of one."
)
_TAGS: typing.Final = {
    "tags": "Stacks with all of these tags, commas between them.",
    "tags_any": "Stacks with any of these tags.",
    "not_tags": "Stacks without all of these tags.",
    "not_tags_any": "Stacks without any of these tags.",
}
_STACK_FILTERS: typing.Final = (
    "id",
    "name",
    "status",
    "action",
    "tenant",
    "username",
    "owner_id",
    "stack_name",
    "stack_status",
    "stack_action",
    "stack_owner",
    "parent",
    "stack_user_project_id",
    "disable_rollback",
    "timeout_mins",
)
STACKS: typing.Final = (
    *PAGE,
    _query(
        "sort_keys",
        {
            "type": "array",
            "items": shapes.one_of(
                "stack_name", "stack_status", "creation_time", "updated_time"
            ),
        },
    ),
    _query("sort_dir", _DIRECTION),
    _query("show_deleted", shapes.FLAG),
    _query("show_nested", shapes.FLAG),
    _query("show_hidden", shapes.FLAG, "Include those with a tag for hiding."),
    _GLOBAL,
    _query("with_count", shapes.FLAG, "Return how many there are in all."),
    *(_query(name, shapes.TEXT, said) for name, said in _TAGS.items()),
    *(
        _query(name, _LIST, "Repeated: any of the values.")
        for name in _STACK_FILTERS
    ),
)
SHOW: typing.Final = (
    _query("resolve_outputs", shapes.FLAG, "False leaves outputs out."),
)
RETRY: typing.Final = (
    _query(
        "keep_going", shapes.FLAG, "Continue with the rest after a failure."
    ),
    _query("retry", shapes.FLAG, "Retry a deletion that failed."),
    _query("timeout_mins", shapes.COUNT),
    _query("skip", _LIST, "Resources that count as done."),
    _query(
        "orphan", _LIST, "Resources whose physical resources are left behind."
    ),
    _query("replace", _LIST, "Refused: a deletion creates nothing."),
)
DRIFT: typing.Final = (
    _query(
        "state",
        {"type": "array", "items": shapes.one_of(*contract.DRIFT_STATES)},
        "Resources in one of these states.",
    ),
    _query("limit", shapes.COUNT, "Resources of the answer at most."),
    _query(
        "marker",
        shapes.TEXT,
        "Path of the last resource of the page before.",
    ),
)
DRIFT_HISTORY: typing.Final = (
    _query("limit", shapes.COUNT, "Entries of the answer at most."),
    _query("marker", shapes.TEXT, "Id of the last entry of the page before."),
)
_ALL_PROJECTS: typing.Final = _query(
    "all_projects", shapes.FLAG, "Of all projects; for administrators."
)
PAUSE: typing.Final = (_ALL_PROJECTS,)
_KIND: typing.Final = _query(
    "kind",
    {"type": "array", "items": shapes.one_of(*search.KINDS)},
    "Repeated, or with commas between them: any of these.",
)
LEFTOVERS: typing.Final = (
    *PAGE,
    _query("stack", shapes.TEXT, "Id or name of the root stack."),
    _query("type", shapes.TEXT, "Of their resources."),
    _query("since", shapes.MOMENT, "Left at this moment or later."),
)
SEARCH_DIFF: typing.Final = (
    _query("q", shapes.TEXT, "What is compared; all where it is empty."),
    _KIND,
    _ALL_PROJECTS,
    {
        **_query("as_of", shapes.MOMENT, "The earlier moment."),
        "required": True,
    },
    _query("as_of_other", shapes.MOMENT, "The later moment; by default now."),
)
SEARCH_EXPORT: typing.Final = (
    _query("q", shapes.TEXT, "What is searched for; all where it is empty."),
    _KIND,
    _query("sort", _LIST, "Fields; a - before one means the greatest first."),
    _ALL_PROJECTS,
    _query("as_of", shapes.MOMENT, "How it was at that moment."),
    _query("with_texts", shapes.FLAG, "Templates and events with the hits."),
)
SEARCH: typing.Final = (
    *SEARCH_EXPORT,
    _query("limit", dict(search.LIMIT), "Hits of the answer at most."),
    _query("cursor", shapes.TEXT, "Of the last hit of the page before."),
    _query("marker", shapes.TEXT, "The same as cursor."),
    _query("offset", dict(search.OFFSET), "Hits that are left out."),
    _query(
        "facet",
        _LIST,
        "Fields whose values are counted; FIELD:NUMBER of them.",
    ),
    _query("stats", _LIST, "Fields of numbers that are summed up."),
    _query("highlight", shapes.FLAG, "False leaves out where it fits."),
)
SAVED_SEARCH_HITS: typing.Final = tuple(
    each for each in SEARCH if each["name"] != "q"
)
SAVED_SEARCH_DELETE: typing.Final = (
    _query("is_shared", shapes.FLAG, "The one that the project shares."),
)
SEARCH_FACETS: typing.Final = (
    _ALL_PROJECTS,
    _query("index", shapes.TEXT, "The only one there is: orch."),
    _query("type", shapes.TEXT, "Of this type alone."),
    _query(
        "limit_terms",
        {"type": "integer", "minimum": 0, "maximum": search_limits.VALUES},
        "Values of a field at most.",
    ),
    _query("include_fields", shapes.FLAG, "False shows counts alone."),
    _query("exclude_options", shapes.FLAG, "True leaves out values."),
)
SEARCH_FIELDS: typing.Final = (_KIND,)
PREVIEW: typing.Final = (_query("show_nested", shapes.FLAG),)
VALIDATE: typing.Final = (
    _query("show_nested", shapes.FLAG),
    _query(
        "ignore_errors",
        {"type": "string", "pattern": "^[0-9]{1,9}(,[0-9]{1,9})*$"},
        "Numbers of errors, commas between them.",
    ),
)
SECRETS: typing.Final = (
    _query("secrets", shapes.one_of("plain", "sealed")),
    _query("receiver", shapes.TEXT, "Public key to seal secrets for."),
    _query(
        "form",
        shapes.one_of("plain", "compact"),
        "Compact has each text once, compressed.",
    ),
)
_DEPTH: typing.Final = _query(
    "nested_depth", shapes.COUNT, "Of how many levels of child stacks."
)
RESOURCES: typing.Final = (
    _DEPTH,
    _query("with_detail", shapes.FLAG, "With attributes."),
    *(
        _query(name, _LIST, "Repeated: any of the values.")
        for name in (
            "type",
            "status",
            "name",
            "action",
            "id",
            "physical_resource_id",
        )
    ),
)
RESOURCE: typing.Final = (
    _query("with_attr", _LIST, "Additional attributes to read."),
)
_EVENT_FILTERS: typing.Final = (
    "resource_status",
    "resource_action",
    "resource_name",
    "resource_type",
)
EVENTS: typing.Final = (
    *PAGE,
    _query(
        "sort_keys",
        {
            "type": "array",
            "items": shapes.one_of("event_time", "resource_type"),
        },
    ),
    _query("sort_dir", _DIRECTION),
    _DEPTH,
    *(_query(name, _LIST) for name in _EVENT_FILTERS),
    _query("follow", shapes.FLAG, "Send events as they happen."),
    _query(
        "until", shapes.one_of("idle"), "End when no operation is in progress."
    ),
)
TYPES: typing.Final = (
    _query("name", shapes.TEXT, "A regular expression."),
    _query("version", shapes.TEXT),
    _query("support_status", shapes.TEXT),
    _query("with_description", shapes.FLAG),
)
TYPE: typing.Final = (_query("with_description", shapes.FLAG),)
TYPE_TEMPLATE: typing.Final = (
    _query("template_type", shapes.one_of("cfn", "hot")),
)
FUNCTIONS: typing.Final = (_query("with_condition_func", shapes.FLAG),)
CONFIGS: typing.Final = (*PAGE, _GLOBAL)
HOLDS: typing.Final = (_ALL_PROJECTS,)
DEPLOYMENTS: typing.Final = (_query("server_id", shapes.TEXT),)
SEAL: typing.Final = (
    _query("Signature", shapes.TEXT),
    _query("Expires", shapes.TEXT),
    _query("Resource", shapes.TEXT),
)

OWN_PROJECT: typing.Final = _header(
    "X-Project-Id", "The project, where the login does not say which."
)
IF_MATCH: typing.Final = _header(
    "If-Match", "Entity tag of the stack that the change is meant for."
)
IF_NONE_MATCH: typing.Final = _header(
    "If-None-Match", "Entity tag of what the sender has already."
)
IDEMPOTENCY_KEY: typing.Final = _header(
    "Idempotency-Key", "The same request again gets the first one's answer."
)
LIFECYCLE_OVERRIDE: typing.Final = _header(
    "Lifecycle-Override",
    "Why denials of soft-mandatory lifecycle plug-ins are overridden, in"
    " UTF-8, percent-encoded.",
)
LAST_EVENT_ID: typing.Final = _header(
    "Last-Event-ID", "Id of the last event that came."
)
