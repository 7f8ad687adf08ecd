import contextlib
import http.server
import socket
import threading
import typing

from orch import errors
from orch.resources.local import health
from tests import base


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(204 if self.path == "/up?x=1" else 503)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


def parse(**given: object) -> health.Check:
    check = health.parse_check(given)
    assert check is not None
    return check


class HealthTest(base.TestCase):
    def listen(self) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        return listener

    def test_no_check_is_none(self) -> None:
        self.assertIsNone(health.parse_check(None))
        self.assertIsNone(health.parse_check({}))

    def test_checks_that_say_too_little_or_too_much_are_refused(self) -> None:
        for given, words in (
            ({"timeout_s": 3}, "either port or url"),
            ({"port": 1, "url": "http://localhost/"}, "either port or url"),
            ({"url": "https://localhost/"}, "http://"),
            ({"url": "http://example.org/"}, "127.0.0.1"),
            ({"url": "http://127.0.0.1.example.org/"}, "127.0.0.1"),
            ({"url": "http://me@example.org/"}, "127.0.0.1"),
            ({"url": "http://localhost:99999/"}, "cannot be read"),
            ({"url": "http://localhost/a\r\nb c"}, "percent-encoded"),
        ):
            error = self.assertRaises(
                errors.Invalid, health.parse_check, given
            )
            self.assertIn(words, error.message)

    def test_a_url_is_taken_apart(self) -> None:
        self.assertEqual(
            health.Check("::1", 8080, "/up?x=1", 3.0),
            parse(url="http://[::1]:8080/up?x=1", timeout_s=3),
        )
        self.assertEqual(
            health.Check("localhost", 80, "/", 30.0),
            parse(url="http://localhost"),
        )

    def test_a_port_that_takes_connections_is_healthy(self) -> None:
        listener = self.listen()
        check = parse(port=listener.getsockname()[1])

        self.assertEqual("", check.find_problem())
        self.assertTrue(check.is_port_taken())

        listener.close()
        self.assertIn("no answer on port", check.find_problem())
        self.assertFalse(check.is_port_taken())

    def test_a_url_that_answers_well_is_healthy(self) -> None:
        with self.serve() as port:
            good = parse(url=f"http://127.0.0.1:{port}/up?x=1")
            bad = parse(url=f"http://127.0.0.1:{port}/down")

            self.assertEqual("", good.find_problem())
            self.assertEqual(
                f"/down on port {port} answers 503", bad.find_problem()
            )

    def test_a_service_that_never_answers_is_not_waited_for(self) -> None:
        port = self.listen().getsockname()[1]
        check = parse(url=f"http://127.0.0.1:{port}/")

        self.assertIn("timed out", check.find_problem())

    def test_an_answer_that_is_no_http_is_a_problem(self) -> None:
        listener = self.listen()

        def answer() -> None:
            peer, _ = listener.accept()
            peer.recv(1000)
            peer.sendall(b"SSH-2.0-x\r\n\r\n")
            peer.close()

        thread = threading.Thread(target=answer)
        thread.start()
        check = parse(url=f"http://127.0.0.1:{listener.getsockname()[1]}/")

        self.assertIn("SSH-2.0-x", check.find_problem())
        thread.join()

    @contextlib.contextmanager
    def serve(self) -> typing.Iterator[int]:
        server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
