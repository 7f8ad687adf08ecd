"""What plug-ins have kept, put into a template."""

import collections.abc

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.engine.stack_inputs import restored_template
from orch.model import snapshot
from orch.model import states
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from tests import base

Values = collections.abc.Mapping[str, object]


class SampleResource(resource.Resource):
    """A thing of which properties are kept as they are, or dropped."""

    type_name = "Test::Kept"
    properties = (
        schema.Property("text", schema.Type.STRING),
        schema.Property("peer", schema.Type.STRING),
        schema.Property("any", schema.Type.ANY),
    )

    def restored_properties(self, properties: Values, kept: Values) -> Values:
        found = {**properties, **kept}
        return {name: one for name, one in found.items() if one != "drop"}


def entry(properties: Values, kept: Values) -> snapshot.Entry:
    return snapshot.Entry(
        id="a-id",
        type_name="Test::Kept",
        mapped_type=None,
        external_id=None,
        physical_id="a-1",
        action="SNAPSHOT",
        status="COMPLETE",
        attempt=1,
        properties=dict(properties),
        metadata={},
        data={},
        snapshot_data=dict(kept),
        created_at=0.0,
        updated_at=0.0,
    )


class RestoredTemplateTest(base.TestCase):
    def restore(
        self,
        written: Values,
        kept: Values,
        stood: Values | None = None,
        **document: object,
    ) -> object:
        """Return the properties in the template that is made.

        :param written: those of the template of that time
        :param stood: those that the resource had then
        """
        types = registry.ResourceTypes.of([SampleResource], cfg.ConfigOpts())
        raw = {
            "heat_template_version": "2018-08-31",
            "parameters": {"word": {"type": "string", "default": "given"}},
            "resources": {
                "a": {"type": "Test::Kept", "properties": written},
                "b": {"type": "Test::Kept"},
            },
            **document,
        }
        parsed_template = template.Template.load(
            inputs.Inputs(raw),
            types,
            inputs.Identity("id", "name", "project"),
            inputs.Limits(),
        )
        found = snapshot.Snapshot(
            id="s",
            stack_id=ids.StackId("id"),
            name=None,
            operation_id=ids.OperationId("s"),
            status=states.Status.COMPLETE,
            status_reason="",
            template_hash="",
            environment_hash="",
            data={"resources": {"a": entry(stood or {}, kept)}},
            created_at=clock.Timestamp(0.0),
        )
        made = restored_template.restored_template(
            parsed_template, found, types
        )
        self.assertEqual(raw["parameters"], made["parameters"])
        resources = made["resources"]
        assert isinstance(resources, dict)
        self.assertEqual({"type": "Test::Kept"}, resources["b"])
        return resources["a"]["properties"]

    def test_what_differs_becomes_a_value(self) -> None:
        written = {"text": {"get_param": "word"}}

        made = self.restore(written, {"text": "kept"})

        self.assertEqual({"text": "kept"}, made)

    def test_what_is_the_same_stays_as_it_was_written(self) -> None:
        written = {"text": {"get_param": "word"}}

        self.assertEqual(written, self.restore(written, {"text": "given"}))

    def test_what_only_a_run_can_tell_is_what_stood(self) -> None:
        written = {"peer": {"get_resource": "b"}}
        stood = {"peer": "b-1"}

        same = self.restore(written, {"peer": "b-1"}, stood)
        other = self.restore(written, {"peer": "b-2"}, stood)

        self.assertEqual(written, same)
        self.assertEqual({"peer": "b-2"}, other)

    def test_what_has_no_value_any_more_goes(self) -> None:
        written = {"text": "old", "any": "x"}

        self.assertEqual({"any": "x"}, self.restore(written, {"text": "drop"}))

    def test_a_value_that_reads_as_a_function_is_refused(self) -> None:
        for value in ({"get_param": "word"}, [{"x": {"get_attr": ["b"]}}]):
            self.assertRaises(
                restored_template.NotWritable, self.restore, {}, {"any": value}
            )

    def test_other_maps_are_plain(self) -> None:
        value = {"get_param": "word", "more": 1}

        self.assertEqual({"any": value}, self.restore({}, {"any": value}))
