"""All addresses of the API: method, path, rule, handler.

Paths stand below ``/v1/{project}``; how they are served is in ``routing``.
"""

import dataclasses

from orch.api import web
from orch.api.handlers import actions
from orch.api.handlers import adoption
from orch.api.handlers import documents
from orch.api.handlers import drift
from orch.api.handlers import events
from orch.api.handlers import generation
from orch.api.handlers import hand_overs
from orch.api.handlers import leftovers
from orch.api.handlers import lifecycle
from orch.api.handlers import lookup
from orch.api.handlers import moves
from orch.api.handlers import operations
from orch.api.handlers import plans
from orch.api.handlers import previews
from orch.api.handlers import resource_types
from orch.api.handlers import resources
from orch.api.handlers import search
from orch.api.handlers import services
from orch.api.handlers import signals
from orch.api.handlers import snapshots
from orch.api.handlers import software_configs
from orch.api.handlers import software_deployments
from orch.api.handlers import stacks
from orch.api.handlers import template_versions
from orch.api.handlers import validation

_STACK = "/stacks/{name}/{stack_id}"
_RESOURCE = _STACK + "/resources/{resource}"
_PAUSE = "/drift/pause"
_ANY = "GET POST PUT PATCH DELETE"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Handlers:
    """One handler a noun."""

    actions: actions.Actions
    adoption: adoption.Adoption
    documents: documents.Documents
    drift: drift.Drift
    events: events.Events
    generation: generation.Generation
    hand_overs: hand_overs.HandOvers
    leftovers: leftovers.Leftovers
    lifecycle: lifecycle.Lifecycle
    lookup: lookup.Lookup
    moves: moves.Moves
    operations: operations.Operations
    plans: plans.Plans
    previews: previews.Previews
    resource_types: resource_types.ResourceTypes
    resources: resources.Resources
    search: search.Search
    services: services.Services
    signals: signals.Signals
    snapshots: snapshots.Snapshots
    software_configs: software_configs.SoftwareConfigs
    software_deployments: software_deployments.SoftwareDeployments
    stacks: stacks.Stacks
    template_versions: template_versions.TemplateVersions
    validation: validation.Validation


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


def table(h: Handlers) -> tuple[Route, ...]:
    """Return all addresses below ``/v1/{project}``."""
    return (
        *_stacks(h),
        *_lookups(h),
        *_parts(h),
        *_plans(h),
        *_drift(h),
        *_snapshots(h),
        *_software(h),
        *_adoption(h),
        *_leftovers(h),
        *_search(h),
        *_service(h),
    )


def _stacks(h: Handlers) -> tuple[Route, ...]:
    return (
        Route("GET", "/stacks", "stacks:index", h.stacks.index),
        Route("POST", "/stacks", None, h.stacks.create),
        Route("GET", "/stacks/detail", "stacks:detail", h.stacks.index),
        Route("POST", "/stacks/preview", "stacks:preview", h.stacks.preview),
        Route("GET", _STACK, "stacks:show", h.stacks.show),
        Route("PUT", _STACK, None, h.stacks.update),
        Route("PATCH", _STACK, None, h.stacks.patch),
        Route("DELETE", _STACK, None, h.stacks.delete),
        Route("POST", _STACK + "/actions", None, h.actions.act),
    )


def _lookups(h: Handlers) -> tuple[Route, ...]:
    below = (
        ("GET POST", "/resources"),
        ("GET POST", "/events"),
        ("GET POST", "/template"),
        ("GET POST", "/actions"),
        ("GET", "/environment"),
        ("GET", "/files"),
        (_ANY, ""),
    )
    return tuple(
        Route(
            methods, "/stacks/{name}" + path, "stacks:lookup", h.lookup.by_name
        )
        for methods, path in below
    )


