import dataclasses
import json
import typing

from orch import errors
from orch.db.repositories import stack_lists
from tests.functional.rpc import worker
from tests.unit.engine import fakes

VERSION = "2018-08-31"


class LanguageTest(worker.TestCase):
    def test_versions_are_listed_with_their_aliases(self) -> None:
        found = {
            each["version"]: each for each in self.templates.versions(self.ann)
        }

        self.assertEqual(
            {
                "version": f"heat_template_version.{VERSION}",
                "type": "hot",
                "aliases": ["heat_template_version.rocky"],
            },
            found[f"heat_template_version.{VERSION}"],
        )
        self.assertEqual(
            "cfn", found["HeatTemplateFormatVersion.2012-12-12"]["type"]
        )

    def test_functions_of_a_version_are_listed(self) -> None:
        found = self.templates.functions(
            self.ann, f"heat_template_version.{VERSION}"
        )

        names = [each["functions"] for each in found]
        self.assertIn("get_param", names)
        self.assertNotIn("equals", names)
        self.assertTrue(all(each["description"] for each in found))

    def test_functions_of_conditions_are_listed_when_asked_for(self) -> None:
        found = self.templates.functions(
            self.ann, "heat_template_version.rocky", True
        )

        self.assertIn("equals", [each["functions"] for each in found])

    def test_a_version_that_is_none_is_not_found(self) -> None:
        error = self.assertRaises(
            errors.NotFound, self.templates.functions, self.ann, "1999"
        )
        self.assertEqual("orch.template_version.not_found", error.code)


class ValidateTest(worker.TestCase):
    TEMPLATE: typing.ClassVar = {
        "heat_template_version": VERSION,
        "description": "A value.",
        "parameters": {"text": {"type": "string", "description": "Any."}},
        "resources": {
            "app": {
                "type": "Test::Value",
                "properties": {"value": {"get_param": "text"}},
            }
        },
    }

    def test_a_template_says_what_it_declares(self) -> None:
        found = self.templates.validate(
            self.ann, {"template": self.TEMPLATE}, ignore_errors=["99001"]
        )

        self.assertEqual("A value.", found["Description"])
        self.assertEqual("Any.", found["Parameters"]["text"]["Description"])

    def test_a_template_that_is_wrong_is_refused(self) -> None:
        wrong = {**self.TEMPLATE, "resources": {"app": {"type": "No::Type"}}}

        error = self.assertRaises(
            errors.Invalid,
            self.templates.validate,
            self.ann,
            {"template": wrong},
        )

        self.assertIn("No::Type", error.message)

    def test_stacks_in_the_stack_are_told_of_when_asked_for(self) -> None:
        inputs = {
            "template": {
                "heat_template_version": VERSION,
                "resources": {
                    "kid": {"type": "kid.yaml", "properties": {"text": "a"}}
                },
            },
            "files": {"kid.yaml": json.dumps(self.TEMPLATE)},
        }

        plain = self.templates.validate(self.ann, inputs)
        found = self.templates.validate(self.ann, inputs, show_nested=True)

        self.assertNotIn("NestedParameters", plain)
        kid = found["NestedParameters"]["kid"]
        self.assertEqual("kid.yaml", kid["Type"])
        self.assertEqual("a", kid["Parameters"]["text"]["Value"])

    def test_what_is_wrong_in_a_file_is_told_with_its_name(self) -> None:
        wrong = {**self.TEMPLATE, "parameters": {"text": {"type": "strin"}}}

        error = self.assertRaises(
            errors.Invalid,
            self.templates.validate,
            self.ann,
            {
                "template": {
                    "heat_template_version": VERSION,
                    "resources": {"kid": {"type": "kid.yaml"}},
                },
                "files": {"kid.yaml": json.dumps(wrong)},
            },
        )

        self.assertEqual("kid.yaml", error.problems[0].file)

    def test_an_unknown_number_of_an_error_is_refused(self) -> None:
        error = self.assertRaises(
            errors.Invalid,
            self.templates.validate,
            self.ann,
            {"template": self.TEMPLATE},
            ignore_errors=["99001", "7"],
        )
        self.assertEqual("Invalid codes in ignore_errors : 7", error.message)


