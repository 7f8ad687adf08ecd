"""What stands in a cloud is listed, becomes a template, and is adopted."""

import collections.abc
import json
import typing
import uuid

from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.resources.openstack import base as openstack_base
from orch.resources.openstack import type_data
from tests import base
from tests.cloud import cases
from tests.support import rig
from tests.unit.resources import contexts

Json = dict[str, typing.Any]


class AdoptedTests(cases.RigTestCase):
    """Things of the project, each made by its service's own client."""

    services = ("compute", "network", "image", "block-storage")
    limit_s = 300

    def setUp(self) -> None:
        super().setUp()
        self.of_test = f"listed-{uuid.uuid4().hex[:8]}"

    def stands(
        self, made: typing.Any, remove: collections.abc.Callable[..., object]
    ) -> typing.Any:
        """Return a thing, which is removed at the end of the test."""
        self.addCleanup(remove, made.id, ignore_missing=True)
        return made

    def named(self, what: str) -> str:
        return f"{self.of_test}-{what}"

    def made_by_hand(self) -> dict[str, str]:
        """Return ids by type of things that no stack has made."""
        compute, volumes = self.user.compute, self.user.block_storage
        network = self.user.network
        net = self.stands(
            network.create_network(name=self.named("net")),
            network.delete_network,
        )
        subnet = self.stands(
            network.create_subnet(
                name=self.named("subnet"),
                network_id=net.id,
                ip_version=4,
                cidr="10.77.0.0/24",
            ),
            network.delete_subnet,
        )
        self.assertTrue(subnet.id)
        key = self.stands(
            compute.create_keypair(name=self.named("key")),
            compute.delete_keypair,
        )
        group = self.stands(
            compute.create_server_group(
                name=self.named("group"), policy="anti-affinity"
            ),
            compute.delete_server_group,
        )
        volume = self.stands(
            volumes.create_volume(name=self.named("disk"), size=1),
            volumes.delete_volume,
        )
        volumes.wait_for_status(volume, "available", wait=60)
        found = compute.find_flavor("m1.tiny", ignore_missing=False)
        image = self.user.image.find_image("cirros", ignore_missing=False)
        server = self.stands(
            compute.create_server(
                name=self.named("server"),
                flavor_id=found.id,
                image_id=image.id,
                key_name=key.name,
                networks=[{"uuid": net.id}],
            ),
            compute.delete_server,
        )
        compute.wait_for_server(server, wait=120)
        self.addCleanup(self.gone, server.id)
        return {
            "OS::Neutron::Net": net.id,
            "OS::Nova::KeyPair": key.name,
            "OS::Nova::ServerGroup": group.id,
            "OS::Cinder::Volume": volume.id,
            "OS::Nova::Server": server.id,
        }

    def gone(self, server_id: str) -> None:
        """Return once a server is gone, and its network free."""
        compute = self.user.compute
        compute.delete_server(server_id, ignore_missing=True)
        found = compute.find_server(server_id)
        if found is not None:
            compute.wait_for_delete(found, wait=60)

    def test_a_g6_what_is_listed_by_name_is_adopted_as_it_stands(
        self,
    ) -> None:
        wanted = self.made_by_hand()

        answer = self.here.ask(
            "POST",
            "/stacks/generate",
            {
                "listings": [
                    {"type": each, "name": f"{self.of_test}-*"}
                    for each in wanted
                ]
            },
        )

        data = answer["adopt_stack_data"]
        document = data if isinstance(data, dict) else json.loads(data)
        resources = document["resources"]
        self.assertEqual(
            wanted,
            {each["type"]: each["resource_id"] for each in resources.values()},
        )
        stack = self.here.create(
            self.name,
            answer["template"],
            adopt_stack_data=json.dumps(document),
        )
        # What was there before is there behind: nothing of it is the test's.
        self.addCleanup(self.here.ask, "DELETE", f"{stack.path}/abandon")
        self.here.wait(stack, "ADOPT_COMPLETE", timeout_s=120)
        plan = self.here.ask(
            "PUT", f"{stack.path}/preview", {"template": answer["template"]}
        )["plan"]
        self.assertEqual([], plan["changes"])
        self.act(stack, "check")


class _Clouds:
    """Logs in as one user, for whatever stack."""

    def __init__(self, user: typing.Any) -> None:
        self._user = user

    def connect(
        self, context: call_context.Context, **_: object
    ) -> typing.Any:
        return self._user


class ListedTests(base.TestCase):
    """What types tell, in the form in which they tell it."""

    limit_s = 120

    def listed(
        self,
        kind: type[openstack_base.OpenStackResource],
        user: typing.Any,
        **wanted: typing.Any,
    ) -> dict[str, str]:
        """Return names by id."""
        plugin = kind(contexts.options())
        plugin.use_clouds(_Clouds(user))
        found = plugin.list_physical_resources(
            request.RequestContext(project_id=user.current_project_id),
            listing.PhysicalResourceFilter(**wanted),
        )
        assert found is not None
        return {each.physical_id: each.name for each in found}

    def test_flavors_are_those_of_the_cloud(self) -> None:
        cloud = rig.insist("compute")
        tiny = cloud.admin.compute.find_flavor("m1.tiny", ignore_missing=False)

        found = self.listed(
            type_data.load_type("OS::Nova::Flavor"), cloud.admin, name="m1.t*"
        )

        self.assertEqual({tiny.id: "m1.tiny"}, found)

    def test_keystone_lists_as_far_as_the_caller_may(self) -> None:
        cloud = rig.insist("identity")
        own = cloud.user.current_project_id

        everything = self.listed(
            type_data.load_type("OS::Keystone::Project"), cloud.admin
        )

        self.assertEqual(
            {own: "demo"},
            self.listed(
                type_data.load_type("OS::Keystone::Project"), cloud.user
            ),
        )
        self.assertLess({own}, everything.keys())
        users = self.listed(
            type_data.load_type("OS::Keystone::User"), cloud.admin, name="demo"
        )
        self.assertEqual(["demo"], list(users.values()))
        roles = self.listed(
            type_data.load_type("OS::Keystone::Role"), cloud.admin, name="mem*"
        )
        self.assertEqual(["member"], list(roles.values()))

    def test_containers_are_listed_by_name(self) -> None:
        cloud = rig.insist("object-store")
        store = cloud.user.object_store
        names = [f"listed-{uuid.uuid4().hex[:8]}-{each}" for each in "ab"]
        for each in names:
            store.create_container(each)
            self.addCleanup(store.delete_container, each, ignore_missing=True)

        found = self.listed(
            type_data.load_type("OS::Swift::Container"),
            cloud.user,
            name=f"{names[0][:-2]}*",
        )

        self.assertEqual({names[0]: names[0]}, found)
