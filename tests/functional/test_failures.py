"""Why something failed, through REST: root cause first, with its place."""

import json
import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource

_INNER: typing.Final = """
heat_template_version: 2021-04-16
resources:
  fine:
    type: Test::World::Thing

  broken:
    # Line 8 declares it, and that is what one wants to see.
    type: Test::World::Thing
    depends_on: fine
    properties: {fail_times: 1, failure: permanent}
"""
_MIDDLE: typing.Final = """
heat_template_version: 2021-04-16
resources:
  site:
    type: inner.yaml
"""
_FILES: typing.Final = {"inner.yaml": _INNER, "middle.yaml": _MIDDLE}


class FailuresTestCase(nesting.NestedTestCase):
    def failed(self, stack: rest.Stack) -> list[Json]:
        shown = self.client.get(stack.path, "stack")
        assert isinstance(shown, dict)
        return typing.cast(list[Json], shown.get("failed_resources"))

    def last(self, stack: rest.Stack) -> Json:
        listed = self.client.get(f"{stack.path}/operations", "operations")
        assert isinstance(listed, list)
        self.assertNotIn("failed_resources", listed[0])
        found = self.client.get(
            f"{stack.path}/operations/{listed[0]['id']}", "operation"
        )
        return typing.cast(Json, found)


