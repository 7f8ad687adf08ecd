"""Breakpoints that an environment sets, through REST and in the world."""

import time

from tests.functional import holding
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

SLOW = world_templates.declare_resource(ready_after_s=3)


class CreateTests(holding.HoldingTestCase):
    def test_before_and_behind_are_told_as_clients_look_for_them(
        self,
    ) -> None:
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource("a"),
                c=world_templates.declare_resource(),
            ),
            holding.hooks(a=["pre-create", "post-create"]),
        )
        before = self.wait_for_hold(stack, "pre-create of a")
        names_before = self.names()
        self.clear(stack, "a", "pre-create")
        self.wait_for_hold(stack, "post-create of a")
        names_behind = self.names()
        shown = self.client.show(stack)
        self.clear(stack, "a", "post-create")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["c"], names_before)
        self.assertEqual(["a", "c"], names_behind)
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertIsNone(before["next_try_at"])
        self.assertEqual("CREATE_IN_PROGRESS", shown["stack_status"])
        self.assertEqual(
            "waiting until Hook post-create of a is cleared",
            shown["stack_status_reason"],
        )
        paused = "CREATE paused until Hook"
        self.assertEqual(
            [
                ("INIT_COMPLETE", f"{paused} pre-create is cleared"),
                ("INIT_COMPLETE", "Hook pre-create is cleared"),
                ("CREATE_IN_PROGRESS", "state changed"),
                ("CREATE_COMPLETE", "state changed"),
                ("CREATE_COMPLETE", f"{paused} post-create is cleared"),
                ("CREATE_COMPLETE", "Hook post-create is cleared"),
            ],
            self.events_of(stack, "a"),
        )

    def test_a_pattern_holds_all_that_it_fits(self) -> None:
        stack = self.create(
            world_templates.template(
                web1=world_templates.declare_resource(),
                web2=world_templates.declare_resource(),
                db=world_templates.declare_resource(),
            ),
            holding.hooks(web_all="pre-create"),
        )
        self.wait_for_hold(stack, "pre-create of web1", "pre-create of web2")

        self.clear(stack, "web2", "pre-create")
        self.wait_for_hold(stack, "pre-create of web1")
        names = self.names()
        self.clear(stack, "web1", "pre-create")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["db", "web2"], names)

    def test_it_goes_on_while_something_else_is_at_work(self) -> None:
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                slow=world_templates.declare_resource(ready_after_s=60),
            ),
            holding.hooks(a="pre-create"),
        )
        waiting.wait_for(lambda: self.events_of(stack, "a"), "a is held")
        self.wait_for_act("made", "slow")
        requested_at = time.monotonic()
        self.clear(stack, "a", "pre-create")
        self.wait_for_act("made", "a")

        self.assertEqual("RUNNING", self.operation(stack)["state"])
        self.assertLess(time.monotonic() - requested_at, 5)

    def test_a_deletion_does_not_wait_for_what_is_held(self) -> None:
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource("a"),
            ),
            holding.hooks(b="pre-create"),
        )
        self.wait_for_hold(stack, "pre-create of b")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        states = [each["state"] for each in self.operations(stack)]
        self.assertEqual(["COMPLETE", "SUPERSEDED"], states)
        self.assertEqual([], self.names())

    def test_after_a_kill_it_is_still_held(self) -> None:
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource("a"),
            ),
            holding.hooks(a="post-create"),
        )
        self.wait_for_hold(stack, "post-create of a")
        # The scan that takes the younger one over would take this one too.
        younger = self.client.create(
            "younger", world_templates.template(y=SLOW)
        )
        waiting.wait_for(
            lambda: self.world.physical_resources("younger"), "y is made"
        )
        self.system.server.kill()
        self.system.start()
        self.client.wait(younger, "CREATE_COMPLETE")

        found = self.operation(stack)
        names = self.names()
        self.clear(stack, "a", "post-create")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual("BLOCKED", found["state"])
        self.assertEqual(["a"], names)
        paused = [
            r for _, r in self.events_of(stack, "a") if "paused" in str(r)
        ]
        self.assertEqual(1, len(paused))

    def test_killed_while_others_are_at_work_it_is_still_held(self) -> None:
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource("a"),
                slow=SLOW,
            ),
            holding.hooks(a="post-create"),
        )
        waiting.wait_for(
            lambda: len(self.events_of(stack, "a")) >= 3, "a is held"
        )
        self.system.server.kill()
        self.system.start()

        self.wait_for_hold(stack, "post-create of a")
        names = self.names()
        self.clear(stack, "a", "post-create")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "slow"], names)
        self.assertEqual(4, len(self.events_of(stack, "a")))


