"""Volumes: what is asked for, and what may go wrong."""

import dataclasses
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import errors as errors_
from orch.resources.openstack import type_data
from tests.unit.resources import contexts
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]


class Block(clouds.Cloud):
    """Volumes and backups; what they are asked for is kept."""

    def __init__(self) -> None:
        super().__init__(
            volumes=clouds.Collection(
                "volume", "volumes", defaults={"status": "available"}
            ),
            backups=clouds.Collection(
                "backup", "backups", defaults={"status": "creating"}
            ),
        )
        self.actions: list[Body] = []

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        bare = path.partition("?")[0]
        if bare in ("/volumes/detail", "/backups/detail"):
            return self._list(
                self.collections[bare.removesuffix("/detail")], {}
            )
        if bare.endswith("/action"):
            self.actions.append(body)
            return 202, None
        if bare.endswith("/restore"):
            self.actions.append(body)
            return 202, {"restore": {}}
        if "/metadata" in bare:
            return self._answer_metadata(method, bare, body)
        return super().find_answer(method, path, body)

    def _answer_metadata(
        self, method: str, path: str, body: Body
    ) -> clouds.Answer:
        found = self.collections["/volumes"].rows[path.split("/")[2]]
        if method == "DELETE":
            del found["metadata"][path.rpartition("/")[2]]
            return 200, None
        if method == "PUT":
            found["metadata"] = {}
        found["metadata"].update(body["metadata"])
        return 200, {"metadata": found["metadata"]}


class VolumeTests(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Cinder::Volume")
    cloud: Block
    plugin: type_data.load_type("OS::Cinder::Volume")

    def setUp(self) -> None:
        super().setUp()
        self.use(Block())

    def existing(self, **given: object) -> call_context.Context:
        return self.made(**{"size": 1, **given})

    def stored_volume(self, context: call_context.Context) -> Body:
        found = self.cloud.collections["/volumes"].rows
        return found[str(context.physical_id)]

    def begun(
        self, context: call_context.Context, **properties: object
    ) -> call_context.Context:
        after = dataclasses.replace(
            context, properties={**context.properties, **properties}
        )
        self.cloud.requests.clear()
        made = self.plugin.update(after, context.properties, set(properties))
        return dataclasses.replace(after, data=made.data)

    def test_what_a_lost_attempt_made_is_found_by_its_token(self) -> None:
        context = self.existing(metadata={"a": 1})

        self.assertEqual(
            {"a": "1", "orch:token": contexts.TOKEN},
            self.stored_volume(context)["metadata"],
        )
        for shown in (
            self.plugin.show(context),
            self.plugin.read_attributes(
                context, ["metadata", "metadata_values"]
            ),
        ):
            self.assertNotIn("orch:token", str(shown))
        self.assertEqual(context.physical_id, self.plugin.find(context))
        other = dataclasses.replace(context, token="another")
        self.assertIsNone(self.plugin.find(other))

    def test_it_grows_in_place_and_never_shrinks(self) -> None:
        context = self.existing()

        after = self.begun(context, size=3)
        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )
        self.stored_volume(context)["size"] = 3

        self.assertIsNone(self.plugin.is_updated(after))
        self.assertEqual([{"os-extend": {"new_size": 3}}], self.cloud.actions)
        needs = self.plugin.needs_replacement
        self.assertTrue(needs({"size": 3}, {"size": 1}, {"size"}))
        self.assertFalse(needs({"size": 1}, {"size": 3}, {"size"}))

    def test_one_that_could_not_grow_is_an_error(self) -> None:
        context = self.existing()
        after = self.begun(context, size=3)
        self.stored_volume(context)["status"] = "error_extending"

        self.assertRaises(errors_.InError, self.plugin.is_updated, after)

    def test_its_metadata_are_those_of_the_template(self) -> None:
        context = self.existing(metadata={"a": "1"})
        self.stored_volume(context)["metadata"].update(x="y", readonly="False")

        after = self.begun(context, metadata={"b": "2"})

        self.assertIsNone(self.plugin.is_updated(after))
        self.assertEqual(
            {"b": "2", "orch:token": contexts.TOKEN, "readonly": "False"},
            self.stored_volume(context)["metadata"],
        )
        found = self.plugin.get_reality(context)
        assert found is not None
        self.assertEqual({"b": "2"}, found["metadata"])

    def test_metadata_that_no_path_leads_to_are_removed(self) -> None:
        context = self.existing(metadata={"a": "1"})
        place = f"/volumes/{context.physical_id}/metadata"
        for stray in ("..", "x/y"):
            self.stored_volume(context)["metadata"].update(
                {stray: "y", "readonly": "False"}
            )
            self.cloud.requests.clear()

            self.begun(context, metadata={"a": "2"})

            self.assertEqual(
                {"a": "2", "orch:token": contexts.TOKEN},
                self.stored_volume(context)["metadata"],
            )
            self.assertEqual(
                [f"PUT {place}"],
                self.cloud.find_requests("POST", "PUT", "DELETE"),
            )

    def test_what_it_is_called_already_is_not_sent(self) -> None:
        context = self.existing(description="d")

        self.begun(context, description="d")

        self.assertEqual([], self.cloud.find_requests("PUT", "POST"))

    def test_one_that_is_in_a_server_is_removed_later(self) -> None:
        context = self.existing()
        message = "Volume status must be available or error or error_restoring"
        self.cloud.refuse(
            "DELETE",
            f"/volumes/{context.physical_id}",
            400,
            {"badRequest": {"message": message}},
        )

        self.plugin.delete(context)

        self.assertIsInstance(
            self.plugin.is_deleted(context), call_context.Pending
        )
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_a_quota_is_waited_for(self) -> None:
        message = {"overLimit": {"message": "VolumeLimitExceeded"}}
        self.cloud.refuse("POST", "/volumes", 413, message)

        self.assertRaises(
            errors.QuotaExceeded, self.plugin.create, self.context(size=1)
        )

    def test_its_state_is_kept_as_a_backup_and_gone_back_to(self) -> None:
        context = self.existing()

        kept = self.plugin.snapshot(context, "s")

        self.assertEqual(kept, self.plugin.snapshot(context, "s"))
        self.assertIsInstance(
            self.plugin.is_snapshotted(context, kept), call_context.Pending
        )
        backup = self.cloud.collections["/backups"].rows[
            str(kept["backup_id"])
        ]
        backup["status"] = "available"
        self.assertIsNone(self.plugin.is_snapshotted(context, kept))
        back = self.plugin.restored_properties(context.properties, kept)
        self.begun(context, backup_id=back["backup_id"])
        self.assertEqual(
            [{"restore": {"volume_id": context.physical_id}}],
            self.cloud.actions,
        )
        backup.update(status="error", fail_reason="no space")
        error = self.assertRaises(
            errors_.InError, self.plugin.is_snapshotted, context, kept
        )
        self.assertIn("no space", error.message)
        self.plugin.delete_snapshot(context, kept)
        self.plugin.delete_snapshot(context, kept)
        self.assertRaises(
            errors.Permanent, self.plugin.is_snapshotted, context, kept
        )
