"""Images: how their content is fetched, and what of them is changed."""

import dataclasses

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

URL = "http://example.org/image"


class Images(clouds.Cloud):
    """A Glance: one thing stands in an answer as it is."""

    def _make(
        self, kept: clouds.Collection, body: clouds.Body
    ) -> clouds.Answer:
        identifier = self.add("/images", **{"status": "queued", **body})
        return 201, kept.rows[identifier]

    def _one(
        self,
        kept: clouds.Collection,
        identifier: str,
        method: str,
        body: object,
    ) -> clouds.Answer:
        if method == "PATCH":
            return 200, kept.rows[identifier]
        return 200, kept.rows[identifier]


class WebImageTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Glance::WebImage")

    def setUp(self) -> None:
        super().setUp()
        self.use(Images(images=clouds.Collection("", "images")))

    def begun(
        self, *tasks: dict[str, str], **given: object
    ) -> call_context.Context:
        """Return an image that was begun, and that has these tasks."""
        context = self.context(
            container_format="bare", disk_format="raw", location=URL, **given
        )
        identifier = str(self.plugin.create(context))
        self.path = f"/images/{identifier}"
        self.cloud.answers["GET", f"{self.path}/tasks"] = (
            200,
            {"tasks": list(tasks)},
        )
        self.cloud.answers["POST", f"{self.path}/import"] = 202, None
        return dataclasses.replace(context, physical_id=identifier)

    def become(self, context: call_context.Context, status: str) -> None:
        images = self.cloud.collections["/images"].rows
        images[context.physical_id or ""]["status"] = status

    def test_names_lead_nowhere_else(self) -> None:
        context = self.begun(members=["a/b"], extra_properties={"a/b~c": "1"})
        image = self.cloud.collections["/images"].rows[
            context.physical_id or ""
        ]
        image["a/b~c"] = "1"
        self.become(context, "active")
        self.cloud.answers["DELETE", f"{self.path}/members/a%2Fb"] = 204, None

        self.changed(context, members=[], extra_properties={})

        (patch,) = (e.body for e in self.cloud.requests if e.method == "PATCH")
        self.assertEqual([{"op": "remove", "path": "/a~1b~0c"}], patch)
        self.assertEqual(
            [f"DELETE {self.path}/members/a%2Fb"],
            self.cloud.find_requests("DELETE"),
        )

    def test_a_member_that_leads_elsewhere_removes_no_image(self) -> None:
        context = self.begun(members=[".."])

        self.assertRaises(rest.NoPath, self.changed, context, members=[])

        self.assertEqual([], self.cloud.find_requests("DELETE"))

    def test_an_image_that_nobody_fetches_is_fetched(self) -> None:
        context = self.begun()

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )

        (sent,) = [
            each.body
            for each in self.cloud.requests
            if each.path.endswith("/import")
        ]
        self.assertEqual(
            {"method": {"name": "web-download", "uri": URL}}, sent
        )

    def test_one_that_is_being_fetched_is_not_fetched_twice(self) -> None:
        context = self.begun({"status": "processing"})

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )

        self.assertEqual([], self.cloud.find_requests("POST")[1:])

    def test_two_who_begin_at_once_are_fine(self) -> None:
        context = self.begun()
        self.cloud.answers["POST", f"{self.path}/import"] = 409, {}

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )

    def test_one_that_could_not_be_fetched_fails_with_the_reason(self) -> None:
        context = self.begun({"status": "failure", "message": "no such host"})

        error = self.assertRaises(
            cloud_errors.InError, self.plugin.is_created, context
        )

        self.assertIn("no such host", error.message)

    def test_it_is_switched_off_once_its_content_is_there(self) -> None:
        context = self.begun(active=False)
        self.become(context, "active")
        path = f"{self.path}/actions/deactivate"
        self.cloud.answers["POST", path] = 204, None

        self.assertIsNone(self.plugin.is_created(context))

        self.assertEqual(f"POST {path}", self.cloud.find_requests("POST")[-1])

    def test_only_what_differs_is_patched(self) -> None:
        context = self.begun(
            os_distro="plain", extra_properties={"room": "1", "hw": "x"}
        )
        self.become(context, "active")
        after = dataclasses.replace(
            context,
            properties={
                **context.properties,
                "os_distro": None,
                "os_version": "2",
                "extra_properties": {"room": "2"},
            },
        )

        self.plugin.update(
            after,
            context.properties,
            ("os_distro", "os_version", "extra_properties"),
        )

        (sent,) = [
            each for each in self.cloud.requests if each.method == "PATCH"
        ]
        self.assertEqual(
            "application/openstack-images-v2.1-json-patch",
            sent.headers["content-type"],
        )
        assert isinstance(sent.body, list)
        self.assertEqual(
            {
                ("replace", "/room", "2"),
                ("remove", "/hw", None),
                ("remove", "/os_distro", None),
                ("add", "/os_version", "2"),
            },
            {
                (each["op"], each["path"], each.get("value"))
                for each in sent.body
            },
        )
