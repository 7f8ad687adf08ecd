"""All addresses of the API: method, path, rule, handler.

Paths stand below ``/v1/{project}``; how they are served is in ``routing``.
"""

import dataclasses
import typing

from orch.api import web
from orch.api.handlers import actions
from orch.api.handlers import adoption
from orch.api.handlers import documents
from orch.api.handlers import drift
from orch.api.handlers import events
from orch.api.handlers import leftovers
from orch.api.handlers import lookup
from orch.api.handlers import operations
from orch.api.handlers import plans
from orch.api.handlers import resource_types
from orch.api.handlers import resources
from orch.api.handlers import saved_searches
from orch.api.handlers import search
from orch.api.handlers import services
from orch.api.handlers import snapshots
from orch.api.handlers import software_configs
from orch.api.handlers import software_deployments
from orch.api.handlers import stacks
from orch.api.handlers import templates

_STACK = "/stacks/{name}/{stack_id}"
_RESOURCE = _STACK + "/resources/{resource}"
_PAUSE = "/drift/pause"
_PLAN = _STACK + "/plans/{plan_id}"
_DRIFT = _STACK + "/drift"
_SNAPSHOTS = _STACK + "/snapshots"
_SNAPSHOT = _SNAPSHOTS + "/{snapshot_id}"
_ABANDON = _STACK + "/abandon"
_FORWARDED = _ABANDON + "/addresses"
_DEPLOYMENTS = "/software_deployments"
_DEPLOYMENT = _DEPLOYMENTS + "/{deployment_id}"
_LEFTOVER = "/leftovers/{leftover_id}"
_SAVED = "/search/saved/{search_name}"
_LOOKUPS = (
    ("GET POST", "/resources"),
    ("GET POST", "/events"),
    ("GET POST", "/template"),
    ("GET POST", "/actions"),
    ("GET", "/environment"),
    ("GET", "/files"),
    ("GET POST PUT PATCH DELETE", ""),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Route:
    """One line of the table.

    :ivar methods: one or several, blanks between them
    :ivar rule: checked before the handler runs; ``None`` where the handler
        does so, because the rule depends on what the request says
    """

    methods: str
    path: str
    rule: str | None
    handler: web.Handler


TABLE: typing.Final[tuple[Route, ...]] = (
    Route("GET", "/stacks", "stacks:index", stacks.index),
    Route("POST", "/stacks", None, stacks.create),
    Route("GET", "/stacks/detail", "stacks:detail", stacks.index),
    Route("POST", "/stacks/preview", "stacks:preview", stacks.preview),
    Route("GET", _STACK, "stacks:show", stacks.show),
    Route("PUT PATCH", _STACK, None, stacks.update),
    Route("DELETE", _STACK, None, stacks.delete),
    Route("POST", _STACK + "/actions", None, actions.act),
    *(
        Route(
            methods, "/stacks/{name}" + path, "stacks:lookup", lookup.by_name
        )
        for methods, path in _LOOKUPS
    ),
    Route("GET", _STACK + "/template", "stacks:template", documents.template),
    Route(
        "GET",
        _STACK + "/environment",
        "stacks:environment",
        documents.environment,
    ),
    Route("GET", _STACK + "/files", "stacks:files", documents.files),
    Route(
        "GET", _STACK + "/outputs", "stacks:list_outputs", documents.outputs
    ),
    Route(
        "GET",
        _STACK + "/outputs/{key}",
        "stacks:show_output",
        documents.output,
    ),
    Route("GET", _STACK + "/resources", "resource:index", resources.index),
    Route("GET", _RESOURCE, "resource:show", resources.show),
    Route("PATCH", _RESOURCE, "resource:mark_unhealthy", resources.mark),
    Route(
        "POST",
        _RESOURCE + "/outcome",
        "resource:answer_outcome",
        resources.answer,
    ),
    Route(
        "GET",
        _RESOURCE + "/metadata",
        "resource:metadata",
        resources.metadata,
    ),
    Route(
        "POST",
        _RESOURCE + "/signal",
        "resource:signal",
        resources.signal,
    ),
    Route(
        "DELETE",
        _RESOURCE + "/signal",
        "resource:revoke_addresses",
        resources.revoke,
    ),
    Route("GET", _STACK + "/events", "events:index", events.index),
    Route("GET", _RESOURCE + "/events", "events:index", events.of_resource),
    Route(
        "GET",
        _RESOURCE + "/events/{event_id}",
        "events:show",
        events.show,
    ),
    Route(
        "GET",
        _STACK + "/operations",
        "operations:index",
        operations.index,
    ),
    Route(
        "GET",
        _STACK + "/operations/{operation_id}",
        "operations:show",
        operations.show,
    ),
    Route(
        "PUT",
        _STACK + "/preview",
        "stacks:preview_update",
        stacks.preview_update,
    ),
    Route(
        "PATCH",
        _STACK + "/preview",
        "stacks:preview_update_patch",
        stacks.preview_update,
    ),
    Route("POST", _STACK + "/plans", "plans:create", plans.create),
    Route("GET", _STACK + "/plans", "plans:index", plans.index),
    Route("GET", _PLAN, "plans:show", plans.show),
    Route("DELETE", _PLAN, "plans:delete", plans.delete),
    Route("POST", _PLAN + "/apply", "plans:apply", plans.apply),
    Route("GET", _DRIFT, "drift:show", drift.show),
    Route("GET", _DRIFT + "/policy", "drift:show_policy", drift.show_policy),
    Route("PUT", _DRIFT + "/policy", "drift:set_policy", drift.set_policy),
    Route("GET", _DRIFT + "/template", "drift:template", drift.template),
    Route("GET", _DRIFT + "/history", "drift:history", drift.history),
    Route("GET", _PAUSE, "drift:show_pause", drift.show_pause),
    Route("PUT", _PAUSE, "drift:pause", drift.pause),
    Route("DELETE", _PAUSE, "drift:pause", drift.resume),
    Route("POST", _SNAPSHOTS, None, snapshots.create),
    Route("GET", _SNAPSHOTS, "stacks:list_snapshots", snapshots.index),
    Route("GET", _SNAPSHOT, "stacks:show_snapshot", snapshots.show),
    Route("DELETE", _SNAPSHOT, "stacks:delete_snapshot", snapshots.delete),
    Route("POST", _SNAPSHOT + "/restore", None, snapshots.restore),
    Route(
        "GET",
        "/software_configs",
        "software_configs:index",
        software_configs.index,
    ),
    Route(
        "POST",
        "/software_configs",
        "software_configs:create",
        software_configs.create,
    ),
    Route(
        "GET",
        "/software_configs/{config_id}",
        "software_configs:show",
        software_configs.show,
    ),
    Route(
        "DELETE",
        "/software_configs/{config_id}",
        "software_configs:delete",
        software_configs.delete,
    ),
    Route(
        "GET",
        _DEPLOYMENTS,
        "software_deployments:index",
        software_deployments.index,
    ),
    Route(
        "POST",
        _DEPLOYMENTS,
        "software_deployments:create",
        software_deployments.create,
    ),
    Route(
        "GET",
        _DEPLOYMENT,
        "software_deployments:show",
        software_deployments.show,
    ),
    Route(
        "PUT",
        _DEPLOYMENT,
        "software_deployments:update",
        software_deployments.update,
    ),
    Route(
        "DELETE",
        _DEPLOYMENT,
        "software_deployments:delete",
        software_deployments.delete,
    ),
    Route(
        "GET",
        _DEPLOYMENTS + "/metadata/{server_id}",
        "software_deployments:metadata",
        software_deployments.metadata,
    ),
    Route(
        "POST",
        "/stacks/generate",
        "stacks:generate",
        adoption.generate,
    ),
    Route("GET", _STACK + "/export", "stacks:export", adoption.export),
    Route("DELETE", _ABANDON, "stacks:abandon", adoption.abandon),
    Route("POST", _ABANDON, None, adoption.step),
    Route("GET", _ABANDON, "stacks:abandon", adoption.document),
    Route("GET", "/hand_overs", "stacks:hand_overs", adoption.list_hand_overs),
    Route(
        "DELETE",
        "/hand_overs/{hand_over_id}",
        "stacks:hand_over",
        adoption.withdraw_hand_over,
    ),
    Route("GET", _FORWARDED, "stacks:forwarding", adoption.forwarded),
    Route("POST", _FORWARDED, "stacks:forwarding", adoption.announce),
    Route(
        "GET",
        _STACK + "/addresses",
        "stacks:addresses",
        adoption.addresses,
    ),
    Route("POST", _STACK + "/move", "stacks:move", resources.move),
    Route(
        "POST",
        _STACK + "/move/preview",
        "stacks:preview_move",
        resources.preview_move,
    ),
    Route("GET", "/leftovers", "leftovers:index", leftovers.index),
    Route("GET", _LEFTOVER, "leftovers:show", leftovers.show),
    Route("POST", _LEFTOVER + "/sweep", "leftovers:sweep", leftovers.sweep),
    Route("DELETE", _LEFTOVER, "leftovers:forget", leftovers.forget),
    Route("GET", "/search", "search:query", search.find_matches),
    Route("POST", "/search", "search:query", search.ask),
    Route("GET", "/search/diff", "search:as_of", search.diff),
    Route("GET", "/search/export", "search:query", search.export),
    Route("GET", "/search/facets", "search:facets", search.facets),
    Route("GET", "/search/fields", "search:fields", search.fields),
    Route("GET", "/search/plugins", "search:plugins", search.plugins),
    Route("GET", "/search/status", "search:status", search.status),
    Route("GET", "/search/saved", "search:saved", saved_searches.index),
    Route("POST", "/search/saved", "search:save", saved_searches.create),
    Route("GET", _SAVED, "search:saved", saved_searches.show),
    Route("PUT", _SAVED, "search:save", saved_searches.replace),
    Route("DELETE", _SAVED, "search:save", saved_searches.delete),
    Route("GET", _SAVED + "/hits", "search:query", search.find_saved_matches),
    Route(
        "GET",
        "/resource_types",
        "stacks:list_resource_types",
        resource_types.index,
    ),
    Route(
        "GET",
        "/resource_types/{type_name}",
        "stacks:resource_schema",
        resource_types.show,
    ),
    Route(
        "GET",
        "/resource_types/{type_name}/template",
        "stacks:generate_template",
        resource_types.template,
    ),
    Route(
        "GET",
        "/template_versions",
        "stacks:list_template_versions",
        templates.list_versions,
    ),
    Route(
        "GET",
        "/template_versions/{version}/functions",
        "stacks:list_template_functions",
        templates.list_functions,
    ),
    Route(
        "POST",
        "/validate",
        "stacks:validate_template",
        templates.validate,
    ),
    Route(
        "GET",
        "/lifecycle/plugins",
        "lifecycle:list",
        operations.list_plugins,
    ),
    Route("GET", "/lifecycle/holds", "lifecycle:holds", operations.list_holds),
    Route("GET", "/services", "service:index", services.index),
    Route(
        "GET",
        "/build_info",
        "build_info:build_info",
        services.build_info,
    ),
)
"""All addresses below ``/v1/{project}``; ``middleware.context`` leads further
addresses to those of searches."""
