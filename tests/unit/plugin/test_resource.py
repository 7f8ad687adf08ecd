import collections.abc

from oslo_config import cfg

from orch.model import marked
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from tests import base


class _SampleResource(resource.Resource):
    type_name = "T::Thing"

    def __init__(self) -> None:
        super().__init__(cfg.ConfigOpts())
        self.request: list[list[str]] = []

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        self.request.append(list(names))
        return dict.fromkeys(names, "value")

    def show(self, context: call_context.Context) -> object:
        return {"id": 1}


class ReadTest(base.TestCase):
    def test_a_plugin_is_never_asked_for_show_as_an_attribute(self) -> None:
        plugin = _SampleResource()

        found = resource.read_attributes(plugin, None, ["a", resource.SHOW])

        self.assertEqual({"a": "value", "show": {"id": 1}}, found)
        self.assertEqual([["a"]], plugin.request)

    def test_what_nobody_wants_is_not_read(self) -> None:
        plugin = _SampleResource()

        self.assertEqual({}, resource.read_attributes(plugin, None, []))
        self.assertEqual(
            ["show"], list(resource.read_attributes(plugin, None, ["show"]))
        )
        self.assertEqual([], plugin.request)

    def test_what_it_says_is_sensitive_stays_marked(self) -> None:
        class Marking(_SampleResource):
            def read_attributes(self, context, names):
                return marked.Marked(dict.fromkeys(names, 1), [("a",)])

        for names, expected in (
            (["a", "b", "show"], (("a",),)),
            (["show"], ()),
        ):
            found = resource.read_attributes(Marking(), None, names)

            self.assertEqual(names, list(found))
            self.assertEqual(expected, marked.paths_of(found))


class _Gone(_SampleResource):
    """Tells what its things are, of which none is there."""

    has_reality = True

    def show(self, context: call_context.Context) -> object:
        raise reality.Vanished("it is gone")


class CheckTest(base.TestCase):
    def test_a_check_looks_at_what_is_there(self) -> None:
        self.assertRaises(reality.Vanished, _Gone().check, None)

    def test_of_other_types_all_is_well(self) -> None:
        self.assertIsNone(_SampleResource().check(None))
