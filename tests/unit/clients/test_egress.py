"""Where requests may go that users ask for."""

import contextlib
import errno
import http.server
import ipaddress
import socket
import struct
import threading
import typing

import fixtures
import requests
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.clients import egress
from orch.clients import template_url
from orch.conf import api as api_conf
from orch.conf import egress as egress_conf
from tests import base
from tests.support import addresses
from tests.support import namespaces
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
_SECOND_ADDRESS = """
import ipaddress, socket
from orch.clients import egress

for text in ("10.88.0.5", "10.88.0.6", "10.89.0.7"):
    print(egress.Egress().is_open(ipaddress.ip_address(text)))
with socket.create_server(("10.88.0.6", 0)) as listener:
    with socket.create_connection(listener.getsockname()) as here:
        print(here.getsockname()[0])
        try:
            egress.Egress().check_peer(here, "host")
        except egress.EgressRefused:
            print("refused")
"""

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

    def test_addresses_of_the_machine_are_closed(self) -> None:
        """Whatever addresses it has; unless they are allowed."""
        own = addresses.find_own()
        allowed = (ipaddress.ip_network(own),)

        for each in (own, f"::ffff:{own}"):
            self.assertFalse(self.is_open(each, egress.Egress()), each)
            self.assertTrue(self.is_open(each, egress.Egress(allowed=allowed)))
        self.assertFalse(
            self.is_open(own, egress.Egress(refuses_private=True))
        )

    def test_so_are_all_of_one_network(self) -> None:
        """The machine sends from the first of them."""
        said = namespaces.run_apart(
            ("10.88.0.5/24", "10.88.0.6/24"), _SECOND_ADDRESS
        )

        self.assertEqual(
            ["False", "False", "True", "10.88.0.5", "refused"], said.split()
        )

    def test_they_are_where_the_kernel_may_not_be_asked(self) -> None:
        def refuse(*given: object) -> bytes:
            raise OSError(errno.EAFNOSUPPORT, "not here")

        self.useFixture(
            fixtures.MonkeyPatch("orch.netlink.ask_kernel", refuse)
        )

        self.assertFalse(self.is_open(addresses.find_own(), egress.Egress()))
        self.assertTrue(self.is_open(_PUBLIC[0], egress.Egress()))

    def test_the_kernel_is_asked_for_a_route_by_rtnetlink(self) -> None:
        for text, family in (("192.0.2.1", 2), ("2001:db8::1", 10)):
            address = ipaddress.ip_address(text)
            packed, bits = address.packed, address.max_prefixlen

            self.assertEqual(
                struct.pack("=IHHII", 16 + 12 + 4 + bits // 8, 26, 1, 0, 0)
                + struct.pack("=8BI", family, bits, 0, 0, 0, 0, 0, 0, 0)
                + struct.pack("=HH", 4 + bits // 8, 1)
                + packed,
                egress._route_request(address),
            )

    def test_a_connection_back_is_refused(self) -> None:
        """An address that was not known as the machine's own before."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        here, there = (
            socket.create_connection(listener.getsockname()),
            listener.accept()[0],
        )
        self.addCleanup(here.close)
        self.addCleanup(there.close)

        _OPEN.check_peer(here, "host")
        error = self.assertRaises(
            egress.EgressRefused, egress.Egress().check_peer, here, "host"
        )

        self.assertIn("'host'", error.message)

    def test_private_networks_are_closed_where_callers_log_in(self) -> None:
        """Unless an option says otherwise."""
        for auth, given, expected in (
            ("none", None, False),
            ("basic", None, True),
            ("keystone", None, True),
            ("none", True, True),
            ("basic", False, False),
            ("keystone", False, False),
        ):
            conf = self.options()
            conf.set_override("auth", auth, "api")
            if given is not None:
                conf.set_override("refuse_private", given, "egress")

            found = egress.from_conf(conf)

            self.assertEqual(expected, found.refuses_private, (auth, given))

    def options(self) -> cfg.ConfigOpts:
        conf = cfg.ConfigOpts()
        for group in (api_conf, egress_conf):
            group.SECTION.register(conf)
        conf([], default_config_files=[])
        return conf

    def test_what_is_allowed_is_open_in_any_case(self) -> None:
        allowed = ipaddress.ip_network("10.1.0.0/16")
        subject = egress.Egress(allowed=(allowed,), refuses_private=True)

        self.assertTrue(self.is_open("10.1.2.3", subject))
        self.assertTrue(self.is_open("::ffff:10.1.2.3", subject))
        self.assertFalse(self.is_open("10.2.0.1", subject))

    def test_the_options_say_what_is_allowed(self) -> None:
        conf = self.options()
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
