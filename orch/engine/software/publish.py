"""Publish the configs of servers where their agents look for them.

Most agents poll our API. Some read an object of Swift: their plug-in writes
it.
"""

from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.queries import lookup
from orch.flow.state import contexts
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import software


def publish_configs(
    types: registry.Types,
    database: db_engine.Database,
    project_id: str,
    server_id: str,
) -> None:
    """Publish the configs of a server, where its plug-in does so.

    Call it outside of transactions: services may be called.

    :raises orch.errors.OrchError: the store of the metadata cannot be reached
    """
    if not lookup.is_storable(server_id):
        return

    def work(
        connection: db_engine.Connection,
    ) -> list[tuple[software.SoftwareServer, call_context.Context]]:
        found = []
        for row in resources.list_physical(connection, server_id):
            plugin = types.find(row.plugin_type)
            if not row.is_current or not isinstance(
                plugin, software.SoftwareServer
            ):
                continue
            stack = stacks.get(connection, row.stack_id)
            if stack.project_id == project_id:
                requested_by = request.RequestContext(project_id=project_id)
                context = contexts.build_context(stack, row, requested_by)
                found.append((plugin, context))
        return found

    for plugin, context in database.query(work):
        with outside.awaited().slot():
            plugin.publish(context)
