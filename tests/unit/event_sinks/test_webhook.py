"""A receiver that answers little by little holds nobody for long."""

import contextlib
import socket
import threading

from orch.conf import load
from orch.event_sinks import webhook
from orch.plugin import sink
from tests import base

_TOLD = sink.SinkEvent(id="e1", stack_id="s1", sequence=1, body={"id": "e1"})
_MOST_BYTES = 1200


class _Hasty(webhook.Webhook):
    max_s = 0.5


class _Trickle:
    """Sends a status, and then a byte of a header now and then."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/"

    def stop(self) -> None:
        self.is_over.set()
        self.thread.join()
        self.listener.close()

    def _serve(self) -> None:
        taken, _ = self.listener.accept()
        with taken, contextlib.suppress(OSError):
            taken.recv(65536)
            taken.sendall(b"HTTP/1.1 200 OK\r\n")
            for _ in range(_MOST_BYTES):
                if self.is_over.wait(0.05):
                    return
                taken.sendall(b"x")
            taken.sendall(b": y\r\ncontent-length: 0\r\n\r\n")


class DeadlineTest(base.TestCase):
    def test_a_trickle_is_broken_off(self) -> None:
        service = _Trickle()
        self.addCleanup(service.stop)
        conf = load.load([], files=[])
        conf.set_override("allowed_networks", ["127.0.0.0/8"], group="egress")
        owner = sink.Owner(
            stack_id="s1",  # type: ignore[arg-type]
            stack_name="s",
            project_id="p",
            user_id=None,
            user_name=None,
            connect=self.fail,
        )

        error = self.assertRaises(
            sink.SinkUnreachable,
            _Hasty(conf).send,
            {"type": "webhook", "target": service.url},
            _TOLD,
            owner,
        )

        self.assertIn("in time", error.message)
