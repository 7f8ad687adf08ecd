from orch.resources.heat import delay
from orch.resources.heat import none
from orch.resources.heat import random_string
from orch.resources.heat import test_resource
from orch.resources.heat import value
from tests import base
from tests.unit.resources.heat import schemas


class SchemaTest(base.TestCase):
    def test_each_type_declares_what_clients_of_heat_know(self) -> None:
        for plugin in (
            delay.Delay,
            none.NoneResource,
            random_string.RandomString,
            test_resource.TestResource,
            value.Value,
        ):
            facts = schemas.known(self, plugin.type_name)
            expected = {
                key: facts[key]
                for key in ("properties", "attributes", "support")
            }
            self.assertEqual(
                expected, schemas.described(plugin), plugin.type_name
            )

    def test_each_declaration_is_described(self) -> None:
        for plugin in (
            delay.Delay,
            random_string.RandomString,
            test_resource.TestResource,
            value.Value,
        ):
            for item in (*plugin.properties, *plugin.attributes):
                self.assertNotEqual("", item.description, item.name)
