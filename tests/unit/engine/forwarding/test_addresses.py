"""Where signals for moved stacks may go."""

import dataclasses
import typing

from orch.engine import dependencies
from orch.engine.forwarding import addresses
from orch.model import forwarding as model
from tests import base

_PATH = "/v1/signal/arn%3Aopenstack?Signature=x"


@dataclasses.dataclass
class _Deps:
    settings: dependencies.Settings


class HostTests(base.TestCase):
    def host_of(
        self,
        address: str,
        *allowed: str,
        kind: model.Kind = model.Kind.SIGNAL,
    ) -> str:
        deps = _Deps(dependencies.Settings(forward_hosts=allowed))
        return addresses._host_of(
            typing.cast(dependencies.Dependencies, deps), address, kind
        )

    def test_what_the_operator_allows_is_taken(self) -> None:
        for start, allowed, host in (
            ("http://A.Example.net", "a.example.net", "a.example.net:80"),
            ("https://a.example.net", "*.EXAMPLE.net", "a.example.net:443"),
            (
                "https://a.example.net:8004/heat",
                "*:8004",
                "a.example.net:8004",
            ),
            ("http://[::1]:8004", "::1", "::1:8004"),
            ("http://192.0.2.1:8004", "192.0.2.*", "192.0.2.1:8004"),
        ):
            self.assertEqual(host, self.host_of(start + _PATH, "no", allowed))

    def test_nothing_else_is(self) -> None:
        for allowed in ((), ("example.net",), ("*.example.net:8005",)):
            self.assertRaises(
                addresses.HostNotAllowed,
                self.host_of,
                f"http://a.example.net:8004{_PATH}",
                *allowed,
            )

    def test_what_is_no_address_of_ours_is_refused(self) -> None:
        for wrong in (
            "",
            "nonsense",
            f"ftp://h{_PATH}",
            f"file://h{_PATH}",
            f"http://user@h{_PATH}",
            f"http://h:wrong{_PATH}",
            f"http://{_PATH}",
            "http://h/latest/meta-data?Signature=x",
            "http://h/v1/signal/arn",
            "http://h/v1/waitcondition/arn?Signature=x",
            f"http://h{_PATH}\n",
            f"http://127.0.0.1\\.example.net{_PATH}",
            f"http://127.0.0.1%2f.example.net{_PATH}",
            f"http://h é{_PATH}",
            f"http://h{_PATH}{'x' * 5000}",
        ):
            self.assertRaises(
                addresses.BadAnnouncement, self.host_of, wrong, "*"
            )

    def test_a_moment_that_no_clock_tells_is_none(self) -> None:
        for wrong in (None, True, "1", 1.5, -1, 2**53, 10**400):
            self.assertRaises(
                addresses.BadAnnouncement,
                addresses._announced_at,
                {"made_at_ms": wrong},
            )

    def test_metadata_are_polled_at_metadata(self) -> None:
        kind = model.Kind.METADATA
        place = "http://h/v1/demo/stacks/s/i/resources/r/metadata"

        self.assertEqual("h:80", self.host_of(place, "h", kind=kind))
        self.assertRaises(
            addresses.BadAnnouncement,
            self.host_of,
            "http://h/v1/demo",
            "h",
            kind=kind,
        )
