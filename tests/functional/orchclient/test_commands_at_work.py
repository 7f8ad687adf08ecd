"""Commands on terminals and in pipes; Ctrl-C; what exit codes tell."""

import io
import re
import signal
import subprocess

import fixtures
import pexpect

from orchclient import shell
from tests.functional.orchclient import commanding
from tests.support import ports
from tests.support import processes

_INNER = """
heat_template_version: 2021-04-16
resources:
  first: {type: Test::World::Thing}
  inner:
    type: Test::World::Thing
    depends_on: first
"""
_OUTER = """
heat_template_version: 2021-04-16
resources:
  before: {type: Test::World::Thing}
  front: {type: web.yaml, depends_on: before}
"""
_WRONG = """
heat_template_version: 2021-04-16
resources:
  a:
    type: Test::World::Thing
    depends_on: nowhere
    properties: {lable: x}
"""


class TerminalTests(commanding.CommandTestCase):
    """Real processes, on a terminal."""

    def test_the_tree_lives(self) -> None:
        self.hold("create", "b")
        spawned = self.spawn("up", self.template(), "--name", self.name)
        spawned.expect(f"CREATE {self.name}")
        spawned.expect(r"✓.*a.*CREATE_COMPLETE")
        spawned.expect(r"[⠀-⣿].*b.*CREATE_IN_PROGRESS")

        self.world.release(self.name)
        code, said = self.end(spawned)

        self.assertEqual(0, code, said)
        last = said[said.rindex(f"CREATE {self.name}") :]
        self.assertIn("100% (2 of 2)", _plain(last))
        self.assertRegex(_plain(last), r"✓ b +Test::World::Thing")
        self.assertIn("label = ", last)

    def test_ctrl_c_detaches(self) -> None:
        for form, stop in (("orch", "create"), ("openstack orch", "update")):
            self.form = form
            if stop == "create":
                words = ["up", self.template(), "--name", self.name]
            else:
                words = ["stack", "update", "--existing", self.name]
                words += ["-P", "label=n"]
            self.hold(stop, "b")
            spawned = self.spawn(*words)
            spawned.expect(f"b.*{stop.upper()}_IN_PROGRESS")

            spawned.sendintr()
            code, said = self.end(spawned)

            self.assertEqual(130, code, said)
            self.assertIn(f"Detached: the {stop} of {self.name}", said)
            self.assertIn(f"{form} attach {self.name}", said)
            self.assertEqual(
                f"{stop.upper()}_IN_PROGRESS", self.status(self.name)
            )
            self.world.release(self.name)
            ended = self.run_command("attach", self.name)
            self.assertEqual(0, ended.code, ended)
            self.assertRegex(ended.out, r"_COMPLETE +b\n")

    def test_logs_follow_until_ctrl_c(self) -> None:
        self.hold("create", "b")
        self.succeed("up", self.template(), "--name", self.name, "--detach")
        spawned = self.spawn("logs", "--follow", self.name)
        spawned.expect(r"CREATE_IN_PROGRESS +b")

        self.world.release(self.name)
        spawned.expect(r"CREATE_COMPLETE +b")
        spawned.sendintr()
        code, said = self.end(spawned)

        self.assertEqual(130, code, said)
        self.assertNotIn("Traceback", said)

    def test_a_person_is_asked_before_a_deletion(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)
        for answer, left in (("n", ["a", "b"]), ("y", [])):
            spawned = self.spawn("stack", "delete", self.name)
            spawned.expect(re.escape(f"Delete {self.name} and all"))
            spawned.sendline(answer)
            code, said = self.end(spawned)
            self.assertEqual(0, code, said)
            self.assertEqual(left, self.names())

    def test_plain_lines_on_a_terminal_too(self) -> None:
        spawned = self.spawn(
            *("up", self.template(), "--name", self.name, "-f", "plain")
        )
        code, said = self.end(spawned)

        self.assertEqual(0, code, said)
        self.assertNotIn("\x1b[", said)


