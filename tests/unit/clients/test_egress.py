"""Where requests may go that users ask for."""

import contextlib
import http.server
import ipaddress
import socket
import threading
import typing

import fixtures
import requests
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.clients import egress
from orch.clients import template_url
from orch.conf import egress as egress_conf
from tests import base
from tests.support import ports

_HERE = (ipaddress.ip_network("127.0.0.1/32"),)
_OPEN = egress.Egress(allowed=_HERE)

_PUBLIC = ("93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822")
_CLOSED = (
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "100.100.100.200",
    "168.63.129.16",
    "::",
    "::1",
    "::127.0.0.1",
    "fe80::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fd00:ec2::254",
)
_PRIVATE = (
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "fc00::1",
    "fec0::1",
)


class EgressTest(base.TestCase):
    def is_open(self, text: str, subject: egress.Egress) -> bool:
        return subject.is_open(ipaddress.ip_address(text))

    def test_what_is_here_or_on_the_link_is_closed(self) -> None:
        for each in _CLOSED:
            self.assertFalse(self.is_open(each, egress.Egress()), each)

    def test_others_are_open(self) -> None:
        for each in (*_PUBLIC, *_PRIVATE):
            self.assertTrue(self.is_open(each, egress.Egress()), each)

    def test_private_networks_close_by_an_option(self) -> None:
        subject = egress.Egress(refuses_private=True)

        for each in (*_PRIVATE, *_CLOSED, "::ffff:10.0.0.1"):
            self.assertFalse(self.is_open(each, subject), each)
        for each in _PUBLIC:
            self.assertTrue(self.is_open(each, subject), each)

    def test_what_is_allowed_is_open_in_any_case(self) -> None:
        allowed = ipaddress.ip_network("10.1.0.0/16")
        subject = egress.Egress(allowed=(allowed,), refuses_private=True)

        self.assertTrue(self.is_open("10.1.2.3", subject))
        self.assertTrue(self.is_open("::ffff:10.1.2.3", subject))
        self.assertFalse(self.is_open("10.2.0.1", subject))

    def test_the_options_say_what_is_allowed(self) -> None:
        conf = cfg.ConfigOpts()
        egress_conf.register(conf)
        conf([], default_config_files=[])
        conf.set_override("allowed_networks", ["127.0.0.1/32"], "egress")

        self.assertEqual(_OPEN, egress.from_conf(conf))
        self.assertRaises(
            ValueError,
            conf.set_override,
            "allowed_networks",
            ["127.0.0.1/99"],
            "egress",
        )


