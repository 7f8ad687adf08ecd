"""Software configs, which agents on servers apply: list, create, delete."""

import functools

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import software_configs
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.model import software
from orch.rpc import contract


def list_configs(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    *,
    limit: int | None,
    marker: str | None,
    all_projects: bool,
) -> list[contract.SoftwareConfigFacts]:
    """Return configs, the newest first, without their contents."""
    found = deps.database.query(
        lambda connection: software_configs.list_(
            connection,
            None if all_projects else ctxt.project_id or "",
            limit=limit,
            marker=marker if marker and lookup.is_id(marker) else None,
        )
    )
    return [_summary(each) for each in found]


def create_config(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    request: contract.SoftwareConfigRequest,
) -> contract.SoftwareConfigFacts:
    """Store a config.

    :raises orch.errors.LimitExceeded: the project has too many
    """
    return idempotency.make_once(
        deps,
        ctxt,
        lambda: config_facts(_make(deps, ctxt, request)),
        functools.partial(show_config, deps, ctxt),
    )


def _make(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    request: contract.SoftwareConfigRequest,
) -> software.Config:
    config_id = ids.new()

    def work(connection: db_engine.Connection) -> software.Config:
        project_id = ctxt.project_id or ""
        deps.settings.software.claim(connection, project_id, "configs")
        new_config = software.Config(
            id=config_id,
            project_id=project_id,
            name=request.get("name"),
            group=request.get("group"),
            config=request.get("config"),
            inputs=request.get("inputs") or (),
            outputs=request.get("outputs") or (),
            options=request.get("options") or {},
            created_at=functions.read_clock(connection),
        )
        software_configs.insert(connection, new_config)
        idempotency.save_answer(connection, ctxt, new_config.id)
        return new_config

    return deps.database.run(work)


def show_config(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    config_id: str,
) -> contract.SoftwareConfigFacts:
    """Return one config.

    :raises orch.engine.queries.errors.ConfigNotFound: this caller has no
        config of that id
    """
    return config_facts(
        deps.database.query(
            lambda connection: get_config(connection, ctxt, config_id)
        )
    )


def delete_config(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    config_id: str,
) -> None:
    """Delete a config.

    :raises orch.engine.queries.errors.ConfigNotFound: this caller has no
        config of that id
    :raises orch.engine.queries.errors.ConfigDeployed: a deployment uses it
    """

    def work(connection: db_engine.Connection) -> None:
        found = get_config(connection, ctxt, config_id)
        # A deployment of it takes the same lock first.
        software_configs.lock(connection, found.id)
        if software_configs.is_deployed(connection, found.id):
            raise errors.ConfigDeployed(
                f"Software config with id {found.id} can not be deleted as it"
                " is referenced: delete its deployments first."
            )
        software_configs.delete(connection, found.id)

    deps.database.run(work)


def get_config(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    config_id: str,
) -> software.Config:
    """Return one config.

    :raises orch.engine.queries.errors.ConfigNotFound: this caller has no
        config of that id
    """
    found = None
    if lookup.is_id(config_id):
        found = software_configs.find(connection, config_id)
    if found is None or not lookup.is_visible(ctxt, found.project_id):
        raise errors.ConfigNotFound(
            f"Software config with id {config_id[:255]} not found"
        )
    return found


def config_facts(found: software.Config) -> contract.SoftwareConfigFacts:
    """Return a config with its contents."""
    return {
        **_summary(found),
        "config": found.config,
        "inputs": [dict(each) for each in found.inputs],
        "outputs": [dict(each) for each in found.outputs],
        "options": dict(found.options),
    }


def _summary(found: software.Config) -> contract.SoftwareConfigFacts:
    return contract.SoftwareConfigFacts(
        id=found.id,
        project_id=found.project_id,
        name=found.name,
        group=found.group,
        created_at=found.created_at,
    )
