import collections.abc
import importlib
import sys
import typing

import fixtures

from orch.plugin import heat_lifecycle
from orch.plugin import heat_stack
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from tests import base
from tests.support import patterns

_MODULES = ("heat", "heat.engine", "heat.engine.lifecycle_plugin")


class Recorder:
    """A plug-in as they were written for Heat, without its base class."""

    calls: typing.ClassVar[list[tuple[str, tuple[object, ...]]]] = []

    def do_pre_op(
        self,
        cnxt: object,
        stack: object,
        current_stack: object = None,
        action: str | None = None,
    ) -> None:
        self.calls.append(("pre", (cnxt, stack, current_stack, action)))

    def do_post_op(
        self,
        cnxt: object,
        stack: object,
        current_stack: object = None,
        action: str | None = None,
        is_stack_failure: bool = False,
    ) -> None:
        self.calls.append(
            ("post", (cnxt, stack, current_stack, action, is_stack_failure))
        )

    def get_ordinal(self) -> int:
        return 42


def quota(cnxt: typing.Any, stack: typing.Any, action: typing.Any) -> None:
    """Judge as plug-ins in the wild do: by types and properties."""
    if stack.status != "IN_PROGRESS" or action not in ("CREATE", "UPDATE"):
        return
    for name, each in stack.resources.items():
        if each.type() == "OS::Nova::Server":
            flavor = each.properties.get("flavor")
            if flavor == "huge" and "admin" not in cnxt.roles:
                raise ValueError(f"{name} of {cnxt.tenant_id} is too large")


class ModuleTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.useFixture(
            fixtures.MonkeyPatch("sys.meta_path", sys.meta_path[:])
        )
        for name in _MODULES:
            if name in sys.modules:
                self.addCleanup(
                    sys.modules.__setitem__, name, sys.modules[name]
                )
                del sys.modules[name]
            else:
                self.addCleanup(sys.modules.pop, name, None)

    def test_the_base_class_is_offered_where_heat_is_not(self) -> None:
        heat_lifecycle.offer()

        found = importlib.import_module("heat.engine.lifecycle_plugin")

        made = found.LifecyclePlugin()
        self.assertEqual(100, made.get_ordinal())
        self.assertIsNone(made.do_pre_op(None, None))
        self.assertIsNone(made.do_post_op(None, None, is_stack_failure=True))

    def test_a_heat_that_is_installed_is_not_hidden(self) -> None:
        place = self.make_directory()
        package = place / "heat" / "engine"
        package.mkdir(parents=True)
        (place / "heat" / "__init__.py").touch()
        (package / "__init__.py").touch()
        (package / "lifecycle_plugin.py").write_text("IS_REAL = True\n")
        heat_lifecycle.offer()
        self.useFixture(fixtures.PythonPathEntry(str(place)))
        importlib.invalidate_caches()

        found = importlib.import_module("heat.engine.lifecycle_plugin")

        self.assertIs(True, found.IS_REAL)

    def test_nothing_else_of_heat_is_offered(self) -> None:
        heat_lifecycle.offer()

        self.assertRaises(
            ModuleNotFoundError, importlib.import_module, "heat.common"
        )

    def test_it_is_offered_once(self) -> None:
        heat_lifecycle.offer()
        heat_lifecycle.offer()

        finders = [
            each
            for each in sys.meta_path
            if type(each).__module__ == heat_lifecycle.__name__
        ]
        self.assertEqual(1, len(finders))


class CallsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        Recorder.calls.clear()
        self.plugin = heat_lifecycle.LegacyPlugin("old", Recorder)
        self.old = patterns.stack(patterns.resource("a"))
        self.new = patterns.stack(
            patterns.resource("a"), patterns.resource("b")
        )

    def called(self) -> tuple[typing.Any, ...]:
        return Recorder.calls.pop()[1]

    def test_it_has_the_ordinal_that_it_says(self) -> None:
        self.assertEqual(42, self.plugin.ordinal)
        self.assertIs(lifecycle.Scope.EVERY_STACK, self.plugin.scope)
        self.assertFalse(self.plugin.supports_preview)

    def test_a_class_without_the_methods_is_refused(self) -> None:
        error = self.assertRaises(
            heat_lifecycle.BadClass, heat_lifecycle.LegacyPlugin, "old", object
        )

        self.assertIn("do_pre_op", error.message)

    def test_it_knows_who_asks(self) -> None:
        self.plugin.pre_operation(patterns.make_operation(self.new))

        cnxt = self.called()[0]
        self.assertEqual("project-1", cnxt.tenant_id)
        self.assertEqual("project-1", cnxt.project_id)
        self.assertEqual("user-1", cnxt.user_id)
        self.assertEqual("ann", cnxt.username)
        self.assertEqual(["member"], cnxt.roles)
        self.assertEqual("req-1", cnxt.request_id)

    def test_a_creation_has_one_stack(self) -> None:
        self.plugin.pre_operation(patterns.make_operation(self.new))

        _, stack, current, action = self.called()
        self.assertEqual(["a", "b"], list(stack.resources))
        self.assertEqual(("CREATE", "IN_PROGRESS"), stack.state)
        self.assertIsNone(current)
        self.assertEqual("CREATE", action)

    def test_l3_an_update_gives_the_existing_stack_first(self) -> None:
        for verb in ("update", "rollback", "restore"):
            self.plugin.pre_operation(
                patterns.make_operation(self.new, verb, before=self.old)
            )

            _, stack, current, action = self.called()
            self.assertEqual(["a"], list(stack.resources))
            self.assertEqual(["a", "b"], list(current.resources))
            self.assertEqual(verb.upper(), action)

    def test_a_deletion_has_the_stack_that_goes(self) -> None:
        for verb in ("delete", "abandon"):
            self.plugin.pre_operation(
                patterns.make_operation(None, verb, before=self.old)
            )

            _, stack, current, action = self.called()
            self.assertEqual(["a"], list(stack.resources))
            self.assertIsNone(current)
            self.assertEqual("DELETE", action)

    def test_l_g2_the_failure_flag_is_true_to_the_outcome(self) -> None:
        outcomes = {
            lifecycle.Outcome.COMPLETE: ("COMPLETE", False),
            lifecycle.Outcome.FAILED: ("FAILED", True),
            lifecycle.Outcome.CANCELLED: ("FAILED", True),
            lifecycle.Outcome.DENIED: ("FAILED", True),
        }
        for outcome, (status, is_failure) in outcomes.items():
            self.plugin.post_operation(
                patterns.make_operation(self.new),
                lifecycle.OperationResult(
                    outcome=outcome, reason="so it went"
                ),
            )

            _, stack, _, action, flag = self.called()
            self.assertEqual(("CREATE", status), stack.state)
            self.assertEqual("so it went", stack.status_reason)
            self.assertEqual("CREATE", action)
            self.assertIs(is_failure, flag)

    def test_after_an_update_both_are_as_it_stands(self) -> None:
        self.plugin.post_operation(
            patterns.make_operation(self.new, "update", before=self.old),
            lifecycle.OperationResult(
                outcome=lifecycle.Outcome.COMPLETE, reason="done"
            ),
        )

        _, stack, current, _, _ = self.called()
        self.assertEqual(["a", "b"], list(stack.resources))
        self.assertEqual(["a", "b"], list(current.resources))

    def test_it_is_called_for_what_heat_calls_it(self) -> None:
        assert self.plugin.verbs is not None
        self.assertEqual(
            {"cancel", "move"},
            {
                "create",
                "update",
                "delete",
                "suspend",
                "resume",
                "check",
                "snapshot",
                "restore",
                "rollback",
                "adopt",
                "abandon",
                "cancel",
                "move",
            }
            - self.plugin.verbs,
        )

    def test_what_it_raises_comes_out(self) -> None:
        class Veto(Recorder):
            def do_pre_op(
                self,
                cnxt: object,
                stack: object,
                current_stack: object = None,
                action: str | None = None,
            ) -> None:
                quota(cnxt, stack, action)

        plugin = heat_lifecycle.LegacyPlugin("quota", Veto)
        seen = patterns.make_operation(
            patterns.stack(
                patterns.resource("web", properties={"flavor": "huge"})
            )
        )

        error = self.assertRaises(ValueError, plugin.pre_operation, seen)

        self.assertEqual("web of project-1 is too large", str(error))


class StackTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        inner = patterns.stack(
            patterns.resource("server", physical_id="srv-9"),
            name="app-group-abc",
            stack_id="stack-2",
        )
        self.view = patterns.stack(
            patterns.resource("net", "OS::Neutron::Net", {"name": "n"}),
            patterns.resource(
                "group",
                "OS::Heat::ResourceGroup",
                requires=("net",),
                child_stack=inner,
            ),
            tags=("prod",),
            parameters={"size": 3},
            outputs={"address": "10.0.0.1"},
        )
        self.stack = self.show(self.view)

    def show(self, view: lifecycle_operation.StackView) -> heat_stack.Stack:
        context = heat_stack.build_context(patterns.asking())
        return heat_stack.Stack(view, context, "CREATE", "IN_PROGRESS", "")

    def test_it_says_what_plugins_read(self) -> None:
        stack = self.stack

        self.assertEqual("stack-1", stack.id)
        self.assertEqual("app", stack.name)
        self.assertEqual("project-1", stack.tenant_id)
        self.assertEqual(["prod"], stack.tags)
        self.assertEqual(3, stack.parameters["size"])
        self.assertEqual("10.0.0.1", stack.outputs["address"])
        self.assertEqual("user-1", stack.context.user_id)
        self.assertIsNone(stack.timeout_mins)
        self.assertIs(True, stack.disable_rollback)
        self.assertIsNone(stack.owner_id)
        self.assertEqual(0, stack.nested_depth)

    def test_the_template_is_a_mapping(self) -> None:
        found = self.stack.t

        self.assertEqual(
            ("heat_template_version", "2021-04-16"), found.version
        )
        resources = found.t[found.RESOURCES]
        assert isinstance(resources, collections.abc.Mapping)
        self.assertEqual("OS::Neutron::Net", resources["net"]["type"])

    def test_a_resource_says_what_plugins_read(self) -> None:
        net = self.stack["net"]

        self.assertEqual("OS::Neutron::Net", net.type())
        self.assertEqual("n", net.properties["name"])
        self.assertEqual(("INIT", "COMPLETE"), net.state)
        self.assertIsNone(net.resource_id)
        self.assertEqual("net", net.FnGetRefId())
        self.assertEqual(["group"], net.required_by())
        self.assertIs(self.stack, net.stack)
        self.assertEqual(
            {"Type": "OS::Neutron::Net", "Properties": {"name": "n"}},
            net.parsed_template(),
        )

    def test_a_resource_of_a_template_in_amazons_words(self) -> None:
        written = {"Type": "OS::Neutron::Net", "DeletionPolicy": "Retain"}
        stack = self.show(
            patterns.stack(
                patterns.resource("net", "OS::Neutron::Net", {"name": "n"}),
                template={
                    "AWSTemplateFormatVersion": "2010-09-09",
                    "Resources": {"net": written},
                },
            )
        )

        self.assertEqual(written, read_only_values.thaw(stack["net"].t))

    def test_inner_stacks_are_reached_from_resources(self) -> None:
        inner = self.stack["group"].nested()

        assert inner is not None
        self.assertEqual("stack-2", inner.id)
        self.assertEqual(1, inner.nested_depth)
        self.assertEqual("stack-1", self.stack.root_stack_id())
        self.assertEqual("srv-9", inner["server"].FnGetRefId())
        self.assertIsNone(self.stack["net"].nested())
        self.assertIs(True, self.stack["group"].has_nested())

    def test_resources_are_gone_through_as_far_as_asked(self) -> None:
        flat = [each.name for each in self.stack.iter_resources()]
        deep = [each.name for each in self.stack.iter_resources(1)]

        self.assertEqual(["net", "group"], flat)
        self.assertEqual(["net", "group", "server"], deep)

    def test_a_preview_lists_inner_resources_in_lists(self) -> None:
        net, group = self.stack.preview_resources()

        self.assertIs(self.stack["net"], net)
        assert isinstance(group, list)
        self.assertEqual(["server"], [each.name for each in group])

    def test_it_is_a_mapping_of_its_resources(self) -> None:
        self.assertEqual(["net", "group"], list(self.stack))
        self.assertEqual(2, len(self.stack))
        self.assertIn("net", self.stack)
        self.assertNotIn("server", self.stack)

    def test_l7_nothing_of_it_can_be_changed(self) -> None:
        def change_stack() -> None:
            self.stack.status = "FAILED"

        def change_resource() -> None:
            self.stack["net"].t = self.stack.t

        def change_properties() -> None:
            typing.cast(typing.Any, self.stack["net"].properties)["name"] = 1

        def change_template() -> None:
            typing.cast(typing.Any, self.stack.t)["resources"]["x"] = {}

        def drop_resource() -> None:
            del typing.cast(typing.Any, self.stack.resources)["net"]

        for change in (change_stack, change_resource):
            self.assertRaises(AttributeError, change)
        for change in (change_properties, change_template, drop_resource):
            self.assertRaises(TypeError, change)
