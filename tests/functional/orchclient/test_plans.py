"""Plans, events and failures, by the library."""

import collections.abc
import threading

from orchclient import errors
from orchclient import models
from orchclient import operation_errors
from orchclient import operations
from orchclient import plan_diff
from orchclient import plans
from tests.functional.orchclient import connecting
from tests.support import world_templates

Package = connecting.Package

_INNER = """
heat_template_version: 2021-04-16
resources:
  inner: {type: Test::World::Thing}
  last: {type: Test::World::Thing, depends_on: inner}
"""
_OUTER = """
heat_template_version: 2021-04-16
resources:
  before: {type: Test::World::Thing}
  front: {type: types/web.yaml, depends_on: before}
"""


_READS = """
heat_template_version: 2021-04-16
outputs:
  text: {value: {get_attr: [reads, value]}}
resources:
  reads:
    type: OS::Heat::Value
    properties: {value: {get_file: text.txt}}
"""
_TYPES = """
heat_template_version: 2021-04-16
resources:
  one: {type: types/web.yaml}
  two: {type: My::Web}
outputs:
  one: {value: {get_attr: [one, text]}}
  two: {value: {get_attr: [two, text]}}
"""


class PlanTests(connecting.ClientTestCase):
    def test_a_plan_is_shown_and_then_run_as_it_is(self) -> None:
        stack = self.create()
        wanted = world_templates.template(
            a=world_templates.declare_resource(label="new"),
            d=world_templates.declare_resource("a"),
        )

        plan = self.orch.plans.create(
            stack, "update", Package(template=wanted)
        )

        self.assertEqual(
            {"update": 1, "create": 1, "delete": 2}, plan.counts()
        )
        told = plan_diff.plan_text(plan)
        self.assertIn("~ update a (Test::World::Thing)", told)
        self.assertIn('label: "" -> "new"', told)
        self.assertIn("+ create d (Test::World::Thing)", told)
        self.assertIn("- delete c (Test::World::Thing)", told)
        self.assertEqual(["a", "b", "c"], self.names())

        done = self.wait(stack, self.orch.plans.apply(plan))

        self.assertEqual(["a", "d"], self.names())
        assert plan.saved is not None
        self.assertEqual(plan.saved.id, done.plan_id)
        [saved] = self.orch.plans.list(stack)
        self.assertEqual(done.id, saved.operation_id)

    def test_a_plan_of_another_time_is_refused(self) -> None:
        stack = self.create()
        plan = self.orch.plans.create(stack, "delete")
        self.orch.stacks.update(
            stack, Package(template=world_templates.chain("new"))
        )
        self.wait(stack)

        self.assertRaises(errors.ConflictError, self.orch.plans.apply, plan)

        assert plan.saved is not None
        shown = self.orch.plans.show(stack, plan.saved.id)
        assert shown.saved is not None
        self.assertFalse(shown.saved.is_current)
        self.assertEqual("delete", shown.saved.request)
        self.orch.plans.delete(stack, plan.saved.id)
        self.assertEqual((), self.orch.plans.list(stack))

    def test_a_plan_of_a_retry_is_run(self) -> None:
        stack = self.create_failed()

        plan = self.orch.plans.create(stack, "retry", keep_going=True)

        self.assertEqual({"create": 2}, plan.counts())
        done = self.wait(stack, self.orch.plans.apply(plan))
        self.assertTrue(done.is_complete)

    def test_previews_change_nothing(self) -> None:
        new = Package(
            template=world_templates.template(
                a=world_templates.declare_resource(label="new")
            )
        )
        first = self.orch.stacks.preview(self.name, new)
        stack = self.create()
        second = self.orch.plans.preview(stack, new)

        self.assertEqual({"create": 1}, first.counts())
        self.assertEqual({"update": 1, "delete": 2}, second.counts())
        [change] = [each for each in second.changes if each.kind == "update"]
        self.assertEqual(
            plans.PropertyChange(old="", new="new"), change.properties["label"]
        )
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertRaises(ValueError, self.orch.plans.apply, second)


