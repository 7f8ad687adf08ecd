"""``OS::Heat::DeployedServer``: a server that exists already.

Nothing is made. It is a name for the server under which software can be
deployed to it, and where its agent finds what that is.
"""

import collections.abc
import dataclasses

from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import type_files
from orch.resources.heat.software import agents
from orch.resources.heat.software import polled_server
from orch.resources.heat.software import temp_url

Values = collections.abc.Mapping[str, object]


@type_files.described("OS::Heat::DeployedServer")
class DeployedServer(
    polled_server.PolledServer, no_physical_resource.NoPhysicalResource
):
    """A server that was set up outside of the stack."""

    always_reaches = False

    def validate(self, properties: Values) -> None:
        """Refuse a transport that needs a service we do not reach."""
        agents.check_transport(properties, has_cloud=self.has_cloud)

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Return the id that deployments call the server by.

        :raises orch.errors.OrchError: its agent is to poll an object, and
            that cannot be written
        """
        self.validate(context.properties)
        return call_context.CreateResult(
            context.token, self._agent_data(context)
        )

    def find(
        self, context: call_context.Context
    ) -> call_context.CreateResult | None:
        """Return what an earlier attempt left: at most an object.

        To write that again changes nothing.
        """
        return self.create(context) if agents.polls_object(context) else None

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult:
        """Let its agent find what it has to apply where it looks from now on.

        All else that it shows follows the properties.
        """
        self.validate(context.properties)
        data = self._agent_data(context)
        return call_context.CreateResult(
            context.physical_id or context.token, data
        )

    def delete(self, context: call_context.Context) -> None:
        """Remove the object that its agent polls; already gone is success."""
        self.remove_object(context)

    def _agent_data(self, context: call_context.Context) -> temp_url.Data:
        """Return what it remembers of the object, written as it should be."""
        physical_id = context.physical_id or context.token
        created = dataclasses.replace(context, physical_id=physical_id)
        return self.agent_data(created)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return name and configuration of the agent."""
        return {
            "name": context.properties.get("name") or context.physical_name,
            "os_collect_config": dict(self.agent(context)),
        }
