"""Documents of stacks, read into values."""

import testtools

from orch.model import adoption
from orch.model import marked

TEMPLATE = {"heat_template_version": "2021-04-16"}


class ReadTests(testtools.TestCase):
    def test_what_is_left_out_is_empty(self) -> None:
        found = adoption.parse_document({"template": TEMPLATE})

        self.assertEqual(TEMPLATE, found.template)
        self.assertEqual({"parameters": {}}, found.environment)
        self.assertEqual(
            ({}, (), {}), (found.files, found.tags, found.entries)
        )

    def test_an_entry_says_what_a_resource_is(self) -> None:
        entry = {
            "resource_id": 7,
            "type": "A::B",
            "resource_data": {"k": "v"},
            "metadata": {"m": 1},
        }

        found = adoption.parse_document(
            {"template": TEMPLATE, "resources": {"a": entry}}
        )

        self.assertEqual(
            adoption.Entry("7", "A::B", {"k": "v"}, {"m": 1}),
            found.entries["a"],
        )

    def test_a_text_is_an_id(self) -> None:
        self.assertEqual(
            {"a": adoption.Entry("x")}, adoption.entries({"a": "x"}, "ids")
        )

    def test_what_bears_resources_is_a_stack(self) -> None:
        inner = {"resource_id": "old", "resources": {"x": "y"}}

        found = adoption.entries({"a": inner}, "ids")["a"]

        self.assertIsNone(found.physical_id)
        self.assertEqual(inner, found.document)
        self.assertTrue(found.has_something)

    def test_an_empty_entry_has_nothing(self) -> None:
        """Heat exports it of a stack in a stack that is gone."""
        found = adoption.entries({"a": {}, "b": {"resource_id": ""}}, "ids")

        self.assertEqual(
            [False, False], [each.has_something for each in found.values()]
        )

    def test_parameters_beside_the_environment_count_below_it(self) -> None:
        found = adoption.parse_document(
            {
                "template": TEMPLATE,
                "parameters": {"a": 1, "b": 1},
                "environment": {"parameters": {"b": 2}},
            }
        )

        self.assertEqual({"a": 1, "b": 2}, found.environment["parameters"])

    def test_a_stack_in_a_stack_needs_no_template(self) -> None:
        found = adoption.parse_document(
            {"resources": {"a": "x"}}, needs_template=False
        )

        self.assertIsNone(found.template)
        error = self.assertRaises(
            adoption.BadDocument, adoption.parse_document, {}
        )
        self.assertIn("no template", error.message)

    def test_the_place_of_a_mistake_is_told(self) -> None:
        for document, place in (
            ([], "the document"),
            ({"template": TEMPLATE, "resources": 1}, "resources"),
            ({"template": TEMPLATE, "resources": {"a": 1}}, "resources.a"),
            (
                {"template": TEMPLATE, "resources": {"a": {"metadata": []}}},
                "resources.a.metadata",
            ),
            ({"template": TEMPLATE, "files": {"f": {}}}, "files.f"),
            ({"template": TEMPLATE, "tags": [{}]}, "tags"),
        ):
            error = self.assertRaises(
                adoption.BadDocument, adoption.parse_document, document
            )
            self.assertIn(f" {place} must be", error.message)


class StatesTest(testtools.TestCase):
    """What an entry says of the state of its resource."""

    def entry(self, **given: object) -> adoption.Entry:
        found = {"resource_id": "x", **given}
        return adoption.entries({"a": found}, "resources")["a"]

    def test_only_a_creation_is_unfinished(self) -> None:
        for action, status, is_unfinished in (
            ("CREATE", "FAILED", True),
            ("CREATE", "IN_PROGRESS", True),
            ("CREATE", "COMPLETE", False),
            ("UPDATE", "FAILED", False),
            (None, None, False),
        ):
            entry = self.entry(action=action, status=status)
            self.assertIs(is_unfinished, entry.is_unfinished, action)

    def test_heat_shows_by_the_action_what_is_at_rest(self) -> None:
        for action, status, is_at_rest in (
            ("SUSPEND", "COMPLETE", True),
            ("SUSPEND", "FAILED", True),
            ("RESUME", "FAILED", True),
            ("RESUME", "COMPLETE", False),
            ("CREATE", "COMPLETE", False),
        ):
            for more in ({}, {"resources": {}}):
                entry = self.entry(action=action, status=status, **more)
                self.assertIs(is_at_rest, entry.is_at_rest, action)

    def test_what_was_checked_at_rest_is_still(self) -> None:
        entry = self.entry(action="CHECK", status="COMPLETE", is_at_rest=True)

        self.assertTrue(entry.is_at_rest)

    def test_a_known_id_needs_no_token(self) -> None:
        entry = self.entry(is_outcome_unknown=True, token="no token")

        self.assertIsNone(entry.token)


class LeftoverTest(testtools.TestCase):
    def leftovers(self, *given: object) -> tuple[adoption.Leftover, ...]:
        document = {"template": {}, "leftovers": list(given)}
        return adoption.parse_document(document).leftovers

    def test_its_secrets_stay_marked(self) -> None:
        (found,) = self.leftovers(
            {
                "name": "a",
                "type": "My::Type",
                "mapped_type": "Real::Type",
                "resource_id": "x",
                "properties": {"key": "s", "list": ["s"]},
                "sensitive_properties": [["key"], ["list", 0], "wrong"],
            }
        )

        self.assertEqual(
            ("Real::Type", "x"), (found.plugin_type, found.entry.physical_id)
        )
        self.assertEqual(
            (("key",), ("list", 0)), marked.paths_of(found.properties)
        )

    def test_what_nobody_could_remove_is_passed_over(self) -> None:
        whole = {"name": "a", "type": "T", "resource_id": "x"}

        found = self.leftovers(*({**whole, key: None} for key in whole), whole)

        self.assertEqual(["x"], [each.entry.physical_id for each in found])

    def test_what_is_laid_out_otherwise_is_refused(self) -> None:
        for wrong in ({"leftovers": {}}, {"leftovers": ["x"]}):
            self.assertRaises(
                adoption.BadDocument,
                adoption.parse_document,
                {"template": {}, **wrong},
            )
