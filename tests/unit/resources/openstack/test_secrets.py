"""Secrets of types are marked, and requests with them are not logged."""

import logging
import typing

import fixtures

from orch.plugin import call_context
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_SECRET: typing.Final = "s3cret"
_ID: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"


class SecretTest(clouds.CloudTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.logger = self.useFixture(fixtures.FakeLogger(level=logging.DEBUG))
        # Another test may have given it the level that a service has.
        self.useFixture(
            fixtures.FakeLogger("keystoneauth", level=logging.DEBUG)
        )

    def use_type(self, name: str) -> None:
        self.kind = type_data.load_type(name)  # type: ignore[misc]
        self.use(clouds.Cloud())
        table = self.kind.table
        self.cloud.collections[table.path] = clouds.Collection(
            table.key, table.plural
        )

    def marked(self) -> tuple[set[str], set[str]]:
        """Return the properties and attributes that are marked."""
        return (
            {each.name for each in self.kind.properties if each.is_sensitive},
            {each.name for each in self.kind.attributes if each.is_sensitive},
        )

    def test_the_key_of_a_connection_is_not_logged(self) -> None:
        self.use_type("OS::Neutron::IPsecSiteConnection")
        self.assertEqual(({"psk"}, {"psk"}), self.marked())
        ids = dict.fromkeys(
            ("ikepolicy_id", "ipsecpolicy_id", "vpnservice_id"), _ID
        )

        self.plugin.create(
            self.context(
                psk=_SECRET,
                peer_address="10.0.0.1",
                peer_cidrs=["10.0.0.0/8"],
                peer_id="a",
                **ids,
            )
        )

        body = typing.cast(clouds.Body, self.cloud.requests[-1].body)
        self.assertEqual(_SECRET, body["ipsec_site_connection"]["psk"])
        self.assertNotIn(_SECRET, self.logger.output)

    def test_the_password_of_a_security_service_is_not_logged(self) -> None:
        self.use_type("OS::Manila::SecurityService")
        self.assertEqual(({"password"}, set()), self.marked())

        context = self.made(type="ldap", password=f"first {_SECRET}")
        self.changed(context, password=_SECRET)

        body = typing.cast(clouds.Body, self.cloud.requests[-1].body)
        self.assertEqual({"security_service": {"password": _SECRET}}, body)
        self.assertNotIn(_SECRET, self.logger.output)

    def test_the_password_of_a_user_is_not_logged(self) -> None:
        self.use_type("OS::Keystone::User")
        self.assertEqual(({"password"}, set()), self.marked())

        self.made(name="ann", password=_SECRET, domain=_ID)

        (found,) = self.cloud.collections["/users"].rows.values()
        self.assertEqual(_SECRET, found["password"])
        self.assertNotIn(_SECRET, self.logger.output)

    def test_the_private_key_of_a_key_pair_is_not_logged(self) -> None:
        self.use_type("OS::Nova::KeyPair")
        self.cloud.answers["POST", "/os-keypairs"] = (
            200,
            {"keypair": {"name": "k", "private_key": _SECRET}},
        )

        created = self.plugin.create(
            self.context(name="k", save_private_key=True)
        )

        assert isinstance(created, call_context.CreateResult)
        self.assertEqual({"private_key": _SECRET}, created.data)
        self.assertNotIn(_SECRET, self.logger.output)

    def test_a_request_without_secrets_is_logged(self) -> None:
        self.use_type("OS::Neutron::Net")

        self.made(name=_SECRET)

        for sign in ("REQ: ", "RESP BODY: "):
            self.assertTrue(
                any(
                    sign in line and _SECRET in line
                    for line in self.logger.output.splitlines()
                )
            )

    def test_a_signature_is_not_logged(self) -> None:
        self.use_type("OS::Zaqar::SignedQueueURL")
        self.assertEqual((set(), {"query_str", "signature"}), self.marked())
        self.cloud.answers["POST", "/queues/q/share"] = (
            200,
            {"signature": _SECRET, "paths": [], "methods": []},
        )

        self.plugin.create(self.context(queue="q"))

        self.assertNotIn(_SECRET, self.logger.output)
