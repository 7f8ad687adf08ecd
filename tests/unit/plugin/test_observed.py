from oslo_config import cfg

from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import schema
from tests import base


class _SampleResource(resource.Resource):
    type_name = "T::Thing"

    def __init__(self) -> None:
        super().__init__(cfg.ConfigOpts())


class _Gauge(_SampleResource):
    """Tells what its things are: one property it shows, one it asks for."""

    has_reality = True
    properties = (
        schema.Property("size", schema.Type.INTEGER, "How large."),
        schema.Property("colour", schema.Type.STRING, "Which."),
    )

    def show(self, context: call_context.Context) -> object:
        return {"id": 1, "size": 2, "colour": "a"}

    def handle_get_reality(
        self, context: call_context.Context
    ) -> reality.Reality:
        return {"colour": "b"}


class RealityTest(base.TestCase):
    def test_d2_it_is_what_is_shown_unless_the_type_says_more(self) -> None:
        self.assertEqual(
            {"size": 2, "colour": "b"}, _Gauge().get_reality(None)
        )
        self.assertIsNone(_Gauge().check(None))

    def test_of_other_types_it_is_not_known(self) -> None:
        self.assertIsNone(_SampleResource().get_reality(None))
        self.assertIsNone(_SampleResource().observe([None]))
