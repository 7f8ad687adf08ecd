"""The data file of the plug-in author's guide loads and works as written."""

import dataclasses
import pathlib

from orch.plugin import clouds as plugin_clouds
from orch.plugin import reality
from orch.plugin import registry
from tests.unit.resources import contexts
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack import packages

_EXAMPLE = pathlib.Path("doc/examples/qos.json")
_POLICY = "OS::Neutron::QoSPolicy"
_RULE = "OS::Neutron::QoSBandwidthLimitRule"


class ExampleTest(clouds.CloudTestCase):
    """A package with the file and its entry point, and nothing else."""

    def setUp(self) -> None:
        super().setUp()
        self.useFixture(
            packages.Package(
                self.make_directory(), "example_qos", _EXAMPLE.read_text()
            )
        )
        self.left_out: list[tuple[str, BaseException]] = []
        self.types = registry.ResourceTypes(
            contexts.options(),
            lambda name, error: self.left_out.append((name, error)),
        )

    def use_type(self, type_name: str, cloud: clouds.Cloud) -> None:
        """Let tests act on a type of the registry."""
        found = self.types.get(type_name)
        assert isinstance(found, plugin_clouds.CloudResource)
        self.kind = type(found)
        self.use(cloud)

    def test_a_policy_is_created_changed_observed_and_deleted(self) -> None:
        self.use_type(
            _POLICY,
            clouds.Cloud(
                qos__policies=clouds.Collection("policy", "policies")
            ),
        )
        rows = self.cloud.collections["/qos/policies"].rows

        context = self.made(description="gold")
        found = rows[str(context.physical_id)]
        self.assertEqual(contexts.make(self.kind).physical_name, found["name"])
        self.assertTrue(found["description"].startswith("gold [orch "))
        self.assertEqual(
            context.physical_id,
            self.plugin.find(dataclasses.replace(context, physical_id=None)),
        )
        after = self.changed(context, description=None, shared=True)
        self.assertTrue(found["shared"])
        self.assertNotIn("gold", found["description"])
        found["shared"] = False
        self.assertEqual(
            ["shared"],
            self.differing(after, {**after.properties, "name": found["name"]}),
        )
        self.plugin.delete(after)
        self.assertIsNone(self.plugin.is_deleted(after))
        self.assertEqual({}, rows)
        self.assertEqual([], self.left_out)

    def test_a_rule_is_within_its_policy(self) -> None:
        self.use_type(
            _RULE,
            clouds.Cloud(
                qos__policies=clouds.Collection("policy", "policies"),
                qos__policies__p__bandwidth_limit_rules=clouds.Collection(
                    "bandwidth_limit_rule", "bandwidth_limit_rules"
                ),
            ),
        )
        self.cloud.add("/qos/policies", id="p", name="gold")
        path = "/qos/policies/p/bandwidth-limit-rules"
        rules = self.cloud.collections.pop(path)
        self.cloud.collections[path.replace("-", "_")] = rules

        context = self.made(policy="gold", max_kbps=100)

        self.assertEqual(
            [{"max_kbps": 100, "id": context.physical_id}],
            list(rules.rows.values()),
        )
        self.changed(context, max_kbps=200)
        self.assertEqual({"max_kbps": 200}, self.plugin.get_reality(context))
        self.assertIsNone(self.plugin.observe([context, context]))
        rules.rows.clear()
        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)
