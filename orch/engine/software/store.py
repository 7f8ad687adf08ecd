"""Store software configs and deployments for plug-ins.

The methods are those of :class:`orch.plugin.software.Store`.
"""

import collections.abc

from orch import errors as base_errors
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import signals
from orch.db.repositories import software_configs
from orch.db.repositories import software_deployments
from orch.engine import software_quota
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.software import publish as software_publish
from orch.events import deployments
from orch.model import software
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import software as port


def assign_stores(
    types: registry.ResourceTypes,
    database: db_engine.Database,
    quota: software_quota.SoftwareQuota,
) -> None:
    """Give each plug-in of configs or deployments the store."""
    store = SoftwareStore(database, quota, types)

    def use_store(plugin: resource.Resource) -> None:
        if isinstance(plugin, port.SoftwareResource):
            plugin.use(store)

    types.prepare(use_store)


class SoftwareStore:
    """Store of configs and deployments; each call is a transaction."""

    def __init__(
        self,
        database: db_engine.Database,
        quota: software_quota.SoftwareQuota = software_quota.DEFAULT_QUOTA,
        types: registry.Types | None = None,
    ) -> None:
        """Store all in the tables of the database.

        :param quota: the quota of a project
        :param types: the plug-ins of servers publish configs where their
            agents look; ``None`` where all agents poll our API
        """
        self._database = database
        self._types = types
        self._quota = quota

    def create_config(
        self, project_id: str, config_id: str, definition: port.Definition
    ) -> None:
        """Store a config; an existing one of that id stays as it is.

        :raises orch.errors.LimitExceeded: the project has too many
        """

        def work(connection: db_engine.Connection) -> None:
            if software_configs.find(connection, config_id) is None:
                self._quota.claim(connection, project_id, "configs")
                _insert(connection, project_id, config_id, definition)

        self._database.run(work)

    def find_config(
        self, project_id: str | None, config_id: str
    ) -> software.Config | None:
        """Return the config of that id, if the project has it."""
        if not lookup.is_id(config_id):
            return None
        found = self._database.query(
            lambda connection: software_configs.find(connection, config_id)
        )
        if found is None or project_id in (None, found.project_id):
            return found
        return None

    def delete_config(self, project_id: str, config_id: str) -> None:
        """Delete a config of the project; already gone is success.

        :raises orch.engine.queries.errors.ConfigDeployed: a deployment uses it
        """

        def work(connection: db_engine.Connection) -> None:
            found = software_configs.lock(connection, config_id)
            if found is None or found.project_id != project_id:
                return
            if software_configs.is_deployed(connection, config_id):
                raise errors.ConfigDeployed(
                    f"Software config with id {config_id} can not be deleted"
                    " as it is referenced: delete its deployments first."
                )
            software_configs.delete(connection, config_id)

        self._database.run(work)

    def hand_over(self, handover: port.Handover) -> None:
        """Deploy a config to a server, whose agent finds it from now on.

        :raises orch.errors.Permanent: another project has the deployment, or
            the config
        :raises orch.errors.LimitExceeded: it needs another deployment, and
            the project has too many
        """
        self._database.run(
            lambda connection: _hand_over(connection, handover, self._quota)
        )

    def find_deployment(
        self, project_id: str | None, deployment_id: str
    ) -> software.Deployment | None:
        """Return the deployment of that id, if the project has it."""
        found = self._database.query(
            lambda connection: software_deployments.find(
                connection, deployment_id
            )
        )
        if found is None or project_id in (None, found.project_id):
            return found
        return None

    def finish(
        self,
        handover: port.Deployment,
        status: port.Status,
        status_reason: str,
        output_values: port.Values,
    ) -> None:
        """Store a deployment's result, if it is in progress and current."""

        def work(connection: db_engine.Connection) -> None:
            found = software_deployments.lock(connection, handover.id)
            if (
                found is None
                or found.project_id != handover.project_id
                or found.config_id != handover.config_id
                or found.status != software.Status.IN_PROGRESS
            ):
                return
            software_deployments.update(
                connection,
                found.id,
                status=status.value,
                status_reason=status_reason,
                output_values=dict(output_values),
                updated_at=functions.read_clock(connection),
            )
            _notify_change(connection, found.id, deployments.Kind.SIGNALLED)

        self._database.run(work)

    def delete_deployment(self, project_id: str, deployment_id: str) -> None:
        """Delete a deployment of the project, and its config.

        Already gone is success.
        """

        def work(connection: db_engine.Connection) -> None:
            found = software_deployments.lock(connection, deployment_id)
            if found is not None and found.project_id == project_id:
                _notify_change(connection, found.id, deployments.Kind.DELETED)
                software_deployments.delete(connection, found.id)
                _forget(connection, project_id, found.config_id)

        self._database.run(work)

    def list_configs(
        self, project_id: str, server_id: str
    ) -> collections.abc.Sequence[software.Config]:
        """Return the project's configs for the agent of a server, in order."""
        return self._database.query(
            lambda connection: software_deployments.list_configs(
                connection, software.Scope(project_id), server_id
            )
        )

    def publish(self, project_id: str, server_id: str) -> None:
        """Publish the configs of a server whose agent does not poll us."""
        if self._types is not None:
            software_publish.publish_configs(
                self._types, self._database, project_id, server_id
            )


