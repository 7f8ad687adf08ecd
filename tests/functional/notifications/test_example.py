"""The example of a consumer, on a real broker."""

import pathlib
import subprocess
import sys
import typing

from tests import base
from tests.support import running
from tests.support import world_templates

_EXAMPLE: typing.Final = (
    pathlib.Path(__file__).parents[3]
    / "doc"
    / "examples"
    / "notification_listener.py"
)
_LIMIT_S: typing.Final = 60
_PREFIX: typing.Final = "orchestration.stack."


class ExampleTest(base.TestCase):
    limit_s = 240

    def test_it_tells_of_each_fact_once(self) -> None:
        found = self.useFixture(running.Distributed(workers=1))
        client = found.system.client
        # With a queue of its own, and one that takes turns with nobody.
        listening = [
            self.start(found.broker.url(), *pool) for pool in ([], ["mine"])
        ]
        stack = client.create(
            "web",
            world_templates.template(a={"type": "OS::Heat::TestResource"}),
        )
        client.wait(stack, "CREATE_COMPLETE", timeout_s=_LIMIT_S)
        client.delete(stack)

        for each in listening:
            said = self.read_until(each, "delete.end")
            self.assertEqual(
                [
                    f"{_PREFIX}{action}.{part}"
                    for action in ("create", "delete")
                    for part in ("start", "end")
                ],
                [line.split()[2] for line in said],
            )
            self.assertEqual({stack.id}, {line.split()[0] for line in said})
            self.assertIn(
                "DELETE_COMPLETE: Stack DELETE completed successfully",
                said[-1],
            )
            rest, _ = each.communicate("", timeout=_LIMIT_S)
            self.assertEqual(("", 0), (rest, each.returncode))

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        started = subprocess.Popen(
            [sys.executable, "-W", "ignore", _EXAMPLE, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        assert started.stdout is not None
        self.assertEqual("listening\n", started.stdout.readline())
        return started

    def read_until(
        self, process: "subprocess.Popen[str]", last: str
    ) -> list[str]:
        """Return the lines up to one that says this."""
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line.strip())
            if last in line:
                return said
        raise AssertionError(f"it has ended: {said}")
