"""Addresses that users name, of places where the service may not go.

A server listens on this machine; it is never asked, whatever the address is
called and wherever it is named.
"""

import collections.abc
import contextlib
import http.server
import socket
import threading
import typing

from tests.functional.cfn import querying
from tests.support import addresses
from tests.support import ports
from tests.support import rest
from tests.support import serving
from tests.support import systems
from tests.support import world_templates

Json = world_templates.Json

_VERSION: Json = {"heat_template_version": "2021-04-16"}
_REFUSED: typing.Final = "orch.egress.refused"
_HOSTS: typing.Final = (
    "127.0.0.1",
    "localhost",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "169.254.169.254",
    "[::ffff:169.254.169.254]",
    "[fe80::1]",
    "user:secret@127.0.0.1",
    "203.0.113.1@127.0.0.1",
    # Another one that the machine has.
    addresses.find_own(),
    # It is allowed, and leads to one that is not.
    "127.0.0.2",
)


class Handler(http.server.BaseHTTPRequestHandler):
    """Redirects from the one address that is allowed to one that is not.

    :cvar requests: where requests came to, beside that
    """

    requests: typing.ClassVar[list[str]] = []

    def do_GET(self) -> None:
        place, port = self.connection.getsockname()[:2]
        if place.endswith("127.0.0.2"):
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{port}/x")
        else:
            self.requests.append(place)
            self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """Listens on all addresses of the machine, of both kinds."""

    address_family = socket.AF_INET6

    def server_bind(self) -> None:
        """Take the addresses of IPv4 as well."""
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


class EgressTests(serving.ServerTestCase):
    options: typing.ClassVar[systems.Options] = {
        "egress": {"allowed_networks": "127.0.0.2/32"}
    }

    @classmethod
    def setUpClass(cls) -> None:
        cls.port = ports.find_free()
        cls.arguments = ("--cfn-port", str(cls.port))
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        Handler.requests.clear()
        server = Server(("::", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        stack = contextlib.ExitStack()
        stack.callback(server.server_close)
        stack.callback(thread.join)
        stack.callback(server.shutdown)
        self.addCleanup(stack.close)
        self.urls = [
            f"http://{host}:{server.server_address[1]}/x" for host in _HOSTS
        ]

    def check_refused(
        self, ask: collections.abc.Callable[[str], tuple[int, str]]
    ) -> None:
        """Check that each address is refused, and none was asked.

        :param ask: names the address; returns status and Orch's code
        """
        told = {url: ask(url) for url in self.urls}

        self.assertEqual(dict.fromkeys(self.urls, (400, _REFUSED)), told)
        self.assertEqual([], Handler.requests)

    def refusal(self, method: str, path: str, body: Json) -> tuple[int, str]:
        error = self.assertRaises(
            rest.RefusedError, self.client.ask, method, path, body
        )
        told = typing.cast(dict[str, str], error.body)
        return error.status, told["error_code"]

    def reason(self, resource: Json) -> str:
        """Return why a stack failed that has this resource."""
        wanted = {**_VERSION, "resources": {"r": resource}}
        stack = self.client.create("s", wanted)
        shown = self.client.wait(stack, "CREATE_FAILED")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        return str(shown["stack_status_reason"])

    def test_the_template_of_a_stack(self) -> None:
        for path in ("/stacks", "/stacks/preview", "/validate"):
            self.check_refused(
                lambda url, path=path: self.refusal(
                    "POST", path, {"stack_name": "s", "template_url": url}
                )
            )

    def test_the_template_of_an_update(self) -> None:
        stack = self.client.create("s", _VERSION)
        self.client.wait(stack, "CREATE_COMPLETE")
        for method, path in (
            ("PUT", ""),
            ("PATCH", ""),
            ("PUT", "/preview"),
        ):
            self.check_refused(
                lambda url, method=method, path=path: self.refusal(
                    method, stack.path + path, {"template_url": url}
                )
            )
        self.check_refused(
            lambda url: self.refusal(
                "POST",
                f"{stack.path}/plans",
                {"action": "update", "template_url": url},
            )
        )
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def test_the_template_of_the_other_api(self) -> None:
        for url in self.urls:
            answer = querying.send(
                querying.signed(
                    self.port,
                    querying.Key(),
                    Action="ValidateTemplate",
                    TemplateURL=url,
                )
            )
            self.assertEqual(
                (400, "ValidationError"), querying.read_error(answer), url
            )
            self.assertIn("Requests may not go to", answer.text)
        self.assertEqual([], Handler.requests)

    def test_the_template_of_a_resource(self) -> None:
        for url in self.urls:
            reason = self.reason(
                {
                    "type": "AWS::CloudFormation::Stack",
                    "properties": {"TemplateURL": url},
                }
            )
            self.assertIn("Requests may not go to", reason, url)
        self.assertEqual([], Handler.requests)

    def test_a_template_that_is_named_by_a_type(self) -> None:
        for url in self.urls:
            wanted = {**_VERSION, "resources": {"r": {"type": f"{url}.yaml"}}}
            self.assertEqual(
                (400, "orch.template.invalid"),
                self.refusal(
                    "POST", "/stacks", {"stack_name": "s", "template": wanted}
                ),
            )
        self.assertEqual([], Handler.requests)

    def test_requests_of_a_resource(self) -> None:
        for url in self.urls:
            reason = self.reason(
                {
                    "type": "Orch::HTTP::Resource",
                    "properties": {
                        "url": url,
                        "create": {"path": "/y", "method": "GET"},
                    },
                }
            )
            # No redirect is followed.
            said = "302" if "127.0.0.2" in url else "Requests may not go to"
            self.assertIn(said, reason, url)
        self.assertEqual([], Handler.requests)

    def test_headers_of_the_connection(self) -> None:
        """They are refused with the template, or once they are known."""
        declared: Json = {
            "type": "Orch::HTTP::Resource",
            "properties": {
                "url": self.urls[-1],
                "headers": {"Host": "x"},
                "create": {"path": "/y"},
            },
        }
        self.assertEqual(
            (400, "orch.template.invalid"),
            self.refusal(
                "POST",
                "/stacks",
                {
                    "stack_name": "s",
                    "template": {**_VERSION, "resources": {"r": declared}},
                },
            ),
        )
        declared["properties"]["headers"] = {"get_attr": ["v", "value"]}
        value = {"type": "OS::Heat::Value"}
        value["properties"] = {"value": {"Transfer-Encoding": "chunked"}}
        stack = self.client.create(
            "s", {**_VERSION, "resources": {"r": declared, "v": value}}
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn(
            "'Transfer-Encoding': it belongs to the connection",
            str(shown["stack_status_reason"]),
        )
        self.assertEqual([], Handler.requests)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
