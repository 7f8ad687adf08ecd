"""Plug-ins that do what they must not fail their resource, no worker."""

import pathlib

from tests.chaos import base
from tests.chaos import templates
from tests.support import rest

_PLUGIN = pathlib.Path(__file__).with_name("plugin")
_LIMIT_S = 1.0

# What the plug-in does, and what the resource's reason then says of it.
_CREATIONS = {
    "leave": "SystemExit",
    "interrupt": "KeyboardInterrupt",
    "exhaust": "MemoryError",
    "recurse": "RecursionError",
    "close": "GeneratorExit",
    "hide": "Nameless",
    "cling": "Unpicklable",
    "garble": "a lone surrogate",
    "shout": "long long",
    "none": "create returned NoneType",
    "bytes": "create returned bytes",
    "empty": "not a physical id",
    "number": "create returned int",
    "set": "is not JSON",
    "no_map": "BadAnswer",
    "made_of_number": "BadAnswer",
}
_WATCHES = {
    "leave": "SystemExit",
    "hide": "Nameless",
    "number": "is_created returned int",
    "late": "BadAnswer",
    "nan": "BadAnswer",
}


class PluginTestCase(base.ChaosTestCase):
    def setUp(self) -> None:
        super().setUp()
        path = self.world.environment["PYTHONPATH"]
        self.world.environment["PYTHONPATH"] = f"{path}:{_PLUGIN}"
        self.settings = base.options(
            engine={
                "plugin_call_timeout": _LIMIT_S,
                "call_threads": 4,
                "retry_first_pause": 0.05,
                "blocked_first_pause": 0.5,
            }
        )

    def rude(self, **properties: str) -> dict[str, object]:
        return {
            "heat_template_version": "2021-04-16",
            "resources": {
                "rude": {
                    "type": "Test::Rude::Thing",
                    "properties": properties,
                }
            },
        }

    def check_each_fails(self, where: str, reasons: dict[str, str]) -> None:
        pid = self.worker_pid()
        stacks = {
            how: self.system.client.create(
                f"{where}-{how}".replace("_", "-"),
                self.rude(where=where, how=how),
            )
            for how in reasons
        }
        self.records.wait_until_idle(timeout_s=20)
        for how, reason in reasons.items():
            shown = self.system.client.show(stacks[how])
            row = self.system.client.resources(stacks[how])["rude"]
            self.assertEqual(
                ("CREATE_FAILED", "CREATE_FAILED"),
                (shown["stack_status"], row["resource_status"]),
                how,
            )
            self.assertIn(reason, row["resource_status_reason"], how)
            self.assertIn(
                "Resource CREATE failed", shown["stack_status_reason"]
            )
        self.assertEqual(pid, self.worker_pid())
        self.check_serves()

    def worker_pid(self) -> int:
        worker = self.system.members[-1]
        self.assertTrue(worker.is_running())
        return worker.pid

    def check_serves(self) -> None:
        asked = self.create("good", templates.flat("good", 1))
        self.records.wait_until_idle(timeout_s=10)
        self.check_stack(asked)


class EmbeddedTests(PluginTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.embed(self.settings)

    def test_whatever_a_creation_raises_or_returns(self) -> None:
        self.check_each_fails("create", _CREATIONS)

    def test_whatever_a_watch_raises_or_returns(self) -> None:
        self.check_each_fails("is_created", _WATCHES)

    def test_whatever_is_raised_before_the_creation(self) -> None:
        self.check_each_fails(
            "is_effect_free",
            {"leave": "SystemExit", "hide": "Nameless", "exhaust": "Memory"},
        )

    def test_a_failed_deletion_can_be_tried_again(self) -> None:
        stack = self.system.client.create(
            "s", self.rude(where="delete", how="leave")
        )
        self.system.client.wait(stack, "CREATE_COMPLETE")

        for _ in range(2):
            self.system.client.delete(stack)
            shown = self.system.client.wait(stack, "DELETE_FAILED")
            self.assertIn("SystemExit", shown["stack_status_reason"])
        self.check_serves()

    def test_attributes_that_cannot_be_read_are_missing(self) -> None:
        for how in ("leave", "number", "hide"):
            template = self.rude(where="read_attributes", how=how)
            template["outputs"] = {
                "out": {"value": {"get_attr": ["rude", "value"]}}
            }
            stack = self.system.client.create(f"s-{how}", template)
            shown = self.system.client.wait(stack, "CREATE_COMPLETE")

            self.assertEqual(
                [None], [each["output_value"] for each in shown["outputs"]]
            )
        self.check_serves()

    def test_calls_that_hang_fail_and_hold_up_nobody(self) -> None:
        # More of them than there are threads for calls.
        stacks = [
            self.create(name, templates.flat(name, 1, delay_before_s=4))
            for name in (f"s{number}" for number in range(4))
        ]
        self.records.wait_until_idle(timeout_s=10)

        self.check_serves()
        for each in stacks:
            (row,) = self.system.client.resources(each.stack).values()
            self.assertEqual("CREATE_FAILED", row["resource_status"])
            self.assertIn("HungCall", row["resource_status_reason"])

    def test_what_a_hung_call_made_after_all_goes_with_the_stack(self) -> None:
        asked = self.create("s", templates.flat("s", 1, delay_before_s=2))
        self.system.client.wait(asked.stack, "CREATE_FAILED")
        self.assertEqual([], self.world.names())

        self.system.client.delete(asked.stack)
        self.system.client.wait(asked.stack, "DELETE_COMPLETE")

        self.assertEqual([], self.world.names())


class DistributedTests(PluginTestCase):
    def test_reasons_are_told_however_odd(self) -> None:
        self.distribute(self.settings, workers=1)

        self.check_each_fails(
            "create", {"garble": "a lone surrogate", "shout": "long long"}
        )
        self.check_errors_of_the_world()

    def check_errors_of_the_world(self) -> None:
        stacks: dict[str, rest.Stack] = {}
        for failure in ("transient", "permanent", "error", "rubbish"):
            template = templates.flat(
                failure, 1, fail_times=100, failure=failure
            )
            stacks[failure] = self.create(failure, template).stack
        self.records.wait_until_idle(timeout_s=60)

        reasons = {
            failure: self.system.client.show(stack)["stack_status_reason"]
            for failure, stack in stacks.items()
        }

        self.assertIn("Transient: resources.transient-0", reasons["transient"])
        self.assertIn("the world refuses", reasons["permanent"])
        self.assertIn("ZeroDivisionError", reasons["error"])
        self.assertIn("BadAnswer", reasons["rubbish"])
        self.assertEqual(["good-0"], self.world.names())
