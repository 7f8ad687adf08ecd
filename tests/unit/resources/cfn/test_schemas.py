from orch.resources.cfn import wait_condition
from orch.resources.cfn import wait_condition_handle
from tests import base
from tests.unit.resources.heat import schemas


class SchemaTest(base.TestCase):
    def test_each_type_declares_what_clients_of_heat_know(self) -> None:
        for plugin in (
            wait_condition.WaitCondition,
            wait_condition_handle.WaitConditionHandle,
        ):
            facts = schemas.known(self, plugin.type_name)
            expected = {
                key: facts[key]
                for key in ("properties", "attributes", "support")
            }
            self.assertEqual(
                expected, schemas.described(plugin), plugin.type_name
            )
            for item in (*plugin.properties, *plugin.attributes):
                self.assertNotEqual("", item.description, item.name)