class PreviewTest(worker.TestCase):
    TEMPLATE: typing.ClassVar = {
        "heat_template_version": VERSION,
        "description": "Two servers.",
        "parameters": {
            "flavor": {"type": "string", "default": "large"},
            "secret": {"type": "string", "hidden": True, "default": "s"},
        },
        "resources": {
            "db": {
                "type": "Test::Server",
                "description": "The database.",
                "metadata": {"tier": 1},
            },
            "web": {
                "type": "Test::Server",
                "properties": {
                    "flavor": {"get_param": "flavor"},
                    "peer": {"get_attr": ["db", "address"]},
                },
                "metadata": {"peer": {"get_resource": "db"}},
            },
        },
    }

    def preview(
        self, template: object, name: str = "app"
    ) -> dict[str, object]:
        return dict(
            self.plans.preview_create(
                self.ann, name, {"template": template}, {"tags": ["a"]}
            )
        )

    def test_a_preview_shows_the_stack(self) -> None:
        found = self.preview(self.TEMPLATE)

        del found["resources"]
        plan = found.pop("plan")
        self.assertEqual(
            [("create", "db"), ("create", "web")],
            [
                (each["kind"], each["resource_name"])
                for each in plan["changes"]
            ],
        )
        self.assertEqual(
            {
                "id": "None",
                "name": "app",
                "project_id": "demo",
                "action": "CREATE",
                "status": "IN_PROGRESS",
                "status_reason": "",
                "description": "Two servers.",
                "template_description": "Two servers.",
                "created_at": fakes.NOW,
                "updated_at": None,
                "deleted_at": None,
                "disable_rollback": True,
                "timeout_mins": 60,
                "username": "ann",
                "user_id": "u1",
                "parent_id": None,
                "root_id": "None",
                "tags": ["a"],
                "parameters": {
                    "OS::project_id": "demo",
                    "OS::stack_id": "None",
                    "OS::stack_name": "app",
                    "flavor": "large",
                    "secret": "******",
                },
            },
            found,
        )

    def test_a_preview_shows_the_resources_as_far_as_they_are_known(
        self,
    ) -> None:
        db, web = self.preview(self.TEMPLATE)["resources"]

        self.assertEqual({"flavor": "small", "peer": None}, db["properties"])
        self.assertEqual({"tier": 1}, db["metadata"])
        self.assertEqual("The database.", db["description"])
        self.assertEqual(["web"], db["required_by"])
        self.assertEqual({"flavor": "large", "peer": None}, web["properties"])
        self.assertEqual({}, web["metadata"])
        self.assertEqual(("INIT", "COMPLETE"), (web["action"], web["status"]))

    def test_a_preview_shows_a_reference_as_the_name_of_the_resource(
        self,
    ) -> None:
        properties = {"peer": {"get_resource": "db"}}
        db = self.TEMPLATE["resources"]["db"]
        web = {"type": "Test::Server", "properties": properties}

        found = self.preview(
            {
                "heat_template_version": VERSION,
                "resources": {"db": db, "w": web},
            }
        )

        shown = {one["name"]: one["properties"] for one in found["resources"]}
        self.assertEqual("db", shown["w"]["peer"])

    def test_a_preview_stores_nothing(self) -> None:
        self.preview(self.TEMPLATE)

        with self.database.read() as connection:
            self.assertEqual(0, stack_lists.count_live(connection, "demo"))

    def test_a_name_that_is_taken_is_refused(self) -> None:
        self.create(self.TEMPLATE)

        error = self.assertRaises(errors.Conflict, self.preview, self.TEMPLATE)

        self.assertEqual("orch.stack.exists", error.code)

    def test_a_project_that_is_full_gets_no_preview(self) -> None:
        for number in range(5):
            self.create(self.TEMPLATE, f"s{number}")

        self.assertRaises(errors.LimitExceeded, self.preview, self.TEMPLATE)

    def test_a_limit_that_is_lifted_does_not_count(self) -> None:
        for number in range(5):
            self.create(self.TEMPLATE, f"s{number}")
        self.start(
            settings=dataclasses.replace(
                self.deps.settings, max_stacks_per_tenant=-1
            )
        )

        self.assertEqual("app", self.preview(self.TEMPLATE)["name"])

    def test_what_create_refuses_is_refused(self) -> None:
        wrong = {
            **self.TEMPLATE,
            "resources": {
                "a": {"type": "Test::Server", "depends_on": "b"},
                "b": {"type": "Test::Server", "depends_on": "a"},
            },
        }
        for ask in (self.preview, self.create):
            error = self.assertRaises(errors.Invalid, ask, wrong)
            self.assertEqual("orch.template.circular", error.code)
