import contextlib
import http.server
import ipaddress
import threading
import time
import typing

from orch.api import app
from orch.clients import egress
from tests.unit.api import fakes

LIMIT = 200


class Template(http.server.BaseHTTPRequestHandler):
    """Serves small, long, odd and missing templates."""

    texts: typing.ClassVar[dict[str, bytes]] = {
        "/small": b"heat_template_version: 2018-08-31",
        "/long": b"x" * (LIMIT + 1),
        "/bytes": b"\xff\xfe\x00",
    }

    def do_GET(self) -> None:
        if self.path == "/slow":
            self.trickle()
            return
        text = self.texts.get(self.path)
        self.send_response(200 if text else 404)
        self.end_headers()
        self.wfile.write(text or b"")

    def trickle(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(100):
                self.wfile.write(b"x")
                time.sleep(0.05)

    def log_message(self, *args: object) -> None:
        pass


class ReaderTest(fakes.ApiTestCase):
    settings = app.Settings(
        max_json_body_size=1000,
        max_template_size=LIMIT,
        template_url_timeout_s=0.5,
        within=egress.Egress(allowed=(ipaddress.ip_network("127.0.0.1"),)),
    )

    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["template.validate"] = {}

    def validate(self, status: int, **body: object) -> typing.Any:
        return self.ask("POST", "/v1/demo/validate", status, json=body)

    def serve(self) -> str:
        server = http.server.HTTPServer(("127.0.0.1", 0), Template)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        stack = contextlib.ExitStack()
        stack.callback(server.server_close)
        stack.callback(thread.join)
        stack.callback(server.shutdown)
        self.addCleanup(stack.close)
        return f"http://127.0.0.1:{server.server_port}"

    def test_a_template_is_fetched_by_its_address(self) -> None:
        self.validate(200, template_url=f"{self.serve()}/small")

        self.assertEqual(
            {"template": "heat_template_version: 2018-08-31"},
            self.bus.sent("template.validate")["inputs"],
        )

    def test_a_template_in_the_body_wins(self) -> None:
        self.validate(200, template={}, template_url="http://nowhere.invalid")

        sent = self.bus.sent("template.validate")
        self.assertEqual({"template": {}}, sent["inputs"])

    def test_a_long_template_is_refused(self) -> None:
        answer = self.validate(400, template_url=f"{self.serve()}/long")

        self.assert_error(answer, "RequestLimitExceeded", str(LIMIT))

    def test_what_cannot_be_fetched_is_refused(self) -> None:
        url = self.serve()
        for wrong in (f"{url}/missing", f"{url}/bytes", "http://[::1/x"):
            answer = self.validate(400, template_url=wrong)
            self.assert_error(answer, "HTTPBadRequest")
        self.assertEqual([], self.bus.calls)

    def test_a_host_that_refuses_is_a_bad_request(self) -> None:
        answer = self.validate(400, template_url="http://127.0.0.1:1/x")

        self.assert_error(answer, "HTTPBadRequest", "retrieve template")

    def test_a_host_that_trickles_is_not_waited_for(self) -> None:
        url = f"{self.serve()}/slow"
        begun = time.monotonic()

        answer = self.validate(400, template_url=url)

        self.assertLess(time.monotonic() - begun, 3)
        self.assert_error(answer, "HTTPBadRequest", "too slow")

    def test_only_the_web_is_read(self) -> None:
        for url in ("file:///etc/passwd", "ftp://h/x", "/etc/passwd", ""):
            answer = self.validate(400, template_url=url)
            self.assert_error(answer, "HTTPBadRequest", "template_url")

    def test_a_body_without_template_is_refused(self) -> None:
        answer = self.validate(400, parameters={})

        self.assert_error(answer, "HTTPBadRequest", "No template specified")

    def test_a_body_at_the_limit_passes_and_one_beyond_is_refused(
        self,
    ) -> None:
        frame = len(b'{"template":""}')
        for extra, status in ((0, 200), (1, 400)):
            text = "x" * (1000 - frame + extra)
            answer = self.ask(
                "POST",
                "/v1/demo/validate",
                status,
                body=f'{{"template":"{text}"}}'.encode(),
            )
        self.assert_error(answer, "RequestLimitExceeded", "1001", "1000")

    def test_a_long_body_is_refused_before_what_it_holds(self) -> None:
        answer = self.ask(
            "POST",
            "/v1/demo/stacks",
            400,
            json={"stack_name": 1, "pad": "x" * 1000},
        )

        self.assert_error(answer, "RequestLimitExceeded", "(1000 bytes)")

    def test_what_is_no_json_object_is_refused(self) -> None:
        for text in ("", "{", "[]", "7", "null", '"x"', "[" * 900, "\xff"):
            answer = self.ask("POST", "/v1/demo/validate", 400, body=text)
            self.assert_error(answer, "HTTPBadRequest", "JSON")


class ClosedTest(fakes.ApiTestCase):
    def test_templates_do_not_come_from_the_machine_itself(self) -> None:
        for host in ("127.0.0.1", "localhost", "169.254.169.254", "[::1]"):
            answer = self.ask(
                "POST",
                "/v1/demo/validate",
                400,
                json={"template_url": f"http://{host}:9/x"},
            )
            self.assert_error(answer, "HTTPBadRequest", "allowed_networks")
        self.assertEqual([], self.bus.calls)


class UnlimitedTest(fakes.ApiTestCase):
    settings = app.Settings(max_json_body_size=-1)

    def test_minus_one_lifts_the_limit_of_the_body(self) -> None:
        self.bus.answers["template.validate"] = {}

        self.ask(
            "POST",
            "/v1/demo/validate",
            200,
            json={"template": "x" * 2_000_000},
        )