def _hand_over(
    connection: db_engine.Connection,
    handover: port.Handover,
    quota: software_quota.SoftwareQuota,
) -> None:
    found = software_deployments.lock(connection, handover.deployment_id)
    if found is not None and found.project_id != handover.project_id:
        raise base_errors.Permanent(
            f"Software deployment {found.id} belongs to another project"
        )
    if found is not None and found.config_id == handover.config_id:
        return
    if found is None:
        quota.claim(connection, handover.project_id, "deployments")
    _insert(
        connection,
        handover.project_id,
        handover.config_id,
        handover.definition,
    )
    # The adoption data names the config; one that exists is not replaced.
    config = software_configs.find(connection, handover.config_id)
    if config is None or config.project_id != handover.project_id:
        raise base_errors.Permanent(
            f"Software config {handover.config_id} belongs to another project"
        )
    now = functions.read_clock(connection)
    signal_count = max(
        handover.signal_count, _count_signals(connection, handover)
    )
    outputs = handover.output_values
    if found is None:
        software_deployments.insert(
            connection,
            software.Deployment(
                id=handover.deployment_id,
                project_id=handover.project_id,
                server_id=handover.server_id,
                config_id=handover.config_id,
                input_values=handover.input_values,
                output_values=outputs,
                action=handover.action,
                status=handover.status.value,
                status_reason=handover.status_reason,
                stack_id=ids.StackId(handover.stack_id),
                resource_id=ids.ResourceId(handover.resource_id),
                signal_count=signal_count,
                created_at=now,
            ),
        )
        _notify_change(
            connection, handover.deployment_id, deployments.Kind.CREATED
        )
        return
    told = {} if outputs is None else {"output_values": outputs}
    software_deployments.update(
        connection,
        found.id,
        **told,
        server_id=handover.server_id,
        config_id=handover.config_id,
        input_values=handover.input_values,
        action=handover.action,
        status=handover.status.value,
        status_reason=handover.status_reason,
        stack_id=handover.stack_id,
        resource_id=handover.resource_id,
        signal_count=signal_count,
        updated_at=now,
    )
    _notify_change(connection, found.id, deployments.Kind.UPDATED)
    _forget(connection, handover.project_id, found.config_id)


def _notify_change(
    connection: db_engine.Connection,
    deployment_id: str,
    kind: deployments.Kind,
) -> None:
    """Notify consumers of a deployment as it is now."""
    found = software_deployments.find(connection, deployment_id)
    if found is not None:
        deployments.store_changes(connection, [found], kind, {})


def _count_signals(
    connection: db_engine.Connection, handover: port.Handover
) -> int:
    """Return how many signals the resource has handled by now.

    The operation may not have loaded the last ones yet.
    """
    resource_id = ids.ResourceId(handover.resource_id)
    found = signals.list_(
        connection, ids.StackId(handover.stack_id), [resource_id]
    )
    return port.count_signals(found.get(resource_id, {}))


def _insert(
    connection: db_engine.Connection,
    project_id: str,
    config_id: str,
    definition: port.Definition,
) -> None:
    software_configs.insert(
        connection,
        software.Config(
            id=config_id,
            project_id=project_id,
            name=definition.name,
            group=definition.group,
            config=definition.config,
            inputs=definition.inputs,
            outputs=definition.outputs,
            options=definition.options,
            created_at=functions.read_clock(connection),
        ),
    )


def _forget(
    connection: db_engine.Connection, project_id: str, config_id: str
) -> None:
    """Delete a config that was created for a deployment of the project.

    A user may have deployed it a second time, over REST.
    """
    found = software_configs.lock(connection, config_id)
    if found is None or found.project_id != project_id:
        return
    if not software_configs.is_deployed(connection, config_id):
        software_configs.delete(connection, config_id)
