"""Servers: what is asked for, in which order, and what may go wrong."""

import base64
import dataclasses
import email
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import errors as errors_
from orch.resources.openstack.nova import changes
from tests.unit.resources import contexts
from tests.unit.resources.openstack.nova import compute
from tests.unit.resources.openstack.nova import servers


class CreateTests(servers.ServerTestCase):
    def test_names_become_ids_and_the_token_is_in_the_metadata(self) -> None:
        desired = self.create(metadata={"a": "b", "n": 1, "none": None})

        self.assertEqual("1", desired["flavorRef"])
        self.assertEqual(compute.IMAGE, desired["imageRef"])
        self.assertEqual([{"uuid": compute.NET}], desired["networks"])
        self.assertEqual(
            {"a": "b", "n": "1", "orch:token": contexts.TOKEN},
            desired["metadata"],
        )
        self.assertEqual("shop-thing-abcdefghijkl", desired["name"])

    def test_without_networks_the_service_chooses_them(self) -> None:
        self.assertNotIn("networks", self.create(networks=None))
        (seen,) = [
            each for each in self.cloud.requests if each.method == "POST"
        ]
        self.assertEqual("compute 2.36", seen.headers["openstack-api-version"])

    def test_networks_may_be_left_to_the_service_by_word(self) -> None:
        desired = self.create(networks=[{"allocate_network": "none"}])

        self.assertEqual("none", desired["networks"])

    def test_disks_are_told_in_the_form_of_the_service(self) -> None:
        volume = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0a09"
        desired = self.create(
            block_device_mapping_v2=[
                {"volume_id": volume, "boot_index": 1},
                {"swap_size": 64},
                {"ephemeral_size": 1, "ephemeral_format": "ext4"},
            ]
        )

        first, disk, swap, ephemeral = desired["block_device_mapping_v2"]
        self.assertEqual(
            ("image", 0), (first["source_type"], first["boot_index"])
        )
        self.assertEqual((volume, 1), (disk["uuid"], disk["boot_index"]))
        self.assertEqual(
            ("swap", -1, 64),
            (swap["guest_format"], swap["boot_index"], swap["volume_size"]),
        )
        self.assertEqual("ext4", ephemeral["guest_format"])

    def test_decisions_of_plug_ins_go_to_the_scheduler(self) -> None:
        context = dataclasses.replace(
            self.context(scheduler_hints={"group": "g"}),
            decisions={"racks": {"scheduler_hints": {"rack": "r1"}}, "x": 1},
        )

        self.plugin.create(context)

        self.assertEqual(
            {"group": "g", "rack": "r1"},
            self.last_request()["os:scheduler_hints"],
        )

    def test_a_quota_is_waited_for(self) -> None:
        for status, message in (
            (403, "Quota exceeded for instances: Requested 1, used 1 of 1"),
            (403, "Maximum number of ports exceeded"),
        ):
            self.cloud.refuse(
                "POST", "/servers", status, {"forbidden": {"message": message}}
            )
            self.assertRaises(
                errors.QuotaExceeded, self.plugin.create, self.context()
            )

    def test_a_network_without_subnet_may_get_one(self) -> None:
        message = "Network x requires a subnet in order to boot instances on."
        self.cloud.refuse(
            "POST", "/servers", 400, {"badRequest": {"message": message}}
        )

        self.assertRaises(errors.Transient, self.plugin.create, self.context())

    def test_what_a_lost_attempt_made_is_found_by_its_token(self) -> None:
        self.cloud.page = 1
        self.existing()
        other = contexts.TOKEN.replace("6", "7")
        mine = self.existing(token=other)

        found = self.plugin.find(self.context(token=other))

        self.assertEqual(mine.physical_id, found)
        self.assertIsNone(
            self.plugin.find(self.context(token=other.replace("7", "8")))
        )

    def test_an_error_of_the_service_is_the_reason(self) -> None:
        self.cloud.status = "ERROR"
        context = self.existing()
        self.cloud.server(context.physical_id)["fault"] = {
            "message": "No valid host was found.",
            "code": 500,
        }

        error = self.assertRaises(
            errors_.InError, self.plugin.is_created, context
        )

        self.assertEqual(
            'Went to status ERROR due to "Message: No valid host was found.,'
            ' Code: 500"',
            error.message,
        )

    def test_tags_and_floating_ips_come_once_it_is_there(self) -> None:
        address = self.cloud.add("/floatingips")
        context = self.existing(
            tags=["b", "a"],
            networks=[{"network": compute.NET, "floating_ip": address}],
        )
        self.cloud.status = "BUILD"

        self.assertIsNone(self.plugin.is_created(context))

        made = self.cloud.server(context.physical_id)
        self.assertEqual(["b", "a"], made["tags"])
        self.assertEqual(
            made["interfaces"][0]["port_id"],
            self.cloud.collections["/floatingips"].rows[address]["port_id"],
        )


