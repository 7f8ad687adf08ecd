from orch import errors
from orch.plugin import registry
from tests.functional.rpc import worker
from tests.unit.engine import fakes


class Hidden(fakes.Server):
    type_name = "Test::Old"
    support_status = "HIDDEN"


class ListTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.start(
            types=registry.ResourceTypes.of([*fakes.KINDS, Hidden], self.conf)
        )

    def names(self, **filters: str) -> list[object]:
        return self.resource_types.list(self.ann, filters)

    def test_types_are_listed_by_name_but_for_hidden_ones(self) -> None:
        self.assertEqual(["Test::Server", "Test::Value"], self.names())

    def test_a_name_is_a_regular_expression_for_its_beginning(self) -> None:
        self.assertEqual(["Test::Value"], self.names(name="Test::V"))
        self.assertEqual(["Test::Value"], self.names(name=".*e$"))
        self.assertEqual([], self.names(name="Value"))

    def test_a_support_status_chooses(self) -> None:
        self.assertEqual(
            ["Test::Value"], self.names(support_status="DEPRECATED")
        )
        self.assertEqual([], self.names(support_status="NONSENSE"))

    def test_no_type_says_since_when_it_is_there(self) -> None:
        self.assertEqual([], self.names(version="5.0.0"))

    def test_descriptions_come_when_asked_for(self) -> None:
        found = self.resource_types.list(
            self.ann, {"name": ".*Value"}, with_description=True
        )

        (value,) = found
        assert isinstance(value, dict)
        self.assertEqual("Test::Value", value["resource_type"])
        self.assertIn("A value and nothing else.", value["description"])

    def test_a_bad_regular_expression_is_refused(self) -> None:
        for pattern in ("(", "*", "x" * 300):
            self.assertRaises(errors.Invalid, self.names, name=pattern)

    def test_a_regular_expression_that_never_ends_is_stopped(self) -> None:
        class Long(fakes.Server):
            type_name = "Test::" + "a" * 60

        self.start(types=registry.ResourceTypes.of([Long], self.conf))

        error = self.assertRaises(
            errors.Invalid, self.names, name=r"Test::((a|a)+)+[b-c]\Z"
        )

        self.assertIn("too long to match", error.message)


class ShowTest(worker.TestCase):
    def test_a_type_shows_what_it_takes_and_gives(self) -> None:
        found = self.resource_types.show(self.ann, "Test::Server")

        self.assertEqual("Test::Server", found["resource_type"])
        self.assertEqual({"flavor", "peer"}, set(found["properties"]))
        self.assertEqual({"address", "port", "show"}, set(found["attributes"]))
        self.assertEqual("SUPPORTED", found["support_status"]["status"])
        self.assertNotIn("description", found)

    def test_a_description_comes_when_asked_for(self) -> None:
        found = self.resource_types.show(
            self.ann, "Test::Value", with_description=True
        )

        self.assertIn("nothing else", found["description"])

    def test_a_type_is_shown_as_a_template_of_both_kinds(self) -> None:
        hot = self.resource_types.template(self.ann, "Test::Server", "hot")
        cfn = self.resource_types.template(self.ann, "Test::Server", "cfn")

        self.assertIn("heat_template_version", hot)
        self.assertIn("HeatTemplateFormatVersion", cfn)
        for found, section in ((hot, "parameters"), (cfn, "Parameters")):
            self.assertEqual({"flavor", "peer"}, set(found[section]))

    def test_a_hidden_type_is_not_shown(self) -> None:
        self.start(types=registry.ResourceTypes.of([Hidden], self.conf))

        for ask in (
            lambda: self.resource_types.show(self.ann, "Test::Old"),
            lambda: self.resource_types.template(self.ann, "Test::Old", "hot"),
        ):
            error = self.assertRaises(errors.NotSupported, ask)
            self.assertIn("Test::Old is hidden", error.message)

    def test_a_type_that_nobody_serves_is_not_found(self) -> None:
        for ask in (
            lambda: self.resource_types.show(self.ann, "No::Type"),
            lambda: self.resource_types.template(self.ann, "No::Type", "hot"),
        ):
            error = self.assertRaises(errors.NotFound, ask)
            self.assertEqual("orch.type.not_found", error.code)
            self.assertEqual(
                "The Resource Type (No::Type) could not be found.",
                error.message,
            )
