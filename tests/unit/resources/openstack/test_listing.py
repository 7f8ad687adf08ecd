"""What types on OpenStack list, for whoever looks for what there is."""

import typing

from orch.clients import rest
from orch.context import request
from orch.plugin import listing
from orch.plugin import resource
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_PROJECT: typing.Final = "demo"


class _ListingTestCase(clouds.CloudTestCase):
    def use_type(
        self, kind: type[resource.Resource], cloud: clouds.Cloud
    ) -> None:
        # ``kind`` is of the class elsewhere: here each test has its own.
        self.kind = kind  # type: ignore[misc]
        self.use(cloud)

    def list_resources(self) -> list[listing.PhysicalResource]:
        return list(
            self.plugin.list_physical_resources(
                request.RequestContext(project_id=_PROJECT),
                listing.PhysicalResourceFilter(),
            )
            or ()
        )

    def listed(self, **desired: typing.Any) -> list[tuple[str, str]] | None:
        """Return ids and names; ``None`` where the type does not list."""
        found = self.plugin.list_physical_resources(
            request.RequestContext(project_id=_PROJECT),
            listing.PhysicalResourceFilter(**desired),
        )
        if found is None:
            return None
        return [(each.physical_id, each.name) for each in found]


class ListedTest(_ListingTestCase):
    """What is listed."""

    def test_servers_by_name_and_tag(self) -> None:
        self.use_type(
            type_data.load_type("OS::Nova::Server"),
            clouds.Cloud(
                servers__detail=clouds.Collection("server", "servers")
            ),
        )
        web = self.cloud.add("/servers/detail", name="web-1", tags=["a"])
        db = self.cloud.add("/servers/detail", name="db", tags=[])

        self.assertEqual([(web, "web-1"), (db, "db")], self.listed())
        self.assertEqual([(web, "web-1")], self.listed(name="web-*"))
        self.assertEqual([(web, "web-1")], self.listed(tag="a"))
        self.assertEqual([], self.listed(tag="b"))

    def test_volumes_which_have_no_tags(self) -> None:
        self.use_type(
            type_data.load_type("OS::Cinder::Volume"),
            clouds.Cloud(
                volumes__detail=clouds.Collection("volume", "volumes")
            ),
        )
        disk = self.cloud.add("/volumes/detail", name="disk")

        self.assertEqual([(disk, "disk")], self.listed(name="d*"))
        self.assertEqual([], self.listed(tag="a"))

    def test_a_volume_with_the_servers_that_have_it(self) -> None:
        self.use_type(
            type_data.load_type("OS::Cinder::Volume"),
            clouds.Cloud(
                volumes__detail=clouds.Collection("volume", "volumes")
            ),
        )
        self.cloud.add("/volumes/detail", name="spare", attachments=[])
        self.cloud.add(
            "/volumes/detail", name="boot", attachments=[{"server_id": "web"}]
        )

        found = self.list_resources()

        self.assertEqual([(), ("web",)], [x.held_by for x in found])
        self.assertEqual([False] * 2, [x.is_named for x in found])

    def test_a_port_with_what_has_it(self) -> None:
        self.use_type(
            type_data.load_type("OS::Neutron::Port"),
            clouds.Cloud(ports=clouds.Collection("port", "ports")),
        )
        for device_id in ("", "web"):
            self.cloud.add("/ports", project_id=_PROJECT, device_id=device_id)

        self.assertEqual(
            [(), ("web",)], [x.held_by for x in self.list_resources()]
        )

    def test_server_groups(self) -> None:
        self.use_type(
            type_data.load_type("OS::Nova::ServerGroup"),
            clouds.Cloud(
                os_server_groups=clouds.Collection(
                    "server_group", "server_groups"
                )
            ),
        )
        apart = self.cloud.add("/os-server-groups", name="apart")

        self.assertEqual([(apart, "apart")], self.listed())

    def test_flavors_that_are_not_public_too(self) -> None:
        self.use_type(
            type_data.load_type("OS::Nova::Flavor"),
            clouds.Cloud(
                flavors__detail=clouds.Collection("flavor", "flavors")
            ),
        )
        small = self.cloud.add("/flavors/detail", name="small", is_public=None)

        self.assertEqual([(small, "small")], self.listed())
        self.assertIn("is_public=None", self.cloud.requests[-1].path)

    def test_key_pairs_by_the_name_that_is_their_id(self) -> None:
        self.use_type(type_data.load_type("OS::Nova::KeyPair"), clouds.Cloud())
        self.cloud.answers["GET", "/os-keypairs"] = (
            200,
            {
                "keypairs": [
                    {"keypair": {"name": "mine", "fingerprint": "a:b"}},
                    {"keypair": {"name": "old", "fingerprint": "c:d"}},
                ]
            },
        )

        self.assertEqual([("mine", "mine"), ("old", "old")], self.listed())
        self.assertEqual([("old", "old")], self.listed(name="old"))
        self.assertEqual(
            [True] * 2, [x.is_named for x in self.list_resources()]
        )

    def test_images_of_the_project(self) -> None:
        self.use_type(
            type_data.load_type("OS::Glance::WebImage"),
            clouds.Cloud(images=clouds.Collection("", "images")),
        )
        mine = self.cloud.add(
            "/images", name="mine", owner=_PROJECT, tags=["a"]
        )
        self.cloud.add("/images", name="public", owner="another", tags=["a"])

        self.assertEqual([(mine, "mine")], self.listed(tag="a"))

    def test_containers_page_by_page(self) -> None:
        self.use_type(
            type_data.load_type("OS::Swift::Container"), clouds.Cloud()
        )
        pages = [[{"name": "a", "count": 1}, {"name": "b"}], [{"name": "c"}]]
        markers: list[str] = []

        def page(method: str, path: str, body: object) -> clouds.Answer:
            self.assertEqual("GET", method)
            _, _, marker = path.partition("marker=")
            markers.append(marker)
            return (200, pages.pop(0)) if pages else (204, None)

        self.patch(self.cloud, "find_answer", page)

        self.assertEqual([("a", "a"), ("b", "b"), ("c", "c")], self.listed())
        self.assertEqual(["", "b", "c"], markers)

    def test_users_and_roles(self) -> None:
        for kind, path, key in (
            (type_data.load_type("OS::Keystone::User"), "users", "user"),
            (type_data.load_type("OS::Keystone::Role"), "roles", "role"),
        ):
            self.use_type(
                kind, clouds.Cloud(**{path: clouds.Collection(key, path)})
            )
            one = self.cloud.add(f"/{path}", name="one")

            self.assertEqual([(one, "one")], self.listed())

    def test_of_what_a_caller_may_not_list_the_reason_is_told(self) -> None:
        self.use_type(
            type_data.load_type("OS::Keystone::User"),
            clouds.Cloud(users=clouds.Collection("user", "users")),
        )
        self.cloud.refuse("GET", "/users", 403)

        self.assertRaises(rest.CloudRefused, self.listed)

    def test_who_may_not_list_all_projects_gets_the_own(self) -> None:
        self.use_type(
            type_data.load_type("OS::Keystone::Project"),
            clouds.Cloud(projects=clouds.Collection("project", "projects")),
        )
        self.cloud.add("/projects", name="any", tags=["a"])
        self.cloud.refuse("GET", "/projects", 403)
        self.cloud.answers["GET", "/auth/projects"] = (
            200,
            {"projects": [{"id": "p", "name": "own", "tags": ["a"]}]},
        )

        self.assertEqual([("p", "own")], self.listed(tag="a"))

    def test_things_in_others_are_not_listed(self) -> None:
        for kind in (
            type_data.load_type("OS::Cinder::VolumeAttachment"),
            type_data.load_type("OS::Keystone::UserRoleAssignment"),
            type_data.load_type("OS::Keystone::GroupRoleAssignment"),
            type_data.load_type("OS::Neutron::RouterInterface"),
            type_data.load_type("OS::Neutron::FloatingIPAssociation"),
            type_data.load_type("OS::Neutron::ExtraRouteSet"),
        ):
            self.use_type(kind, clouds.Cloud())

            self.assertIsNone(self.listed())
            self.assertEqual([], self.cloud.requests)


