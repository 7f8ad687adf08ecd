"""Hand-overs whose abandonment is not complete, has failed, or is denied."""

import typing

from tests.functional import handing_over
from tests.functional import holding
from tests.functional import lifecycle
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = handing_over.Json
_MISSING = (404, "EntityNotFound")


class RefusedTests(lifecycle.LifecycleTestCase):
    """One server with lifecycle plug-ins, two projects."""

    options: typing.ClassVar[Json] = {"DEFAULT": handing_over.OPTIONS}

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.theirs = handing_over.client_of(cls.system, handing_over.TO)
        cls.addClassCleanup(cls.theirs.close)
        cls.parties = handing_over.Parties(cls.client, cls.theirs)

    def made(self, environment: Json | None = None) -> rest.Stack:
        more = {"environment": environment} if environment else {}
        stack = self.client.create(
            self.name, world_templates.chain(self.name), **more
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def take(self, stack: rest.Stack) -> rest.RefusedError:
        """Return with what taking it over is refused."""
        return typing.cast(
            rest.RefusedError,
            self.assertRaises(
                rest.RefusedError, self.parties.begin_take_over, stack
            ),
        )

    def state(self, client: rest.Client, stack: rest.Stack) -> object:
        found = self.parties.listed(client, stack)
        return None if found is None else found["state"]

    def wait_held(self, stack: rest.Stack) -> None:
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "BLOCKED",
            "the breakpoint",
        )

    def clear(self, stack: rest.Stack) -> None:
        path = f"{stack.path}/resources/b/signal"
        self.client.ask("POST", path, {"unset_hook": "pre-delete"})

    def failed(self) -> rest.Stack:
        """Return a stack whose hand-over has failed."""
        stack = self.made(holding.hooks(b="pre-delete"))
        self.parties.offer(stack)
        self.wait_held(stack)
        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "DELETE_FAILED")
        return stack

    def change(self, stack: rest.Stack) -> None:
        """Leave one resource to a stack; a check lets it be updated again."""
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")
        wanted = world_templates.template(
            a=world_templates.declare_resource(label=self.name)
        )
        self.update(stack, wanted, environment={})
        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_it_is_not_taken_over_while_it_is_abandoned(self) -> None:
        stack = self.made(holding.hooks(b="pre-delete"))
        answer = self.parties.offer(stack)
        self.wait_held(stack)

        error = self.take(stack)

        self.assertEqual((409, "HTTPConflict"), (error.status, error.type))
        self.assertIn("still being abandoned", error.message)
        self.assertEqual("abandoning", self.state(self.theirs, stack))
        self.assertEqual(answer, self.parties.offer(stack))
        self.clear(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.parties.take_over(stack)

    def test_what_has_failed_goes_on_when_it_is_requested_again(self) -> None:
        stack = self.failed()

        error = self.take(stack)

        self.assertEqual((409, "HTTPConflict"), (error.status, error.type))
        self.assertIn("has failed", error.message)
        self.assertIn("repeat", error.message)
        self.assertEqual("failed", self.state(self.theirs, stack))
        self.assertEqual("failed", self.state(self.client, stack))
        self.parties.offer(stack)
        self.wait_held(stack)
        self.clear(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.parties.take_over(stack)
        self.assertEqual(["a", "b", "c"], self.names())

    def test_what_was_changed_after_it_failed_is_not_offered(self) -> None:
        stack = self.failed()

        self.change(stack)

        error = self.take(stack)
        self.assertEqual(_MISSING, (error.status, error.type))
        self.assertIsNone(self.state(self.theirs, stack))
        self.parties.hand_over(stack)
        taken = self.parties.take_over(stack)
        self.assertEqual(["a"], list(self.theirs.resources(taken)))

    def test_an_abandonment_after_a_change_is_one_of_its_own(self) -> None:
        stack = self.failed()
        self.change(stack)

        document = self.client.ask("DELETE", f"{stack.path}/abandon")

        self.client.wait(stack, "DELETE_COMPLETE")
        entries = typing.cast(Json, document)["resources"]
        self.assertEqual(["a"], list(entries))
        error = self.take(stack)
        self.assertEqual(_MISSING, (error.status, error.type))

    def test_a_denied_hand_over_offers_nothing(self) -> None:
        stack = self.made()
        self.plugins.order(2, "pre", "deny", verb="abandon", text="keep it")

        denied = self.assertRaises(
            rest.RefusedError, self.parties.offer, stack
        )

        self.assertEqual(403, denied.status, denied.message)
        self.assertIn("keep it", denied.message)
        self.assertEqual(["a", "b", "c"], list(self.client.resources(stack)))
        error = self.take(stack)
        self.assertEqual(_MISSING, (error.status, error.type))
        self.assertIsNone(self.state(self.theirs, stack))
        self.assertIsNone(self.state(self.client, stack))
        self.plugins.forgive()
        self.parties.hand_over(stack)
        self.parties.take_over(stack)
        for verb in ("abandon", "adopt"):
            self.assertIn(
                ("post", "1"), self.plugins.calls(self.name, verb), verb
            )

    def test_a_child_stack_is_not_handed_over_alone(self) -> None:
        template, files = handing_over.tree()
        stack = self.client.create(self.name, template, files=files)
        self.client.wait(stack, "CREATE_COMPLETE")
        held = self.client.resources(stack)["child"]["physical_resource_id"]
        answer = self.client.ask("GET", f"/stacks/{held}")
        shown = typing.cast(Json, answer)["stack"]
        child = rest.Stack(str(shown["stack_name"]), str(shown["id"]))

        error = self.assertRaises(rest.RefusedError, self.parties.offer, child)

        self.assertEqual(400, error.status)
        self.assertIn("root", error.message)

    def test_what_runs_is_stopped(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain(self.name))
        self.wait_for_act("held-create-watch", "b")

        self.parties.hand_over(stack)
        self.world.release(self.name)

        self.parties.take_over(stack, adopt_missing="create")
        self.assertEqual(["a", "b", "c"], self.names())
