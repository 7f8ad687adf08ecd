"""Volumes, attachments and buckets under the names of AWS."""

import dataclasses
import typing

from orch.plugin import call_context
from orch.resources.openstack import type_data
from orch.resources.openstack.swift import container
from tests.unit.resources import contexts
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack.cinder import test_volume
from tests.unit.resources.openstack.cinder import test_volume_attachment

_TAG: typing.Final = {"Key": "role", "Value": "web"}
_NAME: typing.Final = "shop-thing-abcdefghijkl"


class VolumeTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::EC2::Volume")

    def setUp(self) -> None:
        super().setUp()
        self.use(test_volume.Block())
        self.rows = self.cloud.collections["/volumes"].rows

    def test_its_tags_are_metadata(self) -> None:
        context = self.made(AvailabilityZone="nova", Size=1, Tags=[_TAG])

        found = self.rows[str(context.physical_id)]
        self.assertEqual(
            {"role": "web", "orch:token": context.token}, found["metadata"]
        )
        self.assertEqual(_NAME, found["name"])
        self.assertEqual("nova", found["availability_zone"])
        self.assertEqual(1, found["size"])
        lost = dataclasses.replace(context, physical_id=None)
        self.assertEqual(context.physical_id, self.plugin.find(lost))

    def test_it_is_made_from_a_backup(self) -> None:
        context = self.made(AvailabilityZone="nova", SnapshotId="b")

        found = self.rows[str(context.physical_id)]
        self.assertEqual("b", found["backup_id"])

    def test_drift_is_told_under_its_own_names(self) -> None:
        context = self.made(AvailabilityZone="nova", Size=1, Tags=[_TAG])
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual(
            {"AvailabilityZone": "nova", "Size": 1, "Tags": [_TAG]}, live
        )
        found = self.rows[str(context.physical_id)]

        found.update(size=2, metadata={**found["metadata"], "a": "b"})

        self.assertEqual(["Size", "Tags"], self.differing(context, live))

    def test_a_snapshot_is_a_backup_that_is_given_by_hand(self) -> None:
        context = self.made(AvailabilityZone="nova", Size=1)

        kept = self.plugin.snapshot(context, "s")

        self.assertEqual(
            [*self.cloud.collections["/backups"].rows], [kept["backup_id"]]
        )
        self.assertEqual(
            context.properties,
            self.plugin.restored_properties(context.properties, kept),
        )


class VolumeAttachmentTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::EC2::VolumeAttachment")
    cloud: test_volume_attachment.Attachments

    def test_it_attaches_and_detaches(self) -> None:
        self.use(test_volume_attachment.Attachments())
        given = {
            "InstanceId": test_volume_attachment.HERE,
            "VolumeId": test_volume_attachment.DISK,
            "Device": "/dev/vdc",
        }

        context = self.made(**given)

        key = given["InstanceId"], given["VolumeId"]
        self.assertEqual("/dev/vdc", self.cloud.attached[key]["device"])
        self.assertEqual(given, self.plugin.get_reality(context))
        self.plugin.delete(context)
        self.assertEqual({}, self.cloud.attached)


class BucketTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::S3::Bucket")

    def setUp(self) -> None:
        super().setUp()
        self.use(clouds.Cloud())
        self.cloud.answers["PUT", f"/{_NAME}"] = 201, None
        self.cloud.answers["DELETE", f"/{_NAME}"] = 204, None

    def context(self, **given: typing.Any) -> call_context.Context:
        return dataclasses.replace(super().context(**given), stack_project="p")

    def create(self, **given: object) -> dict[str, str]:
        """Create a bucket; return the headers, names in lower case."""
        self.assertEqual(_NAME, self.plugin.create(self.context(**given)))
        return dict(self.cloud.requests[-1].headers)

    def show(self, **headers: str) -> None:
        """Let the bucket have these headers, ``_`` for a hyphen."""
        self.cloud.headers = {
            "X-Container-Meta-Orch-Token": contexts.TOKEN,
            **{
                f"X-Container-{key.replace('_', '-')}": value
                for key, value in headers.items()
            },
        }
        self.cloud.answers["HEAD", f"/{_NAME}"] = 204, None

    def test_its_tags_and_pages_are_metadata(self) -> None:
        headers = self.create(
            Tags=[_TAG],
            WebsiteConfiguration={
                "IndexDocument": "index.html",
                "ErrorDocument": None,
            },
        )

        self.assertEqual("web", headers["x-container-meta-s3-tag-role"])
        self.assertEqual("index.html", headers["x-container-meta-web-index"])
        self.assertNotIn("x-container-meta-web-error", headers)

    def test_each_access_has_its_lists(self) -> None:
        for access, read, write in (
            (None, None, None),
            ("Private", None, None),
            ("BucketOwnerRead", None, None),
            ("AuthenticatedRead", "p:*", None),
            ("PublicRead", ".r:*", None),
            ("PublicReadWrite", ".r:*", "*:*"),
        ):
            headers = self.create(AccessControl=access)

            self.assertEqual(read, headers.get("x-container-read"), access)
            self.assertEqual(write, headers.get("x-container-write"), access)
            shown = {"Read": read, "Write": write}
            self.show(**{key: one for key, one in shown.items() if one})
            context = dataclasses.replace(
                self.context(AccessControl=access), physical_id=_NAME
            )
            live = self.plugin.get_reality(context)
            assert live is not None
            self.assertEqual(access, live["AccessControl"])
            self.cloud.answers.pop(("HEAD", f"/{_NAME}"))

    def test_drift_is_told_under_its_own_names(self) -> None:
        context = dataclasses.replace(
            self.context(AccessControl="Private"), physical_id=_NAME
        )
        self.show(Meta_S3_Tag_Role="web", Meta_Web_Error="e.html", Read=".r:*")
        live = self.plugin.get_reality(context)
        assert live is not None

        self.assertEqual(
            {
                "Tags": [{"Key": "role", "Value": "web"}],
                "WebsiteConfiguration": {"ErrorDocument": "e.html"},
                "AccessControl": "PublicRead",
            },
            live,
        )
        self.assertEqual(
            self.plugin.normalise("Tags", [{"Key": "Role", "Value": "web"}]),
            self.plugin.normalise("Tags", live["Tags"]),
        )
        self.show(Read="someone")
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertIn("someone", str(live["AccessControl"]))

    def test_one_with_objects_is_not_removed(self) -> None:
        self.show()
        self.cloud.answers["GET", f"/{_NAME}"] = 200, [{"name": "one"}]
        context = dataclasses.replace(self.context(), physical_id=_NAME)

        error = self.assertRaises(
            container.NotEmpty, self.plugin.delete, context
        )

        self.assertNotIn("PurgeOnDelete", error.message)
        self.assertEqual([], self.cloud.find_requests("DELETE"))
