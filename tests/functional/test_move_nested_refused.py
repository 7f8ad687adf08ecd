"""What does not go into a stack in a stack, or does not come out."""

import json
import pathlib
import typing

import fixtures
import yaml

from orchclient import errors
from tests.functional import test_move
from tests.functional import test_move_nested
from tests.support import systems

Json = test_move.Json
declare_resource = test_move.declare_resource
template = test_move.template
files = test_move_nested.files
site = test_move_nested.site
web = test_move_nested.web

_HEAT: typing.Final = "OS::Heat::Stack"


class RefusedTests(test_move_nested.NestedMoveTestCase):
    def test_a_g7_a_shared_file_refuses_and_says_who_shares_it(self) -> None:
        wanted = site()
        wanted["resources"]["twin"] = {"type": "web.yaml"}
        stack = self.created(wanted, files=files())

        self.assert_unwritten(
            stack, ["net"], "twin, web. Give it a file", f"{stack.name}/web"
        )

    def test_a_g7_a_file_that_is_read_elsewhere_too_refuses(self) -> None:
        wanted = site(
            net=declare_resource(),
            own=declare_resource(label={"get_file": "web.yaml"}),
        )
        stack = self.created(wanted, files=files())

        self.assert_unwritten(stack, ["net"], "own, web", f"{stack.name}/web")

    def test_a_g7_members_of_a_group_and_the_group_refuse(self) -> None:
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": {"type": "web.yaml"}},
        }
        stack = self.created(
            template(g=group, net=declare_resource()), files=files()
        )
        left = template(g=group)
        for path in ("g", "g/0"):
            target = f"{stack.name}/{path}"
            self.assert_unwritten(stack, ["net"], "is made by", target)
            refused = self.refused(
                self.ask_to, stack, target, ["net"], source_template=left
            )
            self.untouched(refused, stack)

    def test_a_g7_a_stack_does_not_go_into_itself(self) -> None:
        deep = template(low={"type": "web.yaml"})
        stack = self.created(
            template(deep={"type": "deep.yaml"}), files=files(deep=deep)
        )
        for path in ("deep", "deep/low"):
            refused = self.refused(
                self.ask_to,
                stack,
                f"{stack.name}/{path}",
                {"deep": "x"},
                source_template=template(),
            )
            self.untouched(refused, stack)

    def test_a_g7_what_the_stack_around_reads_refuses(self) -> None:
        wanted = site()
        wanted["outputs"] = {
            "o": {"value": {"get_attr": ["web", "resource.back", "value"]}}
        }
        inner = template(front=declare_resource(), back=declare_resource())
        stack = self.created(wanted, files={"web.yaml": yaml.safe_dump(inner)})

        refused = self.refused(
            self.ask_to, self.descendant_of(stack, "web"), stack.name, ["back"]
        )

        self.untouched(refused, stack)

    def test_a_g7_values_that_only_an_update_makes_refuse(self) -> None:
        stack = self.created(site(), files=files())
        outer = site(own=declare_resource(), new=declare_resource())
        outer["resources"]["web"]["properties"] = {
            "word": {"get_resource": "new"}
        }
        inner = web()
        inner["parameters"] = {"word": {"type": "string", "default": ""}}
        inner["resources"]["net"] = declare_resource(value="n")

        refused = self.refused(
            self.ask_to,
            stack,
            f"{stack.name}/web",
            ["net"],
            source_template=outer,
            source_files={"web.yaml": yaml.safe_dump(inner)},
        )

        self.untouched(refused, stack)

    def test_a_g7_what_is_declared_otherwise_there_refuses(self) -> None:
        stack = self.created(site(), files=files())
        inner = web()
        inner["resources"]["net"] = declare_resource(
            value="n", label="another"
        )

        refused = self.refused(
            self.ask_to,
            stack,
            f"{stack.name}/web",
            ["net"],
            source_template=site(own=declare_resource()),
            source_files={"web.yaml": yaml.safe_dump(inner)},
        )

        self.untouched(refused, stack)

    def test_a_g7_a_stack_that_went_astray_refuses(self) -> None:
        stack = self.created(site(), files=files())
        inner = self.descendant_of(stack, "web")
        changed = template(
            front=declare_resource(label="front"), by_hand=declare_resource()
        )
        self.update(inner, changed)
        self.client.wait(inner, "UPDATE_COMPLETE")

        refused = self.refused(
            self.ask_to, stack, f"{stack.name}/web", ["net"]
        )

        self.untouched(refused, stack)
        self.assertIn("by_hand", self.ids(inner))

    def test_a_g7_a_hidden_value_from_around_is_not_written_down(self) -> None:
        wanted = site()
        wanted["parameters"] = {
            "word": {"type": "string", "hidden": True, "default": "secret"}
        }
        wanted["resources"]["web"]["properties"] = {
            "word": {"get_param": "word"}
        }
        inner = template(back=declare_resource(label={"get_param": "word"}))
        inner["parameters"] = {"word": {"type": "string"}}
        stack = self.created(wanted, files={"web.yaml": yaml.safe_dump(inner)})

        with self.assertRaisesRegex(errors.PackagingError, "hidden value"):
            self.ask_to(self.descendant_of(stack, "web"), stack.name, ["back"])

    def test_a_g7_a_source_template_without_the_stack_refuses(self) -> None:
        stack = self.created(site(), files=files())

        refused = self.refused(
            self.ask_to,
            stack,
            f"{stack.name}/web",
            ["net"],
            source_template=template(own=declare_resource()),
        )

        self.untouched(refused, stack)

    def test_a_g7_a_stack_that_nothing_holds_any_more_refuses(self) -> None:
        wanted = site()
        wanted["resources"]["web"]["deletion_policy"] = "Retain"
        stack = self.created(wanted, files=files())
        inner = self.descendant_of(stack, "web")
        self.update(stack, template(own=declare_resource()))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.take_name()
        other = self.created(template(own=declare_resource()))

        with self.assertRaisesRegex(errors.PackagingError, "holds this"):
            self.ask_to(inner, other.name, ["front"])
        refused = self.refused(
            self.ask_to, inner, other.name, ["front"], source_files={}
        )

        self.untouched(refused, other)
        self.assertEqual({"front"}, set(self.ids(inner)))

    def test_a_g7_a_text_that_comes_from_a_parameter_refuses(self) -> None:
        wanted = template(
            web={
                "type": _HEAT,
                "properties": {"template": {"get_param": "text"}},
            },
            net=declare_resource(),
        )
        wanted["parameters"] = {"text": {"type": "string"}}
        stack = self.created(wanted, parameters={"text": json.dumps(web())})

        self.assert_unwritten(
            stack, ["net"], "comes from other values", f"{stack.name}/web"
        )

    def test_a_g7_a_suspended_stack_refuses(self) -> None:
        stack = self.created(site(), files=files())
        inner = self.descendant_of(stack, "web")
        self.act(inner, "suspend")
        self.client.wait(inner, "SUSPEND_COMPLETE")

        refused = self.refused(
            self.ask_to, stack, f"{stack.name}/web", ["net"]
        )

        self.assertEqual((400, "NotSupported"), refused)

    def test_a_g7_a_busy_tree_refuses(self) -> None:
        stack = self.created(site(), files=files())
        inner = self.descendant_of(stack, "web")
        self.world.order(inner.name, "check", "front", moment="watch")
        self.act(inner, "check")

        refused = self.refused(
            self.ask_to, stack, f"{stack.name}/web", ["net"]
        )

        self.world.release(inner.name)
        self.client.wait(inner, "CHECK_COMPLETE")
        self.assertEqual((409, "ActionInProgress"), refused)

    def test_a_g7_a_path_that_leads_nowhere_is_not_found(self) -> None:
        stack = self.created(site(), files=files())
        for path in ("net", "web/front", "none", ""):
            status, _ = self.refused(
                self.ask_to,
                stack,
                f"{stack.name}/{path}",
                ["own"],
                source_template=site(),
            )
            self.assertEqual(404, status, path)


