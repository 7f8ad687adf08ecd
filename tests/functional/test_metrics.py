"""Metrics of a process, as Prometheus gets them while people work."""

import json
import pathlib
import typing

import requests

from tests.functional import holding
from tests.functional import measured
from tests.functional import observing
from tests.functional.cfn import test_actions
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

_ROOT = "/v1/{project}"
_THING = "Test::World::Thing"
_LISTENS = "0A"


class TestOperations(measured.MetricsTestCase):
    def test_each_end_of_an_operation_is_counted_by_its_outcome(self) -> None:
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")
        self.world.forgive(self.name)

        self.client.ask(
            "PUT", stack.path, {"template": world_templates.chain("new")}
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.wait_for_ends(
            {
                ("CREATE", "failed"): 1,
                ("UPDATE", "complete"): 1,
                ("DELETE", "complete"): 1,
            }
        )
        self.assertEqual(
            {
                ("CREATE", "first"): 1,
                ("UPDATE", "first"): 1,
                ("DELETE", "first"): 1,
            },
            self.grown("orch_operations_taken_total", "action", "turn"),
        )
        self.assertEqual(
            {("CREATE",): 1, ("UPDATE",): 1, ("DELETE",): 1},
            self.grown("orch_operation_duration_seconds_count", "action"),
        )

    def test_an_operation_that_is_cancelled_is_no_failure(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")

        self.client.ask(
            "POST", f"{stack.path}/actions", {"cancel_without_rollback": None}
        )
        self.client.wait(stack, "CREATE_FAILED")

        self.wait_for_ends({("CREATE", "cancelled"): 1})

    def test_an_operation_that_another_one_cuts_short_is_no_failure(
        self,
    ) -> None:
        stack = self.create()
        self.before = self.scrape()
        self.world.order(self.name, "update", "b")
        self.client.ask(
            "PUT", stack.path, {"template": world_templates.chain("new")}
        )
        self.wait_for_act("update", "b")

        self.client.delete(stack)
        self.world.release(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.wait_for_ends(
            {("UPDATE", "superseded"): 1, ("DELETE", "complete"): 1}
        )

    def test_each_step_of_a_resource_is_counted_by_type(self) -> None:
        self.world.order(
            self.name, "create", "c", how="permanent", moment="before"
        )
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.wait_for_ends({("CREATE", "failed"): 1})
        self.assertEqual(
            {
                (_THING, "create", "complete"): 2,
                (_THING, "create", "failed"): 1,
            },
            self.grown("orch_resource_steps_total", "type", "step", "outcome"),
        )

    def test_a_step_that_is_not_allowed_is_refused(self) -> None:
        environment = holding.restricted(b="update")
        stack = self.client.create(
            self.name, world_templates.chain(), environment=environment
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.wait_for_ends({("CREATE", "complete"): 1})
        self.before = self.scrape()

        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": world_templates.chain("new"),
                "environment": environment,
            },
        )
        self.client.wait(stack, "UPDATE_FAILED")

        self.wait_for_ends({("UPDATE", "failed"): 1})
        self.assertEqual(
            {
                (_THING, "update", "complete"): 1,
                (_THING, "update", "refused"): 1,
            },
            self.grown("orch_resource_steps_total", "type", "step", "outcome"),
        )

    def test_templates_that_serve_as_types_are_one_type(self) -> None:
        inner = json.dumps(
            world_templates.template(x=world_templates.declare_resource())
        )
        stack = self.client.create(
            self.name,
            world_templates.template(
                a={"type": "one.yaml"}, b={"type": "Mine::Own::Name"}
            ),
            files={"one.yaml": inner, "two.yaml": inner},
            environment={"resource_registry": {"Mine::Own::Name": "two.yaml"}},
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.wait_for_ends({("CREATE", "complete"): 3})
        self.assertEqual(
            {("template", "complete"): 2, (_THING, "complete"): 2},
            self.grown("orch_resource_steps_total", "type", "outcome"),
        )

    def test_what_is_under_way_and_what_waits_are_gauges(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.chain(),
            environment={
                "resource_registry": {
                    "resources": {"b": {"hooks": "pre-create"}}
                }
            },
        )

        def shown() -> tuple[float, ...]:
            found = self.scrape()
            name = "orch_operations_open"
            return (
                found.value("orch_operations_running"),
                found.value(name, state="blocked"),
                found.value(name, state="running"),
                found.value(name, state="waiting"),
            )

        # At a breakpoint the worker has it no more.
        waiting.wait_for(lambda: shown() == (0, 1, 0, 0), "it is parked")
        self.client.ask(
            "POST",
            f"{stack.path}/resources/b/signal",
            {"unset_hook": "pre-create"},
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        waiting.wait_for(lambda: shown() == (0, 0, 0, 0), "it has ended")
        self.assertEqual(
            {("CREATE", "first"): 1, ("CREATE", "again"): 1},
            self.grown("orch_operations_taken_total", "action", "turn"),
        )


class TestNotifications(measured.MetricsTestCase):
    options: typing.ClassVar = {"notifications": {"topics": "notifications"}}

    def test_notifications_leave_and_none_waits(self) -> None:
        self.create()

        # One when it begins, one when it has ended.
        self.wait_until_grown(
            {("sent",): 2}, "orch_notifications_total", "outcome"
        )
        waiting.wait_for(
            lambda: self.scrape().value("orch_notifications_waiting") == 0,
            "none waits",
        )
        found = self.scrape()
        self.assertIn("orch_notifications_oldest_waiting_seconds", found)
        self.assertEqual(0, found.value("orch_notifications_set_aside"))

    def test_what_changes_comes_to_the_index_in_some_time(self) -> None:
        self.create()

        waiting.wait_for(
            lambda: sum(self.grown("orch_search_lag_seconds_count").values()),
            "it is in the index",
        )
        self.assertIn("orch_search_stacks_waiting", self.scrape())


class TestRequests(measured.MetricsTestCase):
    def test_requests_are_counted_by_the_template_of_their_address(
        self,
    ) -> None:
        stack = self.create()
        self.before = self.scrape()

        for _ in range(3):
            self.client.get(f"{stack.path}/resources", "resources")
        self.refused(self.client.get, f"{stack.path}/resources/nobody", "x")
        requests.get(self.system.endpoint + "/secret-words", timeout=10)
        requests.request("BREW", self.system.endpoint, timeout=10)

        found = self.grown(
            "orch_http_requests_total", "method", "route", "status"
        )
        of_stack = f"{_ROOT}/stacks/{{name}}/{{stack_id}}"
        self.assertEqual(
            {
                ("GET", f"{of_stack}/resources", "200"): 3,
                (
                    "GET",
                    f"{of_stack}/resources/{{resource}}",
                    "404",
                ): 1,
                ("GET", "other", "404"): 1,
                ("other", "other", "404"): 1,
            },
            found,
        )
        self.assertEqual(
            3,
            self.grown("orch_http_request_duration_seconds_count", "route")[
                (f"{of_stack}/resources",)
            ],
        )

    def test_calls_over_the_bus_are_counted_with_their_refusals(self) -> None:
        self.refused(self.client.get, f"/stacks/{self.name}/x", "stack")

        self.assertIn(
            ("stack", "show", "refused"),
            self.grown(
                "orch_rpc_calls_total", "namespace", "method", "outcome"
            ),
        )

    def test_nothing_names_a_stack_a_project_or_a_resource(self) -> None:
        stack = self.create()
        text = requests.get(
            f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=10
        ).text

        self.assertNotIn(stack.id, text)
        self.assertNotIn('"demo"', text)
        self.assertNotIn(f'"{self.name}"', text)


class TestObserver(measured.MetricsTestCase):
    options: typing.ClassVar = {"observer": observing.OPTIONS}

    def test_looks_and_drifts_are_counted(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.template(
                a=observing.listed(), b=observing.single()
            ),
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        waiting.wait_for(
            lambda: (
                ("seen",)
                in self.grown("orch_observer_surveys_total", "outcome")
            ),
            "it is looked at",
        )

        self.world.relabel(self.name, "b", "by hand")

        waiting.wait_for(
            lambda: self.drifts().get(("detected",)) == 1, "it is seen"
        )
        self.world.relabel(self.name, "b", "l")
        waiting.wait_for(
            lambda: self.drifts().get(("cleared",)) == 1, "it is seen"
        )
        self.assertEqual(1, self.drifts()["detected",])
        self.assertGreater(
            sum(self.grown("orch_observer_lateness_seconds_count").values()),
            0,
        )

    def drifts(self) -> dict[tuple[str, ...], float]:
        return self.grown("orch_observer_drifts_total", "kind")


class TestActions(test_actions.CfnTestCase, measured.MetricsTestCase):
    """The API whose requests all have one address."""

    def test_requests_are_counted_by_their_action(self) -> None:
        self.aws.list_stacks()
        self.code("describe_stacks", StackName="nobody")
        requests.get(
            f"http://127.0.0.1:{self.port}/v1/?Action=secret", timeout=10
        )

        found = self.grown(
            "orch_http_requests_total", "method", "route", "status"
        )
        self.assertEqual(
            {
                ("POST", "/v1/?Action=ListStacks", "200"): 1,
                ("POST", "/v1/?Action=DescribeStacks", "400"): 1,
            },
            {key: found[key] for key in found if key[0] == "POST"},
        )
        self.assertEqual(
            [("GET", "/v1/")],
            [(key[0], key[1]) for key in found if key[0] == "GET"],
        )


class TestOff(serving.ServerTestCase):
    """Without the option nothing of it is there."""

    def test_the_api_is_all_that_listens(self) -> None:
        self.assertEqual({self.system.port}, _ports_of(self.system.server.pid))


class TestOn(measured.MetricsTestCase):
    def test_the_api_and_the_metrics_are_all_that_listens(self) -> None:
        self.assertEqual(
            {self.system.port, self.metrics_port},
            _ports_of(self.system.server.pid),
        )


def _ports_of(pid: int) -> set[int]:
    """Return the TCP ports that a process listens on."""
    place = pathlib.Path("/proc", str(pid))
    sockets = {
        str(each.readlink())
        for each in (place / "fd").iterdir()
        if each.is_symlink()
    }
    found = set()
    for line in (place / "net" / "tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == _LISTENS and f"socket:[{fields[9]}]" in sockets:
            found.add(int(fields[1].rpartition(":")[2], 16))
    return found
