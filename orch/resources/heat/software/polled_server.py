"""Base of the servers whose agents poll an object, or our API."""

import collections.abc
import dataclasses

from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import software
from orch.resources.heat.software import agents
from orch.resources.heat.software import temp_url

Values = collections.abc.Mapping[str, object]


class PolledServer(clouds.CloudResource, software.SoftwareServer):
    """A server whose agent finds its metadata by the transport chosen."""

    def agent(self, context: call_context.Context) -> Values:
        """Return the configuration of the agent."""
        return agents.configuration(context, self.polled_address(context))

    def given_address(self, context: call_context.Context) -> str | None:
        """Return where the agent polls, if that is our API."""
        if agents.polls_object(context):
            return None
        return self.polled_address(context)

    def publish(self, context: call_context.Context) -> None:
        """Write what the agent has to apply to the object that it polls."""
        if temp_url.has_object(context.data):
            self._objects(context).write(context, self.shown_metadata)

    def holds(
        self, physical_name: str, data: Values
    ) -> collections.abc.Collection[str]:
        """Return the containers that the object of the agent may be in."""
        return temp_url.list_containers(physical_name, data)

    def agent_data(self, context: call_context.Context) -> temp_url.Data:
        """Return its data, so that its agent finds its metadata from now on.

        Where it polls an object that holds them then, and tells its own
        address; one that it polled before is removed.

        :raises orch.errors.OrchError: it cannot be written
        """
        rest = temp_url.without_object(context.data)
        if not agents.polls_object(context):
            self.remove_object(context)
            return rest
        there = self._objects(context)
        data = {**rest, **there.make(context)}
        updated = dataclasses.replace(context, data=data)
        there.write(updated, self.shown_metadata)
        if temp_url.has_object(context.data) and there.has_moved(context):
            there.remove(context.data)
        return data

    def remove_object(self, context: call_context.Context) -> None:
        """Remove the object that the agent polls; none is success."""
        if temp_url.has_object(context.data):
            self._objects(context).remove(context.data)

    def _objects(
        self, context: call_context.Context
    ) -> temp_url.TempUrlObjects:
        return temp_url.TempUrlObjects(self.cloud(context))
