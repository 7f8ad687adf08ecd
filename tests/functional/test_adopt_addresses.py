"""Addresses for signals of stacks that have moved."""

import json
import typing

import requests

from tests.functional import adopting
from tests.functional import deploying
from tests.functional import signalling
from tests.support import rest


class AddressTests(adopting.AdoptingTestCase):
    def moved(self, wanted: adopting.Json) -> rest.Stack:
        """Create a stack of handles alone, and move it."""
        return self.adopt(self.abandon(self.created(wanted)))

    def taken(self, stack: rest.Stack, name: str) -> adopting.Json:
        path = f"{stack.path}/resources/{name}/metadata"
        return typing.cast(adopting.Json, self.there.get(path, "metadata"))

    def test_a10_a_handle_gets_an_address_at_the_new_place(self) -> None:
        for transport, verb in (
            ("TOKEN_SIGNAL", "POST"),
            ("CFN_SIGNAL", "PUT"),
        ):
            with self.subTest(transport):
                wanted = signalling.handle_only(signal_transport=transport)
                stack = self.moved(wanted)
                path = f"{stack.path}/resources/handle"
                shown = typing.cast(
                    adopting.Json, self.there.get(path, "resource")
                )
                attributes = typing.cast(dict[str, str], shown["attributes"])
                url = signal_url(attributes["signal"])

                answer = requests.request(
                    verb, url, json={"data": "d", "id": "1"}, timeout=10
                )

                self.assertEqual(200, answer.status_code)
                self.assertTrue(url.startswith(self.there_at()))
                self.assertIn("1", self.taken(stack, "handle"))
                self.there.delete(stack)
                self.there.wait(stack, "DELETE_COMPLETE")

    def test_a10_a_reference_is_the_address_at_the_new_place(self) -> None:
        wanted: adopting.Json = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "Handle": {"type": "AWS::CloudFormation::WaitConditionHandle"}
            },
            "outputs": {"url": {"value": {"get_resource": "Handle"}}},
        }
        stack = self.moved(wanted)
        url = str(self.there.outputs(stack)["url"])

        answer = requests.put(url, json=signalling.SUCCESS, timeout=10)

        self.assertEqual(200, answer.status_code)
        self.assertTrue(url.startswith(self.there_at()))
        self.assertIn("1", self.taken(stack, "Handle"))

    def test_a10_what_an_agent_polls_has_the_new_address(self) -> None:
        """It has applied the config, and does not apply it again."""
        stack = self.here.create(self.name, deploying.template())
        agent = deploying.Agent(self.here, stack)
        applied = agent.apply(result="r")
        self.here.wait(stack, "CREATE_COMPLETE")

        adopted = self.adopt(self.abandon(stack))
        moved = deploying.Agent(self.there, adopted)
        moved.observed.extend(agent.observed)
        (found,) = moved.deployments()
        moved.send_result(found, result="again")

        self.assertEqual(applied["id"], found["id"])
        self.assertEqual(applied["config"], found["config"])
        address = str(moved.inputs(found)["deploy_signal_id"])
        self.assertTrue(address.startswith(self.there_at()))
        wanted = deploying.template(input_values={"greeting": "new"})
        self.there.ask("PUT", adopted.path, {"template": wanted})
        moved.apply(result="new")
        self.there.wait(adopted, "UPDATE_COMPLETE")
        self.assertEqual("new", self.there.outputs(adopted)["result"])

    def test_a10_a_config_keeps_its_id_and_says_the_same(self) -> None:
        wanted: adopting.Json = {
            "heat_template_version": "2021-04-16",
            "resources": {"config": deploying.config()},
            "outputs": {"text": {"value": {"get_attr": ["config", "config"]}}},
        }
        stack = self.created(wanted)
        ids, outputs = self.ids(self.here, stack), self.here.outputs(stack)

        adopted = self.adopt(self.abandon(stack))

        self.assertEqual(ids, self.ids(self.there, adopted))
        self.assertEqual(outputs, self.there.outputs(adopted))

    def test_a10_what_is_no_id_of_a_config_is_not_adopted(self) -> None:
        document = {
            "template": {
                "heat_template_version": "2021-04-16",
                "resources": {"config": deploying.config()},
            },
            "resources": {"config": "mine"},
        }

        stack = self.adopt(document, "ADOPT_FAILED")

        shown = self.there.show(stack)
        self.assertIn(
            "mine is no id of a software config",
            str(shown["stack_status_reason"]),
        )

    def there_at(self) -> str:
        """Return what addresses of the new installation begin with."""
        return self.there.endpoint.removesuffix("/demo") + "/"


def signal_url(text: str) -> str:
    """Return the address in the attribute ``signal``."""
    return str(json.loads(text)["alarm_url"])
