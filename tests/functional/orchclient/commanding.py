"""What tests of the commands start from."""

import contextlib
import dataclasses
import io
import json
import logging
import signal
import typing

import pexpect
from openstackclient import shell as openstack_shell
from osc_lib import clientmanager

from orchclient import shell
from tests.functional.orchclient import connecting
from tests.support import processes

_LIMIT_S = 40

WAITS = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: ""}
resources:
  a: {type: Test::World::Thing, properties: {label: {get_param: label}}}
  b:
    type: Test::World::Thing
    depends_on: a
    properties: {label: {get_param: label}}
outputs:
  label: {value: {get_param: label}}
"""


@dataclasses.dataclass(frozen=True)
class Ended:
    """What a command did: exit code, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> typing.Any:
        """Return what it wrote as JSON."""
        return json.loads(self.out)

    @property
    def documents(self) -> list[dict[str, typing.Any]]:
        """Return the JSON lines that it wrote."""
        return [json.loads(line) for line in self.out.splitlines()]

    def kinds(self) -> list[str]:
        return [each["kind"] for each in self.documents]


def heed_ctrl_c() -> None:
    """Take SIGINT for what it is, in a process that is about to begin.

    What runs the tests in the background may have it ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class CommandTestCase(connecting.ClientTestCase):
    """Commands run in this process, unless a test spawns one.

    :cvar form: ``orch`` or ``openstack orch``
    """

    form = "orch"

    @property
    def login(self) -> tuple[str, ...]:
        return (
            *("--os-auth-type", "none"),
            *("--os-endpoint", self.system.endpoint),
        )

    def run_command(self, *words: str) -> Ended:
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            _logging_as_it_was(),
        ):
            try:
                code = self._run([*self.login, *self.words, *words], out, err)
            except SystemExit as ended:
                code = int(str(ended.code))
        return Ended(code, out.getvalue(), err.getvalue())

    @property
    def words(self) -> list[str]:
        return self.form.split()[1:]

    def _run(self, argv: list[str], out: io.StringIO, err: io.StringIO) -> int:
        if self.form == "orch":
            return shell.main(argv, io.StringIO(), out, err)
        found = openstack_shell.OpenStackShell()
        # It keeps the first client that a process makes for ever.
        known = vars(clientmanager.ClientManager).get("orch")
        if known is not None:
            known._handle = None
        return int(found.run(argv))

    def succeed(self, *words: str) -> Ended:
        ended = self.run_command(*words)
        self.assertEqual(0, ended.code, ended)
        return ended

    def spawn(self, *words: str) -> "pexpect.spawn[str]":
        """Return a real process on a terminal of its own."""
        program = self.form.split()[0]
        spawned = pexpect.spawn(
            processes.find(program),
            [*self.login, *self.words, *words],
            encoding="utf-8",
            dimensions=(30, 120),
            timeout=_LIMIT_S,
            preexec_fn=heed_ctrl_c,
        )
        self.addCleanup(spawned.close, force=True)
        return spawned

    def end(self, spawned: "pexpect.spawn[str]") -> tuple[int | None, str]:
        """Return exit code and output of a process that ends by itself."""
        spawned.expect(pexpect.EOF)
        said = spawned.before or ""
        spawned.close()
        return spawned.exitstatus, said

    def template(self, text: str = WAITS) -> str:
        return str(self.write("template.yaml", text))

    def hold(self, act: str, name: str) -> None:
        self.world.order(self.name, act, name)
        self.addCleanup(self.world.release, self.name)


@contextlib.contextmanager
def _logging_as_it_was() -> typing.Iterator[None]:
    """Take away what programs do to the logging of their process."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
