"""The commands that change stacks, as ``orch`` and ``openstack orch``."""

from tests.functional.orchclient import commanding

_MOVED = """
heat_template_version: 2021-04-16
resources:
  c: {type: Test::World::Thing}
"""

_OUTER = """
heat_template_version: 2021-04-16
resources:
  front: {type: inner.yaml}
"""


class OrchTests(commanding.CommandTestCase):
    """``orch …``."""

    def test_a_life(self) -> None:
        template = self.template()

        created = self.succeed(
            *("stack", "create", "-t", template),
            *("-P", "label=one", "--tag", "t1", self.name),
        )
        self.assertIn("CREATE_COMPLETE", created.out)
        self.assertIn("100%: 2 of 2 done", created.out)
        self.assertIn("label = one", created.out)
        self.assertEqual({"a": "one", "b": "one"}, self.labels())

        self.succeed(
            *("stack", "update", "--existing", "-P", "label=two", self.name)
        )
        self.assertEqual({"a": "two", "b": "two"}, self.labels())

        for action in ("check", "suspend", "resume"):
            ended = self.succeed("stack", action, self.name)
            self.assertIn(f"{action.upper()}_COMPLETE", ended.out)

        self.succeed("stack", "delete", "--yes", self.name)
        self.assertEqual([], self.names())
        self.assertIsNone(self.orch.stacks.find(self.name))

    def test_create_is_retried(self) -> None:
        for command in ("stack create", "stack-create"):
            self.take_name()
            self.fail_once("create", "b")
            words = command.split()
            ended = self.run_command(*words, "-t", self.template(), self.name)
            self.assertEqual(3, ended.code, ended)

            self.succeed(*words, "--retry", self.name)

            self.assertEqual("CREATE_COMPLETE", self.status(self.name))
            self.assertEqual(["a", "b"], self.names())
            self.assertEqual(["a", "b", "b"], self.acts("create"))

    def test_update_is_retried(self) -> None:
        for command in ("stack update", "stack-update"):
            self.take_name()
            self.succeed("up", self.template(), "--name", self.name)
            self.fail_once("update", "b")
            words = command.split()
            ended = self.run_command(
                *words, "--existing", "-P", "label=new", self.name
            )
            self.assertEqual(3, ended.code, ended)

            self.succeed(*words, "--retry", self.name)

            self.assertEqual("UPDATE_COMPLETE", self.status(self.name))
            self.assertEqual({"a": "new", "b": "new"}, self.labels())

    def test_other_actions_are_retried(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        for action in ("suspend", "resume", "check", "snapshot", "delete"):
            words = ["stack", action]
            if action == "snapshot":
                words.append("create")
            self.fail_once(action, "b")
            ended = self.run_command(*words, self.name)
            self.assertEqual(3, ended.code, (action, ended))
            self.assertIn(f"retry {self.name}", ended.err)

            ended = self.succeed(*words, "--retry", self.name)

            self.assertIn("attempt 2", ended.out, action)
            self.assertIn(f"{action.upper()}_COMPLETE", ended.out)
        self.assertEqual([], self.names())

    def test_whatever_has_failed_is_retried(self) -> None:
        self.fail_once("create", "b")
        self.run_command("up", self.template(), "--name", self.name)

        self.succeed("retry", self.name)

        self.assertEqual("CREATE_COMPLETE", self.status(self.name))

    def test_a_retry_leaves_out(self) -> None:
        self.fail_once("create", "b")
        self.run_command("up", self.template(), "--name", self.name)

        self.succeed("retry", "--skip", "b", self.name)

        self.assertEqual(["a"], self.names())

    def test_a_retry_replaces(self) -> None:
        self.fail_once("create", "b")
        self.run_command("up", self.template(), "--name", self.name)

        self.succeed("retry", "--replace", "b", self.name)

        self.assertEqual("CREATE_COMPLETE", self.status(self.name))

    def test_up_creates_and_then_updates(self) -> None:
        self.template()
        where = str(self.directory)

        self.succeed("up", where, "--name", self.name, "-P", "label=1")
        self.succeed("up", where, "--name", self.name, "-P", "label=2")

        self.assertEqual({"a": "2", "b": "2"}, self.labels())

    def test_a_plan_is_shown_and_applied(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        source = ("plan", self.template(), "--name", self.name)

        shown = self.run_command(*source, "-P", "label=n", "--exit-code")
        self.assertEqual(11, shown.code, shown)
        self.assertIn('label: "" -> "n"', shown.out)
        self.assertIn(f"apply {self.name}", shown.err)
        self.assertEqual({"a": "", "b": ""}, self.labels())

        self.succeed("apply", self.name)

        self.assertEqual({"a": "n", "b": "n"}, self.labels())
        self.assertEqual(2, self.run_command("apply", self.name).code)

    def test_a_plan_of_what_is_not_there_yet(self) -> None:
        ended = self.succeed(
            *("plan", self.template(), "--name", self.name, "-f", "json")
        )

        told = ended.document
        self.assertEqual({"create": 2}, told["counts"])
        self.assertIsNone(told["plan"])
        self.assertIsNone(self.orch.stacks.find(self.name))

    def test_plans_of_other_kinds(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        plan = ("plan", "-f", "json", self.name)

        stored = self.succeed(
            *plan, "--existing-template", "-P", "label=n"
        ).document
        self.assertEqual({"update": 2}, stored["counts"])
        shown = self.succeed(
            *("plan", self.template(), "--name", self.name, "--preview"),
            *("-f", "json", "-P", "label=n"),
        )
        self.assertEqual({"update": 2}, shown.document["counts"])
        self.assertIsNone(shown.document["plan"])
        deletion = self.succeed(*plan, "--action", "delete").document
        self.assertEqual({"delete": 2}, deletion["counts"])

        self.succeed("apply", self.name, stored["plan"])
        self.assertEqual({"a": "n", "b": "n"}, self.labels())

        ended = self.run_command("apply", self.name, deletion["plan"])
        self.assertEqual(6, ended.code, ended)

    def test_an_update_that_is_cancelled_goes_back(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        self.hold("update", "b")
        self.succeed(
            *("stack", "update", "--existing", "-P", "label=n"),
            *("--detach", self.name),
        )
        self.wait_for_act("update", "b")

        self.succeed("stack", "cancel", "--detach", self.name)
        self.world.release(self.name)
        ended = self.succeed("attach", self.name)

        self.assertIn(f"ROLLBACK of {self.name} COMPLETE", ended.out)
        self.assertEqual("ROLLBACK_COMPLETE", self.status(self.name))
        self.assertEqual({"a": "", "b": ""}, self.labels())

    def test_snapshots(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        snapshot = ("stack", "snapshot")
        self.succeed(*snapshot, "create", "--name", "first", self.name)
        self.succeed(
            *("stack", "update", "--existing", "-P", "label=n", self.name)
        )
        listed = self.succeed(*snapshot, "list", self.name, "-f", "json")
        [row] = listed.document
        self.assertEqual("first", row["Name"])

        self.succeed(*snapshot, "restore", self.name, row["ID"])
        self.assertEqual({"a": "", "b": ""}, self.labels())

        self.succeed(*snapshot, "delete", self.name, row["ID"])
        self.assertEqual((), self.orch.snapshots.list(self.name))

    def test_a_resource_moves(self) -> None:
        source, target = self.name, f"{self.name}-target"
        self.succeed("up", self.template(), "--name", source)
        other = str(self.write("other.yaml", _MOVED))
        self.succeed("up", other, "--name", target)

        dry = self.succeed("move", source, target, "b", "--dry-run")
        self.assertIn(f"{target}:", dry.out)
        self.assertIn("b", self._resources(source))

        self.succeed("move", source, target, "b=d")

        self.assertEqual({"a"}, self._resources(source))
        self.assertEqual({"c", "d"}, self._resources(target))

    def test_a_stack_leaves_and_comes_back(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        exported = self.succeed("stack", "export", self.name).document
        self.assertEqual({"a", "b"}, set(exported["resources"]))
        kept = self.directory / "kept.json"

        self.succeed(
            *("stack", "abandon", "-y", self.name, "-o", str(kept)),
            *("--form", "compact"),
        )
        self.assertIn('"compressed"', kept.read_text())
        self.assertIsNone(self.orch.stacks.find(self.name))
        self.assertEqual(0o600, kept.stat().st_mode & 0o777)

        adopt = ("stack", "adopt", self.name, str(kept))
        dry = self.succeed(*adopt, "--dry-run")
        self.assertIn("2 to adopt", dry.out)
        self.succeed(
            *adopt, "--adopt-verify", "refuse", "--adopt-missing", "fail"
        )
        self.assertEqual("ADOPT_COMPLETE", self.status(self.name))
        self.assertEqual(["a", "b"], self.acts("create"))

    def test_what_is_under_way_is_cancelled(self) -> None:
        self.hold("create", "b")
        self.succeed(*("up", self.template(), "--name", self.name, "--detach"))
        self.wait_for_act("create", "b")

        self.succeed("stack", "cancel", "--no-rollback", self.name)
        ended = self.run_command("attach", self.name)
        self.world.release(self.name)

        self.assertEqual(3, ended.code, ended)
        self.assertEqual("CREATE_FAILED", self.status(self.name))

    def test_progress_as_json_lines(self) -> None:
        ended = self.succeed(
            *("up", self.template(), "--name", self.name, "-f", "json")
        )

        kinds = ended.kinds()
        self.assertEqual("begin", kinds[0])
        self.assertEqual("end", kinds[-1])
        told = [
            ("/".join(each["path"]), each["state"])
            for each in ended.documents
            if each["kind"] == "event"
        ]
        for name in ("", "a", "b"):
            self.assertIn((name, "IN_PROGRESS"), told)
            self.assertIn((name, "COMPLETE"), told)
        self.assertEqual({"label": ""}, ended.documents[-1]["outputs"])
        last = [x for x in ended.documents if x["kind"] == "progress"][-1]
        self.assertEqual((100, 2), (last["percent"], last["done"]))

    def test_a_failure_as_json_lines(self) -> None:
        self.fail_once("create", "b")
        ended = self.run_command(
            *("up", self.template(), "--name", self.name, "-f", "json")
        )

        self.assertEqual(3, ended.code, ended)
        error = ended.documents[-1]
        self.assertEqual(("error", 3), (error["kind"], error["exit_code"]))
        self.assertEqual(["b"], error["causes"][0]["path"])
        self.assertEqual(f"{self.form} retry {self.name}", error["next"][0])
        self.assertEqual("", ended.err)

    def test_lists(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        for words, expected in (
            (("stack", "list", "--name", self.name), [("Name", self.name)]),
            (
                ("stack", "resource", "list", self.name),
                [("Resource", "a"), ("Resource", "b")],
            ),
            (("stack", "output", "list", self.name), [("Key", "label")]),
            (
                ("stack", "operation", "list", self.name),
                [("Action", "CREATE")],
            ),
            (("stack", "plan", "list", self.name), []),
        ):
            rows = self.succeed(*words, "-f", "json").document
            told = [(k, row[k]) for row in rows for k, _ in expected[:1]]
            self.assertEqual(expected, told, words)
        shown = self.succeed("stack", "show", self.name, "-f", "json")
        self.assertEqual("CREATE_COMPLETE", shown.document["status"])
        self.assertEqual(2, shown.document["operation"]["done"])

    def test_graph_timeline_and_logs(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)

        dot = self.succeed("graph", self.name).out
        self.assertIn('"a" -> "b";', dot)
        self.assertIn("CREATE_COMPLETE", dot)
        drawn = self.directory / "stack.svg"
        self.succeed("graph", self.name, "-o", str(drawn))
        self.assertIn("<svg", drawn.read_text(encoding="utf-8"))

        table = self.succeed("timeline", self.name).out
        self.assertIn("█", table)
        rows = self.succeed("timeline", self.name, "-f", "json").document
        self.assertEqual(["a", "b"], [row["Resource"] for row in rows])
        self.assertEqual(0, rows[0]["Offset (s)"])

        logs = self.succeed("logs", self.name, "-f", "json")
        self.assertEqual([], logs.documents[0]["path"])
        only = self.succeed("logs", self.name, "--resource", "b").out
        self.assertEqual(2, len(only.splitlines()), only)

    def test_stacks_in_the_stack(self) -> None:
        self.write("inner.yaml", _MOVED)
        outer = str(self.write("outer.yaml", _OUTER))
        self.succeed("up", outer, "--name", self.name)
        deep = (self.name, "-n", "3", "-f", "json")

        rows = self.succeed("stack", "resource", "list", *deep).document
        self.assertEqual(
            ["front", "front/c"], [row["Resource"] for row in rows]
        )
        rows = self.succeed("timeline", *deep).document
        self.assertEqual(
            ["front", "front/c"], [row["Resource"] for row in rows]
        )
        dot = self.succeed("graph", self.name, "-n", "3").out
        self.assertIn('"front" -> "front/c";', dot)
        logs = self.succeed("logs", self.name, "--resource", "front/c").out
        self.assertEqual(2, len(logs.splitlines()), logs)

    def _resources(self, stack: str) -> set[str]:
        return {each.name for each in self.orch.resources.list(stack)}


class OpenStackTests(OrchTests):
    """``openstack orch …``: the same commands, the same answers."""

    form = "openstack orch"
