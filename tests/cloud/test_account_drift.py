"""Drift of projects, users, images and containers on real services."""

import typing

from openstack import exceptions

from tests.cloud import drifting
from tests.cloud import image_server
from tests.support import rest

Json = dict[str, typing.Any]


class AccountDriftTests(drifting.DriftTestCase):
    services = ("identity", "image", "object-store")
    acts_as_admin = True

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.images = cls.use(image_server.ImageServer("127.0.0.3"))

    def desired_resources(self) -> Json:
        place = {"get_resource": "place"}
        return {
            "place": {
                "type": "OS::Keystone::Project",
                "properties": {"description": "ours", "tags": ["b", "a"]},
            },
            "job": {"type": "OS::Keystone::Role"},
            "person": {
                "type": "OS::Keystone::User",
                "properties": {
                    "default_project": place,
                    "roles": [
                        {"role": {"get_resource": "job"}, "project": place}
                    ],
                },
            },
            "image": {
                "type": "OS::Glance::WebImage",
                "properties": {
                    "container_format": "bare",
                    "disk_format": "raw",
                    "location": self.images.url(),
                    "os_distro": "plain",
                },
            },
            "store": {
                "type": "OS::Swift::Container",
                "properties": {"X-Container-Meta": {"Colour": "red"}},
            },
        }

    def spoil(self, stack: rest.Stack) -> None:
        """Change things as somebody else would."""
        place, person = (
            self.physical_id(stack, name) for name in ("place", "person")
        )
        self.openstack("project", "set", "--description", "mine", place)
        self.openstack("user", "set", "--disable", person)
        self.openstack(
            *("role", "remove", "--user", person, "--project", place),
            self.physical_id(stack, "job"),
        )
        self.openstack(
            *("image", "set", "--property", "os_distro=other"),
            self.physical_id(stack, "image"),
        )
        exceptions.raise_from_response(
            self.admin.object_store.post(
                f"/{self.physical_id(stack, 'store')}",
                headers={"X-Container-Meta-Colour": "blue"},
            )
        )

    def test_d2_only_what_somebody_changed_is_named_and_put_back(self) -> None:
        stack = self.made(self.desired_resources())
        self.assertEqual({}, self.drifted(self.observe(stack)))
        self.assertEqual([], self.changes(stack))

        self.spoil(stack)
        seen = self.observe(stack)

        self.assertEqual(
            {
                "place": ["description"],
                "person": ["enabled", "roles"],
                "image": ["os_distro"],
                "store": ["X-Container-Meta"],
            },
            self.drifted(seen),
            seen,
        )
        marker = str(self.here.events(stack)[-1]["id"])
        self.updated(stack, self.desired_resources(), converge=True)

        self.assertEqual({}, self.drifted(self.observe(stack)))
        # Keystone and Glance keep no log of requests: what was acted on
        # stands in the events. Nothing of a container changes in place.
        self.assertEqual(
            {
                ("place", "UPDATE"),
                ("person", "UPDATE"),
                ("image", "UPDATE"),
                ("store", "CREATE"),
                ("store", "DELETE"),
            },
            {
                (
                    str(each["resource_name"]),
                    str(each["resource_status"]).partition("_")[0],
                )
                for each in self.here.events(stack, marker)
                if each["resource_name"] != stack.name
                and not str(each["resource_status"]).startswith("OBSERVE")
            },
        )

    def test_d4_a_user_that_vanished_is_made_anew(self) -> None:
        stack = self.made(self.desired_resources())
        person = self.physical_id(stack, "person")
        self.openstack("user", "delete", person)

        self.assertEqual({"person": None}, self.drifted(self.observe(stack)))
        self.updated(stack, self.desired_resources(), converge=True)

        self.assertNotEqual(person, self.physical_id(stack, "person"))
        self.assertEqual({}, self.drifted(self.observe(stack)))

    def changes(self, stack: rest.Stack) -> list[str]:
        """Return what an update by what is there would change."""
        return [
            each
            for each in self.plan(stack, self.desired_resources())
            if not each.startswith("unchanged")
        ]