def _parts(h: Handlers) -> tuple[Route, ...]:
    docs = h.documents
    return (
        Route("GET", _STACK + "/template", "stacks:template", docs.template),
        Route(
            "GET",
            _STACK + "/environment",
            "stacks:environment",
            docs.environment,
        ),
        Route("GET", _STACK + "/files", "stacks:files", docs.files),
        Route("GET", _STACK + "/outputs", "stacks:list_outputs", docs.outputs),
        Route(
            "GET",
            _STACK + "/outputs/{key}",
            "stacks:show_output",
            docs.output,
        ),
        Route(
            "GET", _STACK + "/resources", "resource:index", h.resources.index
        ),
        Route("GET", _RESOURCE, "resource:show", h.resources.show),
        Route("PATCH", _RESOURCE, "resource:mark_unhealthy", h.resources.mark),
        Route(
            "POST",
            _RESOURCE + "/outcome",
            "resource:answer_outcome",
            h.resources.answer,
        ),
        Route(
            "GET",
            _RESOURCE + "/metadata",
            "resource:metadata",
            h.resources.metadata,
        ),
        Route(
            "POST",
            _RESOURCE + "/signal",
            "resource:signal",
            h.resources.signal,
        ),
        Route(
            "DELETE",
            _RESOURCE + "/signal",
            "resource:revoke_addresses",
            h.resources.revoke,
        ),
        Route("GET", _STACK + "/events", "events:index", h.events.index),
        Route(
            "GET", _RESOURCE + "/events", "events:index", h.events.of_resource
        ),
        Route(
            "GET",
            _RESOURCE + "/events/{event_id}",
            "events:show",
            h.events.show,
        ),
        Route(
            "GET",
            _STACK + "/operations",
            "operations:index",
            h.operations.index,
        ),
        Route(
            "GET",
            _STACK + "/operations/{operation_id}",
            "operations:show",
            h.operations.show,
        ),
    )


def _plans(h: Handlers) -> tuple[Route, ...]:
    plan = _STACK + "/plans/{plan_id}"
    return (
        Route(
            "PUT",
            _STACK + "/preview",
            "stacks:preview_update",
            h.previews.update,
        ),
        Route(
            "PATCH",
            _STACK + "/preview",
            "stacks:preview_update_patch",
            h.previews.patch,
        ),
        Route("POST", _STACK + "/plans", "plans:create", h.plans.create),
        Route("GET", _STACK + "/plans", "plans:index", h.plans.index),
        Route("GET", plan, "plans:show", h.plans.show),
        Route("DELETE", plan, "plans:delete", h.plans.delete),
        Route("POST", plan + "/apply", "plans:apply", h.plans.apply),
    )


def _drift(h: Handlers) -> tuple[Route, ...]:
    base = _STACK + "/drift"
    return (
        Route("GET", base, "drift:show", h.drift.show),
        Route(
            "GET", base + "/policy", "drift:show_policy", h.drift.show_policy
        ),
        Route("PUT", base + "/policy", "drift:set_policy", h.drift.set_policy),
        Route("GET", base + "/template", "drift:template", h.drift.template),
        Route("GET", base + "/history", "drift:history", h.drift.history),
        Route("GET", _PAUSE, "drift:show_pause", h.drift.show_pause),
        Route("PUT", _PAUSE, "drift:pause", h.drift.pause),
        Route("DELETE", _PAUSE, "drift:pause", h.drift.resume),
    )


def _snapshots(h: Handlers) -> tuple[Route, ...]:
    every, one = _STACK + "/snapshots", _STACK + "/snapshots/{snapshot_id}"
    return (
        Route("POST", every, None, h.snapshots.create),
        Route("GET", every, "stacks:list_snapshots", h.snapshots.index),
        Route("GET", one, "stacks:show_snapshot", h.snapshots.show),
        Route("DELETE", one, "stacks:delete_snapshot", h.snapshots.delete),
        Route("POST", one + "/restore", None, h.snapshots.restore),
    )


def _software(h: Handlers) -> tuple[Route, ...]:
    configs, group = h.software_configs, "software_configs"
    every, one = f"/{group}", f"/{group}/{{config_id}}"
    return (
        Route("GET", every, f"{group}:index", configs.index),
        Route("POST", every, f"{group}:create", configs.create),
        Route("GET", one, f"{group}:show", configs.show),
        Route("DELETE", one, f"{group}:delete", configs.delete),
        *_deployments(h),
    )