class UserDataTests(servers.ServerTestCase):
    def parts(self, desired: servers.Body) -> dict[str, str]:
        text = base64.b64decode(desired["user_data"]).decode()
        found = email.message_from_string(text)
        return {
            str(part.get_filename()): str(part.get_content_subtype())
            for part in found.walk()
            if not part.is_multipart()
        }

    def test_raw_is_passed_on_as_it_is(self) -> None:
        desired = self.create(user_data="#!/bin/sh\n")

        self.assertEqual(
            b"#!/bin/sh\n", base64.b64decode(desired["user_data"])
        )

    def test_else_metadata_come_with_it(self) -> None:
        desired = self.create(
            user_data="#cloud-config\n{}", user_data_format="HEAT_CFNTOOLS"
        )

        self.assertEqual(
            {"user-data": "cloud-config", "cfn-init-data": "cloud-boothook"},
            self.parts(desired),
        )

    def test_the_agent_learns_where_to_poll(self) -> None:
        context = self.context(
            user_data_format="SOFTWARE_CONFIG",
            software_config_transport="POLL_SERVER_HEAT",
        )

        message = self.plugin.agent(context)
        address = self.plugin.given_address(context)

        self.assertEqual(
            address, typing.cast(servers.Body, message["heat"])["metadata_url"]
        )
        self.assertIsNone(self.plugin.given_address(self.context()))

    def test_a_transport_that_is_not_served_is_refused(self) -> None:
        self.assertRaises(
            errors.Invalid,
            self.plugin.validate,
            {
                "user_data_format": "SOFTWARE_CONFIG",
                "software_config_transport": "ZAQAR_MESSAGE",
            },
        )


class ChangeTests(servers.ServerTestCase):
    def test_only_what_differs_is_asked_for(self) -> None:
        context = self.existing(metadata={"a": "1", "b": "2"})
        held = self.cloud.server(context.physical_id)
        held["metadata"]["a"] = "other"
        held["metadata"]["x"] = "y"
        self.cloud.requests.clear()

        after = self.begun(context, metadata=context.properties["metadata"])

        self.assertIsNone(self.plugin.is_updated(after))
        self.assertEqual(
            {"a": "1", "b": "2", "orch:token": contexts.TOKEN},
            held["metadata"],
        )
        self.assertEqual(
            [
                f"POST /servers/{context.physical_id}/metadata",
                f"DELETE /servers/{context.physical_id}/metadata/x",
            ],
            self.cloud.find_requests("POST", "PUT", "DELETE"),
        )

    def test_metadata_of_any_name_are_removed_and_nothing_else(self) -> None:
        context = self.existing(metadata={"a": "1"})
        held = self.cloud.server(context.physical_id)
        place = f"/servers/{context.physical_id}/metadata"
        for stray, desired in (
            ("..", f"PUT {place}"),
            (".", f"PUT {place}"),
            ("a/b", f"PUT {place}"),
            ("../..", f"PUT {place}"),
            ("a ?#b", f"DELETE {place}/a%20%3F%23b"),
        ):
            held["metadata"][stray] = "y"
            self.cloud.requests.clear()

            after = self.begun(
                context, metadata=context.properties["metadata"]
            )

            self.assertIsNone(self.plugin.is_updated(after))
            self.assertEqual(
                {"a": "1", "orch:token": contexts.TOKEN}, held["metadata"]
            )
            self.assertEqual(
                [desired], self.cloud.find_requests("POST", "PUT", "DELETE")
            )

    def test_a_new_size_is_confirmed(self) -> None:
        self.cloud.left_in = {
            "resize": "VERIFY_RESIZE",
            "confirmResize": "ACTIVE",
        }
        context = self.existing()

        after = self.begun(context, flavor="large")

        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )
        self.assertIsNone(self.plugin.is_updated(after))
        self.assertEqual(["resize", "confirmResize"], self.actions())

    def test_a_confirmation_under_way_is_waited_for(self) -> None:
        self.cloud.left_in = {"resize": "VERIFY_RESIZE"}
        context = self.existing()
        after = self.begun(context, flavor="large")
        self.cloud.refuse(
            "POST",
            f"/servers/{context.physical_id}/action",
            400,
            {"badRequest": {"message": "Instance has not been resized."}},
        )

        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )

    def test_a_size_that_the_service_gives_up_is_an_error(self) -> None:
        self.cloud.left_in = {"resize": "ACTIVE"}
        context = self.existing()
        after = self.begun(context, flavor="large")

        self.assertRaises(changes.NotResized, self.plugin.is_updated, after)
        self.assertEqual(["resize"], self.actions())

    def test_the_size_that_it_has_already_is_not_asked_for(self) -> None:
        context = self.existing()

        self.assertIsNone(
            self.plugin.is_updated(self.begun(context, flavor="1"))
        )

        self.assertEqual([], self.actions())

    def test_size_and_image_come_one_after_the_other(self) -> None:
        self.cloud.left_in = {
            "resize": "VERIFY_RESIZE",
            "confirmResize": "ACTIVE",
        }
        context = self.existing()

        after = self.begun(context, flavor="2", image=compute.OTHER_IMAGE)
        while self.plugin.is_updated(after) is not None:
            pass

        self.assertEqual(
            ["resize", "confirmResize", "rebuild"], self.actions()
        )

    def test_a_change_waits_for_what_others_do(self) -> None:
        context = self.existing()
        self.cloud.server(context.physical_id)["status"] = "REBUILD"

        self.assertRaises(errors.Busy, self.begun, context, flavor="2")

    def test_interfaces_are_taken_away_and_added(self) -> None:
        context = self.existing()

        after = self.begun(context, networks=[{"network": compute.OTHER_NET}])
        for _ in range(4):
            if self.plugin.is_updated(after) is None:
                break

        (there,) = self.cloud.server(context.physical_id)["interfaces"]
        self.assertEqual(compute.OTHER_NET, there["net_id"])

    def test_what_is_put_back_need_not_stand_in_the_template(self) -> None:
        context = self.existing(networks=None)
        self.cloud.server(context.physical_id)["interfaces"] = []
        before = [{"network": compute.NET, "fixed_ip": None}]

        begun = self.begun(context, networks=before)
        watched = dataclasses.replace(context, data=begun.data)

        self.assertIsNone(self.plugin.is_updated(watched))
        (there,) = self.cloud.server(context.physical_id)["interfaces"]
        self.assertEqual(compute.NET, there["net_id"])

    def test_networks_that_nobody_names_any_more_are_left(self) -> None:
        context = self.existing()
        held = self.cloud.server(context.physical_id)

        for given in (None, [], [{"allocate_network": "auto"}]):
            after = self.begun(context, networks=given)
            self.assertIsNone(self.plugin.is_updated(after))
            self.assertEqual(1, len(held["interfaces"]))
        after = self.begun(context, networks=[{"allocate_network": "none"}])
        self.assertIsNone(self.plugin.is_updated(after))
        self.assertEqual([], held["interfaces"])

    def test_policies_may_ask_for_another_server(self) -> None:
        for name, policy, old, new in (
            ("flavor", "flavor_update_policy", "1", "2"),
            ("image", "image_update_policy", "a", "b"),
            ("user_data", "user_data_update_policy", "a", "b"),
        ):
            after = {name: new, policy: "REPLACE"}
            self.assertTrue(
                self.plugin.needs_replacement({name: old}, after, {name})
            )
            after[policy] = "OTHER"
            self.assertFalse(
                self.plugin.needs_replacement({name: old}, after, {name})
            )

    def test_without_an_image_before_it_is_another_server(self) -> None:
        self.assertTrue(
            self.plugin.needs_replacement({}, {"image": "a"}, {"image"})
        )


