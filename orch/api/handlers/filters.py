"""Which stacks a list is about: the query string in the engine's words."""

import collections.abc

from orch.api import query
from orch.api import web
from orch.rpc import contract

# Some columns have two names on the wire, an old and a new one.
_COLUMNS = {
    "id": "id",
    "name": "name",
    "stack_name": "name",
    "action": "action",
    "stack_action": "action",
    "tenant": "project_id",
    "username": "username",
    "stack_owner": "username",
    "owner_id": "parent_id",
    "parent": "parent_id",
    "disable_rollback": "disable_rollback",
    "timeout_mins": "timeout_mins",
}
_SORT_KEYS = {
    "stack_name": "name",
    "stack_status": "status",
    "creation_time": "created_at",
    "updated_time": "updated_at",
}
_STATUSES = ("IN_PROGRESS", "COMPLETE", "FAILED")


def stack_query(
    req: web.Request,
    page_limit: int,
    hidden_tags: collections.abc.Sequence[str] = (),
) -> contract.StackQuery:
    """Return what the query string asks for; unknown keys are ignored.

    :param hidden_tags: stacks with one of them are left out, unless
        ``show_hidden`` asks for them

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    asked = query.sort_keys(req)
    found: contract.StackQuery = {
        "limit": query.page_limit(req, page_limit),
        "marker": query.find_parameter(req, "marker"),
        "sort_keys": [_SORT_KEYS[key] for key in asked if key in _SORT_KEYS],
        "filters": _filters(req),
        "tags": query.list_words(req, "tags"),
        "tags_any": query.list_words(req, "tags_any"),
        "not_tags": query.list_words(req, "not_tags"),
        "not_tags_any": query.list_words(req, "not_tags_any"),
        "show_deleted": query.get_boolean(req, "show_deleted"),
        "show_nested": query.get_boolean(req, "show_nested"),
        "all_projects": query.get_boolean(req, "global_tenant"),
    }
    if not query.get_boolean(req, "show_hidden"):
        found["not_tags_any"] = [*found["not_tags_any"], *hidden_tags]
    direction = query.sort_direction(req)
    if direction is not None:
        found["sort_dir"] = direction
    return found


def _filters(req: web.Request) -> dict[str, list[str]]:
    filters: dict[str, list[str]] = {}
    for key, column in _COLUMNS.items():
        values = query.find_all(req, key)
        if values:
            filters.setdefault(column, []).extend(values)
    for key in ("status", "stack_status"):
        for value in query.find_all(req, key):
            _add_status(filters, value)
    return filters


def _add_status(filters: dict[str, list[str]], value: str) -> None:
    """Add a status, which may have its action in front of it."""
    action, _, status = value.partition("_")
    if value not in _STATUSES and status in _STATUSES:
        filters.setdefault("action", []).append(action)
        value = status
    filters.setdefault("status", []).append(value)
