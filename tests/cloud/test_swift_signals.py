"""Servers signal by writing objects in Swift; they have no account."""

import json
import typing

import requests

from tests.cloud import short_set
from tests.functional import deploying
from tests.functional import remote
from tests.support import rest
from tests.support import waiting

Json = dict[str, object]


class SwiftTestCase(remote.CloudTestCase):
    """The cloud has an object store."""

    services = ("object-store",)

    def containers(self) -> set[str]:
        """Return the names of the containers that belong to the test."""
        return {
            each.name
            for each in self.user.object_store.containers()
            if each.name.startswith(f"{self.name}-")
        }

    def removed(self, stack: rest.Stack) -> None:
        """Delete a stack; return once nothing of it is in the store."""
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        self.assertEqual(set(), self.containers())


class SignalTests(SwiftTestCase):
    def template(self, **properties: object) -> Json:
        given = {
            "handle": {"get_resource": "handle"},
            "timeout": 60,
            **properties,
        }
        return {
            "heat_template_version": "2021-04-16",
            "resources": {
                "handle": {"type": "OS::Heat::SwiftSignalHandle"},
                "signal": {
                    "type": "OS::Heat::SwiftSignal",
                    "properties": given,
                },
            },
            "outputs": {
                name: {"value": {"get_attr": [resource, name]}}
                for resource, name in (
                    ("handle", "endpoint"),
                    ("handle", "curl_cli"),
                    ("handle", "token"),
                    ("signal", "data"),
                )
            },
        }

    def begun(self, **properties: object) -> tuple[rest.Stack, str]:
        """Return a stack that waits, and the address of its signals."""
        stack = self.here.create(self.name, self.template(**properties))

        def endpoint() -> object:
            return self.here.outputs(stack)["endpoint"]

        return stack, str(waiting.wait_for(endpoint, "address"))

    def send(self, url: str, signal: object = None) -> None:
        content = b"" if signal is None else json.dumps(signal).encode()
        answer = requests.put(url, data=content, timeout=20)
        self.assertEqual(201, answer.status_code)

    @short_set.case_of("OS::Heat::SwiftSignal", "OS::Heat::SwiftSignalHandle")
    def test_it_is_complete_with_so_many_signals(self) -> None:
        stack, url = self.begun(count=3)

        self.send(url)
        self.send(url, {"id": "x", "data": {"a": [1]}})
        # One that comes again takes the place of the first.
        self.send(url, {"id": "x", "data": {"a": [2]}})
        self.assertEqual("CREATE_IN_PROGRESS", self.status(stack))
        self.send(url, {"status": "SUCCESS", "reason": "ok", "data": "d"})

        self.here.wait(stack, "CREATE_COMPLETE")
        outputs = self.here.outputs(stack)
        self.assertEqual(
            {"1": None, "x": {"a": [2]}, "3": "d"},
            json.loads(str(outputs["data"])),
        )
        self.assertEqual("", outputs["token"])
        self.assertEqual(f"curl -i -X PUT '{url}'", outputs["curl_cli"])
        self.assertEqual(401, requests.get(url, timeout=20).status_code)
        self.removed(stack)
        self.assertIn(
            requests.put(url, data=b"", timeout=20).status_code, (401, 404)
        )

    def test_a_signal_of_failure_fails_it(self) -> None:
        stack, url = self.begun(count=2)

        self.send(url, {"status": "FAILURE", "reason": "no disk"})

        shown = self.here.wait(stack, "CREATE_FAILED")
        reason = str(shown["stack_status_reason"])
        self.assertIn("WaitConditionFailure", reason)
        self.assertIn("no disk", reason)
        self.removed(stack)

    def test_a_retry_waits_anew_whatever_failed_before(self) -> None:
        stack, url = self.begun(count=2)
        self.send(url, {"id": "a", "data": "early"})
        self.send(url, {"id": "x", "status": "FAILURE", "reason": "no disk"})
        self.here.wait(stack, "CREATE_FAILED")
        requests.put(url, data=b"<html>", timeout=20)

        self.retry(stack)
        self.send(url, {"id": "b", "data": "late"})

        self.here.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(
            {"a": "early", "b": "late"},
            json.loads(str(self.here.outputs(stack)["data"])),
        )
        self.removed(stack)

    def test_a_failure_in_a_retry_fails_it_again(self) -> None:
        stack, url = self.begun(count=2)
        self.send(url, {"status": "FAILURE", "reason": "no disk"})
        self.here.wait(stack, "CREATE_FAILED")

        self.retry(stack)
        self.send(url, {"status": "FAILURE", "reason": "no memory"})

        shown = self.here.wait(stack, "CREATE_FAILED")
        reason = str(shown["stack_status_reason"])
        self.assertIn("no memory", reason)
        self.assertNotIn("no disk", reason)
        self.removed(stack)

    def retry(self, stack: rest.Stack) -> None:
        """Retry the creation; return once it waits for signals again."""
        self.here.ask("POST", f"{stack.path}/actions", {"retry": None})
        waiting.wait_for(
            lambda: (
                self.here.resources(stack)["signal"]["resource_status"]
                == "CREATE_IN_PROGRESS"
            ),
            "the retry",
        )

    def test_too_few_signals_in_time_fail_it(self) -> None:
        stack, url = self.begun(count=2, timeout=5)

        self.send(url, {"reason": "first"})

        shown = self.here.wait(stack, "CREATE_FAILED")
        reason = str(shown["stack_status_reason"])
        self.assertIn("WaitConditionTimeout", reason)
        self.assertIn("1 of 2 received - first", reason)

    def test_what_is_no_signal_fails_it(self) -> None:
        stack, url = self.begun()

        requests.put(url, data=b"<html>", timeout=20)

        shown = self.here.wait(stack, "CREATE_FAILED")
        self.assertIn("not JSON", str(shown["stack_status_reason"]))

    def test_a_handle_of_another_project_is_refused(self) -> None:
        handle = "http://127.0.0.1:8080/v1/AUTH_other/c/o?temp_url_sig=1"
        stack = self.here.create(self.name, self.template(handle=handle))

        shown = self.here.wait(stack, "CREATE_FAILED")

        self.assertIn("AUTH_other", str(shown["stack_status_reason"]))

    def status(self, stack: rest.Stack) -> object:
        return self.here.show(stack)["stack_status"]


class DeploymentTests(SwiftTestCase):
    """``TEMP_URL_SIGNAL``: the server writes how a deployment went."""

    def begun(self, **given: object) -> tuple[rest.Stack, dict[str, str]]:
        """Return a stack, and the inputs of the config handed over."""
        wanted = deploying.template(
            signal_transport="TEMP_URL_SIGNAL", **given
        )
        stack = self.here.create(self.name, wanted)
        agent = deploying.Agent(self.here, stack)
        inputs = typing.cast("list[dict[str, str]]", agent.fetch()["inputs"])
        return stack, {each["name"]: each["value"] for each in inputs}

    def send_signal(self, inputs: dict[str, str], told: object) -> None:
        self.assertEqual("PUT", inputs["deploy_signal_verb"])
        answer = requests.put(
            inputs["deploy_signal_id"],
            data=json.dumps(told),
            headers={"Content-Type": "application/json"},
            timeout=20,
        )
        self.assertEqual(201, answer.status_code)

    def test_outputs_come_by_the_object_store(self) -> None:
        stack, inputs = self.begun()

        self.send_signal(
            inputs,
            {"deploy_status_code": 0, "deploy_stdout": "o", "result": "r"},
        )

        self.here.wait(stack, "CREATE_COMPLETE")
        outputs = self.here.outputs(stack)
        self.assertEqual({"result": "r", "stdout": "o"}, outputs)
        self.assertEqual(1, len(self.containers()))
        self.removed(stack)

    @short_set.case_of("OS::Heat::StructuredDeployment")
    def test_a_structured_deployment_signals_in_the_same_way(self) -> None:
        wanted = deploying.template(signal_transport="TEMP_URL_SIGNAL")
        resources = typing.cast("dict[str, Json]", wanted["resources"])
        resources["config"] = {
            "type": "OS::Heat::StructuredConfig",
            "properties": {
                "config": {"said": {"get_input": "greeting"}},
                "inputs": [{"name": "greeting"}],
                "outputs": [{"name": "result"}],
            },
        }
        deployment = resources["deployment"]
        deployment["type"] = "OS::Heat::StructuredDeployment"
        deployment["properties"]["input_values"] = {"greeting": "hello"}
        stack = self.here.create(self.name, wanted)
        found = deploying.Agent(self.here, stack).fetch()
        self.assertEqual({"said": "hello"}, found["config"])

        self.send_signal(
            deploying.Agent.inputs(found),
            {"deploy_status_code": 0, "result": "r"},
        )

        self.here.wait(stack, "CREATE_COMPLETE")
        self.assertEqual("r", self.here.outputs(stack)["result"])
        self.removed(stack)

    def test_a_failure_on_the_server_fails_the_stack(self) -> None:
        stack, inputs = self.begun()

        self.send_signal(inputs, {"deploy_status_code": 3})

        shown = self.here.wait(stack, "CREATE_FAILED")
        self.assertIn(
            "non-zero status code: 3", str(shown["stack_status_reason"])
        )
        self.removed(stack)

    def test_each_action_has_an_object_of_its_own(self) -> None:
        stack, inputs = self.begun()
        self.send_signal(inputs, {"deploy_status_code": 0, "result": "one"})
        self.here.wait(stack, "CREATE_COMPLETE")
        agent = deploying.Agent(self.here, stack)
        agent.fetch()

        changed = deploying.template(
            signal_transport="TEMP_URL_SIGNAL",
            input_values={"greeting": "again"},
        )
        self.here.ask("PUT", stack.path, {"template": changed})
        again = typing.cast("list[dict[str, str]]", agent.fetch()["inputs"])
        inputs = {each["name"]: each["value"] for each in again}
        self.assertEqual("UPDATE_IN_PROGRESS", self.status(stack))
        self.send_signal(inputs, {"deploy_status_code": 0, "result": "two"})

        self.here.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual("two", self.here.outputs(stack)["result"])
        self.removed(stack)

    def test_what_is_no_outcome_fails_it(self) -> None:
        stack, inputs = self.begun()

        self.send_signal(inputs, ["no", "map"])

        shown = self.here.wait(stack, "CREATE_FAILED")
        self.assertIn("no JSON object", str(shown["stack_status_reason"]))
        self.removed(stack)

    def status(self, stack: rest.Stack) -> object:
        return self.here.show(stack)["stack_status"]
