"""The observer, as users see it: drift that nobody asked for, and repair."""

import pathlib
import time
import typing

from tests.functional import lifecycle
from tests.functional import observing
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]

_THOUSAND = 1000
_LONG_S = 20.0
_STACKS = 4
_LOOKS = 3


class ObserverTests(observing.ObserverTestCase):
    def test_d6_drift_is_shown_without_being_asked_for(self) -> None:
        stack = self.create(a=observing.listed(), b=observing.single())

        self.world.relabel(self.name, "a", "drifted")
        self.wait_for_drift(stack, "a")
        self.world.relabel(self.name, "b", "drifted")
        self.wait_for_drift(stack, "a", "b")
        self.world.relabel(self.name, "a", "l")
        self.wait_for_drift(stack, "b")

        found = observing.read(self.client, stack)
        self.assertEqual("drifted", found["state"])
        self.assertEqual([], self.acts("update"))

    def test_d6_what_has_vanished_is_shown(self) -> None:
        stack = self.create(a=observing.listed(), b=observing.single())

        self.world.remove(self.name, "b")

        self.wait_for_drift(stack, "b")
        self.assertEqual(["a"], self.names())

    def test_d6_what_changes_during_an_operation_is_no_drift(self) -> None:
        stack = self.create(a=observing.listed())
        self.world.order(self.name, "update", "a")
        self.client.ask(
            "PUT",
            stack.path,
            {"template": observing.template(a=observing.listed("new"))},
        )
        self.wait_for_act("updated", "a")
        looks = self.looks()

        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.wait_for_looks(2)
        self.assertEqual("in_sync", self.state(stack))
        events = [
            each["resource_status"]
            for each in self.client.events(stack)
            if "OBSERVE" in str(each)
        ]
        self.assertEqual([], events)
        self.assertLessEqual(looks, self.looks())

    def test_d6_a_stack_in_a_stack_is_looked_at_with_it(self) -> None:
        stack = self.create_parent(a=observing.listed())

        self.world.relabel(*self.find_in_child("a"), "drifted")

        self.wait_for_drift(stack, "kid/a")

    def state(self, stack: rest.Stack) -> str:
        return str(observing.read(self.client, stack)["state"])


