"""What is left of creations in a cloud: kept, waited for, replaced, gone."""

import types
import typing

from orch.flow.tasks import base as tasks
from orch.flow.tasks import earlier
from orch.plugin import call_context
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack.cinder import test_volume
from tests.unit.resources.openstack.nova import servers

_CHANGE: typing.Any = types.SimpleNamespace(name="a", replaces_failed=True)
_RESOURCES: typing.Any = types.SimpleNamespace(
    desired_state=types.SimpleNamespace(find_properties=lambda name: None)
)


class Left(clouds.CloudTestCase):
    """A physical resource that a failed creation has left.

    :cvar path: of the collection that it is in
    """

    path: typing.ClassVar[str]

    def watch(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        return earlier.EarlierCreation(_CHANGE, _RESOURCES).watch(
            self.plugin, context
        )

    def become(self, context: call_context.Context, **fields: object) -> None:
        rows = self.cloud.collections[self.path].rows
        rows[context.physical_id or ""].update(fields)

    def check_useless(
        self, context: call_context.Context, *, is_gone: bool = False
    ) -> None:
        raised = self.assertRaises(tasks.Useless, self.watch, context)
        self.assertEqual(is_gone, raised.is_gone)
        self.assertNotIn("DELETE", {r.method for r in self.cloud.requests})

    def go(self, context: call_context.Context) -> None:
        self.cloud.collections[self.path].rows.clear()


class ServerTests(servers.ServerTestCase, Left):
    path = "/servers"

    def test_a_server_is_kept_waited_for_or_replaced(self) -> None:
        context = self.existing()
        self.become(context, status="BUILD")
        self.assertIsInstance(self.watch(context), call_context.Pending)

        self.become(context, status="ACTIVE")
        self.assertIsNone(self.watch(context))

        self.become(context, status="ERROR")
        self.check_useless(context)

    def test_a_server_that_somebody_removed_is_gone(self) -> None:
        context = self.existing()

        self.go(context)

        self.check_useless(context, is_gone=True)


class VolumeTests(Left):
    kind = type_data.load_type("OS::Cinder::Volume")
    path = "/volumes"

    def test_a_volume_is_kept_waited_for_or_replaced(self) -> None:
        self.use(test_volume.Block())
        context = self.made(size=1)
        self.become(context, status="creating")
        self.assertIsInstance(self.watch(context), call_context.Pending)

        self.become(context, status="available")
        self.assertIsNone(self.watch(context))

        self.become(context, status="error")
        self.check_useless(context)

        self.go(context)
        self.check_useless(context, is_gone=True)


class PortTests(Left):
    kind = type_data.load_type("OS::Neutron::Port")
    path = "/ports"

    def test_a_port_is_kept_waited_for_or_gone(self) -> None:
        self.use(
            clouds.Cloud(
                ports=clouds.Collection("port", "ports"),
                networks=clouds.Collection("network", "networks"),
            )
        )
        net = self.cloud.add("/networks", name="blue")
        context = self.made(network=net)
        self.become(context, status="BUILD")
        self.assertIsInstance(self.watch(context), call_context.Pending)

        self.become(context, status="DOWN")
        self.assertIsNone(self.watch(context))

        self.go(context)
        self.check_useless(context, is_gone=True)