class PipeTests(commanding.CommandTestCase):
    """What scripts get."""

    def test_a_pipe_has_plain_lines_and_ctrl_c_detaches(self) -> None:
        self.hold("create", "b")
        started = subprocess.Popen(
            [
                processes.find("orch"),
                *self.login,
                *("up", self.template(), "--name", self.name),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=commanding.heed_ctrl_c,
        )
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        self.wait_for_act("create", "b")
        assert started.stdout is not None
        lines = iter(started.stdout.readline, "")
        first = next(x for x in lines if x.endswith(" b\n"))
        self.assertIn("CREATE_IN_PROGRESS", first)

        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=20)

        self.assertEqual(130, started.returncode, err)
        self.assertNotIn("\x1b[", first + out)
        self.assertIn(f"orch attach {self.name}", err)

    def test_a_root_cause_deep_down(self) -> None:
        self.write("web.yaml", _INNER)
        template = str(self.write("outer.yaml", _OUTER))
        self.fail_once("create", "inner")

        ended = self.run_command("up", template, "--name", self.name)

        self.assertEqual(3, ended.code, ended)
        web = self.directory / "web.yaml"
        self.assertIn(
            f"root cause: front/inner (Test::World::Thing) at {web}:5",
            ended.err,
        )
        self.assertIn(f"orch retry {self.name}", ended.err)
        self.assertIn(" front/inner  ", ended.out)

        # Who has sent nothing has the line from the service.
        self.fail_once("create", "inner")
        ended = self.run_command("retry", self.name)

        self.assertEqual(3, ended.code, ended)
        self.assertIn(
            "root cause: front/inner (Test::World::Thing) at web.yaml:5",
            ended.err,
        )

    def test_a_rollback_is_waited_for(self) -> None:
        self.fail_once("create", "b")

        ended = self.run_command(
            *("up", self.template(), "--name", self.name),
            "--enable-rollback",
        )

        self.assertEqual(3, ended.code, ended)
        self.assertIn(f"ROLLBACK of {self.name} COMPLETE", ended.out)
        self.assertEqual([], self.names())

    def test_problems_of_a_template_have_their_lines(self) -> None:
        template = str(self.write("wrong.yaml", _WRONG))

        ended = self.run_command("up", template, "--name", self.name)

        self.assertEqual(7, ended.code, ended)
        self.assertIn(f"at {template}:6", ended.err)
        self.assertIn(f"at {template}:7", ended.err)
        self.assertIn("label", ended.err)

    def test_exit_codes(self) -> None:
        template = self.template()
        snapshot = ("stack", "snapshot")
        self.hold("create", "b")
        self.succeed("up", template, "--name", self.name, "--detach")
        for code, *words in (
            (2, "stack", "create", self.name),
            (2, "stack", "create", "--retry", "-t", template, self.name),
            (2, "stack", "update", "--retry", "--disable-rollback", self.name),
            (2, "stack", "update", "--retry", "-P", "label=1", self.name),
            (2, "stack", "delete", "--skip", "a", self.name),
            (2, *snapshot, "create", "--skip", "a", self.name),
            (2, *snapshot, "create", "--retry", "--name", "n", self.name),
            (2, *snapshot, "restore", "--orphan", "a", self.name, "no-id"),
            (2, "up", template, "-P", "label"),
            (2, "up"),
            (2, "upp"),
            (2, "stack", "resume", "--bogus", self.name),
            (5, "stack", "show", "nobody"),
            (5, "stack", "delete", "nobody"),
            (6, "stack", "create", "-t", template, self.name),
            (6, "stack", "suspend", self.name),
            (6, "retry", self.name),
            (7, "up", "nowhere.yaml"),
            (7, "up", template, "--parameter-file", "label=nowhere.txt"),
            (7, "stack", "adopt", "x", "nowhere.json"),
            (7, "up", template, "--name", "x", "-P", "unknown=1"),
            (10, "attach", "--wait-timeout", "0.1", self.name),
        ):
            ended = self.run_command(*words)
            self.assertEqual(code, ended.code, (words, ended))
            self.assertNotIn("Traceback", ended.err)
        self.world.release(self.name)
        self.succeed("attach", self.name)

    def test_a_newer_operation_takes_over(self) -> None:
        self.hold("create", "b")
        spawned = self.spawn(
            *("up", self.template(), "--name", self.name, "-f", "plain")
        )
        spawned.expect(r"CREATE_IN_PROGRESS +b")

        self.succeed("stack", "delete", self.name, "--yes", "--detach")
        self.world.release(self.name)
        code, said = self.end(spawned)

        self.assertEqual(4, code, said)
        self.assertIn(f"orch attach {self.name}", said)

    def test_nobody_answers(self) -> None:
        nobody = f"http://127.0.0.1:{ports.find_free()}/v1/demo"
        spawned = pexpect.spawn(
            processes.find("orch"),
            [
                "--os-auth-type",
                "none",
                "--os-endpoint",
                nobody,
                "stack",
                "list",
            ],
            encoding="utf-8",
        )
        self.addCleanup(spawned.close, force=True)
        code, said = self.end(spawned)

        self.assertEqual(9, code, said)
        self.assertIn("Connection refused", said)
        self.assertNotIn("HTTPConnectionPool", said)

    def test_clouds_yaml_says_where(self) -> None:
        clouds = self.write(
            "clouds.yaml",
            f"""
            clouds:
              here:
                auth_type: none
                auth: {{endpoint: "{self.system.endpoint}"}}
            """,
        )
        self.useFixture(
            fixtures.EnvironmentVariable("OS_CLIENT_CONFIG_FILE", str(clouds))
        )
        out = io.StringIO()
        self.succeed("up", self.template(), "--name", self.name)

        code = shell.main(
            ["--os-cloud", "here", "stack", "list", "-f", "json"], stdout=out
        )

        self.assertEqual(0, code)
        self.assertIn(f'"{self.name}"', out.getvalue())
        code = shell.main(["--os-cloud", "no", "stack", "list"], stderr=out)
        self.assertEqual(8, code)

    def test_completion(self) -> None:
        ended = self.run_command("complete")

        self.assertEqual(0, ended.code, ended)
        self.assertIn("complete -F _orch orch", ended.out)
        self.assertRegex(ended.out, r"cmds_stack='[^']*\bcreate\b")
        self.assertRegex(ended.out, r"cmds_stack_create='[^']*--retry")

    def test_without_a_command_there_is_help(self) -> None:
        ended = self.run_command()

        self.assertEqual(0, ended.code, ended)
        self.assertIn("stack snapshot create", ended.out)


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
