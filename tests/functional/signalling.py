"""What tests of signals share: one server, stacks that wait."""

import itertools
import sqlite3
import typing

import fixtures
import requests

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import waiting as waits

NUMBERS = itertools.count()
SUCCESS: typing.Final = {
    "Status": "SUCCESS",
    "Reason": "done",
    "UniqueId": "1",
    "Data": "d",
}

Json = dict[str, typing.Any]
Fixture = typing.TypeVar("Fixture", bound=fixtures.Fixture)


def handle_only(**properties: object) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "handle": {
                "type": "OS::Heat::WaitConditionHandle",
                "properties": properties,
            }
        },
    }


def waiting(
    *,
    count: int = 1,
    timeout: int = 600,
    slow_s: float = 0,
    depends_on: typing.Sequence[str] = (),
    **properties: object,
) -> Json:
    """Return a template with a handle and a condition, and its data."""
    template = handle_only(**properties)
    template["resources"]["slow"] = {
        "type": "OS::Heat::Delay",
        "properties": {"min_wait": slow_s},
    }
    template["resources"]["condition"] = {
        "type": "OS::Heat::WaitCondition",
        "depends_on": list(depends_on),
        "properties": {
            "handle": {"get_resource": "handle"},
            "timeout": timeout,
            "count": count,
        },
    }
    template["outputs"] = {
        "data": {"value": {"get_attr": ["condition", "data"]}}
    }
    return template


def cfn(
    handle_type: str = "AWS::CloudFormation::WaitConditionHandle",
    value: str = "a",
) -> Json:
    """Return a template in which both are CloudFormation's."""
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "Other": {
                "type": "OS::Heat::Value",
                "properties": {"value": value},
            },
            "Handle": {"type": handle_type},
            "Condition": {
                "type": "AWS::CloudFormation::WaitCondition",
                "properties": {
                    "Handle": {"get_resource": "Handle"},
                    "Timeout": 600,
                },
            },
            "Shown": {
                "type": "OS::Heat::Value",
                "properties": {"value": {"get_resource": "Handle"}},
            },
        },
        "outputs": {
            "data": {"value": {"get_attr": ["Condition", "Data"]}},
        },
    }


class SignalMixin:
    """What tests do with a running system.

    :ivar client: speaks to it
    """

    client: rest.Client

    def create(self, wanted: Json, **body: object) -> rest.Stack:
        name = f"s{next(NUMBERS)}"
        return self.client.create(name, wanted, **body)

    def begin(self, wanted: Json, **body: object) -> rest.Stack:
        """Return a stack whose handle takes signals by now."""
        stack = self.create(wanted, **body)
        self.wait_for(stack, "handle", "CREATE_COMPLETE")
        return stack

    def signal(self, stack: rest.Stack, name: str, body: object) -> None:
        path = f"{stack.path}/resources/{name}/signal"
        self.assertIsNone(self.client.ask("POST", path, body))

    def refused(
        self, stack: rest.Stack, name: str, body: object
    ) -> tuple[int, str]:
        """Return status and error type of a signal that must fail."""
        error = self.assertRaises(
            rest.RefusedError, self.signal, stack, name, body
        )
        answer = typing.cast(dict[str, dict[str, str]], error.body)
        return error.status, answer["error"]["type"]

    def signals(self, stack: rest.Stack, name: str) -> list[tuple[str, str]]:
        """Return status and reason of what events tell of its signals."""
        found = []
        for each in self.client.events(stack):
            action, _, status = str(each["resource_status"]).partition("_")
            if each["resource_name"] == name and action == "SIGNAL":
                found.append((status, str(each["resource_status_reason"])))
        return found

    def operation(self, stack: rest.Stack) -> Json:
        found = self.client.get(f"{stack.path}/operations", "operations")
        return typing.cast(list[Json], found)[0]

    def wait_for_parking(self, stack: rest.Stack) -> Json:
        """Return the operation once it has left its worker."""
        pace = waits.Pace()
        while True:
            found = self.operation(stack)
            if found["state"] == "BLOCKED":
                return found
            self.assertLess(pace.waited_s(), waits.END_S, found)
            pace.pause()

    def wait_for(self, stack: rest.Stack, name: str, status: str) -> Json:
        """Return a resource once it has this status."""
        pace = waits.Pace()
        while True:
            found = self.client.resources(stack).get(name, {})
            if found.get("resource_status") == status:
                return found
            self.assertLess(pace.waited_s(), waits.END_S, found)
            pace.pause()

    def attributes(self, stack: rest.Stack, name: str) -> Json:
        path = f"{stack.path}/resources/{name}"
        shown = typing.cast(Json, self.client.get(path, "resource"))
        return typing.cast(Json, shown["attributes"])

    def reference(self, stack: rest.Stack) -> str:
        """Return what ``get_resource`` gives for the handle."""
        made = ("CREATE_COMPLETE", "UPDATE_COMPLETE")
        pace = waits.Pace()
        while True:
            found = self.client.resources(stack).get("Shown", {})
            if found.get("resource_status") in made:
                return str(self.attributes(stack, "Shown")["value"])
            self.assertLess(pace.waited_s(), waits.END_S, found)
            pace.pause()

    @staticmethod
    def put(url: str, body: object) -> requests.Response:
        return requests.put(url, json=body, timeout=10)


class SignalTestCase(SignalMixin, base.TestCase):
    """A class has one server, a test one stack."""

    limit_s = 120
    options: typing.ClassVar[dict[str, dict[str, object]]] = {
        "engine": {"lease_ttl": 2, "scan_interval": 0.2},
        "signals": {"max_stored_size": 8192},
    }

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.running = cls.use(running.Embedded(cls.options))
        cls.system = cls.running.system
        cls.client = cls.system.client

    @classmethod
    def use(cls, fixture: Fixture) -> Fixture:
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def let_time_pass(self, stack: rest.Stack) -> None:
        """Let the deadline of the open operation be over."""
        place = self.running.directory / "state" / "orch.db"
        with sqlite3.connect(place, timeout=10) as connection:
            connection.execute(
                "UPDATE operations SET deadline_at = deadline_at - 3600"
                " WHERE stack_id = ? AND state = 'BLOCKED'",
                (stack.id,),
            )
        connection.close()
