"""Software deployments: assignments of configs to servers."""

import functools
import typing

from oslo_log import log

from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.db.repositories import software_configs as config_rows
from orch.db.repositories import software_deployments
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import permissions
from orch.engine.acceptance import stack_lock
from orch.engine.forwarding import agent_metadata
from orch.engine.judged_requests import judged_request
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.queries import stack_user_access
from orch.engine.signals import clear_breakpoint
from orch.engine.software import configs
from orch.engine.software import publish
from orch.events import deployments
from orch.model import operation
from orch.model import software
from orch.plugin import software as port
from orch.plugin import stack_users
from orch.rpc import contract

LOG = log.getLogger(__name__)


_Changed = tuple[software.Deployment, operation.Operation | None]
"""A deployment after a change, and the operation that may go on after it."""

_TYPE: typing.Final = "OS::Heat::SoftwareDeployment"
"""The type whose rules hold for deployments without a resource as well."""

_LABELS: typing.Final = (
    "server_id",
    "stack_user_project_id",
    "action",
    "status",
)
_CHANGEABLE: typing.Final = (
    "config_id",
    "input_values",
    "output_values",
    "action",
    "status",
    "status_reason",
)


def list_deployments(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    server_id: str | None,
) -> list[contract.SoftwareDeploymentFacts]:
    """Return deployments, the oldest first.

    :param server_id: only deployments to this server
    """
    if server_id is not None and not lookup.is_storable(server_id):
        return []
    found = deps.database.query(
        lambda connection: software_deployments.list_(
            connection,
            stack_user_access.find_scope(deps, connection, ctxt),
            server_id,
        )
    )
    return [_facts(each) for each in found]


def poll_server(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    server_id: str,
) -> contract.PolledFacts:
    """Return the configs that a server's agent has to apply, in order.

    An agent of an abandoned stack gets the new address too.
    """
    found, agent = agent_metadata.poll_server(deps, ctxt, server_id)
    return contract.PolledFacts(
        configs=[configs.config_facts(each) for each in found],
        agent=None if agent is None else dict(agent),
    )


def server_metadata(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    server_id: str,
) -> list[contract.SoftwareConfigFacts]:
    """Return the configs alone of :func:`poll_server`."""
    return poll_server(deps, ctxt, server_id)["configs"]


def create_deployment(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    request: contract.SoftwareDeploymentRequest,
) -> contract.SoftwareDeploymentFacts:
    """Store a deployment.

    :raises orch.engine.queries.errors.ConfigNotFound: this caller has no such
        config
    :raises orch.errors.LimitExceeded: the project has too many deployments
    :raises orch.errors.Forbidden: the caller may not have deployments
    :raises orch.errors.Invalid: a text cannot be stored, or no stack of the
        project has a user in ``stack_user_project_id``
    """
    permissions.type_check(deps, ctxt)(_TYPE)
    _check_words(request)
    _check_user_project(deps, ctxt, request.get("stack_user_project_id"))
    return idempotency.make_once(
        deps,
        ctxt,
        lambda: _facts(_make(deps, ctxt, request)),
        functools.partial(show_deployment, deps, ctxt),
    )


def _make(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    request: contract.SoftwareDeploymentRequest,
) -> software.Deployment:
    deployment_id = ids.new()

    def work(connection: db_engine.Connection) -> software.Deployment:
        project_id = ctxt.project_id or ""
        deps.settings.software.claim(connection, project_id, "deployments")
        config = configs.get_config(connection, ctxt, request["config_id"])
        _lock_config(connection, project_id, config.id)
        new_deployment = software.Deployment(
            id=deployment_id,
            project_id=project_id,
            stack_user_project_id=request.get("stack_user_project_id"),
            server_id=request["server_id"],
            config_id=config.id,
            input_values=request.get("input_values"),
            action=request.get("action"),
            status=request.get("status"),
            status_reason=request.get("status_reason"),
            created_at=functions.read_clock(connection),
        )
        software_deployments.insert(connection, new_deployment)
        deployments.store_changes(
            connection,
            [new_deployment],
            deployments.Kind.CREATED,
            ctxt.to_stored(),
        )
        idempotency.save_answer(connection, ctxt, new_deployment.id)
        return new_deployment

    return _pass_on(deps, deps.database.run(work), None)