def _deployments(h: Handlers) -> tuple[Route, ...]:
    deployed, group = h.software_deployments, "software_deployments"
    every, one = f"/{group}", f"/{group}/{{deployment_id}}"
    return (
        Route("GET", every, f"{group}:index", deployed.index),
        Route("POST", every, f"{group}:create", deployed.create),
        Route("GET", one, f"{group}:show", deployed.show),
        Route("PUT", one, f"{group}:update", deployed.update),
        Route("DELETE", one, f"{group}:delete", deployed.delete),
        Route(
            "GET",
            every + "/metadata/{server_id}",
            f"{group}:metadata",
            deployed.metadata,
        ),
    )


def _adoption(h: Handlers) -> tuple[Route, ...]:
    abandon = _STACK + "/abandon"
    old = abandon + "/addresses"
    here = h.adoption
    return (
        Route(
            "POST",
            "/stacks/generate",
            "stacks:generate",
            h.generation.generate,
        ),
        Route("GET", _STACK + "/export", "stacks:export", here.export),
        Route("DELETE", abandon, "stacks:abandon", here.abandon),
        Route("POST", abandon, None, here.step),
        Route("GET", abandon, "stacks:abandon", here.document),
        Route("GET", "/hand_overs", "stacks:hand_overs", h.hand_overs.index),
        Route(
            "DELETE",
            "/hand_overs/{hand_over_id}",
            "stacks:hand_over",
            h.hand_overs.withdraw,
        ),
        Route("GET", old, "stacks:forwarding", here.forwarded),
        Route("POST", old, "stacks:forwarding", here.announce),
        Route(
            "GET",
            _STACK + "/addresses",
            "stacks:addresses",
            here.addresses,
        ),
        Route("POST", _STACK + "/move", "stacks:move", h.moves.move),
        Route(
            "POST",
            _STACK + "/move/preview",
            "stacks:preview_move",
            h.moves.preview,
        ),
    )


def _leftovers(h: Handlers) -> tuple[Route, ...]:
    left, group = h.leftovers, "leftovers"
    every, one = f"/{group}", f"/{group}/{{leftover_id}}"
    return (
        Route("GET", every, f"{group}:index", left.index),
        Route("GET", one, f"{group}:show", left.show),
        Route("POST", one + "/sweep", f"{group}:sweep", left.sweep),
        Route("DELETE", one, f"{group}:forget", left.forget),
    )


def _search(h: Handlers) -> tuple[Route, ...]:
    """Return what ``middleware.context`` leads further addresses to, too."""
    base, found = "/search", h.search
    return (
        Route("GET", base, "search:query", found.query),
        Route("POST", base, "search:query", found.ask),
        Route("GET", base + "/facets", "search:facets", found.facets),
        Route("GET", base + "/fields", "search:fields", found.fields),
        Route("GET", base + "/plugins", "search:plugins", found.plugins),
        Route("GET", base + "/status", "search:status", found.status),
    )


def _service(h: Handlers) -> tuple[Route, ...]:
    kinds, versions = h.resource_types, h.template_versions
    return (
        Route(
            "GET", "/resource_types", "stacks:list_resource_types", kinds.index
        ),
        Route(
            "GET",
            "/resource_types/{type_name}",
            "stacks:resource_schema",
            kinds.show,
        ),
        Route(
            "GET",
            "/resource_types/{type_name}/template",
            "stacks:generate_template",
            kinds.template,
        ),
        Route(
            "GET",
            "/template_versions",
            "stacks:list_template_versions",
            versions.index,
        ),
        Route(
            "GET",
            "/template_versions/{version}/functions",
            "stacks:list_template_functions",
            versions.functions,
        ),
        Route(
            "POST",
            "/validate",
            "stacks:validate_template",
            h.validation.validate,
        ),
        Route(
            "GET",
            "/lifecycle/plugins",
            "lifecycle:list",
            h.lifecycle.plugins,
        ),
        Route("GET", "/lifecycle/holds", "lifecycle:holds", h.lifecycle.holds),
        Route("GET", "/services", "service:index", h.services.index),
        Route(
            "GET",
            "/build_info",
            "build_info:build_info",
            h.services.build_info,
        ),
    )
