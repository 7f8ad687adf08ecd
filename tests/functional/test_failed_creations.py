"""What a creation that failed has left is looked at before it is replaced.

The service keeps a journal: what became good is never removed, and created
once.
"""

import contextlib
import http.server
import json
import time

from tests.functional import lifecycle
from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.unit.resources.http import service

Json = dict[str, object]


class Machines(service.Service):
    """A service that takes its time to build machines.

    :ivar machines: what it has, by id
    :ivar state: of those that are created from now on
    :ivar is_away: it gives no answer but errors
    :ivar refusal: the status of all answers, unless it is 0
    :ivar holds: methods that are not answered while they are here
    """

    def __init__(self) -> None:
        super().__init__()
        self.machines: dict[str, Json] = {}
        self.state = "BUILD"
        self.is_away = False
        self.refusal = 0
        self.holds: set[str] = set()
        self._numbers = iter(range(1, 100))

    def handle(self, request: http.server.BaseHTTPRequestHandler) -> None:
        # Its client may have died meanwhile.
        with contextlib.suppress(ConnectionError):
            super().handle(request)

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        while method in self.holds:
            time.sleep(0.01)
        if self.is_away:
            return 503, None
        if self.refusal:
            return self.refusal, None
        if method == "POST":
            number = str(next(self._numbers))
            self.machines[number] = {"state": self.state, **body}
            return 201, {"id": number}
        number = path.rpartition("/")[2]
        if number not in self.machines:
            return 404, None
        if method == "DELETE":
            del self.machines[number]
            return 204, None
        if method == "PUT":
            self.machines[number].update(body)
        return 200, self.machines[number]

    def changes(self) -> list[str]:
        """Return the requests that change something, in order."""
        return [
            f"{each.method} {each.path}"
            for each in self.requests
            if each.method != "GET"
        ]


def machine(url: str, **fields: object) -> Json:
    """Return the declaration of a machine."""
    return {
        "type": "Orch::HTTP::Resource",
        "properties": {
            "url": url,
            "create": {"path": "/machines", "body": {"size": 1}},
            "read": {},
            "ready": {
                "pointer": "/state",
                "value": "ACTIVE",
                "failed_value": "ERROR",
            },
            **fields,
        },
    }


def template(**resources: Json) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        "outputs": {
            "size": {"value": {"get_attr": ["b", "body", "size"]}},
        }
        if "b" in resources and "type" in resources["b"]
        else {},
    }


class FailedCreationCase(serving.ServerTestCase):
    """A stack whose one machine is not built in time.

    :ivar name: of the stack
    """

    defaults = serving.options(lease_ttl=1, retry_first_pause=0.1)

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(Machines())
        self.name = self.id().rpartition(".")[2]

    def desired(self, **fields: object) -> Json:
        return template(b=machine(self.service.url, **fields))

    def begin(self, **body: object) -> rest.Stack:
        """Return a stack that waits for its machine."""
        stack = self.client.create(self.name, self.desired(), **body)
        self.wait_for_machine()
        self.wait_for_id(stack)
        return stack

    def wait_for_id(self, stack: rest.Stack) -> None:
        waiting.wait_for(
            lambda: self.row(stack)["physical_resource_id"], "its id is known"
        )

    def wait_for_machine(self) -> None:
        waiting.wait_for(
            lambda: any(
                each.method == "GET" for each in self.service.requests
            ),
            "the machine is looked at",
        )

    def time_out(self, stack: rest.Stack, status: str) -> None:
        """Let the time of the operation be over."""
        self.system.server.kill()
        lifecycle.change(
            self.system,
            "UPDATE operations SET deadline_at = 1 WHERE state = 'RUNNING'",
        )
        self.system.start()
        self.client.wait(stack, status)

    def act(self, stack: rest.Stack, **body: object) -> None:
        self.client.ask("POST", f"{stack.path}/actions", body)

    def timed_out(self) -> rest.Stack:
        stack = self.begin(timeout_mins=60)
        self.time_out(stack, "CREATE_FAILED")
        return stack

    def cancelled(self) -> rest.Stack:
        stack = self.begin()
        self.act(stack, cancel_without_rollback=None)
        self.client.wait(stack, "CREATE_FAILED")
        return stack

    def broken(self) -> rest.Stack:
        """Return a stack whose machine has failed."""
        self.service.state = "ERROR"
        stack = self.client.create(self.name, self.desired())
        self.client.wait(stack, "CREATE_FAILED")
        return stack

    def become(self, state: str) -> None:
        for each in self.service.machines.values():
            each["state"] = state
        self.service.state = "ACTIVE"

    def update(self, stack: rest.Stack, wanted: Json) -> None:
        self.client.ask("PUT", stack.path, {"template": wanted})

    def row(self, stack: rest.Stack) -> Json:
        return self.client.resources(stack)["b"]

    def events_of(self, stack: rest.Stack, name: str) -> list[str]:
        return [
            str(each["resource_status"])
            for each in self.client.events(stack)
            if each["resource_name"] == name
        ]

    def reasons(self, stack: rest.Stack) -> list[str]:
        return [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
        ]

    def check_same(self, stack: rest.Stack, *changes: str) -> None:
        """Fail unless the one machine is the one that was created first."""
        self.assertEqual(["POST /machines", *changes], self.service.changes())
        row = self.row(stack)
        self.assertEqual("1", row["physical_resource_id"])


