"""What plug-ins decide for resources: kept, read, put back, released."""

import json
import typing

from tests.functional import lifecycle
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]


def placed(*needed: str, value: str = "", **more: object) -> Json:
    """Return the declaration of a thing that reads its decisions."""
    return {
        **world_templates.declare_resource(*needed, value=value, **more),
        "type": "Test::World::Placed",
    }


class DecisionsTestCase(lifecycle.LifecycleTestCase):
    """The things of the stacks write down what they were given."""

    def decide(self, verb: str, **decisions: object) -> None:
        self.plugins.order(1, "pre", "allow", verb=verb, decisions=decisions)

    def decided(self, stack: rest.Stack, name: str) -> object:
        """Return what the API shows of one resource."""
        shown = self.client.get(f"{stack.path}/resources/{name}", "resource")
        return shown["decisions"]

    def read(self) -> dict[str, object]:
        """Return what each thing was given, by its name, lately."""
        return {
            str(each["placed"]): each["decisions"]
            for each in self.plugins.notes("placed")
            if str(each["stack"]).startswith(self.name)
        }

    def made(self, wanted: Json, **more: object) -> rest.Stack:
        stack = self.client.create(self.name, wanted, **more)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def stored(self, stack: rest.Stack) -> list[object]:
        """Return the rows of decisions of a stack."""
        return lifecycle.rows(
            self.system,
            "SELECT path FROM lifecycle_decisions WHERE root_id = ?",
            stack.id,
        )


