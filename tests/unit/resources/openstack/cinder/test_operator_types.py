"""Types of volumes and what administrators add to them."""

import dataclasses
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

_TYPE: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"
_OTHER: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000b"


class Cinder(clouds.Cloud):
    """Volume types, each with at most one encryption, and QoS specs."""

    def __init__(self) -> None:
        super().__init__(
            types=clouds.Collection("volume_type", "volume_types"),
            qos_specs=clouds.Collection("qos_specs", "qos_specs"),
        )
        self.encryption: Body = {}
        self.associated: list[str] = []

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        bare, _, query = path.partition("?")
        if "/encryption" in bare:
            return self._encrypt(method, body)
        if bare.endswith("/associations"):
            found = [{"id": each} for each in self.associated]
            return 200, {"qos_associations": found}
        if bare.endswith("/associate"):
            self.associated.append(query.partition("=")[2])
            return 202, None
        if bare.endswith("/disassociate"):
            self.associated.remove(query.partition("=")[2])
            return 202, None
        if bare.endswith("/disassociate_all"):
            self.associated.clear()
            return 202, None
        if method == "DELETE" and self.associated:
            return 400, {"badRequest": {"message": "in use"}}
        if bare.endswith("/delete_keys"):
            for each in body["keys"]:
                del self._specs(bare.split("/")[2])[each]
            return 202, None
        return super().find_answer(method, path, body)

    def _encrypt(self, method: str, body: Body) -> clouds.Answer:
        if method == "DELETE":
            self.encryption = {}
            return 202, None
        if method == "GET":
            return 200, self.encryption
        self.encryption.update(body["encryption"], volume_type_id=_TYPE)
        return 200, {"encryption": self.encryption}

    def _make(self, kept: clouds.Collection, body: Body) -> clouds.Answer:
        if kept.key == "qos_specs":
            specs = dict(body["qos_specs"])
            name = specs.pop("name")
            consumer = specs.pop("consumer", "back-end")
            body = {
                "qos_specs": {
                    "name": name,
                    "consumer": consumer,
                    "specs": specs,
                }
            }
        return super()._make(kept, body)

    def _one(
        self,
        kept: clouds.Collection,
        identifier: str,
        method: str,
        body: typing.Any,
    ) -> clouds.Answer:
        if kept.key == "qos_specs" and method == "PUT":
            specs = dict(body["qos_specs"])
            kept.rows[identifier]["consumer"] = specs.pop("consumer")
            self._specs(identifier).update(specs)
            return 200, body
        return super()._one(kept, identifier, method, body)

    def _specs(self, identifier: str) -> Body:
        found = self.collections["/qos-specs"].rows[identifier]["specs"]
        assert isinstance(found, dict)
        return found


class OperatorTypeTest(clouds.CloudTestCase):
    def use_type(self, noun: str) -> None:
        self.kind = type_data.load_type(  # type: ignore[misc]
            f"OS::Cinder::{noun}"
        )
        self.use(Cinder())

    def test_a_type_has_one_encryption(self) -> None:
        self.use_type("EncryptedVolumeType")
        assert isinstance(self.cloud, Cinder)
        lost = self.context(volume_type=_TYPE, provider="luks")
        self.assertIsNone(self.find_lost(lost))

        context = self.made(volume_type=_TYPE, provider="luks", key_size=128)

        self.assertEqual(_TYPE, context.physical_id)
        found = self.find_lost(lost)
        assert found is not None
        self.assertEqual(_TYPE, found.physical_id)
        self.assertIsNone(self.plugin.find(lost))
        wrong = call_context.AdoptedResource(
            physical_id=_OTHER, data={}, metadata={}
        )
        self.assertRaises(
            rest.CloudNotFound, self.plugin.handle_adopt, lost, wrong
        )
        self.changed(context, key_size=256)
        self.assertEqual(256, self.cloud.encryption["key_size"])
        self.assertIsNone(self.plugin.check(context))
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_specs_are_beside_the_name_and_removed_by_a_request(self) -> None:
        self.use_type("QoSSpecs")
        assert isinstance(self.cloud, Cinder)
        specs = {"consumer": "both", "read_iops_sec": "10"}

        context = self.made(specs=specs)

        (found,) = self.cloud.collections["/qos-specs"].rows.values()
        self.assertEqual({"read_iops_sec": "10"}, found["specs"])
        self.assertEqual(
            context.physical_id,
            self.plugin.find(dataclasses.replace(context, physical_id=None)),
        )
        live = self.plugin.get_reality(context) or {}
        self.assertEqual(specs, live["specs"])
        self.changed(context, specs={"consumer": "both", "size": 7})
        self.assertEqual({"size": "7"}, found["specs"])
        self.cloud.associated.append(_OTHER)
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_types_are_associated_one_by_one(self) -> None:
        self.use_type("QoSAssociation")
        assert isinstance(self.cloud, Cinder)
        specs = self.cloud.add("/qos-specs", name="gold")

        context = self.made(qos_specs=specs, volume_types=[_TYPE])

        self.assertEqual([_TYPE], self.cloud.associated)
        after = self.changed(context, volume_types=[_OTHER])
        self.assertEqual([_OTHER], self.cloud.associated)
        self.assertIsNone(self.plugin.check(after))
        self.cloud.associated.clear()
        self.assertRaises(reality.Vanished, self.plugin.check, after)
        self.cloud.associated.append(_OTHER)
        self.assertIsNone(self.plugin.is_deleted(after))
        self.assertEqual([], self.cloud.associated)

    def test_a_type_is_published_by_another_key_than_created(self) -> None:
        self.use_type("VolumeType")

        context = self.made(name="gold", is_public=True)

        (found,) = self.cloud.collections["/types"].rows.values()
        self.assertTrue(found["os-volume-type-access:is_public"])
        self.cloud.answers["GET", f"/types/{context.physical_id}"] = (
            200,
            {"volume_type": found},
        )
        self.changed(context, description="d", is_public=True)
        (sent,) = [
            each.body for each in self.cloud.requests if each.method == "PUT"
        ]
        assert isinstance(sent, dict)
        self.assertTrue(sent["volume_type"]["is_public"])
        self.assertNotIn(
            "os-volume-type-access:is_public", sent["volume_type"]
        )
        self.assertRaises(
            rest.CloudNotFound, self.plugin.check, self.context(name="none")
        )
