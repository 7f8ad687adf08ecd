"""The acts of the demo, in either form."""

import collections.abc
import contextlib
import pathlib
import time
import typing
import urllib.parse

import requests

from tests.support import ports
from tests.support import processes
from tests.support import rest
from tools import narrator

_EXAMPLES = pathlib.Path("examples")
_HALF_S = 30
_ABANDON_S = 10


class Stage(typing.Protocol):
    """What the acts need of what runs.

    :ivar root: where local resources of stacks are
    """

    client: rest.Client
    root: pathlib.Path

    def find_worker(self, worker: str) -> processes.Process:
        """Return the process that is this worker."""

    def recover(self) -> None:
        """Do what an operator does after a worker was killed."""


class Demo:
    """The acts, on a stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._client = stage.client
        self._followers: dict[rest.Stack, narrator.Follower] = {}

    def play(self) -> None:
        """Play all acts.

        :raises SystemExit: the engine did not do what it should
        """
        try:
            stack = self.deploy()
            self.find("website", stack)
            self.put_back(stack)
            self.repair()
            self.survive()
            self.clean_up()
        except BaseException:
            self._abandon()
            raise

    def deploy(self) -> rest.Stack:
        """Show a template that makes a web site on this machine.

        :returns: the stack
        """
        stack = self._create("website", port=ports.find_free())
        self._follow(stack, "CREATE_COMPLETE")
        narrator.act("show the outputs")
        outputs = self._client.outputs(stack)
        for key, value in outputs.items():
            narrator.say(f"{key} = {value}")
        url = str(outputs["url"])
        narrator.act(f"GET {url}")
        page = requests.get(url, timeout=5)
        narrator.say(page.status_code, page.text.strip()[:300])
        return stack

    def find(self, name: str, stack: rest.Stack) -> None:
        """Show that the resources of a stack are found by what they are."""
        query = f"path:{name}/* type:Orch::Local::* status:complete"
        path = f"/search?{urllib.parse.urlencode({'q': query})}"
        narrator.act(f"GET {urllib.parse.unquote_plus(path)}")
        local = {
            each["physical_resource_id"]
            for each in self._client.resources(stack).values()
            if str(each["resource_type"]).startswith("Orch::Local::")
        }
        limit = time.monotonic() + _HALF_S
        while time.monotonic() < limit:
            found = self._client.get(path, "hits")
            if {each["physical_id"] for each in found} == local:
                narrator.say_hits(found)
                return
            time.sleep(0.1)
        raise SystemExit("the demo failed: not all resources are found")

    def put_back(self, stack: rest.Stack) -> None:
        """Show that a change behind the engine's back is seen and undone."""
        path = pathlib.Path(str(self._client.outputs(stack)["page"]))
        page = path.read_text(encoding="utf-8")
        narrator.act(f"change {path.name} behind the engine's back")
        path.write_text("<h1>Made by somebody else</h1>\n", encoding="utf-8")
        self._show_drift(stack, "drifted")
        narrator.act(f"PATCH {stack.path} " + '{"converge": true}')
        self._client.ask("PATCH", stack.path, {"converge": True})
        self._follow(stack, "UPDATE_COMPLETE")
        self._show_drift(stack, "in_sync")
        if path.read_text(encoding="utf-8") != page:
            raise SystemExit("the demo failed: the page is not put back")

    def _show_drift(self, stack: rest.Stack, wanted: str) -> None:
        """Let the stack be looked at, and print what was seen."""
        narrator.act(f"POST {stack.path}/actions " + '{"observe": null}')
        self._client.ask("POST", f"{stack.path}/actions", {"observe": None})
        report = self._wait_for_report(stack)
        narrator.say_drift(report)
        if report["state"] != wanted:
            raise SystemExit(f"the demo failed: not {wanted}")

    def _wait_for_report(self, stack: rest.Stack) -> rest.Json:
        limit = time.monotonic() + _HALF_S
        while time.monotonic() < limit:
            report = self._client.get(f"{stack.path}/drift", "drift")
            assert isinstance(report, dict)
            if report["observed_at"] and not report["in_progress"]:
                return report
            time.sleep(0.1)
        raise SystemExit("the demo failed: the stack was not observed")

    def repair(self) -> None:
        """Show a failure, its repair, and a retry that keeps the rest."""
        stack = self._create("retry")
        self._follow(stack, "CREATE_FAILED")
        before = self._list(stack)
        missing = self._stage.root / "approved.txt"
        narrator.act(f"put right what was wrong: make {missing}")
        missing.write_text("approved\n", encoding="utf-8")
        narrator.act(f"POST {stack.path}/actions " + '{"retry": {}}')
        self._client.retry(stack)
        self._follow(stack, "CREATE_COMPLETE")
        narrator.say_unchanged(before, self._list(stack))

    def survive(self) -> None:
        """Show that an operation ends although its worker was killed."""
        stack = self._create("slow")
        before = self._wait_for_some(stack)
        worker = self._show_operation(stack)
        victim = self._stage.find_worker(worker)
        narrator.act(
            f"kill -9 {victim.pid}, the {victim.program} that runs it"
        )
        victim.kill()
        self._stage.recover()
        self._follow(stack, "CREATE_COMPLETE")
        self._show_operation(stack)
        narrator.say_unchanged(before, self._list(stack))

    def clean_up(self) -> None:
        """Show that all goes as it came."""
        for stack in reversed(self._followers):
            narrator.act(f"DELETE {stack.path}")
            self._client.delete(stack)
            self._follow(stack, "DELETE_COMPLETE")
        narrator.act("list the stacks")
        narrator.say(self._client.get("/stacks", "stacks"))

    def _abandon(self) -> None:
        """Delete what a failed play left, since processes of it may run."""
        for stack, follower in reversed(self._followers.items()):
            with contextlib.suppress(Exception):
                self._client.delete(stack)
                follower.follow(timeout_s=_ABANDON_S)

    def _create(self, example: str, **parameters: object) -> rest.Stack:
        path = _EXAMPLES / f"{example}.yaml"
        narrator.act(f"POST /stacks {example}, from {path}")
        text = path.read_text(encoding="utf-8")
        stack = self._client.create(example, text, parameters=parameters)
        self._followers[stack] = narrator.Follower(self._client, stack)
        return stack

    def _follow(self, stack: rest.Stack, wanted: str) -> None:
        ended = self._followers[stack].follow()
        if ended != wanted:
            raise SystemExit(f"the demo failed: {ended}, not {wanted}")

    def _list(self, stack: rest.Stack) -> dict[str, rest.Json]:
        narrator.act(f"GET {stack.path}/resources")
        rows = self._client.resources(stack)
        narrator.say_resources(rows)
        return rows

    def _wait_for_some(self, stack: rest.Stack) -> dict[str, rest.Json]:
        """Return the resources once a part of them is complete."""
        follower = self._followers[stack]
        limit = time.monotonic() + _HALF_S
        while time.monotonic() < limit:
            follower.read()
            rows = self._client.resources(stack)
            complete = _complete_of(rows)
            if 3 * len(complete) >= len(rows) > len(complete):
                return rows
            time.sleep(0.1)
        raise SystemExit("the demo failed: the slow stack was not seen half")

    def _show_operation(self, stack: rest.Stack) -> str:
        narrator.act(f"GET {stack.path}/operations")
        operation = self._client.get(f"{stack.path}/operations", "operations")[
            0
        ]
        done, total = operation["done"], operation["total"]
        narrator.say(
            f"{operation['action']} {operation['state']}, {done} of {total}"
            f" changes done, worker {operation['worker']}"
        )
        return str(operation["worker"])


def _complete_of(
    rows: collections.abc.Mapping[str, rest.Json],
) -> list[str]:
    return [
        name
        for name, row in rows.items()
        if row["resource_status"] == "CREATE_COMPLETE"
    ]
