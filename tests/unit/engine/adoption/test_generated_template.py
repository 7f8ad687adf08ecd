"""Templates of things that stand, as they are written."""

import collections.abc

from orch import errors
from orch.engine.adoption import generated_template
from orch.plugin import resource
from orch.plugin import schema
from tests import base
from tests.unit.resources import contexts


class _Disk(resource.Resource):
    type_name = "Example::Disk"
    properties = (
        schema.Property("size", schema.Type.INTEGER, default=1),
        schema.Property("of", schema.Type.STRING),
        schema.Property("tags", schema.Type.MAP),
    )


class GeneratedTemplateTest(base.TestCase):
    def physical_resource(
        self, name: str, reference: str = "", **properties: object
    ) -> generated_template.PhysicalResource:
        return generated_template.PhysicalResource(
            name=name,
            plugin=_Disk(contexts.options()),
            physical_id=f"id-of-{name}",
            reference=reference or f"id-of-{name}",
            properties=properties,
            data={},
        )

    def properties(
        self, *things: generated_template.PhysicalResource
    ) -> collections.abc.Mapping[str, object]:
        resources = generated_template.write_template(things)["resources"]
        assert isinstance(resources, dict)
        return {
            name: each.get("properties") for name, each in resources.items()
        }

    def test_what_is_by_default_is_left_out(self) -> None:
        found = self.properties(
            self.physical_resource("a", size=1, of=None, tags={}),
            self.physical_resource("b", size=2),
        )

        self.assertEqual({"a": {"tags": {}}, "b": {"size": 2}}, found)

    def test_ids_become_references_but_never_a_circle(self) -> None:
        found = self.properties(
            self.physical_resource("a", of="id-of-b"),
            self.physical_resource(
                "b", of="id-of-c", tags={"x": ["id-of-c", "y"], "y": 0}
            ),
            self.physical_resource(
                "c", of="id-of-a", tags={"self": "id-of-c", "y": 0}
            ),
        )

        self.assertEqual({"of": {"get_resource": "b"}}, found["a"])
        self.assertEqual(
            {
                "of": {"get_resource": "c"},
                "tags": {"x": [{"get_resource": "c"}, "y"], "y": 0},
            },
            found["b"],
        )
        self.assertEqual(
            {"of": "id-of-a", "tags": {"self": "id-of-c", "y": 0}}, found["c"]
        )

    def test_what_is_referred_to_by_another_text_is_no_reference(self) -> None:
        found = self.properties(
            self.physical_resource("a", of="id-of-b"),
            self.physical_resource("b", reference="name"),
        )

        self.assertEqual({"of": "id-of-b"}, found["a"])

    def test_maps_of_one_key_become_parameters(self) -> None:
        value = {"a": [{"get_file": "/etc/passwd"}], "b": 1}

        found = generated_template.write_template(
            [self.physical_resource("a", tags=value)]
        )

        self.assertEqual(
            {"a_tags": {"type": "json", "default": value}},
            found["parameters"],
        )

    def test_each_has_a_name_of_its_own(self) -> None:
        self.assertEqual(
            ["disk_2", "web_1", "web_1_2", "disk"],
            generated_template.choose_names(
                [
                    ("", "Example::Disk", True),
                    ("web/1", "Example::Disk", False),
                    ("web 1", "Example::Disk", False),
                    ("disk", "Example::Disk", True),
                ]
            ),
        )
        self.assertRaises(
            errors.Invalid,
            generated_template.choose_names,
            [("a", "Example::Disk", True)] * 2,
        )
