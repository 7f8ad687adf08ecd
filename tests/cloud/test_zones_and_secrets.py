"""Zones of Designate and secrets of Barbican, on real services."""

import typing

from tests.cloud import drifting
from tests.cloud import short_set

Json = dict[str, typing.Any]


def _declare(kind: str, **properties: object) -> Json:
    return {"type": f"OS::{kind}", "properties": properties}


def _ref(name: str) -> Json:
    return {"get_resource": name}


class ZoneTests(drifting.DriftTestCase):
    services = ("dns",)
    wait_s = 120

    @short_set.case_of("OS::Designate::Zone", "OS::Designate::RecordSet")
    def test_a_zone_with_its_records_lives_and_goes(self) -> None:
        name = f"{self.name}.example."

        def resources(ttl: int, *addresses: str) -> Json:
            return {
                "zone": _declare(
                    "Designate::Zone",
                    name=name,
                    email="hostmaster@example.org",
                    ttl=ttl,
                    description="d" * 100,
                ),
                "records": _declare(
                    "Designate::RecordSet",
                    zone=_ref("zone"),
                    name=f"www.{name}",
                    type="A",
                    records=list(addresses),
                    ttl=ttl,
                    description="e" * 130,
                ),
            }

        stack = self.made(
            resources(300, "192.0.2.1"),
            outputs={"serial": {"value": {"get_attr": ["zone", "serial"]}}},
        )
        zone, records = (
            self.physical_id(stack, each) for each in ("zone", "records")
        )
        self.assertTrue(self.here.outputs(stack)["serial"])

        self.updated(stack, resources(600, "192.0.2.2", "192.0.2.3"))

        dns = self.user.dns
        self.assertEqual(600, dns.get_zone(zone).ttl)
        found = dns.get(f"/zones/{zone}/recordsets/{records}").json()
        self.assertEqual(["192.0.2.2", "192.0.2.3"], sorted(found["records"]))
        self.act(stack, "check")
        self.assertEqual({}, self.drifted(self.observe(stack)))
        self.removed(stack)
        self.assertIsNone(dns.find_zone(zone, ignore_missing=True))


class SecretTests(drifting.DriftTestCase):
    services = ("key-manager",)
    acts_as_admin = True
    wait_s = 120

    @short_set.case_of(
        "OS::Barbican::CertificateContainer",
        "OS::Barbican::GenericContainer",
        "OS::Barbican::Order",
        "OS::Barbican::RSAContainer",
        "OS::Barbican::Secret",
    )
    def test_secrets_and_what_refers_to_them_live_and_go(self) -> None:
        resources = {
            "secret": _declare(
                "Barbican::Secret",
                payload="open sesame",
                payload_content_type="text/plain",
            ),
            "other": _declare(
                "Barbican::Secret",
                payload="/v7+",
                payload_content_type="application/octet-stream",
                payload_content_encoding="base64",
            ),
            "key": _declare(
                "Barbican::Order",
                type="key",
                name="key",
                algorithm="aes",
                bit_length=256,
                mode="cbc",
                payload_content_type="application/octet-stream",
            ),
            "pair": _declare(
                "Barbican::Order",
                type="asymmetric",
                name="pair",
                algorithm="rsa",
                bit_length=2048,
            ),
            "some": _declare(
                "Barbican::GenericContainer",
                name="some",
                secrets=[{"name": "word", "ref": _ref("secret")}],
            ),
            "certified": _declare(
                "Barbican::CertificateContainer",
                certificate_ref=_ref("secret"),
                private_key_ref=_ref("other"),
            ),
            "rsa": _declare(
                "Barbican::RSAContainer",
                private_key_ref=_ref("other"),
                public_key_ref=_ref("secret"),
            ),
        }
        wanted = {
            "word": ["secret", "decrypted_payload"],
            "other": ["other", "decrypted_payload"],
            "state": ["secret", "status"],
            "public": ["pair", "public_key"],
            "key": ["key", "secret_ref"],
            "refs": ["some", "secret_refs"],
        }
        stack = self.made(
            resources,
            outputs={
                name: {"value": {"get_attr": path}}
                for name, path in wanted.items()
            },
        )

        told = self.here.outputs(stack)
        secret = self.physical_id(stack, "secret")
        self.assertIn("/v1/secrets/", secret)
        self.assertEqual("open sesame", told["word"])
        self.assertEqual("/v7+", told["other"])
        self.assertEqual("ACTIVE", told["state"])
        self.assertIn("PUBLIC KEY", told["public"])
        self.assertIn("/v1/secrets/", told["key"])
        self.assertEqual({"word": secret}, told["refs"])
        self.act(stack, "check")
        self.assertEqual({}, self.drifted(self.observe(stack)))
        self.removed(stack)
        identifier = secret.rpartition("/")[2]
        answer = self.admin.key_manager.get(f"/secrets/{identifier}")
        self.assertEqual(404, answer.status_code)
