"""What keeps the observer from repairing: pauses, and mass disappearance."""

import time
import typing

from tests.functional import observing
from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_NAMES: typing.Final = [f"r{number}" for number in range(8)]


class _Case(serving.WorldTestCase):
    options: typing.ClassVar = {
        "observer": {
            **observing.OPTIONS,
            "vanished_limit": 2,
            "vanished_limit_percent": 50.0,
        },
    }

    def create(self, *names: str) -> rest.Stack:
        """Return a stack of these resources, with policy ``repair``."""
        wanted = world_templates.template(
            **{name: observing.listed() for name in names}
        )
        stack = self.client.create(self.name, wanted)
        self.addCleanup(self.remove, stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        observing.set_policy(self.client, stack, {"stack": "repair"})
        return stack

    def remove(self, stack: rest.Stack) -> None:
        """Delete the stack, so that other tests have a project of theirs."""
        self.ask("DELETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def ask(self, method: str, query: str = "") -> Json:
        """Return the pause that a request shows."""
        found = self.client.ask(method, f"/drift/pause{query}")
        return typing.cast(Json, typing.cast(Json, found)["pause"])

    def vanish(self, names: typing.Iterable[str]) -> None:
        self.world.remove(self.name, *names)

    def wait_for_names(self) -> None:
        waiting.wait_for(lambda: self.names() == _NAMES, "the repair")

    def wait_for_stop(self, stack: rest.Stack) -> None:
        waiting.wait_for(
            lambda: observing.read(self.client, stack)["repairs_stopped_at"],
            "that repairs stop",
        )


class LimitTests(_Case):
    def test_repairs_stop_where_too_much_has_vanished(self) -> None:
        stack = self.create(*_NAMES)

        self.vanish(_NAMES[:5])
        self.wait_for_stop(stack)
        for _ in range(3):
            observing.wait_for_look(self.client, stack)

        self.assertEqual(_NAMES[5:], self.names())
        self.assertEqual(8, len(self.acts("create")))
        told = [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
            if "Repairs of the project are stopped" in str(each)
        ]
        self.assertEqual(1, len(told))
        self.assertIn("5 of 8 physical resources", told[0])

        shown = self.ask("DELETE")

        self.assertIsNone(shown["repairs_stopped_at"])
        self.wait_for_names()
        self.assertIsNone(
            observing.read(self.client, stack)["repairs_stopped_at"]
        )

    def test_repairs_go_on_once_it_is_found_again(self) -> None:
        stack = self.create(*_NAMES)
        for act, moment, how in (
            ("tell", "after", "unlisted"),
            ("read", "before", "vanished"),
        ):
            self.world.order(
                self.name, act, *_NAMES[:6], how=how, moment=moment
            )
        self.wait_for_stop(stack)

        # Between two looks: one that is half forgiven finds less vanished.
        observing.wait_for_look(self.client, stack)
        self.world.forgive(self.name)
        observing.wait_for_look(self.client, stack)
        observing.wait_for_look(self.client, stack)

        self.assertIsNone(self.ask("GET")["repairs_stopped_at"])
        self.assertEqual(8, len(self.acts("create")))
        self.vanish(_NAMES[:1])
        self.wait_for_names()

    def test_what_had_drifted_otherwise_before_counts_too(self) -> None:
        stack = self.create(*_NAMES)
        observing.set_policy(
            self.client,
            stack,
            {
                "stack": "repair",
                "resources": {"*": {"properties": {"label": "report"}}},
            },
        )
        for name in _NAMES:
            self.world.relabel(self.name, name, "other")
        waiting.wait_for(
            lambda: observing.drifted(self.client, stack) == _NAMES,
            "the drift",
        )
        self.ask("DELETE")

        self.vanish(_NAMES)

        self.wait_for_stop(stack)
        self.assertEqual([], self.names())
        self.assertEqual(8, len(self.acts("create")))

    def test_what_is_within_the_limit_is_repaired(self) -> None:
        self.create(*_NAMES)

        self.vanish(_NAMES[:2])

        self.wait_for_names()


class PauseTests(_Case):
    def test_a_paused_observer_observes_and_repairs_nothing(self) -> None:
        stack = self.create(*_NAMES)
        observing.wait_for_look(self.client, stack)

        paused = self.ask("PUT")
        self.assertEqual(paused, self.ask("PUT"))
        self.assertFalse(paused["is_of_all"])
        self.wait_for_scans()
        looks = len(self.acts("list"))
        self.world.relabel(self.name, _NAMES[0], "drifted")
        self.vanish(_NAMES[1:2])
        self.wait_for_scans()

        self.assertEqual(looks, len(self.acts("list")))
        report = observing.read(self.client, stack)
        self.assertEqual(paused["paused_at"], report["paused_at"])

        self.client.ask("POST", f"{stack.path}/actions", {"observe": None})
        waiting.wait_for(
            lambda: len(observing.drifted(self.client, stack)) == 2,
            "an observation on request",
        )
        self.assertEqual([], self.acts("update"))

        self.assertIsNone(self.ask("DELETE")["paused_at"])
        self.wait_for_names()
        waiting.wait_for(lambda: self.labels()[_NAMES[0]] == "l", "the repair")

    def test_an_administrator_pauses_it_for_all_projects(self) -> None:
        stack = self.create(*_NAMES)

        paused = self.ask("PUT", "?all_projects=true")

        self.assertTrue(paused["is_of_all"])
        self.assertRegex(str(paused["paused_at"]), r"^20\d\d-.*Z$")
        report = observing.read(self.client, stack)
        self.assertEqual(paused["paused_at"], report["paused_at"])
        # That of the project is another one.
        self.assertEqual(paused, self.ask("DELETE"))
        self.assertIsNone(
            self.ask("DELETE", "?all_projects=true")["paused_at"]
        )

    def wait_for_scans(self) -> None:
        """Return once the stack would have been observed, and more than once.

        A look that had begun has ended by then.
        """
        time.sleep(3 * observing.OPTIONS["period"])
