"""Workers with different lifecycle plug-ins or settings, and activations."""

import os
import pathlib
import typing

import requests
import sqlalchemy as sa
import yaml

from orch.db import engine
from tests import base
from tests.support import forks
from tests.support import lifecycle
from tests.support import move_bodies
from tests.support import processes
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = dict[str, typing.Any]

_CREATES: typing.Final = 20
_WITHOUT_REPORT: typing.Final = sa.text(
    'INSERT INTO services (id, host, "binary", topic, report_interval_s,'
    " created_at, updated_at) SELECT 'earlier', 'worker-0', \"binary\", topic,"
    " 3600, created_at, updated_at FROM services WHERE host = 'worker-1'"
)
_LOCKED: typing.Final = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND wait_event_type = 'Lock' AND query LIKE 'UPDATE plugin_settings%'"
)


class SettingsTestCase(base.TestCase):
    """Two workers on a broker and PostgreSQL, with one settings file.

    :cvar database: in place of PostgreSQL
    """

    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.plugins = self.useFixture(lifecycle.Plugins(3))
        self.file = pathlib.Path(
            str(self.plugins.options["lifecycle"]["settings_file"])
        )
        self.found = self.useFixture(
            running.Distributed(
                {
                    **serving.options(report_interval=1),
                    **self.plugins.options,
                },
                {**self.world.environment, **self.plugins.environment},
            )
        )
        self.system = self.found.system
        self.client = self.system.client
        self.first, self.second = self.system.engines

    def manage(self, *arguments: str) -> processes.Done:
        """Run ``orch-manage`` as the first worker is configured."""
        return processes.complete(
            (
                processes.find("orch-manage"),
                *("--config-file", str(self.config(self.first))),
                *arguments,
            ),
            {**os.environ, **self.plugins.environment},
            launch=forks.launch,
        )

    def activate(self, *arguments: str) -> processes.Done:
        return self.manage("lifecycle", "activate", *arguments)

    def config(self, engine: processes.Process) -> pathlib.Path:
        return self.system.directory / f"{engine.log.stem}.conf"

    def start_with(
        self, engine: processes.Process, sections: Json | None
    ) -> None:
        """Start a worker again, with a settings file of its own.

        :param sections: of the file; ``None`` for no file
        """
        engine.stop()
        path = ""
        if sections is not None:
            own = self.system.directory / f"{engine.log.stem}.yaml"
            own.write_text(yaml.safe_dump(sections))
            path = str(own)
        config = self.config(engine)
        config.write_text(config.read_text().replace(str(self.file), path))
        engine.start()
        waiting.wait_for(
            lambda: self.report(engine).get("settings_loaded"),
            f"{engine.log.stem} reports",
        )

    def sections(self, *numbers: int) -> Json:
        """Return the sections of these plug-ins."""
        known = yaml.safe_load(self.file.read_text())
        return {
            lifecycle.NAMES[each - 1]: known[f"orch-test-{each}"]
            for each in numbers
        }

    def report(self, engine: processes.Process) -> Json:
        """Return what a worker says that is up; nothing while it is not."""
        return next(
            (
                dict(each)
                for each in self.client.services()
                if each["host"] == engine.log.stem and each["status"] == "up"
            ),
            {},
        )

    def readiness(self) -> requests.Response:
        return requests.get(
            f"http://127.0.0.1:{self.system.port}/readiness", timeout=30
        )

    def wait_until_found(self) -> None:
        """Return once both workers find what is not in force."""

        def has_both() -> bool:
            reports = [self.report(each) for each in self.system.engines]
            finds = {each.get("settings_loadable") for each in reports}
            loads = {each.get("settings_loaded") for each in reports}
            return len(finds) == 1 and finds != loads

        waiting.wait_for(has_both, "both find the new settings")

    def wait_for_number(self, *numbers: int | None) -> None:
        """Return once the workers have loaded these numbers."""
        waiting.wait_for(
            lambda: (
                [
                    self.report(each).get("settings_number", 0)
                    for each in self.system.engines
                ]
                == list(numbers)
            ),
            f"the workers have {numbers}",
        )

    def create(self, name: str, status: str) -> rest.Stack:
        stack = self.client.create(name, world_templates.chain())
        self.client.wait(stack, status, timeout_s=90)
        return stack