class SignalTests(holding.HoldingTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource(),
            ),
            holding.hooks(a="pre-create"),
        )
        self.wait_for_hold(self.stack, "pre-create of a")

    def test_only_what_waits_can_be_cleared(self) -> None:
        invalid = (400, "InvalidBreakPointHook")
        for name, hook in (
            ("a", "post-create"),
            ("b", "pre-create"),
            ("a", "between"),
            ("a", None),
            ("a", ["pre-create"]),
        ):
            refused = self.refused_signal(
                self.stack, name, {"unset_hook": hook}
            )
            self.assertEqual(invalid, refused, hook)

    def test_it_can_be_cleared_once(self) -> None:
        self.clear(self.stack, "a", "pre-create")

        refused = self.refused_signal(
            self.stack, "a", {"unset_hook": "pre-create"}
        )

        self.assertEqual((400, "InvalidBreakPointHook"), refused)
        self.client.wait(self.stack, "CREATE_COMPLETE")

    def test_a_resource_that_is_not_there_is_named(self) -> None:
        refused = self.refused_signal(
            self.stack, "z", {"unset_hook": "pre-create"}
        )

        self.assertEqual((404, "ResourceNotFound"), refused)

    def test_other_signals_are_for_types_that_take_them(self) -> None:
        for body in (None, {}, {"any": "thing"}, [1], "text"):
            self.assertEqual(
                (400, "ResourceActionNotSupported"),
                self.refused_signal(self.stack, "a", body),
            )

    def test_a_failed_operation_has_nothing_to_clear(self) -> None:
        self.take_name()
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource(),
            ),
            holding.hooks(a="pre-create"),
        )
        self.client.wait(stack, "CREATE_FAILED")

        refused = self.refused_signal(stack, "a", {"unset_hook": "pre-create"})

        self.assertEqual((400, "InvalidBreakPointHook"), refused)


