"""Queries of the processes of the service, and of their version."""

import functools
from importlib import metadata

from orch.context import request
from orch.db.repositories import services
from orch.engine import dependencies
from orch.rpc import contract


def list_services(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[contract.ServiceFacts]:
    """Return the processes that report, and which of them are up."""
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
        )
        for each, is_up in deps.database.query(services.list_)
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