def show_deployment(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    deployment_id: str,
) -> contract.SoftwareDeploymentFacts:
    """Return one deployment.

    :raises orch.engine.queries.errors.DeploymentNotFound: this caller has no
        deployment of that id
    """
    return _facts(
        deps.database.query(
            lambda connection: _get(deps, connection, ctxt, deployment_id)
        )
    )


def update_deployment(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    deployment_id: str,
    request: contract.SoftwareDeploymentRequest,
) -> contract.SoftwareDeploymentFacts:
    """Change a deployment; fields that the request leaves empty stay.

    :raises orch.engine.queries.errors.DeploymentNotFound: this caller has no
        deployment of that id
    :raises orch.engine.queries.errors.ConfigNotFound: this caller has no such
        config
    :raises orch.errors.Invalid: a text cannot be stored
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    """
    _check_words(request)
    changed = {
        name: request.get(name) for name in _CHANGEABLE if request.get(name)
    }
    judged = judged_request.JudgedRequest(deps, ctxt, "update_deployment")

    def work(connection: db_engine.Connection) -> _Changed:
        found = _get(deps, connection, ctxt, deployment_id)
        if any(getattr(found, name) != changed[name] for name in changed):
            _judge(connection, found, judged)
        waiting = _touch(connection, found)
        if request.get("config_id"):
            config = configs.get_config(connection, ctxt, request["config_id"])
            _lock_config(connection, found.project_id, config.id)
        software_deployments.update(
            connection,
            found.id,
            **changed,
            updated_at=functions.read_clock(connection),
        )
        done = _get(deps, connection, ctxt, deployment_id)
        deployments.store_changes(
            connection, [done], deployments.Kind.UPDATED, ctxt.to_stored()
        )
        return done, waiting

    with judged:
        done, waiting = judged.run(work)
    return _facts(_pass_on(deps, done, waiting))