class TreeTests(connecting.ClientTestCase):
    """Stacks in a stack, of files that were collected."""

    def package(self) -> Package:
        self.write("types/web.yaml", _INNER)
        template = self.write("template.yaml", _OUTER)
        return connecting.packaging.from_directory(template.parent)

    def child_name(self, stack: models.StackIdentity) -> str:
        nested = self.orch.resources.show(stack, "front").nested
        assert nested is not None
        return nested.name

    def test_what_was_collected_is_what_is_built(self) -> None:
        self.write("types/web.yaml", _READS)
        self.write("types/text.txt", "of the file")
        self.write(
            "envs/env.yaml", "resource_registry: {My::Web: ../w.yaml}\n"
        )
        self.write("w.yaml", _READS.replace("text.txt", "types/text.txt"))
        template = self.write("t.yaml", _TYPES)
        package = connecting.packaging.collect_package(
            template, [self.directory / "envs" / "env.yaml"]
        )

        stack = self.orch.stacks.create(self.name, package)
        self.wait(stack)

        self.assertEqual(
            {"one": "of the file", "two": "of the file"},
            self.orch.stacks.show(stack).output_values,
        )

    def test_a_problem_is_found_in_the_file_that_was_written(self) -> None:
        inner = self.write(
            "types/web.yaml", f"{_READS}  wrong:\n    type: No::Such\n"
        )
        self.write("types/text.txt", "of the file")
        template = self.write("t.yaml", _OUTER)
        package = connecting.packaging.collect_package(template)

        error = self.assertRaises(
            errors.BadRequestError,
            self.orch.stacks.create,
            self.name,
            package,
        )

        assert isinstance(error, errors.BadRequestError)
        [problem] = error.problems
        place = package.places[problem.file]
        self.assertEqual(str(inner), place)
        line = inner.read_text().splitlines()[problem.line - 1]
        self.assertIn("No::Such", line)

    def test_a_failure_inside_is_the_root_cause(self) -> None:
        self.fail_once("create", "inner")
        stack = self.orch.stacks.create(self.name, self.package())

        error = self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )

        assert isinstance(error, operation_errors.OperationFailedError)
        [failure] = error.failures
        self.assertEqual(("front", "inner"), failure.path)
        self.assertEqual("Test::World::Thing", failure.type)
        self.assertEqual(self.child_name(stack), failure.stack.name)
        self.assertIn("front/inner (types/web.yaml:4): ", str(error))

    def test_events_of_the_tree_are_followed_to_the_end(self) -> None:
        self.world.order(self.name, "create", "before")
        stack = self.orch.stacks.create(self.name, self.package())
        # Whoever asked every five minutes would not live to see the end.
        followed = self.orch.events.follow(
            stack, nested_depth=2, until_idle=True, interval_s=300
        )
        found = [next(followed)]
        self.wait_for_act("create", "before")
        self.world.release(self.name)
        found += followed

        told = [(each.resource_name, str(each.status)) for each in found]
        self.assertEqual((self.name, "CREATE_IN_PROGRESS"), told[0])
        self.assertEqual((self.name, "CREATE_COMPLETE"), told[-1])
        self.assertIn(("inner", "CREATE_COMPLETE"), told)
        self.assertEqual(len(told), len({each.id for each in found}))
        listed = self.orch.events.list(stack, nested_depth=2)
        self.assertEqual(
            {each.id for each in listed}, {each.id for each in found}
        )

    def test_who_comes_later_follows_from_where_they_were(self) -> None:
        stack = self.orch.stacks.create(self.name, self.package())
        self.wait(stack)
        every = self.orch.events.list(stack)

        found = list(
            self.orch.events.follow(
                self.name, after=every[2].id, until_idle=True
            )
        )

        self.assertEqual(every[3:], tuple(found))

    def test_following_ends_with_the_stack(self) -> None:
        stack = self.create()
        found: list[models.Event] = []
        follower = threading.Thread(
            target=lambda: found.extend(
                self.orch.events.follow(stack, interval_s=0.1)
            ),
            daemon=True,
        )
        follower.start()

        self.orch.stacks.delete(stack)
        follower.join(30)

        self.assertFalse(follower.is_alive())
        self.assertEqual("DELETE_COMPLETE", str(found[-1].status))

    def test_events_are_listed_and_shown(self) -> None:
        stack = self.create()

        of_b = self.orch.events.list(stack, resource="b")
        done = self.orch.events.list(stack, resource_status="COMPLETE")
        newest = self.orch.events.list(stack, newest_first=True, limit=1)

        self.assertEqual(
            ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"],
            [str(each.status) for each in of_b],
        )
        self.assertEqual({"COMPLETE"}, {each.status.state for each in done})
        self.assertTrue(newest[0].is_of_stack)
        shown = self.orch.events.show(stack, "b", of_b[0].id)
        self.assertEqual("Test::World::Thing", shown.resource_type)

    def test_resources_of_the_tree_are_listed(self) -> None:
        stack = self.orch.stacks.create(self.name, self.package())
        self.wait(stack)

        found = self.orch.resources.list(stack, nested_depth=2)

        by_name = {each.name: each for each in found}
        self.assertEqual({"before", "front", "inner", "last"}, set(by_name))
        self.assertEqual("front", by_name["inner"].parent_resource)
        self.assertEqual(by_name["front"].nested, by_name["inner"].stack)
        self.assertEqual(("last",), by_name["inner"].required_by)
        self.assertEqual(("front",), by_name["before"].required_by)

    def test_steps_are_told_while_it_runs(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.orch.stacks.create(
            self.name, Package(template=world_templates.chain())
        )
        watched = self.orch.waiters.watch(stack, interval_s=0.05)
        self.wait_for_act("create", "b")
        half = next(each for each in watched if each.done == 1)
        self.world.release(self.name)
        *_, last = watched

        self.assertEqual(["COMPLETE", "IN_PROGRESS", "WAITING"], states(half))
        self.assertEqual(["COMPLETE"] * 3, states(last))
        assert last.resources is not None
        self.assertEqual(
            {"a", "b", "c"}, {each.name for each in last.resources}
        )


def states(operation: operations.Operation) -> collections.abc.Sequence[str]:
    """Return the states of the steps of an operation."""
    assert operation.steps is not None
    return [each.state for each in operation.steps if each.resource_name]