class OfProjectTest(_ListingTestCase):
    """What is listed of one project alone."""

    def test_what_belongs_to_no_project_is_not_asked_for(self) -> None:
        for kind in (
            type_data.load_type("OS::Nova::Flavor"),
            type_data.load_type("OS::Nova::KeyPair"),
            type_data.load_type("OS::Keystone::Project"),
            type_data.load_type("OS::Keystone::User"),
            type_data.load_type("OS::Keystone::Role"),
        ):
            self.use_type(kind, clouds.Cloud())

            self.assertIsNone(self.listed(is_of_project=True))
            self.assertEqual([], self.cloud.requests)

    def test_a_type_of_amazon_is_listed_if_it_is_named(self) -> None:
        for name, collection in (
            ("VPC", "network"),
            ("Subnet", "subnet"),
            ("NetworkInterface", "port"),
        ):
            self.use_type(
                type_data.load_type(f"AWS::EC2::{name}"),
                clouds.Cloud(
                    **{
                        f"{collection}s": clouds.Collection(
                            collection, f"{collection}s"
                        )
                    }
                ),
            )
            found = self.cloud.add(
                f"/{collection}s", name="shop", project_id=_PROJECT
            )

            self.assertEqual([(found, "shop")], self.listed())
            self.assertIsNone(self.listed(is_of_project=True))

    def test_an_older_name_is_listed_if_it_is_named(self) -> None:
        self.use_type(
            type_data.load_type("OS::Neutron::LBaaS::LoadBalancer"),
            clouds.Cloud(
                lbaas__loadbalancers=clouds.Collection(
                    "loadbalancer", "loadbalancers"
                )
            ),
        )
        found = self.cloud.add(
            "/lbaas/loadbalancers", name="web", project_id=_PROJECT
        )

        self.assertEqual([(found, "web")], self.listed())
        self.assertIsNone(self.listed(is_of_project=True))

    def test_what_belongs_to_one_is(self) -> None:
        self.use_type(
            type_data.load_type("OS::Nova::Server"),
            clouds.Cloud(
                servers__detail=clouds.Collection("server", "servers")
            ),
        )
        web = self.cloud.add("/servers/detail", name="web")

        self.assertEqual([(web, "web")], self.listed(is_of_project=True))