class LimitTests(test_move_nested.NestedMoveTestCase):
    """A tree has room for four resources, in two levels."""

    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {
            "max_resources_per_stack": 4,
            "max_nested_stack_depth": 1,
        }
    }

    def test_a_g7_a_tree_counts_what_has_moved_in_and_out(self) -> None:
        first = self.created(site(), files=files())
        self.take_name()
        second = self.created(site(net=declare_resource()), files=files())
        more = site(
            net=declare_resource(),
            late=declare_resource(),
            own=declare_resource(),
        )

        # Full as it is: in one tree nothing more is counted.
        self.move_to(first, f"{first.name}/web", ["net"])
        self.move_to(
            self.descendant_of(first, "web"), f"{second.name}/web", ["net"]
        )

        refused = self.refused(
            self.client.ask,
            "PATCH",
            second.path,
            {
                "template": site(
                    net=declare_resource(), late=declare_resource()
                )
            },
        )
        self.assertEqual((400, "RequestLimitExceeded"), refused)
        refused = self.refused(
            self.ask_to, first, f"{second.name}/web", ["own"]
        )
        self.assertEqual((400, "RequestLimitExceeded"), refused)
        del more["resources"]["late"]
        self.client.ask("PATCH", first.path, {"template": more})
        self.client.wait(first, "UPDATE_COMPLETE")

    def test_a_g7_a_stack_does_not_go_deeper_than_allowed(self) -> None:
        low = {
            "type": _HEAT,
            "properties": {"template": json.dumps(web())},
        }
        stack = self.created(
            template(low=low, web={"type": "web.yaml"}), files=files()
        )

        refused = self.refused(
            self.ask_to, stack, f"{stack.name}/web", ["low"]
        )

        self.untouched(refused, stack)


