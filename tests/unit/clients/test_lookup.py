"""Names of things become ids."""

import uuid

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import constraints as plugin_constraints
from orch.resources.openstack import constraints
from tests import base
from tests.unit.resources.heat import installations
from tests.unit.resources.openstack import clouds


class LookupTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.there = self.useFixture(
            clouds.Cloud(
                flavors=clouds.Collection("flavor", "flavors"),
                types=clouds.Collection("volume_type", "volume_types"),
                ports=clouds.Collection("port", "ports"),
                domains=clouds.Collection("domain", "domains"),
                users=clouds.Collection("user", "users"),
            )
        )
        login = self.useFixture(installations.Cloud(self.there.url))
        self.login = login.connect(None, region_name=None)

    def find(self, kind: lookup.Kind, name: str) -> str:
        return lookup.find_id(self.login, kind, name)

    def test_what_looks_like_an_id_is_one(self) -> None:
        for written in (uuid.uuid4(), uuid.uuid4().hex):
            self.assertEqual(
                str(written),
                self.find(lookup.KINDS["neutron.port"], str(written)),
            )
        self.assertEqual([], self.there.requests)

    def test_ids_of_any_form_are_asked_for_first(self) -> None:
        self.there.add("/flavors", id="m1", name="small")
        self.there.add("/flavors", id="m2", name="m1")

        self.assertEqual("m1", self.find(lookup.KINDS["nova.flavor"], "m1"))
        self.assertEqual("m1", self.find(lookup.KINDS["nova.flavor"], "small"))
        self.there.refuse("GET", "/flavors/small", 400)
        self.assertEqual("m1", self.find(lookup.KINDS["nova.flavor"], "small"))

    def test_a_flavor_of_trove_has_its_id_as_a_text(self) -> None:
        # As Trove shows a flavor whose id is no number.
        identifier = "5d4b3a1e-0000-4000-8000-00000000000a"
        self.there.add("/flavors", id=identifier, name="small")
        row = self.there.collections["/flavors"].rows[identifier]
        row.update(id=None, str_id=identifier)
        kind = lookup.KINDS["trove.flavor"]

        self.assertEqual(identifier, self.find(kind, "small"))
        self.assertEqual(identifier, self.find(kind, identifier))

    def test_a_service_that_filters_by_no_name_lists_all(self) -> None:
        wanted = self.there.add("/types", name="fast")
        self.there.add("/types", name="slow")

        self.assertEqual(
            wanted, self.find(lookup.KINDS["cinder.vtype"], "fast")
        )
        self.assertNotIn("name=", self.there.requests[-1].path)

    def test_a_service_that_does_not_answer_does_not_say_no(self) -> None:
        self.there.refuse("GET", "/ports", 403)

        error = self.assertRaises(
            rest.CloudRefused, self.find, lookup.KINDS["neutron.port"], "x"
        )

        self.assertNotIsInstance(error, lookup.NameNotFound)

    def test_what_no_path_leads_to_is_not_there(self) -> None:
        for name in (".", ".."):
            self.assertRaises(
                lookup.NameNotFound,
                self.find,
                lookup.KINDS["nova.flavor"],
                name,
            )
            self.assertRaises(
                plugin_constraints.NotAccepted,
                constraints.CONSTRAINTS["nova.keypair"],
                self.login,
                name,
            )
        self.assertNotIn("/", {each.path for each in self.there.requests})

    def test_a_name_may_say_of_which_domain(self) -> None:
        for domain in ("one", "two"):
            self.there.add("/domains", id=f"d-{domain}", name=domain)
            self.there.add(
                "/users",
                id=f"u-{domain}",
                name="ann",
                domain_id=f"d-{domain}",
            )

        self.assertEqual(
            "u-two", self.find(lookup.KINDS["keystone.user"], "ann{two}")
        )
        self.assertEqual(
            "u-one", self.find(lookup.KINDS["keystone.user"], "ann{d-one}")
        )
        self.assertRaises(
            lookup.Ambiguous, self.find, lookup.KINDS["keystone.user"], "ann"
        )
        for name in ("bob{two}", "ann{three}", "{two}", "ann{}"):
            self.assertRaises(
                lookup.NameNotFound,
                self.find,
                lookup.KINDS["keystone.user"],
                name,
            )

    def test_a_name_with_braces_is_one_where_there_are_no_domains(
        self,
    ) -> None:
        wanted = self.there.add("/ports", name="p{two}")

        self.assertEqual(
            wanted, self.find(lookup.KINDS["neutron.port"], "p{two}")
        )
        self.assertNotIn("GET /domains", self.there.find_requests("GET"))