class StayTests(FailedCreationCase):
    """What is good by now is not touched."""

    def retried(self, stack: rest.Stack) -> None:
        self.become("ACTIVE")

        self.act(stack, retry={})
        shown = self.client.wait(stack, "CREATE_COMPLETE")

        self.check_same(stack)
        self.assertEqual("CREATE_COMPLETE", self.row(stack)["resource_status"])
        (size,) = shown["outputs"]
        self.assertEqual(1, size["output_value"])

    def updated(self, stack: rest.Stack) -> None:
        self.become("ACTIVE")

        self.update(
            stack,
            self.desired(
                update={"method": "PUT", "body": {"size": 2}},
            ),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.check_same(stack, "PUT /machines/1")
        self.assertEqual("UPDATE_COMPLETE", self.row(stack)["resource_status"])
        self.assertEqual(2, self.service.machines["1"]["size"])

    def test_r2_a_retry_keeps_what_took_too_long(self) -> None:
        self.retried(self.timed_out())

    def test_r2_a_retry_keeps_what_was_cancelled(self) -> None:
        self.retried(self.cancelled())

    def test_r2_a_retry_keeps_what_was_repaired(self) -> None:
        self.retried(self.broken())

    def test_r2_an_update_keeps_what_took_too_long(self) -> None:
        self.updated(self.timed_out())

    def test_r2_an_update_keeps_what_was_cancelled(self) -> None:
        self.updated(self.cancelled())

    def test_r2_an_update_keeps_what_was_repaired(self) -> None:
        self.updated(self.broken())

    def test_r2_the_same_template_keeps_it_too(self) -> None:
        stack = self.cancelled()
        self.become("ACTIVE")

        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.check_same(stack)

    def test_r2_what_was_only_looked_at_wrongly_is_kept(self) -> None:
        stack = self.broken()
        self.become("RUNNING")

        self.update(
            stack,
            self.desired(ready={"pointer": "/state", "value": "RUNNING"}),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.check_same(stack)

    def test_r2_what_is_still_being_built_is_waited_for(self) -> None:
        stack = self.cancelled()
        before = len(self.service.requests)

        self.act(stack, retry={})
        waiting.wait_for(
            lambda: len(self.service.requests) > before, "it is looked at"
        )
        self.assertEqual(
            "CREATE_IN_PROGRESS", self.row(stack)["resource_status"]
        )
        self.become("ACTIVE")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_same(stack)

    def test_r2_a_dead_worker_is_followed_by_the_same(self) -> None:
        stack = self.cancelled()
        before = len(self.service.requests)
        self.act(stack, retry={})
        waiting.wait_for(
            lambda: len(self.service.requests) > before, "it is looked at"
        )

        self.system.server.kill()
        self.become("ACTIVE")
        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_same(stack)

    def test_r2_an_outage_is_waited_for(self) -> None:
        stack = self.broken()
        before = len(self.service.requests)
        self.service.is_away = True
        self.become("ACTIVE")

        self.act(stack, retry={})
        waiting.wait_for(
            lambda: len(self.service.requests) > before, "it is looked at"
        )
        self.service.is_away = False
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_same(stack)

    def test_r2_a_look_that_is_refused_removes_nothing(self) -> None:
        stack = self.broken()
        self.service.refusal = 403

        self.act(stack, retry={})
        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn("403", str(shown["stack_status_reason"]))
        self.service.refusal = 0
        self.become("ACTIVE")
        self.act(stack, retry={})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_same(stack)

    def test_r2_a_deletion_still_removes_it(self) -> None:
        stack = self.cancelled()
        self.become("ACTIVE")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual({}, self.service.machines)

    def test_r2_a_rollback_still_removes_it(self) -> None:
        self.service.state = "ERROR"

        stack = self.client.create(
            self.name, self.desired(), disable_rollback=False
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(
            ["POST /machines", "DELETE /machines/1"], self.service.changes()
        )

    def test_r2_a_child_stack_keeps_what_is_good_by_now(self) -> None:
        stack = self.client.create(
            self.name,
            template(child={"type": "child.yaml"}),
            files={"child.yaml": json.dumps(self.desired())},
        )
        self.wait_for_machine()
        child = self.child_of(stack)
        self.wait_for_id(child)
        self.act(stack, cancel_without_rollback=None)
        self.client.wait(stack, "CREATE_FAILED")
        self.become("ACTIVE")

        self.act(stack, retry={})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_same(child)

    def child_of(self, stack: rest.Stack) -> rest.Stack:
        """Return the stack that the resource ``child`` is."""
        row = self.client.resources(stack)["child"]
        links = {each["rel"]: each["href"] for each in row["links"]}
        *_, name, stack_id = links["nested"].split("/")
        return rest.Stack(name, stack_id)


class ReplacedTests(FailedCreationCase):
    """What has failed is removed, then created anew."""

    def check_replaced(self, stack: rest.Stack, *changes: str) -> None:
        self.assertEqual(
            ["POST /machines", *changes, "POST /machines"],
            self.service.changes(),
        )
        self.assertEqual(["2"], list(self.service.machines))
        self.assertEqual("2", self.row(stack)["physical_resource_id"])

    def test_r2_what_has_failed_is_replaced_by_a_retry(self) -> None:
        stack = self.broken()
        self.service.state = "ACTIVE"

        self.act(stack, retry={})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_replaced(stack, "DELETE /machines/1")
        self.assertEqual(
            [
                "CREATE_IN_PROGRESS",
                "CREATE_FAILED",
                "CREATE_IN_PROGRESS",
                "CREATE_FAILED",
                "DELETE_IN_PROGRESS",
                "DELETE_COMPLETE",
                "CREATE_IN_PROGRESS",
                "CREATE_COMPLETE",
            ],
            self.events_of(stack, "b"),
        )
        reasons = self.reasons(stack)
        self.assertIn("Its creation has failed: it is replaced", reasons)
        self.assertEqual(
            3, sum("/state is 'ERROR'" in each for each in reasons)
        )

    def test_r2_what_fails_while_it_is_waited_for_is_replaced(self) -> None:
        stack = self.cancelled()
        before = len(self.service.requests)
        self.act(stack, retry={})
        waiting.wait_for(
            lambda: len(self.service.requests) > before, "it is looked at"
        )

        self.become("ERROR")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_replaced(stack, "DELETE /machines/1")

    def test_r2_what_has_failed_is_replaced_by_an_update(self) -> None:
        stack = self.broken()
        self.service.state = "ACTIVE"

        self.update(
            stack,
            self.desired(update={"method": "PUT", "body": {"size": 2}}),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.check_replaced(stack, "DELETE /machines/1")

    def test_r2_what_cannot_be_changed_in_place_is_replaced(self) -> None:
        stack = self.cancelled()
        self.become("ACTIVE")

        self.update(
            stack,
            self.desired(create={"path": "/machines", "body": {"size": 2}}),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.check_replaced(stack, "DELETE /machines/1")

    def test_r2_what_is_gone_is_created_without_a_deletion(self) -> None:
        stack = self.broken()
        self.service.machines.clear()
        self.service.state = "ACTIVE"

        self.act(stack, retry={})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_replaced(stack)

    def test_r2_the_replacement_fails_as_any_creation(self) -> None:
        stack = self.broken()

        self.act(stack, retry={})
        self.client.wait(stack, "CREATE_FAILED")

        self.check_replaced(stack, "DELETE /machines/1")

    def test_r2_a_worker_that_dies_before_the_deletion_is_followed(
        self,
    ) -> None:
        stack = self.broken()
        self.service.state = "ACTIVE"
        self.service.holds.add("DELETE")

        self.act(stack, retry={})
        waiting.wait_for(
            lambda: "DELETE /machines/1" in self.service.changes(),
            "it is removed",
        )
        self.system.server.kill()
        self.service.holds.clear()
        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["2"], list(self.service.machines))
        self.assertEqual(2, self.service.changes().count("POST /machines"))

    def test_r2_the_preview_says_what_becomes_of_it(self) -> None:
        stack = self.broken()

        answer = self.client.ask(
            "PUT", f"{stack.path}/preview", {"template": self.desired()}
        )

        (change,) = answer["plan"]["changes"]
        self.assertEqual(
            (
                "create",
                False,
                "its creation failed (ServiceRefused): stays if it is usable"
                " by now, else is replaced",
            ),
            (change["kind"], change["is_certain"], change["reason"]),
        )


class ReplaceOptionTests(FailedCreationCase):
    """A retry that is asked to create a resource anew looks at nothing."""

    def test_r2_what_is_good_is_created_anew_on_request(self) -> None:
        stack = self.cancelled()
        self.become("ACTIVE")

        self.act(stack, retry={"replace": ["b"]})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            ["POST /machines", "DELETE /machines/1", "POST /machines"],
            self.service.changes(),
        )
        (operation,) = self.client.get(
            f"{stack.path}/operations", "operations"
        )
        self.assertEqual(["b"], operation["replace"])

    def test_r2_it_holds_for_what_was_meant_only(self) -> None:
        stack = self.cancelled()
        self.service.state = "BUILD"
        self.act(stack, retry={"replace": ["b"]})
        waiting.wait_for(
            lambda: self.row(stack)["physical_resource_id"] == "2",
            "another one is built",
        )
        self.act(stack, cancel_without_rollback=None)
        self.client.wait(stack, "CREATE_FAILED")
        self.become("ACTIVE")

        self.act(stack, retry={})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["2"], list(self.service.machines))

    def test_r2_what_cannot_be_replaced_is_refused(self) -> None:
        stack = self.client.create(
            self.name,
            template(
                a={"type": "OS::Heat::None"}, b=machine(self.service.url)
            ),
        )
        self.wait_for_machine()
        self.wait_for_id(stack)
        self.act(stack, cancel_without_rollback=None)
        self.client.wait(stack, "CREATE_FAILED")

        for options, said in (
            ({"replace": ["a"]}, "a: it is complete"),
            ({"replace": ["x"]}, "x: the stack has no such resource"),
            (
                {"replace": ["b"], "skip": ["b"]},
                "b: it can have only one of skip",
            ),
            ({"replace": "b"}, "replace must be a list"),
        ):
            error = self.assertRaises(
                rest.RefusedError, self.act, stack, retry=options
            )
            self.assertEqual(400, error.status)
            self.assertIn(said, str(error))
        self.assertEqual(["POST /machines"], self.service.changes())

    def test_r2_a_deletion_replaces_nothing(self) -> None:
        stack = self.cancelled()
        self.service.refusal = 422
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.service.refusal = 0

        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "DELETE",
            f"{stack.path}?retry=true&replace=b",
        )

        self.assertEqual(400, error.status)
        self.assertIn("Nothing can be replaced", str(error))
