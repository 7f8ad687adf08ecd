"""Plug-ins around what is abandoned, adopted and checked then."""

import typing

import requests

from tests.functional import lifecycle
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

PRES = lifecycle.PRES
POSTS = lifecycle.POSTS


class TestAdoption(lifecycle.LifecycleTestCase):
    """A stack is let go of and taken over again."""

    options: typing.ClassVar[lifecycle.Json] = {
        "DEFAULT": {
            "enable_stack_adopt": True,
            "enable_stack_abandon": True,
            "check_after_adopt": True,
        }
    }

    def made(self) -> rest.Stack:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def abandon(self, stack: rest.Stack) -> object:
        return self.client.ask("DELETE", f"{stack.path}/abandon")

    def adopt(self, document: object) -> rest.Stack:
        answer = self.client.ask(
            "POST",
            "/stacks",
            {"stack_name": self.name, "adopt_stack_data": document},
        )
        return rest.Stack(self.name, answer["stack"]["id"])

    def test_l8_both_are_told_and_the_check_that_follows(self) -> None:
        stack = self.made()

        document = self.abandon(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        adopted = self.adopt(document)
        self.client.wait(adopted, "CHECK_COMPLETE")

        for verb in ("create", "abandon", "adopt", "check"):
            self.assertEqual(
                PRES + POSTS, self.plugins.calls(self.name, verb), verb
            )

    def document_requests(
        self, stack: rest.Stack
    ) -> dict[str, lifecycle.Json]:
        """Return the requests that would return a document."""
        path = f"{stack.path}/abandon"
        return {
            "at once": {"method": "DELETE", "path": path},
            "prepare": {
                "method": "POST",
                "path": path,
                "body": {"prepare": None},
            },
        }

    def test_a_denied_abandonment_lets_go_of_nothing(self) -> None:
        stack = self.made()
        before = self.client.show(stack)
        self.plugins.order(2, "pre", "deny", verb="abandon", text="keep it")

        for name, request in self.document_requests(stack).items():
            error = self.assertRaises(
                rest.RefusedError, self.client.ask, **request
            )

            self.assertEqual(
                (
                    403,
                    "Lifecycle plug-in orch-test-2 denied the abandon:"
                    " keep it",
                ),
                (error.status, error.message),
                name,
            )
            self.assertNotIn("resources", str(error))

        self.assertEqual(before, self.client.show(stack))
        self.assertEqual(
            2 * [("pre", "1"), ("pre", "2"), ("post", "1")],
            self.plugins.calls(stack, "abandon"),
        )
        self.assertEqual(
            2 * ["denied"], self.plugins.outcomes(stack, "abandon")
        )
        self.plugins.forgive()
        self.abandon(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.names())

    def test_a_prepared_abandonment_may_be_denied_when_it_is_done(
        self,
    ) -> None:
        stack = self.made()
        path = f"{stack.path}/abandon"
        prepared = self.client.ask("POST", path, {"prepare": None})
        self.plugins.order(2, "pre", "deny", verb="abandon", text="keep it")
        token = prepared["abandonment"]["token"]

        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "POST",
            path,
            {"commit": token},
        )

        self.assertEqual(403, error.status)
        self.plugins.forgive()
        self.client.ask("POST", path, {"commit": token})
        self.client.wait(stack, "DELETE_COMPLETE")
        # One that was prepared, one that was denied, one that was done.
        self.assertEqual(
            [*3 * ["complete"], "denied", *3 * ["complete"]],
            self.plugins.outcomes(stack, "abandon"),
        )

    def test_a_denied_abandonment_stops_no_operation(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.chain(),
            environment={
                "resource_registry": {
                    "resources": {"b": {"hooks": "pre-create"}}
                }
            },
        )
        self.wait_until_held(stack)
        self.plugins.order(2, "pre", "deny", verb="abandon", text="keep it")

        error = self.assertRaises(rest.RefusedError, self.abandon, stack)

        self.assertEqual(403, error.status)
        self.client.ask(
            "POST",
            f"{stack.path}/resources/b/signal",
            {"unset_hook": "pre-create"},
        )
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_an_abandonment_is_no_request_that_can_wait(self) -> None:
        stack = self.made()
        self.plugins.order(2, "pre", "hold", verb="abandon", text="ask Ann")

        error = self.assertRaises(rest.RefusedError, self.abandon, stack)

        self.assertEqual(409, error.status)
        self.assertIn("that cannot wait: ask Ann", error.message)

    def test_after_a_kill_plug_ins_learn_what_was_not_done(self) -> None:
        stack = self.made()
        for verb, asked in {
            "abandon": ("DELETE", f"{stack.path}/abandon"),
            "mark_unhealthy": (
                "PATCH",
                f"{stack.path}/resources/a",
                {"mark_unhealthy": True},
            ),
        }.items():
            self.plugins.order(
                2, "pre", "die", verb=verb, once=f"{self.name}-{verb}"
            )

            self.assertRaises(
                requests.ConnectionError, self.client.ask, *asked
            )
            self.system.server.kill()
            lifecycle.change(
                self.system,
                "UPDATE lifecycle_runs SET began_at = began_at - 3600",
            )
            self.system.start()

            waiting.wait_for(
                lambda verb=verb: len(self.plugins.outcomes(stack, verb)) == 2,
                "they are told",
            )
            self.assertEqual(
                [("pre", "1"), ("pre", "2"), ("post", "2"), ("post", "1")],
                self.plugins.calls(stack, verb),
                verb,
            )
            self.assertEqual(
                ["failed"] * 2, self.plugins.outcomes(stack, verb), verb
            )

        self.assertEqual(
            "CREATE_COMPLETE", self.client.show(stack)["stack_status"]
        )
        row = self.client.resources(stack)["a"]
        self.assertEqual("CREATE_COMPLETE", row["resource_status"])

    def test_a_denied_adoption_takes_nothing_over(self) -> None:
        stack = self.made()
        document = self.abandon(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.plugins.order(2, "pre", "deny", verb="adopt", text="not ours")
        seen = len(self.world.calls(self.name))

        adopted = self.adopt(document)
        shown = self.client.wait(adopted, "ADOPT_FAILED")

        self.assertIn("not ours", shown["stack_status_reason"])
        self.assertEqual(seen, len(self.world.calls(self.name)))
        self.assertEqual(["a", "b", "c"], self.names())
