"""Volumes in servers: taken out before they are put elsewhere."""

import dataclasses
import re
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

DISK: typing.Final = "1f4c2f5e-0000-4000-8000-000000000001"
HERE: typing.Final = "1f4c2f5e-0000-4000-8000-00000000000a"
THERE: typing.Final = "1f4c2f5e-0000-4000-8000-00000000000b"

_PATH: typing.Final = re.compile(
    r"^/servers/([^/]+)/os-volume_attachments(?:/(.+))?$"
)


class Attachments(clouds.Cloud):
    """A volume, and the servers that it is in."""

    def __init__(self) -> None:
        super().__init__(volumes=clouds.Collection("volume", "volumes"))
        self.add("/volumes", id=DISK, status="available")
        self.attached: dict[tuple[str, str], Body] = {}

    @property
    def disk(self) -> Body:
        return self.collections["/volumes"].rows[DISK]

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        if refused := self.refusals.get((method, path)):
            return refused.pop(0)
        found = _PATH.match(path)
        if found is None:
            return super().find_answer(method, path, body)
        if method == "POST":
            return self._attach(found[1], body["volumeAttachment"])
        key = found[1], found[2]
        if key not in self.attached:
            return 404, {"itemNotFound": {"message": "not attached"}}
        if method == "DELETE":
            del self.attached[key]
            self.disk["status"] = "detaching"
            return 202, None
        return 200, {"volumeAttachment": self.attached[key]}

    def _attach(self, server: str, desired: Body) -> clouds.Answer:
        made = {
            "id": desired["volumeId"],
            "volumeId": desired["volumeId"],
            "serverId": server,
            "device": desired.get("device", "/dev/vdb"),
        }
        self.attached[server, desired["volumeId"]] = made
        self.disk["status"] = "in-use"
        return 200, {"volumeAttachment": made}


class AttachmentTests(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Cinder::VolumeAttachment")
    cloud: Attachments
    plugin: type_data.load_type("OS::Cinder::VolumeAttachment")

    def setUp(self) -> None:
        super().setUp()
        self.use(Attachments())

    def existing(self) -> call_context.Context:
        return self.made(instance_uuid=HERE, volume_id=DISK)

    def test_what_a_lost_attempt_put_in_is_found(self) -> None:
        context = self.context(instance_uuid=HERE, volume_id=DISK)
        self.assertIsNone(self.find_lost(context))

        made = self.plugin.create(context)

        self.assertEqual(made, self.find_lost(context))
        # After a refusal it is an attachment of others.
        self.assertIsNone(self.plugin.find(context))

    def test_it_is_made_once_the_volume_is_in_use(self) -> None:
        context = self.existing()
        self.cloud.disk["status"] = "attaching"

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )

    def test_it_is_taken_out_before_it_is_put_elsewhere(self) -> None:
        context = self.existing()
        after = dataclasses.replace(
            context, properties={**context.properties, "instance_uuid": THERE}
        )
        made = self.plugin.update(after, context.properties, {"instance_uuid"})
        after = dataclasses.replace(after, data=made.data)

        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )
        self.assertEqual({}, self.cloud.attached)
        self.cloud.disk["status"] = "available"
        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )

        self.assertIsNone(self.plugin.is_updated(after))
        self.assertEqual([(THERE, DISK)], list(self.cloud.attached))
        self.plugin.delete(after)
        self.assertIsInstance(
            self.plugin.is_deleted(after), call_context.Pending
        )
        self.cloud.disk["status"] = "available"
        self.assertIsNone(self.plugin.is_deleted(after))

    def test_one_that_somebody_has_taken_out_has_vanished(self) -> None:
        context = self.existing()
        found = self.plugin.get_reality(context)
        self.assertEqual(
            {
                "instance_uuid": HERE,
                "volume_id": DISK,
                "mountpoint": "/dev/vdb",
            },
            found,
        )
        self.cloud.attached.clear()

        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)
        self.assertRaises(rest.CloudNotFound, self.plugin.check, context)
        self.plugin.delete(context)

    def test_a_refusal_for_now_is_asked_again(self) -> None:
        context = self.existing()
        path = f"/servers/{HERE}/os-volume_attachments/{DISK}"
        self.cloud.refuse("DELETE", path, 409)

        self.plugin.delete(context)
        self.assertIsInstance(
            self.plugin.is_deleted(context), call_context.Pending
        )

        self.assertEqual({}, self.cloud.attached)
