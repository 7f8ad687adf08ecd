"""What caused an operation, and who asked, as users and plug-ins see it."""

import typing

import requests

from tests.functional import lifecycle
from tests.functional import observing
from tests.functional import test_groups
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]


class RepairTest(lifecycle.LifecycleTestCase):
    """One plug-in, and the observer."""

    options: typing.ClassVar = {"observer": observing.OPTIONS}
    count = 1

    def setUp(self) -> None:
        super().setUp()
        self.ann = self.user("ann")
        self.stack = self.ann.create(
            self.name, world_templates.template(a=observing.listed())
        )
        self.client.wait(self.stack, "CREATE_COMPLETE")

    def user(self, name: str) -> rest.Client:
        """Return the client of a user of the project."""
        found = rest.Client(
            self.client.endpoint, user_id=f"id-{name}", user_name=name
        )
        self.addCleanup(found.close)
        return found

    def drift(self) -> None:
        """Let the observer repair the stack, by a policy of pam."""
        observing.set_policy(self.user("pam"), self.stack, {"stack": "repair"})
        self.world.relabel(self.name, "a", "drifted")

    def wait_for_repair(self) -> None:
        waiting.wait_for(lambda: self.labels() == {"a": "l"}, "the repair")
        self.client.wait(self.stack, "UPDATE_COMPLETE")

    def has_denied_repair(self) -> bool:
        """Whether the newest operation is a repair that has failed."""
        found = self.operation(self.stack)
        return (found["cause"], found["state"]) == ("repair", "FAILED")

    def origin(self) -> tuple[object, ...]:
        """Return cause and users of the newest operation."""
        found = self.operation(self.stack)
        return (
            found["cause"],
            found["requested_by"],
            found["policy_set_by"],
        )

    def test_a_repair_names_its_policy_and_no_requester(self) -> None:
        self.assertEqual(("request", "ann", None), self.origin())

        self.drift()
        self.wait_for_repair()

        self.assertEqual(("repair", None, "pam"), self.origin())
        line = self.plugins.lines(self.stack)[-1]
        self.assertEqual(
            ("repair", "", "id-pam"),
            (line["cause"], line["user"], line["policy_user"]),
        )

    def test_who_asks_after_a_repair_is_named_again(self) -> None:
        self.drift()
        self.wait_for_repair()

        self.user("bob").ask(
            "PUT",
            self.stack.path,
            {"template": world_templates.template(a=observing.listed("b"))},
        )
        self.client.wait(self.stack, "UPDATE_COMPLETE")

        self.assertEqual(("request", "bob", None), self.origin())

    def test_who_retries_a_repair_has_asked_for_it(self) -> None:
        self.plugins.order(1, "post", "raise", cause="repair", text="no")
        self.drift()
        self.client.wait(self.stack, "UPDATE_FAILED")
        self.assertEqual("repair", self.operation(self.stack)["cause"])

        self.user("bob").retry(self.stack)
        self.client.wait(self.stack, "UPDATE_COMPLETE")

        self.assertEqual(("request", "bob", None), self.origin())
        self.assertEqual({"a": "l"}, self.labels())

    def test_a_freeze_may_stop_repairs_and_let_users_go_on(self) -> None:
        self.plugins.order(1, "pre", "deny", cause="repair", text="freeze")
        self.drift()
        waiting.wait_for(self.has_denied_repair, "a repair that is denied")
        self.client.wait(self.stack, "CREATE_COMPLETE")
        self.assertEqual({"a": "drifted"}, self.labels())

        self.ann.ask(
            "PUT",
            self.stack.path,
            {"template": world_templates.template(a=observing.listed("new"))},
        )

        self.client.wait(self.stack, "UPDATE_COMPLETE")
        self.assertEqual({"a": "new"}, self.labels())

    def test_who_set_the_policy_does_not_approve_its_repairs(self) -> None:
        self.plugins.order(
            1, "pre", "hold", cause="repair", text="ask", needs_other=True
        )
        self.drift()
        self.wait_until_held(self.stack)
        path = f"{self.stack.path}/actions"

        refused = self.assertRaises(
            rest.RefusedError,
            self.user("pam").ask,
            *("POST", path, {"approve": None}),
        )
        (held,) = self.client.get("/lifecycle/holds", "holds")
        self.ann.ask("POST", path, {"approve": None})

        self.wait_for_repair()
        self.assertEqual(403, refused.status)
        self.assertEqual(
            ("repair", None, "pam"),
            (held["cause"], held["requested_by"], held["policy_set_by"]),
        )


class SignalTest(lifecycle.LifecycleTestCase, test_groups.GroupsTestCase):
    """One plug-in, for child stacks too."""

    count = 1
    each: typing.ClassVar[Json] = {"scope": "every"}

    def test_who_signals_is_named_and_the_cause_is_the_signal(self) -> None:
        stack = self.make(test_groups.scaling())
        group = self.child_of(stack, "g")
        bob = rest.Client(
            self.client.endpoint, user_id="id-bob", user_name="bob"
        )
        self.addCleanup(bob.close)

        bob.ask("POST", f"{stack.path}/resources/up/signal", {})
        self.client.wait(group, "UPDATE_COMPLETE")

        found = self.operation(group)
        self.assertEqual(
            ("signal", "bob"), (found["cause"], found["requested_by"])
        )
        line = self.plugins.lines(group)[-1]
        self.assertEqual(("signal", "bob"), (line["cause"], line["user"]))

    def test_a_signal_to_an_address_names_no_requester(self) -> None:
        stack = self.make(
            test_groups.scaling(),
            outputs={"url": {"value": {"get_attr": ["up", "alarm_url"]}}},
        )
        group = self.child_of(stack, "g")
        shown = typing.cast(Json, self.client.show(stack))

        requests.post(shown["outputs"][0]["output_value"], timeout=30)
        self.client.wait(group, "UPDATE_COMPLETE")

        found = self.operation(group)
        self.assertEqual(
            ("signal", None), (found["cause"], found["requested_by"])
        )