class FailuresTests(FailuresTestCase):
    def test_the_innermost_resource_is_named_with_its_line(self) -> None:
        stack = self.make(
            {"shop": {"type": "middle.yaml"}}, "CREATE_FAILED", files=_FILES
        )

        (found,) = self.failed(stack)

        site = self.child_of(self.child_of(stack, "shop"), "site")
        self.assertEqual(["shop", "site", "broken"], found["path"])
        self.assertEqual("broken", found["resource_name"])
        self.assertEqual("Test::World::Thing", found["resource_type"])
        self.assertEqual("CREATE", found["resource_action"])
        self.assertEqual(("inner.yaml", 7, 3), _place(found))
        self.assertEqual(site.name, found["stack_name"])
        (link,) = found["links"]
        self.assertTrue(link["href"].endswith(site.path), link)
        self.assertIn("retry the create", found["hint"])
        self.assertIn("skip shop/site/broken goes", found["hint"])
        inner = self.client.resources(site)["broken"]
        self.assertEqual(inner["resource_status_reason"], found["reason"])
        self.assertEqual([found], self.last(stack)["failed_resources"])

    def test_each_member_of_a_group_is_looked_into(self) -> None:
        members = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": {"type": "inner.yaml"}},
        }
        stack = self.make(
            {"all": members},
            "CREATE_FAILED",
            files={"inner.yaml": _INNER.replace("_times: 1", "_times: 9")},
        )

        found = self.failed(stack)

        self.assertTrue(found)
        for each in found:
            first, member, last = each["path"]
            self.assertEqual(("all", "broken"), (first, last))
            self.assertIn(member, ("0", "1"))
            self.assertEqual(("inner.yaml", 7, 3), _place(each))

    def test_what_is_mended_is_told_of_no_more(self) -> None:
        stack = self.make(
            {"shop": {"type": "middle.yaml"}}, "CREATE_FAILED", files=_FILES
        )
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertIsNone(self.failed(stack))
        self.assertEqual([], self.last(stack)["failed_resources"])

    def test_a_later_request_takes_the_hint_away(self) -> None:
        stack = self.make(
            {"a": declare_resource(fail_times=1, failure="permanent")},
            "CREATE_FAILED",
        )
        (found,) = self.failed(stack)
        self.assertEqual((["a"], "", 0, 0), (found["path"], *_place(found)))
        self.assertIn("retry the create", found["hint"])
        before = self.last(stack)["id"]
        self.client.ask(
            "PUT",
            stack.path,
            {"template": world_templates.template(a=declare_resource())},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        shown = self.client.get(
            f"{stack.path}/operations/{before}", "operation"
        )

        assert isinstance(shown, dict)
        (left,) = shown["failed_resources"]
        self.assertEqual(found | {"hint": ""}, left)


class OutermostTests(FailuresTestCase):
    """A template that was sent as a text keeps its lines."""

    def failing(self) -> rest.Stack:
        text = _INNER.replace("_times: 1", "_times: 9")
        stack = self.client.create(self.name, text)
        self.client.wait(stack, "CREATE_FAILED")
        return stack

    def test_a_text_that_was_sent_keeps_its_lines(self) -> None:
        stack = self.failing()

        (found,) = self.failed(stack)

        self.assertEqual(["broken"], found["path"])
        self.assertEqual(("", 7, 3), _place(found))
        self.assertEqual([found], self.last(stack)["failed_resources"])

    def test_json_and_templates_of_cloudformation_have_lines_too(self) -> None:
        properties = {"fail_times": 9, "failure": "permanent"}
        declared = {"Type": "Test::World::Thing", "Properties": properties}
        text = json.dumps(
            {
                "AWSTemplateFormatVersion": "2010-09-09",
                "Resources": {"Broken": declared},
            },
            indent=2,
        )
        stack = self.client.create(self.name, text)
        self.client.wait(stack, "CREATE_FAILED")

        (found,) = self.failed(stack)

        self.assertEqual(("", 4, 5), _place(found))

    def test_a_rollback_has_the_lines_of_what_it_goes_back_to(self) -> None:
        fine = _INNER.replace("_times: 1", "_times: 0")
        stack = self.client.create(self.name, fine)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.world.order(
            self.name, "delete", "new", how="permanent", moment="before"
        )
        self.world.order(
            self.name, "create", "last", how="permanent", moment="before"
        )
        text = f"""{fine}
  new: {{type: Test::World::Thing}}
  last: {{type: Test::World::Thing, depends_on: new}}
"""
        self.client.ask(
            "PUT",
            stack.path,
            {"template": text, "disable_rollback": False},
        )
        self.client.wait(stack, "ROLLBACK_FAILED")

        (found,) = self.failed(stack)

        self.assertEqual(["new"], found["path"])
        # What goes back does not declare it.
        self.assertEqual(("", 0, 0), _place(found))

    def test_lines_are_those_of_the_newest_text(self) -> None:
        stack = self.failing()
        text = _INNER.replace("_times: 1", "_times: 8")
        self.client.ask(
            "PUT", stack.path, {"template": f"# One line more.\n{text}"}
        )
        self.client.wait(stack, "UPDATE_FAILED")

        (found,) = self.failed(stack)

        self.assertEqual(("", 8, 3), _place(found))

    def test_a_request_without_a_template_leaves_the_lines(self) -> None:
        stack = self.failing()
        self.client.ask("PATCH", stack.path, {"tags": "a"})
        self.client.wait(stack, "UPDATE_FAILED")

        (found,) = self.failed(stack)

        self.assertEqual(("", 7, 3), _place(found))

    def test_a_template_that_is_an_object_takes_them_away(self) -> None:
        stack = self.failing()
        wanted = world_templates.template(
            a=declare_resource(fail_times=9, failure="permanent")
        )
        self.client.ask("PUT", stack.path, {"template": wanted})
        self.client.wait(stack, "UPDATE_FAILED")

        (found,) = self.failed(stack)

        self.assertEqual((["a"], "", 0, 0), (found["path"], *_place(found)))

    def test_a_problem_with_what_is_stored_has_its_line(self) -> None:
        text = """
heat_template_version: 2021-04-16
parameters:
  how: {type: string, default: permanent}
resources:
  a:
    type: Test::World::Thing
    properties:
      failure: {get_param: how}
"""
        stack = self.client.create(self.name, text)
        self.client.wait(stack, "CREATE_COMPLETE")

        refused = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "PATCH",
            stack.path,
            {"parameters": {"how": "wrongly"}},
        )

        assert isinstance(refused.body, dict)
        (problem,) = refused.body["problems"]
        self.assertEqual("resources.a.properties.failure", problem["path"])
        self.assertEqual(("", 9, 7), _place(problem))

    def test_a_member_that_no_line_declares_is_where_its_group_is(
        self,
    ) -> None:
        text = """
heat_template_version: 2021-04-16
resources:
  all:
    type: OS::Heat::ResourceGroup
    properties:
      count: 1
      resource_def:
        type: Test::World::Thing
        properties: {fail_times: 9, failure: permanent}
"""
        stack = self.client.create(self.name, text)
        self.client.wait(stack, "CREATE_FAILED")

        (found,) = self.failed(stack)

        self.assertEqual(["all", "0"], found["path"])
        self.assertEqual(("", 4, 3), _place(found))

    def test_the_text_is_told_to_nobody(self) -> None:
        stack = self.failing()

        files = self.client.ask("GET", f"{stack.path}/files")
        template = self.client.ask("GET", f"{stack.path}/template")

        self.assertEqual({}, files)
        self.assertEqual(
            {"heat_template_version", "resources"},
            set(typing.cast(Json, template)),
        )


def _place(found: Json) -> tuple[object, object, object]:
    return found["file"], found["line"], found["column"]