class DifferentTest(SettingsTestCase):
    def test_one_without_the_settings_lets_nothing_pass(self) -> None:
        self.plugins.order(1, "pre", "deny", text="frozen")
        self.start_with(self.second, None)

        found = [
            self.client.create(f"s{number}", world_templates.chain())
            for number in range(_CREATES)
        ]
        shown = [
            self.client.wait(each, "CREATE_FAILED", timeout_s=90)
            for each in found
        ]

        for each in shown:
            self.assertIn("frozen", each["stack_status_reason"])
        self.assertEqual([], self.world.names())

    def test_it_is_said_which_one_takes_nothing_and_why(self) -> None:
        self.assertNotIn("lifecycle", self.readiness().text)
        self.start_with(self.second, None)
        self.create("s", "CREATE_COMPLETE")
        self.wait_for_number(1, None)

        waiting.wait_for(
            lambda: "lifecycle: NOT READY" in self.readiness().text,
            "a probe learns of it",
        )
        self.assertIsNone(self.report(self.first)["idle_reason"])
        reason = self.report(self.second)["idle_reason"]
        self.assertIn("it cannot load number 1 of the plug-in", reason)
        doctor = self.manage("doctor")
        self.assertEqual(1, doctor.code)
        self.assertIn(
            f"({self.report(self.second)['id']}): {reason}", doctor.output
        )
        self.assertNotIn("worker-1 (", doctor.output)
        shown = self.manage("lifecycle", "show").output.splitlines()
        self.assertIn("number 1 (", shown[0])
        self.assertEqual(
            {"worker-1": True, "worker-2": False},
            {line.split()[1]: line.endswith(" taken") for line in shown[2:]},
        )
        told = self.second.log.read_text().count("takes no operations")
        self.assertEqual(1, told)

    def test_what_asks_plugins_at_once_is_asked_of_the_other(self) -> None:
        self.plugins.order(1, "pre", "deny", verb="create", text="frozen")
        self.start_with(self.second, None)

        for number in range(12):
            listed = self.client.get("/lifecycle/plugins", "plugins")
            self.assertEqual(
                [(name, 1) for name in lifecycle.NAMES[:3]],
                [(each["name"], each["settings_number"]) for each in listed],
            )
            preview = self.client.post(
                "/stacks/preview",
                "stack",
                stack_name=f"p{number}",
                template=world_templates.chain(),
            )
            verdicts = preview["plan"]["verdicts"]
            self.assertEqual(["frozen"], [each["text"] for each in verdicts])

    def test_no_move_passes_by_one_without_them(self) -> None:
        source, target = (
            self.create(name, "CREATE_COMPLETE") for name in ("s", "t")
        )
        self.plugins.order(1, "pre", "deny", verb="move", text="frozen")
        self.start_with(self.second, None)
        body = move_bodies.written(
            self.system.endpoint, source, target.id, {"c": "d"}
        )

        for _ in range(12):
            refused = self.assertRaises(
                rest.RefusedError,
                *(self.client.ask, "POST", f"{source.path}/move", body),
            )
            self.assertEqual(403, refused.status, refused.message)
            self.assertIn("frozen", refused.message)

    def test_where_all_differ_requests_wait_for_an_activation(self) -> None:
        sections = self.sections(1)
        for each in self.system.engines:
            self.start_with(each, sections)

        stack = self.client.create("s", world_templates.chain())
        self.wait_for_number(None, None)
        refused = self.assertRaises(
            rest.RefusedError,
            self.client.get,
            "/lifecycle/plugins",
            "plugins",
        )
        doctor = self.manage("doctor").output

        self.assertEqual(503, refused.status)
        self.assertIn("has not loaded the plug-in settings", refused.message)
        self.assertIn("no live worker takes operations", doctor)
        self.assertEqual(
            "CREATE_IN_PROGRESS", self.client.show(stack)["stack_status"]
        )
        self.assertEqual(200, self.readiness().status_code)
        waiting.wait_for(
            lambda: "lifecycle: NOT READY" in self.readiness().text,
            "a probe learns of it",
        )
        self.assertEqual([], self.plugins.lines())
        self.assertEqual(0, self.activate().code)
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        self.assertEqual(
            [("pre", "1"), ("post", "1")], self.plugins.calls(stack)
        )


