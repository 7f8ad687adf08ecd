"""What tests of servers start from."""

import dataclasses
import typing

from orch.conf import api
from orch.conf import signals
from orch.plugin import call_context
from orch.resources.openstack import type_data
from orch.resources.openstack.nova import server
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack.nova import compute

Body = dict[str, typing.Any]
GIVEN: Body = {
    "flavor": "small",
    "image": compute.IMAGE,
    "user_data_format": "RAW",
    "networks": [{"network": compute.NET}],
}


class ServerTestCase(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Nova::Server")
    cloud: compute.Compute
    plugin: server.Server

    def setUp(self) -> None:
        super().setUp()
        self.use(compute.Compute())
        for group in (api, signals):
            group.SECTION.register(self.plugin.conf)

    def context(self, **given: typing.Any) -> call_context.Context:
        return super().context(**{**GIVEN, **given})

    def last_request(self) -> Body:
        """Return the last request for a server."""
        found = [
            each.body
            for each in self.cloud.requests
            if (each.method, each.path) == ("POST", "/servers")
        ]
        return typing.cast(Body, found[-1])

    def create(self, **given: typing.Any) -> Body:
        context = self.context(**given)
        self.plugin.create(context)
        return typing.cast(Body, self.last_request()["server"])

    def existing(self, **given: typing.Any) -> call_context.Context:
        context = self.context(**given)
        made = self.plugin.create(context)
        assert isinstance(made, str)
        return dataclasses.replace(context, physical_id=made)

    def begun(
        self, context: call_context.Context, **properties: object
    ) -> call_context.Context:
        """Begin a change; return the context in which it is watched."""
        after = dataclasses.replace(
            context, properties={**context.properties, **properties}
        )
        made = self.plugin.update(after, context.properties, set(properties))
        return dataclasses.replace(after, data=made.data)

    def actions(self) -> list[str]:
        return [action for action, _ in self.cloud.actions]
