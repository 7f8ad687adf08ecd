from orch.resources.heat import none
from tests import base
from tests.unit.resources import contexts


class NoneTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = none.NoneResource(contexts.options())

    def test_its_id_is_a_uuid(self) -> None:
        context = contexts.make(none.NoneResource, anything=[1])

        self.assertEqual(contexts.TOKEN, self.plugin.create(context))

    def test_any_attribute_is_null(self) -> None:
        context = contexts.make(none.NoneResource)

        self.assertTrue(self.plugin.accepts_any_property)
        self.assertEqual(
            {"ip": None}, self.plugin.read_attributes(context, {"ip"})
        )

    def test_it_never_touches_the_world(self) -> None:
        self.assertTrue(self.plugin.is_effect_free({}))
        self.assertIsNone(self.plugin.find(contexts.make(none.NoneResource)))