class UpdateTests(holding.HoldingTestCase):
    def created(
        self, wanted: world_templates.Json, environment: world_templates.Json
    ) -> rest.Stack:
        stack = self.create(wanted, environment)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def test_before_and_behind_a_change_in_place(self) -> None:
        environment = holding.hooks(a=["pre-update", "post-update"])
        stack = self.created(
            world_templates.template(
                a=world_templates.declare_resource(label="1"),
                b=world_templates.declare_resource("a", label="1"),
            ),
            environment,
        )
        self.update(
            stack,
            world_templates.template(
                a=world_templates.declare_resource(label="2"),
                b=world_templates.declare_resource("a", label="2"),
            ),
            environment,
        )

        self.wait_for_hold(stack, "pre-update of a")
        before = self.labels()
        self.clear(stack, "a", "pre-update")
        self.wait_for_hold(stack, "post-update of a")
        behind = self.labels()
        self.clear(stack, "a", "post-update")
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a": "1", "b": "1"}, before)
        self.assertEqual({"a": "2", "b": "1"}, behind)
        self.assertEqual({"a": "2", "b": "2"}, self.labels())
        self.assertEqual(
            [
                "UPDATE paused until Hook pre-update is cleared",
                "Hook pre-update is cleared",
                "state changed",
                "state changed",
                "UPDATE paused until Hook post-update is cleared",
                "Hook post-update is cleared",
            ],
            [reason for _, reason in self.events_of(stack, "a")][2:],
        )

    def test_a_replacement_stops_as_an_update_and_as_a_creation(
        self,
    ) -> None:
        environment = holding.hooks(
            a=["pre-update", "pre-create", "post-update", "pre-delete"]
        )
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(value="1")
            ),
            environment,
        )
        self.wait_for_hold(stack, "pre-create of a")
        self.clear(stack, "a", "pre-create")
        self.client.wait(stack, "CREATE_COMPLETE")
        self.update(
            stack,
            world_templates.template(
                a=world_templates.declare_resource(value="2")
            ),
            environment,
        )

        stops = []
        for hook in ("pre-update", "pre-create", "post-update", "pre-delete"):
            self.wait_for_hold(stack, f"{hook} of a")
            stops.append((hook, self.values()))
            self.clear(stack, "a", hook)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            [
                ("pre-update", ["1"]),
                ("pre-create", ["1"]),
                ("post-update", ["1", "2"]),
                ("pre-delete", ["1", "2"]),
            ],
            stops,
        )
        self.assertEqual(["2"], self.values())

    def test_a_replacement_that_only_the_run_finds_stops_too(self) -> None:
        environment = holding.hooks(b=["pre-update", "pre-create"])
        wanted = {"get_resource": "a"}
        stack = self.created(
            world_templates.template(
                a=world_templates.declare_resource(value="1"),
                b=world_templates.declare_resource(bound=[wanted]),
            ),
            holding.hooks(),
        )
        self.update(
            stack,
            world_templates.template(
                a=world_templates.declare_resource(value="2"),
                b=world_templates.declare_resource(bound=[wanted]),
            ),
            environment,
        )

        for hook in ("pre-update", "pre-create"):
            self.wait_for_hold(stack, f"{hook} of b")
            self.assertEqual(["a", "a", "b"], self.names())
            self.clear(stack, "b", hook)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a", "b"], self.names())

    def test_a_removal_waits(self) -> None:
        environment = holding.hooks(b="pre-delete")
        stack = self.created(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource(),
            ),
            holding.hooks(),
        )
        self.update(
            stack,
            world_templates.template(a=world_templates.declare_resource()),
            environment,
        )

        self.wait_for_hold(stack, "pre-delete of b")
        names = self.names()
        self.clear(stack, "b", "pre-delete")
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a", "b"], names)
        self.assertEqual(["a"], self.names())

    def test_an_update_that_is_held_gives_way_to_a_newer_one(self) -> None:
        environment = holding.hooks(a="pre-update")
        stack = self.created(
            world_templates.template(
                a=world_templates.declare_resource(label="1")
            ),
            environment,
        )
        self.update(
            stack,
            world_templates.template(
                a=world_templates.declare_resource(label="2")
            ),
            environment,
        )
        self.wait_for_hold(stack, "pre-update of a")

        self.update(
            stack,
            world_templates.template(
                a=world_templates.declare_resource(label="3")
            ),
            holding.hooks(),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a": "3"}, self.labels())

    def values(self) -> list[str]:
        return [
            each.value for each in self.world.physical_resources(self.name)
        ]


class DeleteTests(holding.HoldingTestCase):
    def test_before_and_behind_a_removal(self) -> None:
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource("a"),
            ),
            holding.hooks(b=["pre-delete", "post-delete"]),
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.delete(stack)

        self.wait_for_hold(stack, "pre-delete of b")
        before = self.names()
        self.clear(stack, "b", "pre-delete")
        self.wait_for_hold(stack, "post-delete of b")
        behind = self.names()
        self.clear(stack, "b", "post-delete")
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual((["a", "b"], ["a"]), (before, behind))
        self.assertEqual([], self.names())

    def test_a_second_request_changes_nothing(self) -> None:
        stack = self.create(
            world_templates.template(a=world_templates.declare_resource()),
            holding.hooks(a="pre-delete"),
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.delete(stack)
        before = self.wait_for_hold(stack, "pre-delete of a")

        self.client.delete(stack)

        self.assertEqual(before, self.operation(stack))
        self.clear(stack, "a", "pre-delete")
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(
            [(before["id"], "COMPLETE")],
            [
                (each["id"], each["state"])
                for each in self.operations(stack)
                if each["action"] == "DELETE"
            ],
        )
        told = [r for _, r in self.events_of(stack, "a") if "paused" in str(r)]
        self.assertEqual(1, len(told))