class RestTests(servers.ServerTestCase):
    def test_one_that_is_stopped_is_not_well(self) -> None:
        context = self.existing()
        self.cloud.server(context.physical_id)["status"] = "SHUTOFF"

        error = self.assertRaises(errors.Permanent, self.plugin.check, context)

        self.assertIn("SHUTOFF", error.message)

    def test_suspended_already_is_success(self) -> None:
        context = self.existing()
        self.cloud.server(context.physical_id)["status"] = "SUSPENDED"

        self.plugin.suspend(context)

        self.assertIsNone(self.plugin.is_suspended(context))
        self.assertEqual([], self.actions())

    def test_a_snapshot_is_made_once(self) -> None:
        context = self.existing()

        first = self.plugin.snapshot(context, "s")
        second = self.plugin.snapshot(context, "s")

        self.assertEqual(first, second)
        self.assertEqual(["createImage"], self.actions())
        self.assertIsInstance(
            self.plugin.is_snapshotted(context, first), call_context.Pending
        )
        image = self.cloud.collections["/images"].rows[
            str(first["snapshot_image_id"])
        ]
        image["status"] = "active"
        self.assertIsNone(self.plugin.is_snapshotted(context, first))
        image["status"] = "killed"
        self.assertRaises(
            errors_.InError, self.plugin.is_snapshotted, context, first
        )
        self.plugin.delete_snapshot(context, first)
        self.plugin.delete_snapshot(context, first)
        self.assertRaises(
            errors.Permanent, self.plugin.is_snapshotted, context, first
        )


class DeleteTests(servers.ServerTestCase):
    def test_one_that_is_on_its_way_out_is_waited_for(self) -> None:
        context = self.existing()
        self.cloud.server(context.physical_id)["OS-EXT-STS:task_state"] = (
            "deleting"
        )
        self.cloud.requests.clear()

        self.assertIsInstance(
            self.plugin.is_deleted(context), call_context.Pending
        )

        self.assertEqual([], self.cloud.find_requests("DELETE"))

    def test_one_that_is_deleted_softly_is_gone(self) -> None:
        context = self.existing()
        self.cloud.server(context.physical_id)["status"] = "SOFT_DELETED"

        self.assertIsNone(self.plugin.is_deleted(context))