def delete_deployment(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    deployment_id: str,
) -> None:
    """Delete a deployment; its config stays.

    :raises orch.engine.queries.errors.DeploymentNotFound: this caller has no
        deployment of that id
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "delete_deployment")

    def work(connection: db_engine.Connection) -> _Changed:
        found = _get(deps, connection, ctxt, deployment_id)
        _judge(connection, found, judged)
        waiting = _touch(connection, found)
        software_deployments.delete(connection, found.id)
        deployments.store_changes(
            connection, [found], deployments.Kind.DELETED, ctxt.to_stored()
        )
        return found, waiting

    with judged:
        gone, waiting = judged.run(work)
    _pass_on(deps, gone, waiting)


def _judge(
    connection: db_engine.Connection,
    found: software.Deployment,
    judged: judged_request.JudgedRequest,
) -> None:
    """Have plug-ins called for a deployment that a resource has.

    One without a resource belongs to no stack.
    """
    if found.stack_id is None or found.resource_id is None:
        return
    stack = stacks.find(connection, found.stack_id)
    row = resources.find(connection, found.resource_id, found.stack_id)
    if stack is None or row is None or stack.deleted_at is not None:
        return
    judged.check(stack, row.name)
    judged.allow(connection)


def _publish(
    deps: dependencies.Dependencies, stack: software.Deployment
) -> None:
    """Publish the configs of a server whose agent does not poll our API.

    The deployment is stored in any case: a change that could not be published
    is published with the next one.
    """
    try:
        publish.publish_configs(
            deps.types, deps.database, stack.project_id, stack.server_id
        )
    except base_errors.OrchError as error:
        LOG.warning(
            "the server %s does not know of the change of deployment %s yet:"
            " %s",
            stack.server_id,
            stack.id,
            error,
        )


def _touch(
    connection: db_engine.Connection, found: software.Deployment
) -> operation.Operation | None:
    """Wake the operation that waits for a deployment.

    :returns: the operation; its lock comes first
    """
    if found.stack_id is None or found.resource_id is None:
        return None
    try:
        held = stack_lock.lock_stack(connection, found.stack_id)
    except base_errors.NotFound:
        return None
    row = resources.find(connection, found.resource_id, found.stack_id)
    if row is None or held.newest is None:
        return None
    stored_signals = signals.lock_data(connection, row)
    if stored_signals is None:
        return None
    count = stored_signals.get(port.TOUCHED, 0)
    touched = count + 1 if isinstance(count, int) else 1
    signals.save_data(
        connection, row, {**stored_signals, port.TOUCHED: touched}
    )
    clear_breakpoint.unblock_operation(connection, held.stack, held.newest)
    return held.newest


def _pass_on(
    deps: dependencies.Dependencies,
    changed: software.Deployment,
    waiting: operation.Operation | None,
) -> software.Deployment:
    """Let workers and the server know of a change; return the deployment.

    :param waiting: the operation that may go on after it
    """
    deps.notify()
    if waiting is not None:
        deps.conductor.wake(waiting.id)
    _publish(deps, changed)
    return changed


def _get(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    deployment_id: str,
) -> software.Deployment:
    found = None
    if lookup.is_id(deployment_id):
        found = software_deployments.find(connection, deployment_id)
    if found is None or not _is_visible(deps, connection, ctxt, found):
        raise errors.DeploymentNotFound(
            f"Deployment with id {deployment_id[:255]} not found"
        )
    return found


def _is_visible(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    found: software.Deployment,
) -> bool:
    scope = stack_user_access.find_scope(deps, connection, ctxt)
    if scope.user_project_id is not None:
        return scope == software.Scope(
            found.project_id, found.stack_user_project_id
        )
    return lookup.is_visible(ctxt, found.project_id)


def _lock_config(
    connection: db_engine.Connection, project_id: str, config_id: str
) -> None:
    """Lock a config, so that no request deletes it until it is deployed.

    :param project_id: of the deployment
    :raises orch.engine.queries.errors.ConfigNotFound: it was just deleted, or
        is another project's, so that no agent would get it
    """
    found = config_rows.lock(connection, config_id)
    if found is None or found.project_id != project_id:
        raise errors.ConfigNotFound(
            f"Software config with id {config_id} not found"
        )


def _check_words(request: contract.SoftwareDeploymentRequest) -> None:
    for name in _LABELS:
        value = request.get(name)
        if isinstance(value, str) and not lookup.is_storable(value):
            raise base_errors.Invalid(
                f"{name} has characters that cannot be stored."
            )


def _check_user_project(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    project_id: str | None,
) -> None:
    """Raise Invalid if no live stack of the caller has a user in a project.

    The caller's own project and none are fine: they let no other caller read.
    """
    if not project_id or project_id == ctxt.project_id:
        return
    plugins = (
        each
        for each in deps.types.served()
        if isinstance(each, stack_users.HasStackUser) and each.has_stack_users
    )
    plugin, stack = next(plugins, None), None
    if plugin is not None:
        find_name = functools.partial(plugin.stack_users.find_name, project_id)
        try:
            user_name = deps.reads.begin().run(find_name)
        except base_errors.OrchError as error:
            raise base_errors.Unavailable(
                "stack_user_project_id cannot be checked now: Keystone gives"
                " no answer."
            ) from error
        if user_name is not None:
            stack = deps.database.query(
                lambda connection: stack_user_access.find_stack_of_user(
                    deps, connection, user_name
                )
            )
    if stack is None or stack.project_id != ctxt.project_id:
        raise base_errors.Invalid(
            f"stack_user_project_id: no stack of your project has a user in"
            f" the project {project_id[:80]}; leave it out, or name the"
            " project of such a user."
        )


def _facts(found: software.Deployment) -> contract.SoftwareDeploymentFacts:
    inputs, outputs = found.input_values, found.output_values
    return contract.SoftwareDeploymentFacts(
        id=found.id,
        config_id=found.config_id,
        server_id=found.server_id,
        input_values=None if inputs is None else dict(inputs),
        output_values=None if outputs is None else dict(outputs),
        action=found.action,
        status=found.status,
        status_reason=found.status_reason,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )
