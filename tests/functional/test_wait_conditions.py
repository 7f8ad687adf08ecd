"""Wait conditions and their handles, signalled over REST."""

import json
import time
import typing

import requests

from tests.functional import signalling
from tests.support import rest
from tests.support import waiting

Json = dict[str, object]


class WaitConditionTests(signalling.SignalTestCase):
    def test_a_signal_completes_it_and_an_event_tells_so(self) -> None:
        stack = self.create(signalling.waiting())
        self.wait_for_parking(stack)
        self.signal(stack, "handle", None)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [("COMPLETE", "Signal: status:SUCCESS reason:Signal 1 received")],
            self.signals(stack, "handle"),
        )
        self.assertEqual({"data": '{"1": null}'}, self.client.outputs(stack))

    def test_one_that_came_before_it_waits_counts(self) -> None:
        stack = self.create(
            signalling.waiting(slow_s=1.5, depends_on=["slow"])
        )
        self.wait_for(stack, "handle", "CREATE_COMPLETE")
        self.signal(stack, "handle", {"data": "early", "id": "a"})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            {"data": '{"a": "early"}'}, self.client.outputs(stack)
        )

    def test_it_waits_for_as_many_as_wanted(self) -> None:
        stack = self.begin(signalling.waiting(count=3))
        for number in (1, 2):
            self.signal(stack, "handle", {"data": number})
        self.signal(stack, "handle", {"data": 2, "id": 2})
        self.wait_for_parking(stack)
        before = self.client.show(stack)["stack_status"]
        self.signal(stack, "handle", {"data": [3]})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual("CREATE_IN_PROGRESS", before)
        data = typing.cast(str, self.client.outputs(stack)["data"])
        self.assertEqual({"1": 1, "2": 2, "3": [3]}, json.loads(data))

    def test_a_failure_fails_it_with_its_reason(self) -> None:
        stack = self.begin(signalling.waiting(count=2))
        self.signal(stack, "handle", {"data": "fine"})
        self.signal(
            stack, "handle", {"status": "FAILURE", "reason": "no disk left"}
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Resource CREATE failed: WaitConditionFailure:"
            " resources.condition: no disk left",
            shown["stack_status_reason"],
        )

    def test_r3_a_retry_forgets_the_failure_and_keeps_the_rest(self) -> None:
        stack = self.begin(signalling.waiting(count=2))
        self.signal(stack, "handle", {"data": "fine", "id": "a"})
        self.signal(stack, "handle", {"status": "FAILURE", "id": "b"})
        self.client.wait(stack, "CREATE_FAILED")

        self.client.retry(stack)
        self.wait_for_parking(stack)
        self.signal(stack, "handle", {"data": "mended", "id": "c"})
        self.client.wait(stack, "CREATE_COMPLETE")

        data = typing.cast(str, self.client.outputs(stack)["data"])
        self.assertEqual({"a": "fine", "c": "mended"}, json.loads(data))

    def test_a_failure_that_failed_nothing_yet_is_kept(self) -> None:
        template = signalling.waiting()
        template["resources"]["condition"]["depends_on"] = "slow"
        template["resources"]["slow"] = {
            "type": "OS::Heat::TestResource",
            "depends_on": "handle",
            "properties": {"fail": True},
        }
        stack = self.begin(template)
        self.client.wait(stack, "CREATE_FAILED")
        self.signal(stack, "handle", {"status": "FAILURE", "reason": "no"})
        template["resources"]["slow"]["properties"] = {"fail": False}
        self.client.ask("PUT", stack.path, {"template": template})
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertIn("condition: no", str(shown["stack_status_reason"]))

    def test_too_few_in_time_fail_it(self) -> None:
        stack = self.begin(signalling.waiting(count=2, timeout=3))
        self.signal(stack, "handle", {"reason": "half way"})
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Resource CREATE failed: WaitConditionTimeout:"
            " resources.condition: 1 of 2 received - half way",
            shown["stack_status_reason"],
        )

    def test_the_time_of_the_stack_ends_it_too(self) -> None:
        started = time.monotonic()
        stack = self.create(signalling.waiting(timeout=4000), timeout_mins=1)
        self.wait_for_parking(stack)
        self.let_time_pass(stack)
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual("Create timed out", shown["stack_status_reason"])
        self.assertLess(time.monotonic() - started, 30)

    def test_a_failed_neighbour_ends_the_wait(self) -> None:
        template = signalling.waiting()
        template["resources"]["bad"] = {
            "type": "OS::Heat::TestResource",
            "properties": {"fail": True, "wait_secs": 0.5},
        }
        stack = self.create(template)
        self.client.wait(stack, "CREATE_FAILED")

        found = self.client.resources(stack)["condition"]
        self.assertEqual("CREATE_FAILED", found["resource_status"])
        self.assertIn("Interrupted", str(found["resource_status_reason"]))

    def test_more_wanted_by_an_update_are_waited_for_again(self) -> None:
        stack = self.begin(signalling.waiting())
        self.signal(stack, "handle", None)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask(
            "PUT", stack.path, {"template": signalling.waiting(count=2)}
        )
        self.wait_for_parking(stack)
        self.signal(stack, "handle", None)
        self.client.wait(stack, "UPDATE_COMPLETE")

        told = [reason for _, reason in self.signals(stack, "handle")]
        self.assertEqual(2, len(told))
        self.assertIn("Signal 2 received", told[1])

    def test_a_signal_is_heard_while_something_else_is_at_work(self) -> None:
        stack = self.begin(signalling.waiting(slow_s=60))
        self.wait_for(stack, "condition", "CREATE_IN_PROGRESS")
        time.sleep(2.5)  # Longer than a worker lingers without such work.
        requested_at = time.monotonic()
        self.signal(stack, "handle", None)
        self.wait_for(stack, "condition", "CREATE_COMPLETE")

        self.assertLess(time.monotonic() - requested_at, 5)
        self.assertEqual("RUNNING", self.operation(stack)["state"])
        self.assertEqual(1, len(self.signals(stack, "handle")))

    def test_a_deletion_does_not_wait_for_signals(self) -> None:
        for is_parked in (True, False):
            stack = self.begin(signalling.waiting())
            if is_parked:
                self.wait_for_parking(stack)
            self.client.delete(stack)
            self.client.wait(stack, "DELETE_COMPLETE", timeout_s=10)

    def test_a_retry_waits_for_the_rest(self) -> None:
        stack = self.begin(signalling.waiting(count=2, timeout=2))
        self.signal(stack, "handle", {"id": "a", "data": 1})
        self.client.wait(stack, "CREATE_FAILED")
        self.client.retry(stack)
        self.signal(stack, "handle", {"id": "b", "data": 2})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            {"data": '{"a": 1, "b": 2}'}, self.client.outputs(stack)
        )

    def test_an_update_of_one_that_waits_needs_fewer(self) -> None:
        stack = self.begin(signalling.waiting(count=2))
        self.signal(stack, "handle", None)
        self.wait_for_parking(stack)
        self.client.ask(
            "PUT", stack.path, {"template": signalling.waiting(count=1)}
        )

        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_it_waits_on_behind_a_kill(self) -> None:
        stack = self.create(signalling.waiting(count=2))
        self.wait_for_parking(stack)
        self.signal(stack, "handle", {"id": "a", "data": 1})
        self.system.server.kill()
        self.system.start()
        self.signal(stack, "handle", {"id": "b", "data": 2})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            {"data": '{"a": 1, "b": 2}'}, self.client.outputs(stack)
        )
        self.assertEqual(2, len(self.signals(stack, "handle")))

    def test_the_metadata_of_the_handle_shows_what_came(self) -> None:
        stack = self.begin(signalling.waiting())
        self.signal(stack, "handle", {"id": "x", "data": {"a": 1}})

        found = self.client.get(
            f"{stack.path}/resources/handle/metadata", "metadata"
        )
        entry = {"status": "SUCCESS", "reason": "Signal 1 received"}
        self.assertEqual({"x": {**entry, "data": {"a": 1}}}, found)

    def test_a_handle_of_elsewhere_is_no_handle(self) -> None:
        template = signalling.waiting()
        template["resources"]["condition"]["properties"]["handle"] = "other"
        stack = self.create(template)
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn(
            "handle names no handle of this stack",
            str(shown["stack_status_reason"]),
        )


