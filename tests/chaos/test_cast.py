"""Who tells the workers of an operation, and what if nobody does."""

import time

from falcon import testing

from orch.api import app
from orch.cmd import assembly
from orch.conf import load
from orch.context import request
from orch.model import states
from orch.rpc import transport
from tests.chaos import base
from tests.chaos import templates

_NEVER_S = 600
_HOST = "127.0.0.1"


class Recorder:
    """The real caller, with a record of what it sent.

    :ivar sent: kind, namespace and method of each message
    :ivar loses_casts: casts go nowhere
    """

    def __init__(self, caller: transport.Caller) -> None:
        self.sent: list[tuple[str, str, str]] = []
        self.notified: list[object] = []
        self.loses_casts = False
        self._caller = caller

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        self.sent.append(("call", namespace, method))
        return self._caller.call(ctxt, namespace, method, **kwargs)

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        self.sent.append(("cast", namespace, method))
        self.notified.append(kwargs)
        if not self.loses_casts:
            self._caller.cast(ctxt, namespace, method, **kwargs)


class CastTests(base.ChaosTestCase):
    """The API in this process, a worker that never scans in another."""

    def setUp(self) -> None:
        super().setUp()
        self.distribute(
            base.options(engine={"scan_interval": _NEVER_S}), workers=1
        )
        # What is told here is told by this process alone.
        self.system.api.stop()
        conf = load.load([], [str(self.system.directory / "api.conf")])
        # Without a socket no user is at the other end.
        conf.set_override("local_users", "any", "api")
        bus = transport.build_transport(conf)
        self.addCleanup(bus.cleanup)
        self.recorder = Recorder(transport.Caller(bus, conf.api.rpc_timeout))
        self.http = testing.TestClient(
            app.build_app(self.recorder, assembly.build_settings(conf))
        )

    def post(self, name: str) -> str:
        answer = self.http.simulate_post(
            "/v1/demo/stacks",
            host=_HOST,
            json={
                "stack_name": name,
                "template": templates.flat(name, 1),
            },
        )
        self.assertEqual(201, answer.status_code)
        return str(answer.json["stack"]["id"])

    def only_operation(self) -> dict[str, object]:
        (found,) = self.records.operations()
        return found

    def test_the_api_tells_the_workers_once_it_is_accepted(self) -> None:
        stack_id = self.post("s")

        self.records.wait_until_idle(timeout_s=10)

        operation = self.only_operation()
        told = {"operation_id": operation["id"]}
        self.assertEqual(
            [("call", "stack", "create"), ("cast", "operation", "run")],
            self.recorder.sent,
        )
        self.assertEqual([told], self.recorder.notified)
        self.assertEqual(states.OperationState.COMPLETE, operation["state"])

        self.http.simulate_delete(f"/v1/demo/stacks/s/{stack_id}", host=_HOST)
        self.records.wait_until_idle(timeout_s=10)

        self.assertEqual(("cast", "operation", "run"), self.recorder.sent[-1])
        self.assertEqual([], self.world.names())

    def test_without_being_told_the_scan_finds_it(self) -> None:
        self.recorder.loses_casts = True
        self.post("s")
        time.sleep(1.5)
        self.assertEqual(
            states.OperationState.WAITING, self.only_operation()["state"]
        )

        self.let_the_worker_scan()
        self.records.wait_until_idle(timeout_s=10)

        self.assertEqual(
            states.OperationState.COMPLETE, self.only_operation()["state"]
        )
        self.assertEqual(["s-0"], self.world.names())

    def let_the_worker_scan(self) -> None:
        (worker,) = self.system.engines
        worker.stop()
        config = worker.log.with_suffix(".conf")
        text = config.read_text(encoding="utf-8")
        config.write_text(
            text.replace(f"scan_interval = {_NEVER_S}", "scan_interval = 0.5"),
            encoding="utf-8",
        )
        worker.start()
