"""How one signal is sent to where its resource is now."""

import http.server
import ipaddress
import threading
import typing

from orch import clock
from orch import ids
from orch.clients import egress
from orch.engine.forwarding import sender as forwarding_sender
from orch.model import forwarding
from tests import base

_NOW = clock.Timestamp(1_700_000_000.0)
_NAMED = forwarding_sender.Sender(("there:1",))


class _Receiver(http.server.BaseHTTPRequestHandler):
    """Answers with the status that its path ends with."""

    got: typing.ClassVar[list[tuple[str, bytes, dict[str, str]]]]

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        said = self.rfile.read(size)
        self.got.append((self.command, said, dict(self.headers)))
        self.send_response(int(self.path.rpartition("/")[2]))
        self.send_header("Location", "/200")
        self.send_header("Content-Length", "1000000000")
        self.end_headers()

    do_PUT = do_POST  # noqa: N815 - http.server names it

    def log_message(self, *words: object) -> None:
        """Say nothing."""


class SendTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        _Receiver.got = []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Receiver)
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)

    def send(
        self,
        status: int,
        details: object = None,
        kind: forwarding.Kind = forwarding.Kind.SIGNAL,
        port: int | None = None,
        sender: forwarding_sender.Sender = _NAMED,
    ) -> forwarding_sender.Answer:
        stack_id = ids.StackId(ids.new())
        resource_id = ids.ResourceId(ids.new())
        return forwarding_sender.send_signal(
            sender,
            forwarding.Address(
                stack_id=stack_id,
                resource_id=resource_id,
                origin_id=stack_id,
                project_id="demo",
                path=("a",),
                type_name="T",
                kind=kind,
                old_address="http://old",
                new_address=f"http://127.0.0.1:{port or self.port}/{status}",
                host="there:1",
                created_at=_NOW,
            ),
            forwarding.Signal(
                stack_id=stack_id,
                resource_id=resource_id,
                number=1,
                signal_id="one",
                details=details,
                hops=2,
                came_at=_NOW,
            ),
        )

    def test_the_body_of_the_answer_is_not_waited_for(self) -> None:
        answer = self.send(200, {"a": 1})

        self.assertEqual(
            forwarding_sender.Answer(forwarding_sender.DeliveryResult.TAKEN),
            answer,
        )
        ((method, said, headers),) = _Receiver.got
        self.assertEqual(("POST", b'{"a": 1}'), (method, said))
        self.assertEqual("one", headers["X-Orch-Signal-Id"])
        self.assertEqual("3", headers["X-Orch-Signal-Hops"])

    def test_a_signal_of_nothing_has_no_body(self) -> None:
        self.send(202, kind=forwarding.Kind.WAIT_CONDITION)

        ((method, said, _),) = _Receiver.got
        self.assertEqual(("PUT", b""), (method, said))

    def test_what_can_be_cured_is_tried_again(self) -> None:
        for status in (301, 307, 401, 403, 404, 408, 429, 500, 503):
            answer = self.send(status)
            self.assertIs(
                forwarding_sender.DeliveryResult.NOT_NOW, answer.result, status
            )
            self.assertIn(str(status), answer.problem)

    def test_no_redirect_is_followed(self) -> None:
        self.send(307, {})

        self.assertEqual(1, len(_Receiver.got))

    def test_what_is_never_taken_is_refused(self) -> None:
        for status in (400, 413, 422):
            self.assertIs(
                forwarding_sender.DeliveryResult.REJECTED,
                self.send(status).result,
            )

    def test_nobody_there_is_told_without_the_address(self) -> None:
        answer = self.send(200, port=1)

        self.assertIs(
            forwarding_sender.DeliveryResult.UNREACHABLE, answer.result
        )
        self.assertEqual(
            "there:1 gives no answer: ConnectionError", answer.problem
        )

    def test_a_host_that_a_pattern_allows_may_not_be_this_machine(
        self,
    ) -> None:
        for hosts in ((), ("*",), ("the*:1",), ("there:2", "there2")):
            answer = self.send(200, sender=forwarding_sender.Sender(hosts))
            self.assertEqual(
                forwarding_sender.Answer(
                    forwarding_sender.DeliveryResult.UNREACHABLE,
                    "[egress] lets no request go to there:1",
                ),
                answer,
            )
        self.assertEqual([], _Receiver.got)

    def test_what_egress_allows_needs_no_name(self) -> None:
        here = (ipaddress.ip_network("127.0.0.1/32"),)
        sender = forwarding_sender.Sender(("*",), egress.Egress(allowed=here))

        answer = self.send(200, sender=sender)

        self.assertEqual(
            forwarding_sender.Answer(forwarding_sender.DeliveryResult.TAKEN),
            answer,
        )

    def test_a_name_without_a_port_stands_for_all_of_them(self) -> None:
        answer = self.send(200, sender=forwarding_sender.Sender(("THERE",)))

        self.assertEqual(
            forwarding_sender.Answer(forwarding_sender.DeliveryResult.TAKEN),
            answer,
        )
