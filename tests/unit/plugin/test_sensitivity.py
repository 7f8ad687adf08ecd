"""Which attributes of a resource are sensitive."""

import collections.abc

from orch import clock
from orch import ids
from orch.model import marked
from orch.model import resource as model_resource
from orch.plugin import nested_stack
from orch.plugin import schema
from orch.plugin import sensitivity
from tests import base
from tests.unit.template import fakes

PLUGIN = fakes.kind(
    "T::Thing",
    (schema.Property("text", schema.Type.STRING),),
    (
        schema.Attribute("out"),
        schema.Attribute("generated", is_sensitive=True),
    ),
)
KEY = fakes.kind("T::Key", has_sensitive_reference=True)
PLAIN = {"text": "s3cret"}
MARKED = marked.Marked({"text": "s3cret", "size": 80}, [("text",)])


def _row(**given: object) -> model_resource.Resource:
    return model_resource.Resource(
        id=ids.ResourceId("r"),
        stack_id=ids.StackId("s"),
        name="web",
        type_name="T::Thing",
        created_at=clock.Timestamp(0),
        updated_at=clock.Timestamp(0),
        **given,  # type: ignore[arg-type]
    )


class AttributeTest(base.TestCase):
    def is_sensitive(
        self,
        attribute: str | None,
        value: object = "x",
        properties: dict[str, object] = PLAIN,
        plugin: object = PLUGIN,
    ) -> bool:
        return sensitivity.is_attribute_sensitive(
            plugin, properties, attribute, value
        )

    def test_most_are_not(self) -> None:
        for name in ("out", "text", "unknown", None):
            self.assertIs(False, self.is_sensitive(name), name)
            self.assertIs(False, self.is_sensitive(name, plugin=None), name)

    def test_the_type_says_which_is(self) -> None:
        self.assertIs(True, self.is_sensitive("generated"))
        self.assertIs(False, self.is_sensitive("generated", plugin=None))

    def test_the_type_says_whether_the_reference_is(self) -> None:
        self.assertIs(True, self.is_sensitive(None, plugin=KEY))
        self.assertIs(False, self.is_sensitive("out", plugin=KEY))

    def test_the_name_of_a_secret_will_do(self) -> None:
        self.assertIs(True, self.is_sensitive("private_key"))
        for path, expected in (
            (("o", "admin_pass"), True),
            (("generated", "x"), True),
            (("text", 1), False),
            (("o", "x"), False),
        ):
            key = nested_stack.path_key(path)

            self.assertIs(expected, self.is_sensitive(key), path)

    def test_the_property_of_its_name_is_sensitive(self) -> None:
        self.assertIs(True, self.is_sensitive("text", "x", MARKED))
        self.assertIs(
            True,
            self.is_sensitive(
                nested_stack.path_key(("text", "a")), "x", MARKED
            ),
        )
        self.assertIs(False, self.is_sensitive("size", "x", MARKED))

    def test_a_mark_of_all_properties_is_one_of_each(self) -> None:
        whole = marked.Marked(PLAIN, marked.WHOLE)

        self.assertIs(True, self.is_sensitive("text", "x", whole))
        self.assertIs(False, self.is_sensitive("out", "x", whole))

    def test_the_text_of_a_sensitive_property_is_in_its_value(self) -> None:
        for value, expected in (
            ("s3cret", True),
            ("http://u:s3cret@host", True),
            ({"a": [{"b": "say s3cret"}]}, True),
            ("80", False),
            (80, False),
            (None, False),
        ):
            for name in ("out", None):
                self.assertIs(
                    expected, self.is_sensitive(name, value, MARKED), value
                )
        self.assertIs(False, self.is_sensitive("out", "s3cret", PLAIN))

    def test_what_has_the_name_of_a_secret_in_a_property_counts(self) -> None:
        properties = {"text": {"admin_pass": "s3cret", "user": "joe-1"}}
        for value, expected in (
            ("s3cret", True),
            ({"a": "say s3cret"}, True),
            # The name is still there.
            ({"admin_pass": "s3cret", "user": "joe-1"}, False),
            ({"admin_pass": "s3cret", "user": "s3cret"}, True),
            ("joe-1", False),
        ):
            for name in ("out", "text", None):
                self.assertIs(
                    expected, self.is_sensitive(name, value, properties), value
                )

    def test_a_name_that_is_no_path_is_a_name(self) -> None:
        self.assertIs(False, self.is_sensitive("[x"))
        self.assertIs(True, self.is_sensitive("[my_password"))


class RowTest(base.TestCase):
    def test_a_mark_of_the_stored_attribute_counts(self) -> None:
        row = _row(attributes=marked.Marked({"out": 1, "b": 2}, [("out",)]))

        for name, expected in (("out", True), ("b", False), (None, False)):
            self.assertIs(
                expected,
                sensitivity.is_row_sensitive(PLUGIN, row, name, "x"),
            )

    def test_its_properties_count_too(self) -> None:
        row = _row(properties=MARKED)

        self.assertIs(
            True, sensitivity.is_row_sensitive(PLUGIN, row, "text", "x")
        )
        self.assertIs(
            True, sensitivity.is_row_sensitive(None, row, None, "s3cret")
        )


class HasTextTest(base.TestCase):
    def test_short_texts_are_looked_for_as_whole_values(self) -> None:
        for value, expected in (
            ("abc", True),
            (["abc"], True),
            ("abcd", False),
            ({"k": "x abc"}, False),
        ):
            self.assertIs(
                expected, sensitivity.has_text(value, ["abc"]), value
            )

    def test_no_text_is_in_nothing(self) -> None:
        self.assertIs(False, sensitivity.has_text("x", []))
        self.assertIs(False, sensitivity.has_text("x", [""]))
        self.assertIs(False, sensitivity.has_text(None, ["abc"]))


class Counted(dict[str, object]):
    """Properties that count how often all of them are looked at."""

    looks = 0

    def items(self) -> collections.abc.ItemsView[str, object]:
        self.looks += 1
        return super().items()


class ListTest(base.TestCase):
    def test_properties_are_looked_at_once_for_all_attributes(self) -> None:
        properties = Counted({"password": "s3cret", "size": 1})
        attributes = {"out": "x", "again": "s3cret", "generated": "y"}
        row = _row(properties=properties, attributes=attributes)

        found = sensitivity.list_sensitive(PLUGIN, row)

        self.assertEqual({"again", "generated"}, found)
        self.assertEqual(1, properties.looks)