class NestedTests(signalling.SignalTestCase):
    def test_a_stack_in_a_stack_waits_as_well(self) -> None:
        inner = json.dumps(signalling.waiting())
        outer = {
            "heat_template_version": "2021-04-16",
            "resources": {"inner": {"type": "inner.yaml"}},
            "outputs": {
                "data": {"value": {"get_attr": ["inner", "data"]}},
            },
        }
        stack = self.create(outer, files={"inner.yaml": inner})
        found = self.child_of(stack)
        self.wait_for(found, "handle", "CREATE_COMPLETE")
        self.wait_for_parking(found)
        url = str(self.attributes(found, "handle")["endpoint"])
        answer = requests.post(url, json={"data": "deep"}, timeout=10)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(200, answer.status_code)
        self.assertEqual({"data": '{"1": "deep"}'}, self.client.outputs(stack))

    def test_r3_a_retry_forgets_a_failure_in_a_stack_below(self) -> None:
        inner = json.dumps(signalling.waiting())
        outer = {
            "heat_template_version": "2021-04-16",
            "resources": {"inner": {"type": "inner.yaml"}},
        }
        stack = self.create(outer, files={"inner.yaml": inner})
        found = self.child_of(stack)
        self.wait_for(found, "handle", "CREATE_COMPLETE")
        self.signal(found, "handle", {"status": "FAILURE"})
        self.client.wait(stack, "CREATE_FAILED")

        self.client.retry(stack)
        self.wait_for_parking(found)
        self.signal(found, "handle", {"data": "mended"})

        self.client.wait(stack, "CREATE_COMPLETE")

    def child_of(self, stack: rest.Stack) -> rest.Stack:
        """Return the stack that the resource called inner holds."""
        pace = waiting.Pace()
        while True:
            row = self.client.resources(stack).get("inner", {})
            for link in typing.cast(
                list[dict[str, str]], row.get("links", [])
            ):
                if link["rel"] == "nested":
                    name, stack_id = link["href"].split("/")[-2:]
                    return rest.Stack(name, stack_id)
            self.assertLess(pace.waited_s(), waiting.END_S, row)
            pace.pause()


