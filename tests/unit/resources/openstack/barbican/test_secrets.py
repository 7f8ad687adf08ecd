"""Secrets of Barbican, orders for them, and containers of them."""

import collections.abc
import typing

from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.resources.openstack import base
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

_HERE: typing.Final = "http://cloud/v1"


class Pages(clouds.Cloud):
    """Secrets in pages, which a query counts off."""

    def _list(
        self,
        kept: clouds.Collection,
        query: collections.abc.Mapping[str, list[str]],
    ) -> clouds.Answer:
        rows = list(kept.rows.values())
        start = int(query.get("offset", ["0"])[0])
        end = start + min(100, int(query["limit"][0]))
        answer = {"secrets": rows[start:end], "total": len(rows)}
        if end < len(rows):
            address = f"{_HERE}/secrets?limit=100&offset={end}"
            answer["next"] = address
        return 200, answer


class BarbicanTest(clouds.CloudTestCase):
    def use_type(self, noun: str) -> None:
        self.kind = type_data.load_type(  # type: ignore[misc]
            f"OS::Barbican::{noun}"
        )
        self.use(clouds.Cloud())

    def answer(self, path: str, shown: object) -> None:
        self.cloud.answers["GET", path] = 200, shown

    def test_all_pages_are_listed(self) -> None:
        self.use_type("Secret")
        kept = clouds.Collection("", "secrets")
        self.use(Pages(secrets=kept))
        for number in range(250):
            address = f"{_HERE}/secrets/{number}"
            self.cloud.add("/secrets", secret_ref=address)
        assert isinstance(self.plugin, base.OpenStackResource)

        found = list(self.plugin.all_of_project(self.context()))

        self.assertEqual(250, len(found))
        self.assertEqual(3, len(self.cloud.find_requests("GET")))

    def test_secrets_that_orders_generated_are_not_listed(self) -> None:
        self.use_type("Secret")
        kept = {
            noun: clouds.Collection("", noun)
            for noun in ("secrets", "orders", "containers")
        }
        self.use(clouds.Cloud(**kept))
        own, *generated = (f"{_HERE}/secrets/{each}" for each in range(3))
        for each in (own, *generated):
            self.cloud.add("/secrets", name="s", secret_ref=each)
        pair = f"{_HERE}/containers/1"
        for number, made in enumerate(
            ({"secret_ref": generated[0]}, {"container_ref": pair})
        ):
            self.cloud.add(
                "/orders", order_ref=f"{_HERE}/orders/{number}", **made
            )
        self.cloud.add(
            "/containers",
            container_ref=pair,
            secret_refs=[{"name": "key", "secret_ref": generated[1]}],
        )

        self.assertEqual([own], self.listed())

    def test_containers_that_orders_generated_are_not_listed(self) -> None:
        self.use_type("GenericContainer")
        kept = {
            noun: clouds.Collection("", noun)
            for noun in ("orders", "containers")
        }
        self.use(clouds.Cloud(**kept))
        own, generated = (f"{_HERE}/containers/{each}" for each in range(2))
        for each in (own, generated):
            self.cloud.add(
                "/containers",
                name="c",
                type="generic",
                container_ref=each,
                secret_refs=[],
            )
        self.cloud.add(
            "/orders", order_ref=f"{_HERE}/orders/1", container_ref=generated
        )

        self.assertEqual([own], self.listed())

    def listed(self) -> list[str]:
        found = self.plugin.list_physical_resources(
            request.RequestContext(project_id="p"),
            listing.PhysicalResourceFilter(),
        )
        return [each.physical_id for each in found or ()]

    def test_an_adopted_one_has_its_address_as_its_id(self) -> None:
        self.use_type("Secret")
        address = f"{_HERE}/secrets/1"
        self.answer("/secrets/1", {"secret_ref": address})

        for given in ("1", address):
            adopted = self.plugin.handle_adopt(
                self.context(),
                call_context.AdoptedResource(
                    physical_id=given, data={}, metadata={}
                ),
            )

            self.assertEqual(address, adopted.physical_id)

    def take(self, plural: str, key: str, **shown: object) -> None:
        """Let the service accept one, which is ``1`` then."""
        made = {key: f"{_HERE}/{plural}/1", "status": "ACTIVE"}
        self.cloud.answers["POST", f"/{plural}"] = 201, made
        self.answer(f"/{plural}/1", {**made, **shown})

    def create(self, **given: object) -> tuple[typing.Any, Body]:
        """Return the context of a new one, and what was sent."""
        context = self.context(**given)
        created = self.plugin.create(context)
        (sent,) = [each.body for each in self.cloud.requests]
        assert isinstance(created, str)
        assert isinstance(sent, dict)
        return self.context(physical_id=created, **given), sent

    def test_a_payload_is_sent_and_read_by_a_request_of_its_own(self) -> None:
        self.use_type("Secret")
        self.take("secrets", "secret_ref")

        context, sent = self.create(payload="sesame")

        self.assertEqual("sesame", sent["payload"])
        self.assertEqual(f"{_HERE}/secrets/1", context.physical_id)
        self.assertIsNone(self.plugin.is_created(context))
        self.answer("/secrets/1/payload", "sesame")
        self.assertEqual(
            {"status": "ACTIVE", "decrypted_payload": "sesame"},
            self.plugin.read_attributes(
                context, ("status", "decrypted_payload")
            ),
        )
        self.assertEqual(
            {"status": "ACTIVE"},
            self.plugin.read_attributes(context, ("status",)),
        )

    def test_an_order_shows_what_it_generated(self) -> None:
        self.use_type("Order")
        self.take("orders", "order_ref", container_ref=f"{_HERE}/containers/2")
        refs = [{"name": "public_key", "secret_ref": f"{_HERE}/secrets/3"}]
        self.answer("/containers/2", {"secret_refs": refs})
        self.answer("/secrets/3/payload", "PUBLIC")

        context, sent = self.create(type="asymmetric", bit_length=2048)

        self.assertEqual({"bit_length": 2048}, sent["meta"])
        self.assertEqual("asymmetric", sent["type"])
        self.assertEqual(
            {"status": "ACTIVE", "public_key": "PUBLIC", "certificate": None},
            self.plugin.read_attributes(
                context, ("status", "public_key", "certificate")
            ),
        )

    def test_an_order_without_a_container_shows_none(self) -> None:
        self.use_type("Order")
        self.take("orders", "order_ref", secret_ref=f"{_HERE}/secrets/3")

        context, _ = self.create(type="key")

        self.assertEqual(
            {"secret_ref": f"{_HERE}/secrets/3", "private_key": None},
            self.plugin.read_attributes(
                context, ("secret_ref", "private_key")
            ),
        )

    def test_a_container_lists_its_secrets(self) -> None:
        refs = [{"name": "private_key", "secret_ref": f"{_HERE}/secrets/3"}]
        for noun, given in (
            ("RSAContainer", {"private_key_ref": f"{_HERE}/secrets/3"}),
            (
                "CertificateContainer",
                {"private_key_ref": f"{_HERE}/secrets/3"},
            ),
            (
                "GenericContainer",
                {
                    "secrets": [
                        {"name": "private_key", "ref": f"{_HERE}/secrets/3"}
                    ]
                },
            ),
        ):
            self.use_type(noun)
            self.take("containers", "container_ref", secret_refs=refs)

            context, sent = self.create(**given)

            self.assertEqual(refs, sent["secret_refs"])
            self.assertEqual(
                {"secret_refs": {"private_key": f"{_HERE}/secrets/3"}},
                self.plugin.read_attributes(context, ("secret_refs",)),
            )
        self.use_type("RSAContainer")
        self.take("containers", "container_ref", secret_refs=refs)
        live = self.plugin.get_reality(context) or {}
        self.assertEqual(f"{_HERE}/secrets/3", live["private_key_ref"])
