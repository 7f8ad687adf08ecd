"""An abandonment that fails lets all stand, and goes on when asked to."""

import typing

import yaml

from tests.functional import adopting
from tests.functional import holding
from tests.support import rest
from tests.support import waiting

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template


class FailedAbandonTestCase(adopting.AdoptingTestCase):
    """A stack of three things, one of them held before it goes."""

    def held(self) -> rest.Stack:
        """Make the stack."""
        return self.created(
            self.chain(), environment=holding.hooks(b="pre-delete")
        )

    def holding(self, stack: rest.Stack) -> rest.Stack:
        """Return the stack of the thing that is held."""
        return stack

    def fail(self, stack: rest.Stack) -> Json:
        """Abandon, and let it fail; return the document."""
        document = self.abandon(stack)
        holding = self.holding(stack)
        waiting.wait_for(
            lambda: self.last(holding)["state"] == "BLOCKED", "the breakpoint"
        )
        self.act(stack, "cancel_without_rollback")
        self.here.wait(stack, "DELETE_FAILED")
        return document

    def act(self, stack: rest.Stack, action: str) -> None:
        self.here.ask("POST", f"{stack.path}/actions", {action: None})

    def last(self, stack: rest.Stack) -> Json:
        path = f"{stack.path}/operations"
        found = typing.cast(list[Json], self.here.get(path, "operations"))
        return found[0]

    def clear(self, stack: rest.Stack) -> None:
        path = f"{stack.path}/resources/b/signal"
        self.here.ask("POST", path, {"unset_hook": "pre-delete"})

    def released(self, stack: rest.Stack) -> None:
        """Clear the breakpoint once the new attempt waits there."""
        holding = self.holding(stack)
        waiting.wait_for(
            lambda: self.last(holding)["state"] == "BLOCKED", "the breakpoint"
        )
        self.clear(holding)

    def tree(self) -> list[str]:
        """Return the names of all things that exist, sorted."""
        alive = self.world.resources_of_tree(self.name)
        return sorted(each.name for each in alive)

    def writes(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls()
            if each.act in ("create", "update", "delete", "removed")
        ]

    def test_a_g3_it_leaves_the_stack_and_its_things(self) -> None:
        stack = self.held()
        before = self.writes()

        document = self.fail(stack)

        self.assertEqual(before, self.writes())
        self.assertEqual(["a", "b", "c"], self.tree())
        shown = self.here.show(stack)
        self.assertEqual("DELETE_FAILED", shown["stack_status"])
        path = f"{stack.path}/abandon"
        self.assertEqual(document, self.ask(self.here, "GET", path))

    def test_a_g3_a_retry_goes_on_and_the_document_adopts(self) -> None:
        stack = self.held()
        before = self.writes()
        self.fail(stack)

        self.here.retry(stack)
        self.released(stack)
        self.wait_gone(stack)

        document = self.ask(self.here, "GET", f"{stack.path}/abandon")
        self.adopt(document)
        self.assertEqual(before, self.writes())
        self.assertEqual(["a", "b", "c"], self.tree())

    def test_a_g3_to_abandon_again_goes_on_too(self) -> None:
        stack = self.held()
        before = self.writes()
        document = self.fail(stack)

        again = self.abandon(stack)
        self.released(stack)
        self.wait_gone(stack)

        self.assertEqual(document, again)
        self.assertEqual(before, self.writes())
        self.assertEqual(["a", "b", "c"], self.tree())

    def test_a_g3_to_delete_it_then_removes_nothing(self) -> None:
        stack = self.held()
        before = self.writes()
        self.fail(stack)

        self.here.delete(stack)
        self.released(stack)
        self.wait_gone(stack)

        self.assertEqual(before, self.writes())
        self.assertEqual(["a", "b", "c"], self.tree())


class FailedInsideTests(FailedAbandonTestCase):
    """What is held is in a stack in the stack."""

    def held(self) -> rest.Stack:
        """Make the stack."""
        inner = template(
            a=declare_resource(),
            b=declare_resource("a"),
            c=declare_resource("b"),
        )
        environment = {
            "resource_registry": {
                "resources": {"inner": {"b": {"hooks": "pre-delete"}}}
            }
        }
        return self.created(
            template(inner={"type": "inner.yaml"}),
            files={"inner.yaml": yaml.safe_dump(inner)},
            environment=environment,
        )

    def holding(self, stack: rest.Stack) -> rest.Stack:
        """Return the stack of the thing that is held."""
        rows = self.here.resources(stack)
        held = rows["inner"]["physical_resource_id"]
        shown = self.ask(self.here, "GET", f"/stacks/{held}")["stack"]
        found = typing.cast(Json, shown)
        return rest.Stack(str(found["stack_name"]), str(found["id"]))
