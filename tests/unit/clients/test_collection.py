"""Requests to a collection have its microversion and headers."""

import logging
import typing

import fixtures

from orch.clients import collection
from orch.clients import rest
from tests import base
from tests.unit.resources.heat import installations
from tests.unit.resources.http import service

_SECRET: typing.Final = "s3cret"
_VERSION: typing.Final = "baremetal 1.53"


class CollectionTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.logger = self.useFixture(fixtures.FakeLogger(level=logging.DEBUG))
        self.there = self.useFixture(service.Service())
        self.there.answers["PATCH", "/ports/1"] = 200, {"uuid": "1"}
        self.there.answers["GET", "/ports?limit=1000"] = 200, [{"uuid": "1"}]
        login = self.useFixture(installations.Cloud(self.there.url))
        connection = login.connect(None, region_name=None)
        self.service = rest.service_of(
            typing.cast(typing.Any, connection), "baremetal", version="1"
        )

    def ports(self, *, is_secret: bool = False) -> collection.Collection:
        return collection.Collection(
            service=self.service,
            path="/ports",
            key="",
            plural="",
            id_key="uuid",
            microversion="1.53",
            headers={"Client-ID": "a"},
            is_secret=is_secret,
        )

    def check_headers(self) -> None:
        headers = self.there.requests[-1].headers
        self.assertEqual(_VERSION, headers["openstack-api-version"])
        self.assertEqual("a", headers["client-id"])

    def test_a_patch_has_the_microversion_and_headers(self) -> None:
        patch = [{"op": "add", "path": "/a", "value": _SECRET}]

        self.ports().patch("1", patch, "application/json-patch+json")

        self.check_headers()
        request = self.there.requests[-1]
        self.assertEqual(patch, request.body)
        self.assertEqual(
            "application/json-patch+json", request.headers["content-type"]
        )
        self.assertIn(_SECRET, self.logger.output)

    def test_a_secret_patch_is_not_logged(self) -> None:
        patch = [{"op": "add", "path": "/a", "value": _SECRET}]

        self.ports(is_secret=True).patch("1", patch, "application/json")

        self.assertEqual(patch, self.there.requests[-1].body)
        self.assertNotIn(_SECRET, self.logger.output)

    def test_a_bare_list_has_the_microversion_and_headers(self) -> None:
        self.assertEqual([{"uuid": "1"}], list(self.ports().listed({})))

        self.check_headers()