class MappedTests(test_move_nested.NestedMoveTestCase):
    """The type of the inner stack is mapped to a template."""

    @classmethod
    def setUpClass(cls) -> None:
        place = pathlib.Path(cls.use(fixtures.TempDir()).path)
        (place / "theirs.yaml").write_text(yaml.safe_dump(web()))
        types = {"Theirs::Web": str(place / "theirs.yaml")}
        registry = {"resource_registry": types}
        directory = place / "environment.d"
        directory.mkdir()
        (directory / "mapped.yaml").write_text(yaml.safe_dump(registry))
        cls.options = {"DEFAULT": {"environment_dir": str(directory)}}
        super().setUpClass()

    def test_a_g7_a_template_of_the_operator_refuses(self) -> None:
        stack = self.created(
            template(web={"type": "Theirs::Web"}, net=declare_resource())
        )

        self.assert_unwritten(
            stack, ["net"], "did not come with", f"{stack.name}/web"
        )

    def test_a_g7_a_type_that_the_stack_maps_to_a_file_takes_it(self) -> None:
        registry = {"resource_registry": {"Own::Web": "web.yaml"}}
        stack = self.created(
            template(web={"type": "Own::Web"}, net=declare_resource()),
            files=files(),
            environment=registry,
        )
        ids = self.tree(stack)

        self.move_to(stack, f"{stack.name}/web", ["net"])

        self.assertEqual(ids["/net"], self.tree(stack)["web/net"])
        self.assert_settled(stack)

    def test_a_g7_a_file_by_two_names_refuses(self) -> None:
        registry = {"resource_registry": {"Own::Web": "web.yaml"}}
        stack = self.created(
            template(
                web={"type": "Own::Web"},
                twin={"type": "web.yaml"},
                net=declare_resource(),
            ),
            files=files(),
            environment=registry,
        )

        self.assert_unwritten(stack, ["net"], "twin, web", f"{stack.name}/web")