class TestDecisions(DecisionsTestCase):
    """One recording plug-in decides what a test says."""

    count = 1

    def test_a_resource_is_given_what_was_decided_for_it(self) -> None:
        self.decide("create", a={"rack": "r1"}, b=["x", 2])

        stack = self.made(
            world_templates.template(a=placed(), b=placed(), c=placed())
        )

        self.assertEqual(
            {
                "a": {"orch-test-1": {"rack": "r1"}},
                "b": {"orch-test-1": ["x", 2]},
                "c": {},
            },
            self.read(),
        )
        self.assertEqual(
            {"orch-test-1": {"rack": "r1"}}, self.decided(stack, "a")
        )

    def test_one_in_an_inner_stack_is_given_its_own(self) -> None:
        self.decide("create", **{"kid": "k", "kid/a": "r1", "a": "r2"})
        inner = world_templates.template(a=placed())

        self.made(
            world_templates.template(kid={"type": "kid.yaml"}, a=placed()),
            files={"kid.yaml": json.dumps(inner)},
        )

        found = {
            str(each["stack"]) == self.name: each["decisions"]
            for each in self.plugins.notes("placed")
            if str(each["stack"]).startswith(self.name)
        }
        self.assertEqual(
            {True: {"orch-test-1": "r2"}, False: {"orch-test-1": "r1"}}, found
        )

    def test_what_was_decided_stays_with_later_operations(self) -> None:
        self.decide("create", a="r1", b="r2")
        stack = self.made(world_templates.template(a=placed(value="1")))

        self.update(
            stack, world_templates.template(a=placed(value="2"), b=placed())
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a": {"orch-test-1": "r1"}, "b": {}}, self.read())

    def test_what_was_decided_for_a_removed_resource_is_released(
        self,
    ) -> None:
        self.decide("create", a="r1", b="r2")
        stack = self.made(world_templates.template(a=placed(), b=placed()))
        self.update(stack, world_templates.template(a=placed()))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.plugins.forgive()

        self.update(stack, world_templates.template(a=placed(), b=placed()))
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({}, self.decided(stack, "b"))
        self.assertEqual({"orch-test-1": "r1"}, self.decided(stack, "a"))

    def test_a_rejected_operation_puts_back_what_was_before(self) -> None:
        self.decide("create", a="r1")
        stack = self.made(world_templates.template(a=placed()))
        self.plugins.order(
            1,
            "pre",
            "hold",
            verb="update",
            text="ask Ann",
            decisions={"a": "r2", "b": "r3"},
        )

        self.update(stack, world_templates.template(a=placed(), b=placed()))
        self.wait_until_held(stack)
        self.assertEqual({"orch-test-1": "r2"}, self.decided(stack, "a"))
        self.act(stack, "reject", {"text": "no"})
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual({"orch-test-1": "r1"}, self.decided(stack, "a"))
        self.plugins.forgive()
        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual({"a": {"orch-test-1": "r1"}, "b": {}}, self.read())

    def test_what_is_cancelled_before_it_began_puts_back_what_was(
        self,
    ) -> None:
        self.decide("create", a="r1")
        self.decide("update", a="r2")
        stack = self.made(world_templates.template(a=placed(label="1")))

        self.update(
            stack,
            world_templates.template(a=placed(label="2")),
            environment={
                "resource_registry": {
                    "resources": {"a": {"hooks": "pre-update"}}
                }
            },
        )
        self.wait_until_held(stack)
        self.assertEqual({"orch-test-1": "r2"}, self.decided(stack, "a"))
        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual({"orch-test-1": "r1"}, self.decided(stack, "a"))

    def test_what_is_cancelled_later_keeps_them(self) -> None:
        self.decide("create", a="r1")
        self.decide("update", a="r2")
        stack = self.made(world_templates.template(a=placed(label="1")))
        self.world.order(self.name, "update", "a")

        self.update(stack, world_templates.template(a=placed(label="2")))
        self.wait_for_act("update", "a")
        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual({"orch-test-1": "r2"}, self.decided(stack, "a"))

    def test_a_failed_operation_keeps_them_for_its_retry(self) -> None:
        self.decide("create", a="r1")
        self.world.order(
            self.name, "create", "a", how="permanent", moment="before", times=1
        )
        stack = self.client.create(
            self.name, world_templates.template(a=placed())
        )
        self.client.wait(stack, "CREATE_FAILED")
        self.plugins.forgive()

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual({"a": {"orch-test-1": "r1"}}, self.read())

    def test_a_rollback_puts_back_what_the_update_had_changed(self) -> None:
        self.decide("create", a="r1")
        self.decide("update", a="r2", b="r3")
        stack = self.made(world_templates.template(a=placed()))
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )

        self.update(
            stack,
            world_templates.template(a=placed(), b=placed()),
            disable_rollback=False,
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual({"orch-test-1": "r1"}, self.decided(stack, "a"))
        self.assertEqual(["a"], list(self.client.resources(stack)))

    def test_a_creation_that_is_undone_releases_all(self) -> None:
        self.decide("create", a="r1")
        self.world.order(
            self.name, "create", "a", how="permanent", moment="before", times=1
        )
        stack = self.client.create(
            self.name,
            world_templates.template(a=placed()),
            disable_rollback=False,
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")
        self.plugins.forgive()

        self.update(stack, world_templates.template(a=placed()))
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a": {}}, self.read())

    def test_a_deletion_releases_all(self) -> None:
        self.decide("create", a="r1")
        stack = self.made(world_templates.template(a=placed()))
        self.plugins.order(1, "pre", "allow", verb="delete", looks=True)

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        (line,) = [
            each
            for each in self.plugins.lines(stack)
            if (each["verb"], each["phase"]) == ("delete", "pre")
        ]
        self.assertEqual({"orch-test-1": {"a": "r1"}}, line["decisions"])
        self.assertEqual([], self.stored(stack))

    def test_decisions_of_a_wrong_shape_deny(self) -> None:
        self.plugins.order(1, "pre", "allow", decisions=["a"])

        stack = self.client.create(
            self.name, world_templates.template(a=placed())
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("decisions are a mapping", shown["stack_status_reason"])

    def test_decisions_that_nobody_can_keep_deny(self) -> None:
        for wanted, text in (
            ({"a\udc80": 1}, "decisions have no form in JSON"),
            ({"a": "x" * (4 * 2**20)}, "characters as JSON, and may have"),
        ):
            self.take_name()
            self.plugins.forgive()
            self.plugins.order(1, "pre", "allow", decisions=wanted)

            stack = self.client.create(
                self.name, world_templates.template(a=placed())
            )
            shown = self.client.wait(stack, "CREATE_FAILED")

            self.assertIn(text, shown["stack_status_reason"])
            self.assertEqual([("pre", "1")], self.plugins.calls(stack))

    def test_a_deletion_by_a_worker_without_plugins_releases_all(
        self,
    ) -> None:
        self.decide("create", a="r1")
        stack = self.made(world_templates.template(a=placed()))
        self.system.server.stop()
        path = self.plugins.directory / "settings.yaml"
        sections = path.read_text()
        self.addCleanup(self.restart_with, sections)
        path.write_text("{}")
        self.system.start()

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.stored(stack))

    def restart_with(self, sections: str) -> None:
        self.system.server.stop()
        path = self.plugins.directory / "settings.yaml"
        path.write_text(sections)
        self.system.start()


class TestRacks(DecisionsTestCase):
    """The examples of the ticket: placement that knows the whole pattern."""

    count = 0
    sections: typing.ClassVar[Json] = {
        "orch-test-racks": {"racks": ["r1", "r2", "r3"]}
    }

    def racks(self) -> dict[str, object]:
        return {
            name: found["orch-test-racks"]["rack"]
            for name, found in self.read().items()
        }

    def test_a_server_and_its_volumes_come_to_one_rack(self) -> None:
        self.made(
            world_templates.template(
                server=placed("disk-1", "disk-2", value="together"),
                **{
                    "disk-1": placed(value="together"),
                    "disk-2": placed(value="together"),
                },
            )
        )

        self.assertEqual(
            dict.fromkeys(("server", "disk-1", "disk-2"), "r1"), self.racks()
        )

    def test_servers_are_spread_and_stay_where_they_are(self) -> None:
        first = {name: placed(value="apart") for name in ("a", "b")}
        stack = self.made(world_templates.template(**first))
        before = self.racks()

        self.update(
            stack, world_templates.template(**first, c=placed(value="apart"))
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(3, len(set(self.racks().values())))
        self.assertEqual(before, {n: self.racks()[n] for n in ("a", "b")})

    def test_too_many_for_the_racks_fail_and_touch_nothing(self) -> None:
        wanted = {name: placed(value="apart") for name in "abcd"}

        stack = self.client.create(
            self.name, world_templates.template(**wanted)
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-racks denied the CREATE: 4 things on"
            " racks of their own, and there are 3 racks",
            shown["stack_status_reason"],
        )
        self.assertEqual([], self.world.calls(self.name))
        self.assertEqual([], self.stored(stack))
