"""``OS::Glance::WebImage``, on a real Glance that fetches from a server."""

import typing

from openstack import exceptions

from tests.cloud import cases
from tests.cloud import image_server
from tests.cloud import short_set

Json = dict[str, typing.Any]


class WebImageTests(cases.RigTestCase):
    services = ("image",)

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.server = cls.use(image_server.ImageServer("127.0.0.1"))

    def image(self, path: str = "image", **properties: object) -> Json:
        return {
            "type": "OS::Glance::WebImage",
            "properties": {
                "container_format": "bare",
                "disk_format": "raw",
                "location": self.server.url(path),
                **properties,
            },
        }

    @short_set.case_of("OS::Glance::WebImage")
    def test_an_image_is_fetched_changed_in_place_and_removed(self) -> None:
        stack = self.made(
            {
                "it": self.image(
                    os_distro="plain",
                    tags=["b", "a"],
                    extra_properties={"hw_rng": "yes", "room": "1"},
                )
            },
            outputs={"shown": {"value": {"get_attr": ["it", "show"]}}},
        )
        identifier = self.physical_id(stack, "it")
        shown = typing.cast(Json, self.here.outputs(stack)["shown"])

        self.assertEqual(
            ("active", 4096, "plain", ["a", "b"], "yes"),
            (
                shown["status"],
                shown["size"],
                shown["os_distro"],
                sorted(shown["tags"]),
                shown["hw_rng"],
            ),
        )

        self.updated(
            stack,
            {
                "it": self.image(
                    os_version="2",
                    tags=["c"],
                    extra_properties={"room": "2"},
                    protected=True,
                    active=False,
                )
            },
        )

        changed = self.user.image.get(f"/images/{identifier}").json()
        self.assertEqual(
            ("deactivated", "2", ["c"], "2", True),
            (
                changed["status"],
                changed["os_version"],
                changed["tags"],
                changed["room"],
                changed["protected"],
            ),
        )
        self.assertEqual(set(), {"os_distro", "hw_rng"} & set(changed))

        self.updated(stack, {"it": self.image()})
        self.assertEqual(
            "active", self.user.image.get_image(identifier).status
        )
        self.act(stack, "check")
        self.removed(stack)
        self.assertRaises(
            exceptions.NotFoundException,
            self.user.image.get_image,
            identifier,
        )

    def test_an_image_that_cannot_be_fetched_fails_with_the_reason(
        self,
    ) -> None:
        stack = self.made(
            {"it": self.image("nothing")}, status="CREATE_FAILED"
        )

        reason = str(self.here.show(stack)["stack_status_reason"])
        self.assertIn("ResourceInError", reason)
        self.assertIn("Task failed", reason)
