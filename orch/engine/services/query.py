"""Queries of the processes of the service, and of their version."""

import functools
from importlib import metadata

from orch.context import request
from orch.db.repositories import plugin_settings as stored
from orch.db.repositories import services
from orch.engine import dependencies
from orch.model import plugin_settings
from orch.rpc import contract


def list_services(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[contract.ServiceFacts]:
    """Return the processes that report, and which of them are up."""
    active, found = deps.database.query(
        lambda connection: (
            stored.find(connection),
            services.list_(connection),
        )
    )
    return [
        contract.ServiceFacts(
            id=each.id,
            host=each.host,
            binary=each.binary,
            topic=each.topic,
            report_interval_s=each.report_interval_s,
            is_up=is_up,
            created_at=each.created_at,
            updated_at=each.updated_at,
            settings_number=each.settings_number,
            settings_loaded=each.settings_loaded,
            settings_loadable=each.settings_loadable,
            idle_reason=plugin_settings.find_trouble(active, each.load_report),
        )
        for each, is_up in found
    ]


def engine_revision(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> str:
    """Return the version of the engine that this process runs."""
    return _find_revision()


@functools.cache
def _find_revision() -> str:
    try:
        return metadata.version("orch")
    except metadata.PackageNotFoundError:
        return "unknown"