class HandleTests(signalling.SignalTestCase):
    def test_what_has_another_form_is_refused_and_told_of_once(self) -> None:
        stack = self.create(signalling.handle_only())
        self.client.wait(stack, "CREATE_COMPLETE")
        answers = {
            self.refused(stack, "handle", body)
            for body in ({"id": 1, "other": 2}, {"status": "MAYBE"}, ["a"])
        }
        for _ in range(5):
            self.refused(stack, "handle", {"status": "MAYBE"})

        self.assertEqual({(400, "ResourceFailure")}, answers)
        told = self.signals(stack, "handle")
        self.assertEqual({"FAILED"}, {status for status, _ in told})
        self.assertEqual(4, len(told))

    def test_a_flood_leaves_no_more_than_is_allowed(self) -> None:
        stack = self.create(signalling.handle_only())
        self.client.wait(stack, "CREATE_COMPLETE")
        large = "x" * 1000
        refusals = 0
        for number in range(12):
            try:
                self.signal(stack, "handle", {"id": number, "data": large})
            except rest.RefusedError as error:
                self.assertEqual(400, error.status)
                refusals += 1
        for _ in range(20):
            self.signal(stack, "handle", {"id": 1, "data": large})

        found = self.client.get(
            f"{stack.path}/resources/handle/metadata", "metadata"
        )
        taken = len(typing.cast(Json, found))
        self.assertEqual(12, taken + refusals)
        self.assertLess(taken, 9)
        told = [status for status, _ in self.signals(stack, "handle")]
        self.assertEqual(taken, told.count("COMPLETE"))

    def test_none_is_taken_while_the_stack_rests(self) -> None:
        stack = self.create(signalling.handle_only())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask("POST", f"{stack.path}/actions", {"suspend": None})
        self.client.wait(stack, "SUSPEND_COMPLETE")
        answer = self.refused(stack, "handle", None)
        self.client.ask("POST", f"{stack.path}/actions", {"resume": None})
        self.client.wait(stack, "RESUME_COMPLETE")
        self.signal(stack, "handle", None)

        self.assertEqual((400, "NotSupported"), answer)

    def test_others_take_no_signals(self) -> None:
        template = signalling.handle_only()
        template["resources"]["other"] = {"type": "OS::Heat::RandomString"}
        stack = self.create(template)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            (400, "ResourceActionNotSupported"),
            self.refused(stack, "other", None),
        )
        self.assertEqual(
            (404, "ResourceNotFound"), self.refused(stack, "nothing", None)
        )

    def test_the_command_that_it_shows_sends_a_signal(self) -> None:
        stack = self.create(signalling.waiting())
        self.wait_for(stack, "handle", "CREATE_COMPLETE")
        shown = self.attributes(stack, "handle")
        answer = requests.post(
            str(shown["endpoint"]), json={"data": "hi"}, timeout=10
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual((200, b"null"), (answer.status_code, answer.content))
        self.assertEqual("", shown["token"])
        self.assertIn(f"'{shown['endpoint']}'", str(shown["curl_cli"]))
        self.assertTrue(str(shown["curl_cli"]).startswith("curl -i -X POST"))
        self.assertEqual({"data": '{"1": "hi"}'}, self.client.outputs(stack))

    def test_ways_that_need_a_service_are_refused_at_once(self) -> None:
        for way in ("HEAT_SIGNAL", "TEMP_URL_SIGNAL", "ZAQAR_SIGNAL"):
            error = self.assertRaises(
                rest.RefusedError,
                self.create,
                signalling.handle_only(signal_transport=way),
            )
            self.assertEqual(400, error.status)
            self.assertIn("use TOKEN_SIGNAL or CFN_SIGNAL", str(error.body))


class UpdateHandleTests(signalling.SignalTestCase):
    def test_each_update_waits_for_new_signals(self) -> None:
        def wanted(value: str) -> Json:
            return signalling.cfn(
                "OS::Heat::UpdateWaitConditionHandle", value=value
            )

        stack = self.create(wanted("a"))
        self.wait_for(stack, "Handle", "CREATE_COMPLETE")
        first = self.reference(stack)
        self.put(first, signalling.SUCCESS)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask("PUT", stack.path, {"template": wanted("b")})
        self.wait_for_parking(stack)
        second = self.reference(stack)
        late = self.put(first, {**signalling.SUCCESS, "UniqueId": "late"})
        self.put(second, {**signalling.SUCCESS, "Data": "new"})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertNotEqual(first, second)
        self.assertEqual(404, late.status_code)
        self.assertEqual({"data": '{"1": "new"}'}, self.client.outputs(stack))
