import pathlib
import uuid

import oslo_messaging as messaging
from oslo_config import cfg

from orch import errors
from orch.context import request
from orch.rpc import connection
from orch.rpc import contract
from orch.rpc import server
from orch.rpc import transport
from orch.rpc.contract import methods
from tests import base


class Endpoint:
    target = messaging.Target(namespace="stack", version=contract.VERSION)

    def identify(
        self, ctxt: request.RequestContext, *, name_or_id: str
    ) -> dict[str, object]:
        return {
            "stack_name": name_or_id,
            "project_id": ctxt.project_id,
            "stack_id": [ctxt.user_id, ctxt.user_name, ctxt.roles],
        }


class ConnectionTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.url = f"orch-inproc:///{uuid.uuid4().hex}"
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        bus = transport.build_transport(conf, self.url)
        self.addCleanup(bus.cleanup)
        served = server.build_server(bus, "worker", [Endpoint()], 2)
        served.serve()
        self.addCleanup(served.stop)

    def test_each_namespace_has_a_client(self) -> None:
        with connection.connect(self.url) as orch:
            clients = [vars(each) for each in vars(orch).values()]

        for kind in contract.NAMESPACES:
            names = {x.name for x in methods.read_namespace(kind).methods}
            self.assertIn(names, [set(each) for each in clients])

    def test_a_worker_learns_who_asks(self) -> None:
        me = connection.ask_as(
            "demo", user_id="u1", user_name="ann", roles=["reader"]
        )

        with connection.connect(self.url) as orch:
            found = orch.stacks.identify(me, "shop")

        self.assertEqual(
            {
                "stack_name": "shop",
                "project_id": "demo",
                "stack_id": ["u1", "ann", ["reader"]],
            },
            found,
        )

    def test_the_address_may_stand_in_a_file(self) -> None:
        file = pathlib.Path(self.make_directory(), "orch.conf")
        file.write_text(f"[DEFAULT]\ntransport_url = {self.url}\n")

        with connection.connect(files=[str(file)]) as orch:
            found = orch.stacks.identify(connection.ask_as("demo"), "shop")

        self.assertEqual("shop", found["stack_name"])

    def test_each_request_has_an_id_of_its_own(self) -> None:
        one, other = connection.ask_as("demo"), connection.ask_as("demo")

        self.assertNotEqual(one.request_id, other.request_id)

    def test_an_address_that_makes_no_sense_is_refused(self) -> None:
        self.assertRaises(errors.Invalid, connection.connect, "nonsense://")