class Names:
    """A resolver of which each answer may be another one."""

    def __init__(self, **known: list[list[str]]) -> None:
        self.known = known
        self.requests: list[str] = []

    def getaddrinfo(
        self, host: str, port: int, *args: object, **options: object
    ) -> list[typing.Any]:
        self.requests.append(host)
        try:
            places = [str(ipaddress.ip_address(host))]
        except ValueError:
            answers = self.known[host.partition(".")[0]]
            places = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port))
            for place in places
        ]


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves a text, and redirects to what the path says behind ``/to/``."""

    hosts: typing.ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.hosts.append(self.headers["Host"])
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path[4:])
        else:
            self.send_response(200)
        self.end_headers()
        self.wfile.write(b"text")

    def log_message(self, *args: object) -> None:
        pass


class FetchTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        stack = contextlib.ExitStack()
        stack.callback(server.server_close)
        stack.callback(thread.join)
        stack.callback(server.shutdown)
        self.addCleanup(stack.close)
        self.port = server.server_port
        Handler.hosts.clear()

    def resolve(self, **known: list[list[str]]) -> Names:
        names = Names(**known)
        self.useFixture(
            fixtures.MonkeyPatch("socket.getaddrinfo", names.getaddrinfo)
        )
        return names

    def fetch(self, url: str, within: egress.Egress = _OPEN) -> str:
        return template_url.fetch_template(
            url,
            limit=1000,
            timeout_s=5,
            time=clock.SystemClock(),
            within=within,
        )

    def refused(self, url: str, within: egress.Egress = _OPEN) -> str:
        error = self.assertRaises(
            egress.EgressRefused, self.fetch, url, within
        )
        return str(error.message)

    def test_the_machine_itself_is_not_asked(self) -> None:
        for host in (
            "127.0.0.1",
            "localhost",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
            "0",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::127.0.0.1]",
            "[2002:7f00:1::]",
            "user:secret@127.0.0.1",
            "public.example@127.0.0.1",
            "127.0.0.1:80@127.0.0.1",
        ):
            said = self.refused(
                f"http://{host}:{self.port}/x", egress.Egress()
            )
            self.assertIn("allowed_networks", said)
        self.assertEqual([], Handler.hosts)

    def test_a_name_is_resolved_once_and_kept(self) -> None:
        names = self.resolve(rebinds=[["127.0.0.1"], ["127.0.0.2"]])
        url = f"http://rebinds.example:{self.port}/x"

        self.assertEqual("text", self.fetch(url))

        self.assertEqual(1, names.requests.count("rebinds.example"))
        self.assertEqual([f"rebinds.example:{self.port}"], Handler.hosts)

    def test_a_name_that_stands_for_a_closed_address_is_refused(self) -> None:
        self.resolve(inner=[["169.254.169.254", "127.0.0.2"]])

        said = self.refused(f"http://inner.example:{self.port}/x")

        self.assertIn("inner.example", said)
        self.assertNotIn("169.254", said)

    def test_of_several_addresses_an_open_one_is_taken(self) -> None:
        self.resolve(both=[["127.0.0.2", "127.0.0.1"]])

        self.assertEqual(
            "text", self.fetch(f"http://both.example:{self.port}/x")
        )

    def test_a_redirect_leads_no_further(self) -> None:
        self.resolve()
        base_url = f"http://127.0.0.1:{self.port}"

        self.assertEqual("text", self.fetch(f"{base_url}/to/{base_url}/x"))
        self.refused(f"{base_url}/to/http://127.0.0.2:{self.port}/x")
        self.refused(f"{base_url}/to/http://169.254.169.254/latest")
        error = self.assertRaises(
            errors.Invalid, self.fetch, f"{base_url}/to/file:///etc/passwd"
        )
        self.assertIn("not http or https", str(error))

    def test_redirects_come_to_an_end(self) -> None:
        self.resolve()
        base_url = f"http://127.0.0.1:{self.port}"

        error = self.assertRaises(
            errors.Invalid, self.fetch, base_url + f"/to/{base_url}" * 6 + "/x"
        )

        self.assertIn("redirects more than 5", str(error))
        self.assertEqual(6, len(Handler.hosts))

    def test_no_proxy_of_the_environment_is_asked(self) -> None:
        self.resolve(there=[["127.0.0.1"]])
        self.useFixture(
            fixtures.EnvironmentVariable("http_proxy", "http://127.0.0.3:1")
        )

        self.assertEqual(
            "text", self.fetch(f"http://there.example:{self.port}/x")
        )

    def test_a_session_is_bound_too(self) -> None:
        self.resolve()
        with egress.open_session(egress.Egress()) as session:
            self.assertRaises(
                egress.EgressRefused,
                session.get,
                f"https://127.0.0.1:{self.port}/",
                timeout=5,
            )

    def test_a_name_that_nobody_knows_is_no_address(self) -> None:
        def unknown(*args: object, **options: object) -> typing.NoReturn:
            raise socket.gaierror("unknown")

        self.useFixture(fixtures.MonkeyPatch("socket.getaddrinfo", unknown))
        with egress.open_session(_OPEN) as session:
            self.assertRaises(
                requests.ConnectionError,
                session.get,
                "http://nobody.example/",
                timeout=5,
            )

    def test_a_failure_is_told_without_names_of_objects(self) -> None:
        def unknown(*args: object, **options: object) -> typing.NoReturn:
            raise socket.gaierror("unknown")

        self.useFixture(fixtures.MonkeyPatch("socket.getaddrinfo", unknown))
        error = self.assertRaises(
            errors.Invalid, self.fetch, "http://nobody.example/x"
        )
        self.assertEqual(
            "Could not retrieve template: 'nobody.example' cannot be"
            " resolved: unknown",
            str(error),
        )
        self.resolve()
        free = ports.find_free()
        error = self.assertRaises(
            errors.Invalid, self.fetch, f"http://127.0.0.1:{free}/x"
        )
        self.assertEqual(
            "Could not retrieve template: Failed to establish a new"
            " connection: [Errno 111] Connection refused",
            str(error),
        )
        error = self.assertRaises(errors.Invalid, self.fetch, "http://")
        self.assertEqual(
            "Could not retrieve template: Invalid URL 'http://':"
            " No host supplied",
            str(error),
        )
