"""``kill -9`` amid suspend, resume and check, and amid a cancellation."""

from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates
from tests.support import rest


class ActionsTests(base.ChaosTestCase):
    """A chain of four things, of which the third is held."""

    def setUp(self) -> None:
        super().setUp()
        self.embed()
        self.stack = self.create("s", templates.chain("t", 4)).stack
        self.system.client.wait(self.stack, "CREATE_COMPLETE")

    def ask(self, action: str) -> None:
        path = f"{self.stack.path}/actions"
        self.system.client.ask("POST", path, {action: None})

    def begin(self, action: str, held: str) -> None:
        """Ask for an action; return once it is held at one thing."""
        self.world.order("s", action, held)
        self.ask(action)
        self.wait_for(f"held-{action}-watch", held)

    def wait_for(self, act: str, name: str) -> None:
        records.wait_until(
            lambda: name in self.acts(act), what=f"no {act} of {name}"
        )

    def status(self, name: str) -> object:
        rows = self.system.client.resources(self.stack)
        return rows[name]["resource_status"]

    def acts(self, act: str) -> list[str]:
        return [each.name for each in self.world.calls() if each.act == act]

    def restart(self) -> None:
        self.system.server.kill()
        self.system.start()

    def finish(self, action: str) -> rest.Json:
        self.restart()
        self.world.release("s")
        return self.system.client.wait(
            self.stack, f"{action.upper()}_COMPLETE"
        )

    def check_notified_once(self, action: str) -> None:
        """Check that each beginning and each end was told once."""
        asked = base.AcceptedStack(self.stack, tuple(templates.names("t", 4)))
        self.check_events(asked, ["s", *asked.resource_names], action.upper())

    def test_each_goes_on_from_the_last_completed_resource(self) -> None:
        names = templates.names("t", 4)
        for action, order, held in (
            ("suspend", names[::-1], "t-1"),
            ("resume", names, "t-2"),
        ):
            self.begin(action, held)

            self.finish(action)

            repeated = order.index(held) + 1
            self.assertEqual(
                [*order[:repeated], held, *order[repeated:]],
                self.acts(action),
            )
            self.check_notified_once(action)
        self.begin("check", "t-2")
        records.wait_until(
            lambda: self.status("t-3") == "CHECK_COMPLETE",
            what="t-3 is not checked",
        )

        self.finish("check")

        self.assertEqual(1, self.acts("check").count("t-3"))
        self.check_notified_once("check")

    def test_what_was_cancelled_ends_cancelled(self) -> None:
        # A call that hangs keeps the operation from ending before the kill.
        self.world.order("s", "suspend", "t-2", moment="after")
        self.ask("suspend")
        self.wait_for("held-suspend-after", "t-2")

        self.ask("cancel_without_rollback")
        self.restart()
        shown = self.system.client.wait(self.stack, "SUSPEND_FAILED")

        self.assertEqual(
            "Stack SUSPEND cancelled", shown["stack_status_reason"]
        )
        self.assertEqual(["t-3", "t-2"], self.acts("suspend"))

    def test_an_update_that_was_cancelled_goes_back(self) -> None:
        shape = templates.chain("t", 4, label="new")
        self.world.order("s", "update", "t-1", moment="after")
        self.system.client.ask("PUT", self.stack.path, {"template": shape})
        self.wait_for("held-update-after", "t-1")

        self.ask("cancel_update")
        self.system.server.kill()
        self.world.release("s")
        self.system.start()
        self.system.client.wait(self.stack, "ROLLBACK_COMPLETE")

        self.assertEqual(
            {""}, {each.label for each in self.world.physical_resources("s")}
        )
        self.check_no_doubles()