class ActivationTest(SettingsTestCase):
    def test_settings_are_used_without_a_restart(self) -> None:
        self.create("old", "CREATE_COMPLETE")
        pids = [each.pid for each in self.system.engines]
        self.file.write_text(yaml.safe_dump(self.sections(2)))
        self.wait_until_found()
        self.create("found", "CREATE_COMPLETE")

        done = self.activate()
        new = self.create("new", "CREATE_COMPLETE")

        self.assertEqual(0, done.code, done.errors)
        self.assertIn("number 2 (", done.output)
        self.assertEqual(6, len(self.plugins.calls("old")))
        self.assertEqual(6, len(self.plugins.calls("found")))
        self.assertEqual(
            [("pre", "2"), ("post", "2")], self.plugins.calls(new)
        )
        self.wait_for_number(2, 2)
        waiting.wait_for(
            lambda: "lifecycle" not in self.readiness().text,
            "a probe learns that all take operations",
        )
        self.assertEqual(pids, [each.pid for each in self.system.engines])
        self.assertEqual(1, self.activate().code, "there is nothing more")

    def test_what_runs_goes_on_with_the_old_ones(self) -> None:
        self.plugins.order(1, "pre", "hang", once="pre", text="go")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(
            lambda: self.plugins.calls(stack), "the first plug-in is called"
        )
        self.file.write_text(yaml.safe_dump(self.sections(2)))
        self.wait_until_found()
        self.assertEqual(0, self.activate().code)
        self.wait_for_number(2, 2)

        self.plugins.release("go")
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)

        self.assertEqual(6, len(self.plugins.calls(stack)))
        self.assertEqual(["complete"] * 3, self.plugins.outcomes(stack))

    def test_what_is_held_is_judged_by_the_new_ones_too(self) -> None:
        every = self.file.read_text()
        self.file.write_text(yaml.safe_dump(self.sections(1)))
        self.wait_until_found()
        self.assertEqual(0, self.activate().code)
        self.wait_for_number(2, 2)
        self.plugins.order(1, "pre", "hold", text="ask Ann")
        self.plugins.order(2, "pre", "deny", text="frozen")
        stack = self.client.create("held", world_templates.chain())
        waiting.wait_for(
            lambda: self.client.get("/lifecycle/holds", "holds"), "the hold"
        )
        self.file.write_text(every)
        self.wait_until_found()
        self.assertEqual(0, self.activate().code)
        self.wait_for_number(3, 3)

        self.client.ask("POST", f"{stack.path}/actions", {"approve": {}})

        shown = self.client.wait(stack, "CREATE_FAILED", timeout_s=60)
        self.assertIn("frozen", str(shown["stack_status_reason"]))
        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "1")],
            self.plugins.calls(stack),
        )

    def test_one_that_cannot_load_them_is_named_and_may_be_left_out(
        self,
    ) -> None:
        self.start_with(self.second, self.sections(3))
        self.wait_for_number(1, None)

        refused = self.activate()

        self.assertEqual(1, refused.code)
        self.assertIn("nothing was activated", refused.errors)
        self.assertIn("worker-1 (", refused.errors)
        self.assertNotIn("worker-2 (", refused.errors)
        self.create("old", "CREATE_COMPLETE")
        self.assertEqual(6, len(self.plugins.calls("old")))

        forced = self.activate("--force")

        self.assertEqual(0, forced.code, forced.errors)
        self.assertIn("left out: worker-1 (", forced.output)
        for number in range(6):
            new = self.create(f"new{number}", "CREATE_COMPLETE")
            self.assertEqual(
                [("pre", "3"), ("post", "3")], self.plugins.calls(new)
            )
        self.wait_for_number(None, 2)

    def test_one_that_reports_no_settings_is_named_and_may_be_left_out(
        self,
    ) -> None:
        database = engine.Database(self.found.database.url)
        self.addCleanup(database.dispose)
        with database.write() as conn:
            conn.execute(_WITHOUT_REPORT)
        self.file.write_text(yaml.safe_dump(self.sections(2)))
        self.wait_until_found()

        refused = self.activate()
        self.wait_for_number(1, 1)
        forced = self.activate("--force")
        self.wait_for_number(2, 2)

        reason = "worker-0 (earlier): it is of an earlier release"
        self.assertEqual(1, refused.code)
        self.assertIn("nothing was activated", refused.errors)
        self.assertIn(reason, refused.errors)
        self.assertEqual(0, forced.code, forced.errors)
        self.assertIn(f"left out: {reason}", forced.output)
        new = self.create("new", "CREATE_COMPLETE")
        self.assertEqual(
            [("pre", "2"), ("post", "2")], self.plugins.calls(new)
        )

    def test_wrong_settings_are_named_and_the_old_ones_stay(self) -> None:
        self.file.write_text("webhook: {url: 7}")
        waiting.wait_for(
            lambda: not self.report(self.first).get("settings_loadable"),
            "the file is found",
        )

        refused = self.activate("--force")

        self.assertEqual(1, refused.code)
        self.assertIn("there is nothing to activate", refused.errors)
        self.assertIn("the lifecycle plug-in webhook", refused.errors)
        self.create("s", "CREATE_COMPLETE")
        self.assertEqual(6, len(self.plugins.calls("s")))

    def test_two_that_find_different_ones_are_named(self) -> None:
        self.start_with(self.first, self.sections(1))
        self.start_with(self.second, self.sections(2))

        refused = self.activate("--force")

        self.assertEqual(1, refused.code)
        self.assertIn("find different plug-in settings", refused.errors)
        self.assertIn("on worker-1", refused.errors)
        self.assertIn("on worker-2", refused.errors)

    def test_one_that_is_killed_meanwhile_changes_nothing(self) -> None:
        self.file.write_text(yaml.safe_dump(self.sections(2)))
        self.wait_until_found()
        database = engine.Database(self.found.database.url)
        self.addCleanup(database.dispose)
        killed = processes.Process(
            *("orch-manage", "--config-file", str(self.config(self.first))),
            *("lifecycle", "activate"),
            log=self.system.directory / "killed.log",
            environment=self.plugins.environment,
            launch=forks.launch,
        )
        with database.write() as conn:
            conn.execute(sa.text("SELECT * FROM plugin_settings FOR UPDATE"))
            killed.start()
            waiting.wait_for(
                lambda: self.is_locked_out(database),
                "it is about to change the row",
            )
            killed.kill()
        old = self.create("old", "CREATE_COMPLETE")
        self.wait_for_number(1, 1)
        done = self.activate()
        new = self.create("new", "CREATE_COMPLETE")

        self.assertEqual(6, len(self.plugins.calls(old)))
        self.assertIn("number 2 (", done.output)
        self.assertEqual(2, len(self.plugins.calls(new)))

    @staticmethod
    def is_locked_out(database: engine.Database) -> bool:
        """Whether a process waits for the lock of the row."""
        with database.read() as conn:
            return bool(conn.scalar(_LOCKED))

    def test_workers_that_die_meanwhile_come_back_with_the_new_ones(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "hang", once="pre", text="go")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(
            lambda: self.plugins.calls(stack), "the first plug-in is called"
        )
        self.file.write_text(yaml.safe_dump(self.sections(2)))
        self.wait_until_found()

        for each in self.system.engines:
            each.freeze()
        done = self.activate()
        for each in self.system.engines:
            each.kill()
        for each in self.system.engines:
            each.start()
        shown = self.client.wait(stack, "CREATE_FAILED", timeout_s=90)
        new = self.create("new", "CREATE_COMPLETE")

        self.assertEqual(0, done.code, done.errors)
        # The plug-in that was being asked is not in force any more.
        self.assertIn("not installed", shown["stack_status_reason"])
        self.assertEqual([], self.world.calls("s"))
        self.assertEqual(
            [("pre", "2"), ("post", "2")], self.plugins.calls(new)
        )
        self.wait_for_number(2, 2)

    def test_the_same_settings_in_another_form_need_no_activation(
        self,
    ) -> None:
        known = self.sections(1, 2, 3)
        text = yaml.safe_dump(
            {
                name: dict(reversed(known[name].items()))
                for name in reversed(known)
            },
            sort_keys=False,
            default_flow_style=True,
        )
        self.start_with(self.second, {})
        self.wait_for_number(1, None)
        own = self.system.directory / "worker-2.yaml"
        own.write_text(f"# in another order\n{text}")
        self.wait_for_number(1, None)
        self.second.stop()
        self.second.start()

        self.wait_for_number(1, 1)

        self.first.kill()
        new = self.create("new", "CREATE_COMPLETE")
        self.assertEqual(6, len(self.plugins.calls(new)))
