"""Processes of two releases that talk to each other."""

import uuid

import oslo_messaging as messaging
from oslo_config import cfg

from orch import errors
from orch.context import request
from orch.rpc import connection
from orch.rpc import contract
from orch.rpc import serializer
from orch.rpc import server
from orch.rpc import transport
from orch.rpc.contract import methods
from orch.rpc.contract import versions
from tests import base


class Served:
    """An endpoint of some version that has a method of the next one too."""

    def __init__(self, version: str) -> None:
        self.target = messaging.Target(namespace="event", version=version)

    def list(
        self, ctxt: request.RequestContext, **asked: object
    ) -> list[object]:
        return [{"id": asked["stack_id"], "new": "ignored by the old"}]

    def follow(
        self, ctxt: request.RequestContext, **asked: object
    ) -> dict[str, object]:
        return {"events": [], "is_idle": True, "is_over": False}


class Before:
    """An endpoint as it was in the first version."""

    target = messaging.Target(
        namespace="software_deployment", version=versions.FIRST
    )

    def metadata(
        self, ctxt: request.RequestContext, **asked: object
    ) -> list[object]:
        return []


class VersionsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        self.url = f"orch-inproc:///{uuid.uuid4().hex}"
        self.me = connection.ask_as("demo")

    def serve(self, endpoint: object) -> None:
        bus = transport.build_transport(self.conf, self.url)
        self.addCleanup(bus.cleanup)
        served = server.build_server(bus, "worker", [endpoint], 2)
        served.serve()
        self.addCleanup(served.stop)

    def connect(self) -> connection.Connection:
        found = connection.connect(self.url, timeout_s=30)
        self.addCleanup(found.close)
        return found

    def call_as(self, version: str, method: str) -> object:
        """Return what a client of that version gets."""
        bus = transport.build_transport(self.conf, self.url)
        self.addCleanup(bus.cleanup)
        client = messaging.get_rpc_client(
            bus,
            messaging.Target(
                topic=contract.TOPIC, namespace="event", version=version
            ),
            timeout=30,
            serializer=serializer.Serializer(),
        )
        found: object = client.call(self.me, method, stack_id="s1")
        return found

    def test_a_worker_answers_clients_of_all_earlier_minors(self) -> None:
        self.serve(Served(versions.VERSION))

        for version in (versions.FIRST, versions.VERSION):
            self.assertEqual(
                [{"id": "s1", "new": "ignored by the old"}],
                self.call_as(version, "list"),
                version,
            )

    def test_a_worker_refuses_another_major(self) -> None:
        self.serve(Served(versions.VERSION))

        error = self.assertRaises(
            messaging.RemoteError, self.call_as, "2.0", "list"
        )
        self.assertEqual("UnsupportedVersion", error.exc_type)

    def test_a_worker_of_before_answers_what_it_knows(self) -> None:
        self.serve(Served(versions.FIRST))

        (found,) = self.connect().events.list(self.me, "s1", query={})

        self.assertEqual("s1", found["id"])

    def test_a_worker_of_before_says_what_it_does_not_know(self) -> None:
        self.serve(Served(versions.FIRST))

        error = self.assertRaises(
            errors.Unavailable,
            self.connect().events.follow,
            self.me,
            "s1",
            after=None,
            nested_depth=0,
        )

        self.assertIn("event.follow of version 1.1", error.message)
        self.assertIn("another release", error.message)

    def test_a_worker_of_before_does_not_ignore_an_address(self) -> None:
        self.serve(Served("1.4"))
        self.me.address = request.StackAddress("web", "s1")

        error = self.assertRaises(
            errors.Unavailable,
            self.connect().events.list,
            self.me,
            "s1",
            query={},
        )

        self.assertIn("event.list of version 1.5", error.message)

    def test_agents_hear_that_a_worker_of_before_cannot_be_polled(
        self,
    ) -> None:
        self.serve(Before())
        clients = self.connect().software_deployments

        error = self.assertRaises(
            errors.Unavailable, clients.poll, self.me, "server"
        )

        self.assertIn("software_deployment.poll of version 1.1", error.message)

    def test_a_worker_of_now_answers_all(self) -> None:
        self.serve(Served(versions.VERSION))

        found = self.connect().events.follow(
            self.me, "s1", after=None, nested_depth=0
        )

        self.assertIs(True, found["is_idle"])

    def test_each_later_method_is_one_of_the_contract(self) -> None:
        found = map(
            methods.read_namespace, (*contract.NAMESPACES, contract.Search)
        )
        known = {
            f"{namespace.name}.{each.name}"
            for namespace in found
            for each in namespace.methods
        }

        self.assertEqual(set(), set(versions.SINCE) - known)
        for version in versions.SINCE.values():
            major, minor = map(int, version.split("."))
            last = tuple(map(int, versions.VERSION.split(".")))
            self.assertLess((1, 0), (major, minor))
            self.assertLessEqual((major, minor), last)
