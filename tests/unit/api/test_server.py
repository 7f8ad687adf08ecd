import socket
import threading
import wsgiref.types

import fixtures
import requests

from orch.api import server
from tests import base


class ServerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.entered = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.addCleanup(self.go_on.set)

    def app(
        self,
        environ: wsgiref.types.WSGIEnvironment,
        start_response: wsgiref.types.StartResponse,
    ) -> list[bytes]:
        self.entered.set()
        if not environ["PATH_INFO"].endswith("quick"):
            self.go_on.wait(10)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [environ["REQUEST_METHOD"].encode()]

    def serve(self, host: str = "127.0.0.1", **more: int) -> server.Server:
        running = server.serve(self.app, host, 0, 2, **more)
        self.addCleanup(running.stop, 0)
        return running

    def url(self, running: server.Server) -> str:
        return f"http://127.0.0.1:{running.port}/"

    def test_port_0_gives_a_free_port_that_answers(self) -> None:
        running = self.serve()

        answer = requests.get(self.url(running), timeout=10)

        self.assertEqual("GET", answer.text)
        self.assertNotEqual(0, running.port)
        self.assertEqual("127.0.0.1", running.host)

    def test_the_answer_does_not_tell_what_serves_it(self) -> None:
        answer = requests.get(self.url(self.serve()), timeout=10)

        self.assertNotIn("Server", answer.headers)
        self.assertNotIn("waitress", str(answer.headers).lower())

    def test_a_taken_port_is_an_error_at_once(self) -> None:
        running = self.serve()

        self.assertRaises(
            OSError, server.serve, self.app, "127.0.0.1", running.port, 1
        )

    def test_a_stopped_server_refuses_connections(self) -> None:
        running = self.serve()
        requests.get(self.url(running), timeout=10)

        running.stop()
        running.stop()
        running.wait()

        self.assertRaises(
            ConnectionRefusedError,
            socket.create_connection,
            ("127.0.0.1", running.port),
        )

    def test_a_running_request_is_answered_before_the_end(self) -> None:
        running = self.serve()
        self.go_on.clear()
        answers: list[requests.Response] = []
        client = threading.Thread(
            target=lambda: answers.append(
                requests.get(self.url(running), timeout=10)
            )
        )
        client.start()
        self.entered.wait(10)
        stopping = threading.Thread(target=running.stop)
        stopping.start()

        self.go_on.set()
        stopping.join()
        client.join()

        self.assertEqual("GET", answers[0].text)

    def test_a_request_that_hangs_is_cut_off_after_the_grace(self) -> None:
        running = self.serve()
        self.go_on.clear()
        failed = threading.Event()

        def ask() -> None:
            try:
                requests.get(self.url(running), timeout=10)
            except requests.ConnectionError:
                failed.set()

        client = threading.Thread(target=ask)
        client.start()
        self.entered.wait(10)

        running.stop(grace_s=0.05)
        client.join()

        self.assertTrue(failed.is_set())

    def test_one_project_leaves_a_thread_to_others(self) -> None:
        running = self.serve()
        self.go_on.clear()
        threads = [
            threading.Thread(
                target=requests.get,
                args=(self.url(running) + "v1/many/stacks",),
                kwargs={"timeout": 30},
            )
            for _ in range(6)
        ]
        for each in threads:
            each.start()
        self.addCleanup(lambda: [each.join() for each in threads])
        self.addCleanup(self.go_on.set)
        self.assertTrue(self.entered.wait(10))

        answers = [
            requests.get(self.url(running) + path, timeout=5).text
            for path in ("v1/few/quick", "quick")
        ]

        self.assertEqual(["GET", "GET"], answers)

    def test_a_body_far_beyond_the_limit_is_refused_unread(self) -> None:
        running = self.serve(max_body_size=10)
        with socket.create_connection(("127.0.0.1", running.port)) as peer:
            peer.sendall(
                b"POST / HTTP/1.1\r\nHost: x\r\n"
                b"Content-Length: 99999999\r\n\r\n"
            )
            answer = peer.recv(1000)

        self.assertIn(b" 413 ", answer.split(b"\r\n")[0])
        self.assertFalse(self.entered.is_set())

    def test_a_thread_that_cannot_be_started_is_not_counted(self) -> None:
        running = self.serve()
        count = len(running._workers.threads)

        def fail(thread: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        with fixtures.MonkeyPatch("threading.Thread.start", fail):
            self.assertRaises(RuntimeError, running._workers.lend, 1)

        self.assertEqual(count, len(running._workers.threads))
        running._workers.lend(0)
        self.assertEqual(count, len(running._workers.threads))
