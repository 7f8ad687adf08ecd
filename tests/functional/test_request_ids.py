"""The id of a request, from the API to the logs of the worker."""

import re
import uuid

import requests

from tests import base
from tests.support import listeners
from tests.support import rest
from tests.support import running
from tests.support import services
from tests.support import waiting

_HEADER = "X-Openstack-Request-Id"
_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"a": {"type": "OS::Heat::RandomString"}},
}


class RequestIdTests(base.TestCase):
    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        services.require("RabbitMQ", "PostgreSQL")
        found = running.Distributed(workers=1)
        cls.addClassCleanup(found.cleanUp)
        found.setUp()
        cls.found, cls.system = found, found.system

    def test_one_id_is_followed_through_all_that_a_request_does(self) -> None:
        client = self.system.client
        listener = self.useFixture(listeners.Listener(self.found.broker.url()))
        mine = f"req-{uuid.uuid4()}"
        answer = requests.post(
            f"{client.endpoint}/stacks",
            json={"stack_name": "s", "template": _TEMPLATE},
            headers={_HEADER: mine},
            timeout=30,
        )
        theirs = answer.headers[_HEADER]
        stack = rest.Stack("s", answer.json()["stack"]["id"])
        client.wait(stack, "CREATE_COMPLETE")

        self.assertNotEqual(mine, theirs)
        self.assertEqual(
            {theirs}, {each["request_id"] for each in client.events(stack)}
        )
        for process in self.system.members:
            lines = process.log.read_text("utf-8").splitlines()
            found = [line for line in lines if theirs in line]
            self.assertTrue(found, process.log.name)
            self.assertTrue(all(mine in line for line in found), found)
        waiting.wait_for(
            lambda: [
                each
                for each in listener.heard
                if each.context.get("request_id") == theirs
            ],
            "a notification with the id",
        )

    def test_the_worker_logs_what_it_does_under_the_id_of_the_request(
        self,
    ) -> None:
        client = self.system.client
        stack = client.create("told", _TEMPLATE)
        client.wait(stack, "CREATE_COMPLETE")
        asked = {each["request_id"] for each in client.events(stack)}

        log = self.system.engines[0].log.read_text("utf-8")
        begun = re.findall(
            rf"\[.*?(req-\S+) .*\] operation \S+ of stack {stack.id} begins",
            log,
        )

        self.assertEqual(asked, set(begun))

    def test_an_id_that_is_none_is_not_taken_over(self) -> None:
        client = self.system.client
        answer = requests.get(
            f"{client.endpoint}/stacks",
            headers={_HEADER: "req-1\tforged"},
            timeout=30,
        )

        self.assertRegex(answer.headers[_HEADER], "^req-[0-9a-f-]{36}$")
        self.assertNotIn("forged", self.system.api.log.read_text("utf-8"))

    def test_each_attempt_bears_the_id_of_who_asked_for_it(self) -> None:
        client = self.system.client
        template = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "a": {
                    "type": "OS::Heat::TestResource",
                    "properties": {"fail": True, "value": "x"},
                }
            },
        }
        stack = client.create("again", template)
        client.wait(stack, "CREATE_FAILED")
        answer = requests.post(
            f"{client.endpoint}{stack.path}/actions",
            json={"retry": None},
            timeout=30,
        )
        second = answer.headers[_HEADER]
        waiting.wait_for(
            lambda: [
                each
                for each in client.events(stack)
                if each["request_id"] == second
                and each["resource_status"] == "CREATE_FAILED"
            ],
            "the end of the second attempt",
        )

        ids = [each["request_id"] for each in client.events(stack)]
        self.assertEqual(2, len(set(ids)))
        self.assertEqual(second, ids[-1])