class RepairTests(observing.ObserverTestCase):
    def test_d6_what_is_to_be_repaired_is_put_back(self) -> None:
        stack = self.create(a=observing.listed(), b=observing.single())
        observing.set_policy(self.client, stack, {"stack": "repair"})

        self.world.relabel(self.name, "a", "drifted")

        self.wait_for_labels(a="l", b="l")
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.wait_for_drift(stack)
        self.wait_for_looks(2)
        self.assertEqual(["COMPLETE"], self.repairs(stack))
        self.assertEqual(["a"], self.acts("update"))

    def test_d6_what_has_vanished_is_made_anew(self) -> None:
        stack = self.create(a=observing.listed(), b=observing.single())
        observing.set_policy(self.client, stack, {"stack": "repair"})

        self.world.remove(self.name, "b")

        self.wait_for_labels(a="l", b="l")
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.wait_for_drift(stack)
        self.assertEqual(["b"], self.acts("create")[2:])
        self.assertEqual([], self.acts("update"))

    def test_d6_only_what_is_to_be_repaired_is_put_back(self) -> None:
        stack = self.create(
            a=observing.listed(),
            b=observing.listed(),
            c=observing.single(),
        )
        policy = {
            "resources": {
                "a": {"policy": "repair"},
                "c": {"policy": "repair", "properties": {"label": "report"}},
            }
        }
        observing.set_policy(self.client, stack, policy)

        for name in "bca":
            self.world.relabel(self.name, name, "drifted")

        self.wait_for_labels(a="l", b="drifted", c="drifted")
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.wait_for_drift(stack, "b", "c")
        self.wait_for_looks(2)
        self.assertEqual(["COMPLETE"], self.repairs(stack))
        self.assertEqual(["a"], self.acts("update"))

    def test_d6_a_thing_in_a_stack_in_the_stack_is_put_back(self) -> None:
        stack = self.create_parent(a=observing.listed(), b=observing.listed())
        place, _ = self.find_in_child("a")
        observing.set_policy(
            self.client, stack, {"resources": {"kid/a": {"policy": "repair"}}}
        )

        self.world.relabel(place, "b", "drifted")
        self.world.relabel(place, "a", "drifted")

        waiting.wait_for(
            lambda: (
                {
                    each.name: each.label
                    for each in self.world.physical_resources(place)
                }
                == {"a": "l", "b": "drifted"}
            ),
            "the repair",
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.wait_for_drift(stack, "kid/b")

    def test_d6_a_repair_that_failed_is_tried_again_later(self) -> None:
        stack = self.create(a=observing.listed())
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.world.order(
            self.name,
            "update",
            "a",
            how="permanent",
            moment="before",
            times=1,
        )

        self.world.relabel(self.name, "a", "drifted")

        waiting.wait_for(
            lambda: self.repairs(stack) == ["COMPLETE", "FAILED"],
            "the second repair",
        )
        self.assertEqual({"a": "l"}, self.labels())

    def test_d6_what_could_not_be_made_anew_is_tried_again_later(
        self,
    ) -> None:
        stack = self.create(a=observing.listed(), b=observing.single())
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.fail_making("b")

        self.world.remove(self.name, "b")

        self.wait_for_labels(a="l", b="l")
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(["COMPLETE", "FAILED"], self.repairs(stack))

    def test_d6_the_rollback_of_a_repair_leaves_alone_what_it_does(
        self,
    ) -> None:
        stack = self.create(
            {"disable_rollback": False},
            a=observing.listed(),
            b=observing.single(),
        )
        policy = {"resources": {"b": {"policy": "repair"}}}
        observing.set_policy(self.client, stack, policy)
        self.world.relabel(self.name, "a", "drifted")
        self.wait_for_drift(stack, "a")
        self.fail_making("b", times=2)

        self.world.remove(self.name, "b")

        self.wait_for_labels(a="drifted", b="l")
        self.wait_for_drift(stack, "a")
        self.assertEqual([], self.acts("update"))
        actions = [each["action"] for each in self.operations(stack)]
        self.assertIn("ROLLBACK", actions)

    def test_d6_a_check_that_found_fault_is_in_no_repair_s_way(self) -> None:
        stack = self.create(a=observing.listed(), b=observing.single())
        self.world.remove(self.name, "b")
        self.wait_for_drift(stack, "b")
        self.client.ask("POST", f"{stack.path}/actions", {"check": None})
        self.client.wait(stack, "CHECK_FAILED")

        observing.set_policy(self.client, stack, {"stack": "repair"})

        self.wait_for_labels(a="l", b="l")
        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_d6_what_somebody_else_has_left_failed_is_not_repaired(
        self,
    ) -> None:
        stack = self.create(a=observing.listed(), b=observing.listed())
        self.world.order(
            self.name, "update", "b", how="permanent", moment="before"
        )
        changed = observing.template(
            a=observing.listed(), b=observing.listed("new")
        )
        self.client.ask("PUT", stack.path, {"template": changed})
        self.client.wait(stack, "UPDATE_FAILED")
        observing.set_policy(self.client, stack, {"stack": "repair"})

        self.world.relabel(self.name, "a", "drifted")

        self.wait_for_looks(3)
        self.assertEqual(["FAILED"], self.repairs(stack))

    def test_d6_a_stack_at_rest_is_not_repaired(self) -> None:
        stack = self.create(a=observing.listed())
        self.client.ask("POST", f"{stack.path}/actions", {"suspend": None})
        self.client.wait(stack, "SUSPEND_COMPLETE")
        observing.set_policy(self.client, stack, {"stack": "repair"})

        self.world.relabel(self.name, "a", "drifted")

        self.wait_for_drift(stack, "a")
        self.wait_for_looks(2)
        self.assertEqual([], self.repairs(stack))


class RepairLimitTests(observing.ObserverTestCase):
    options: typing.ClassVar = {
        "observer": {
            **observing.OPTIONS,
            "max_consecutive_repairs": 2,
            "repairs_window": 600,
        },
    }

    def reason(self, stack: rest.Stack) -> str:
        """Return what is said of the thing ``a``."""
        (reason,) = (
            str(thing["reason"])
            for each in observing.read(self.client, stack)["stacks"]
            for thing in each["resources"]
            if thing["path"] == "a"
        )
        return reason

    def repeatedly(self, stack: rest.Stack) -> None:
        """Let ``a`` drift until it is left alone."""
        for _ in range(2):
            self.world.relabel(self.name, "a", "drifted")
            self.wait_for_labels(a="l", b="l")
            self.client.wait(stack, "UPDATE_COMPLETE")
            self.wait_for_drift(stack)
        self.world.relabel(self.name, "a", "drifted")
        waiting.wait_for(
            lambda: "repaired 2 times within 600 s" in self.reason(stack),
            "giving up",
        )

    def test_d6_what_drifts_at_each_look_is_given_up(self) -> None:
        stack = self.create(a=observing.listed(), b=observing.listed())
        observing.set_policy(self.client, stack, {"stack": "repair"})

        self.repeatedly(stack)
        self.wait_for_looks(3)

        self.assertEqual({"a": "drifted", "b": "l"}, self.labels())
        self.assertEqual(["COMPLETE"] * 2, self.repairs(stack))
        told = [
            each["resource_name"]
            for each in self.client.events(stack)
            if "2 times within 600 s" in str(each["resource_status_reason"])
        ]
        self.assertEqual(["a"], told)
        # The others are repaired as before.
        self.world.relabel(self.name, "b", "drifted")
        self.wait_for_labels(a="drifted", b="l")

    def test_d6_an_update_by_somebody_lets_it_be_repaired_again(self) -> None:
        stack = self.create(a=observing.listed(), b=observing.listed())
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.repeatedly(stack)

        again = observing.template(a=observing.listed(), b=observing.listed())
        self.client.ask(
            "PUT", stack.path, {"template": again, "converge": True}
        )
        self.wait_for_labels(a="l", b="l")
        self.client.wait(stack, "UPDATE_COMPLETE")
        waiting.wait_for(lambda: not self.reason(stack), "a look without it")
        self.world.relabel(self.name, "a", "drifted")

        self.wait_for_labels(a="l", b="l")


class PauseTests(observing.ObserverTestCase):
    options: typing.ClassVar = {
        "observer": {
            **observing.OPTIONS,
            "period": _LONG_S,
            "max_period": _LONG_S,
        },
    }

    def test_what_vanishes_after_a_repair_waits_for_the_pause_only(
        self,
    ) -> None:
        stack = self.create(a=observing.listed())
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.world.relabel(self.name, "a", "drifted")
        # It may have been looked at just before.
        self.wait_for_labels(a="l", limit_s=3 * _LONG_S)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.world.remove(self.name, "a")
        began = time.monotonic()
        self.wait_for_labels(a="l")

        self.assertLess(time.monotonic() - began, _LONG_S * 0.4)


class ScaleTests(observing.ObserverTestCase):
    limit_s = 180
    options: typing.ClassVar = {
        "observer": {
            **observing.OPTIONS,
            "period": 2.0,
            "max_period": 2.0,
        },
    }

    def test_dg5_a_thousand_things_are_one_call_and_a_second(self) -> None:
        size = _THOUSAND // _STACKS
        for _ in range(_STACKS):
            self.take_name()
            self.create(**{f"r{n}": observing.listed() for n in range(size)})
        waiting.wait_for(self.are_due_at_one_moment, "one moment for all")
        lists, reads = self.calls("list"), self.calls("read")
        cpu_s, rounds = self.cpu_s(), self.rounds()

        self.wait_for_rounds(_LOOKS)

        made = self.rounds() - rounds
        self.assertLessEqual(self.calls("list") - lists, made + 1)
        self.assertEqual(reads, self.calls("read"))
        self.assertLess((self.cpu_s() - cpu_s) / made, 1.0)

    def are_due_at_one_moment(self) -> bool:
        """Answer whether all stacks were looked at, and none is now."""
        ((found, moments),) = lifecycle.rows(
            self.system,
            "SELECT count(*), count(DISTINCT due_at) FROM watches"
            " WHERE observed_at IS NOT NULL AND claimed_by IS NULL",
        )
        return (found, moments) == (_STACKS, 1)

    def rounds(self) -> int:
        """Return how often each stack was looked at."""
        ((found,),) = lifecycle.rows(
            self.system, "SELECT min(fence) FROM watches"
        )
        return int(str(found))

    def wait_for_rounds(self, count: int) -> None:
        wanted = self.rounds() + count
        waiting.wait_for(lambda: self.rounds() >= wanted, f"{count} rounds")

    def calls(self, act: str) -> int:
        return sum(each.act == act for each in self.world.calls())

    def cpu_s(self) -> float:
        """Return the seconds that the server has computed."""
        path = pathlib.Path(f"/proc/{self.system.server.pid}/stat")
        fields = path.read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100


class LifecycleTests(lifecycle.LifecycleTestCase):
    options: typing.ClassVar = {"observer": observing.OPTIONS}

    def test_d6_lifecycle_plug_ins_are_asked_before_a_repair(self) -> None:
        stack = self.client.create(
            self.name, observing.template(a=observing.listed())
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.plugins.order(2, "pre", "deny", verb="update")

        self.world.relabel(self.name, "a", "drifted")

        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "FAILED", "the denial"
        )
        self.assertEqual({"a": "drifted"}, self.labels())
        self.plugins.forgive()
        waiting.wait_for(lambda: self.labels() == {"a": "l"}, "the repair")
        self.client.wait(stack, "UPDATE_COMPLETE")
        calls = self.plugins.calls(stack, "update")
        self.assertEqual([*lifecycle.PRES, *lifecycle.POSTS], calls[-6:])
