"""Flavors: their specs, and who may use them."""

import typing

from orch import errors
from orch.clients import rest
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

ONE: typing.Final = "1f4c2f5e-0000-4000-8000-000000000001"
TWO: typing.Final = "1f4c2f5e-0000-4000-8000-000000000002"


class Flavors(clouds.Cloud):
    """Flavors with their specs, and one list of who may use any of them."""

    def __init__(self) -> None:
        super().__init__(flavors=clouds.Collection("flavor", "flavors"))
        self.projects: list[str] = []

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        bare = path.partition("?")[0]
        if bare == "/flavors/detail":
            return self._list(self.collections["/flavors"], {})
        if bare.endswith("/os-flavor-access"):
            found = [{"tenant_id": each} for each in self.projects]
            return 200, {"flavor_access": found}
        if bare.endswith("/action"):
            ((action, desired),) = body.items()
            if action == "addTenantAccess":
                self.projects.append(desired["tenant"])
            else:
                self.projects.remove(desired["tenant"])
            return 200, {}
        if "/os-extra_specs" in bare:
            return self._specs(method, bare, body)
        return super().find_answer(method, path, body)

    def _specs(self, method: str, path: str, body: Body) -> clouds.Answer:
        found = self.collections["/flavors"].rows[path.split("/")[2]]
        specs = found.setdefault("extra_specs", {})
        if method == "DELETE":
            del specs[path.rpartition("/")[2]]
            return 200, None
        specs.update(body["extra_specs"])
        return 200, {"extra_specs": specs}


class FlavorTests(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Nova::Flavor")
    cloud: Flavors

    def setUp(self) -> None:
        super().setUp()
        self.use(Flavors())

    def test_a_name_that_is_taken_is_not_adopted(self) -> None:
        body = {"conflictingRequest": {"message": "Flavor exists"}}
        for name in ("small", None):
            self.cloud.refuse("POST", "/flavors", 409, body)

            error = self.assertRaises(
                errors.OrchError,
                self.plugin.create,
                self.context(ram=1, vcpus=1, name=name),
            )

            is_lasting = isinstance(error, errors.Permanent)
            self.assertEqual(name is not None, is_lasting)

    def test_nova_gives_an_id_where_the_template_gives_none(self) -> None:
        """The name ``auto`` is one of its client library alone."""
        context = self.context(ram=1, vcpus=1)

        body = self.plugin.body_to_create(context)

        self.assertNotIn("id", body)

    def test_specs_and_projects_are_brought_about_and_no_others(self) -> None:
        context = self.made(
            ram=1,
            vcpus=1,
            is_public=False,
            extra_specs={"a": "1", "b": 2},
            tenants=[ONE],
        )
        (made,) = self.cloud.collections["/flavors"].rows.values()
        self.assertEqual({"a": "1", "b": "2"}, made["extra_specs"])
        self.assertEqual([ONE], self.cloud.projects)

        self.changed(context, extra_specs={"b": "3"}, tenants=[TWO])

        self.assertEqual({"b": "3"}, made["extra_specs"])
        self.assertEqual([TWO], self.cloud.projects)
        found = self.plugin.get_reality(context)
        assert found is not None
        self.assertEqual([TWO], found["tenants"])

    def test_a_spec_that_leads_elsewhere_removes_no_flavor(self) -> None:
        context = self.made(ram=1, vcpus=1, extra_specs={"a": "1"})
        (made,) = self.cloud.collections["/flavors"].rows.values()
        made["extra_specs"][".."] = "x"

        self.assertRaises(
            rest.NoPath, self.changed, context, extra_specs={"a": "1"}
        )

        self.assertEqual([], self.cloud.find_requests("DELETE"))

    def test_a_lost_one_is_found_by_its_name(self) -> None:
        context = self.made(ram=1, vcpus=1)

        found = self.find_lost(context)
        assert found is not None
        self.assertEqual(context.physical_id, found.physical_id)
        other = self.context(ram=1, vcpus=1, name="other")
        self.assertIsNone(self.find_lost(other))

    def test_after_a_refusal_none_is_found_by_a_given_name(self) -> None:
        context = self.made(ram=1, vcpus=1, name="small")

        found = self.find_lost(context)
        assert found is not None
        self.assertEqual(context.physical_id, found.physical_id)
        self.assertIsNone(self.plugin.find(context))
