"""``OS::Swift::Container``, on a real Swift."""

import typing

from openstack import exceptions

from tests.cloud import cases
from tests.cloud import short_set

Json = dict[str, typing.Any]


def container(**properties: object) -> Json:
    return {"type": "OS::Swift::Container", "properties": properties}


class ContainerTests(cases.RigTestCase):
    services = ("object-store",)

    def headers(self, name: str) -> Json:
        answer = self.user.object_store.head(f"/{name}")
        exceptions.raise_from_response(answer)
        return {key.lower(): one for key, one in answer.headers.items()}

    @short_set.case_of("OS::Swift::Container")
    def test_a_container_has_metadata_and_rights(self) -> None:
        stack = self.made(
            {
                "it": container(
                    **{
                        "X-Container-Meta": {"Web-Index": "index.html"},
                        "X-Container-Read": ".r:*",
                    }
                )
            },
            outputs={
                name: {"value": {"get_attr": ["it", name]}}
                for name in ("ObjectCount", "DomainName", "WebsiteURL")
            },
        )
        name = self.physical_id(stack, "it")

        headers = self.headers(name)

        self.assertEqual(
            ("index.html", ".r:*"),
            (
                headers["x-container-meta-web-index"],
                headers["x-container-read"],
            ),
        )
        outputs = self.here.outputs(stack)
        self.assertEqual(
            (0, "127.0.0.1"), (outputs["ObjectCount"], outputs["DomainName"])
        )
        self.assertTrue(str(outputs["WebsiteURL"]).endswith(f"/{name}"))
        self.act(stack, "check")
        self.removed(stack)
        self.assertRaises(exceptions.NotFoundException, self.headers, name)

    def test_objects_are_removed_only_where_that_is_wanted(self) -> None:
        kept = self.made({"it": container()})
        name = self.physical_id(kept, "it")
        self.user.object_store.put(f"/{name}/one", data=b"1")
        self.addCleanup(self.user.object_store.delete, f"/{name}")
        self.addCleanup(self.user.object_store.delete, f"/{name}/one")

        self.here.delete(kept)
        self.here.wait(kept, "DELETE_FAILED", timeout_s=60)

        self.assertIn(
            "when PurgeOnDelete is False",
            str(self.here.show(kept)["stack_status_reason"]),
        )
        self.user.object_store.delete(f"/{name}/one")
        self.removed(kept)

        self.name += "-purged"
        purged = self.made({"it": container(PurgeOnDelete=True)})
        name = self.physical_id(purged, "it")
        for each in ("one", "a/b c", "two"):
            self.user.object_store.put(f"/{name}/{each}", data=b"1")
        self.removed(purged)
        self.assertRaises(exceptions.NotFoundException, self.headers, name)

    def test_a_container_of_somebody_else_is_not_taken(self) -> None:
        name = f"{self.name}-there"
        self.user.object_store.put(f"/{name}")
        self.addCleanup(self.user.object_store.delete, f"/{name}")

        stack = self.made({"it": container(name=name)}, status="CREATE_FAILED")

        self.assertIn(
            "already", str(self.here.show(stack)["stack_status_reason"])
        )
        self.removed(stack)
        self.headers(name)

    def test_one_that_is_gone_fails_the_check(self) -> None:
        stack = self.made({"it": container()})
        self.user.object_store.delete(f"/{self.physical_id(stack, 'it')}")

        self.act(stack, "check", status="FAILED")
