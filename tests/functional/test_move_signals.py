"""What takes signals moves, and its addresses go on."""

import typing

import requests

from tests.functional import signalling
from tests.functional import test_move
from tests.support import rest
from tests.support import waiting as waiting_

Json = test_move.Json
declare_resource = test_move.declare_resource
template = test_move.template

_SECONDS = 10


def waiting() -> Json:
    """Return a template with a handle that a condition heard once."""
    wanted = signalling.waiting(count=1)
    wanted["resources"].pop("slow")
    wanted["outputs"] = {}
    return wanted


def scaling() -> Json:
    return template(
        group={
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 4,
                "resource": {
                    "type": "OS::Heat::RandomString",
                    "properties": {"length": 4},
                },
            },
        },
        more={
            "type": "OS::Heat::ScalingPolicy",
            "properties": {
                "adjustment_type": "change_in_capacity",
                "scaling_adjustment": 1,
                "auto_scaling_group_id": {"get_resource": "group"},
            },
        },
    )


class MoveSignalsTests(test_move.MovingTestCase):
    def waited(self, wanted: Json) -> rest.Stack:
        """Make a stack that waits, signal it, and make the other one."""
        source = self.client.create(self.name, wanted)
        name = next(
            each
            for each in typing.cast(Json, wanted["resources"])
            if "andle" in each
        )
        self.wait_handle(source, name)
        self.client.ask(
            "POST",
            f"{source.path}/resources/{name}/signal",
            {"status": "SUCCESS", "id": "1", "reason": "r", "data": "d"}
            if name == "handle"
            else dict(signalling.SUCCESS),
        )
        self.client.wait(source, "CREATE_COMPLETE")
        self.take_name()
        self.target = self.created(template(own=declare_resource()))
        return source

    def wait_handle(self, stack: rest.Stack, name: str) -> None:
        waiting_.wait_for(
            lambda: self.statuses(stack).get(name) == "CREATE_COMPLETE",
            name,
        )

    def attribute(self, stack: rest.Stack, name: str, key: str) -> str:
        path = f"{stack.path}/resources/{name}?with_attr={key}"
        answer = typing.cast(dict[str, Json], self.client.ask("GET", path))
        return str(typing.cast(Json, answer["resource"]["attributes"])[key])

    def post(self, url: str, body: object) -> int:
        answer = requests.post(url, json=body, timeout=_SECONDS)
        return answer.status_code

    def metadata(self, stack: rest.Stack, name: str) -> Json:
        answer = self.client.ask(
            "GET", f"{stack.path}/resources/{name}/metadata"
        )
        return typing.cast(dict[str, Json], answer)["metadata"]

    def test_a_g7_a_handle_moves_with_its_condition(self) -> None:
        source = self.waited(waiting())
        address = self.attribute(source, "handle", "endpoint")

        self.move(source, {"handle": "bell", "condition": "condition"})

        self.assertEqual(
            {"own", "bell", "condition"}, set(self.ids(self.target))
        )
        self.assertEqual({"1"}, set(self.metadata(self.target, "bell")))
        body = {"status": "SUCCESS", "id": "2"}
        self.assertEqual(200, self.post(address, body))
        self.assertEqual({"1", "2"}, set(self.metadata(self.target, "bell")))

    def test_a_g7_the_address_outlives_the_source_and_a_second_move(
        self,
    ) -> None:
        source = self.waited(waiting())
        address = self.attribute(source, "handle", "endpoint")
        first = self.target
        self.move(source, ["handle", "condition"])
        self.take_name()
        self.target = self.created(template(own=declare_resource()))
        self.move(first, ["handle", "condition"])
        self.client.delete(source)
        self.client.wait(source, "DELETE_COMPLETE")

        self.assertEqual(200, self.post(address, {"id": "2"}))

        self.assertEqual({"1", "2"}, set(self.metadata(self.target, "handle")))

    def test_a_g7_an_address_of_what_has_gone_is_refused(self) -> None:
        source = self.waited(waiting())
        address = self.attribute(source, "handle", "endpoint")
        self.move(source, ["handle", "condition"])
        self.update(self.target, template(own=declare_resource()))
        self.client.wait(self.target, "UPDATE_COMPLETE")

        self.assertEqual(404, self.post(address, {"id": "2"}))

    def test_a_g7_what_was_revoked_stays_so(self) -> None:
        source = self.waited(waiting())
        address = self.attribute(source, "handle", "endpoint")
        self.client.ask("DELETE", f"{source.path}/resources/handle/signal")

        self.move(source, ["handle", "condition"])

        self.assertEqual(403, self.post(address, {"id": "2"}))
        self.assertEqual({"1"}, set(self.metadata(self.target, "handle")))

    def test_a_g7_a_condition_without_its_handle_refuses(self) -> None:
        source = self.waited(waiting())

        refused = self.refused(self.ask_move, source, ["condition"])

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g7_a_group_moves_with_its_policy(self) -> None:
        source = self.two(scaling())
        address = self.attribute(source, "more", "alarm_url")

        self.move(source, ["group", "more"])
        taken = self.post(address, None)

        self.assertEqual(200, taken)
        waiting_.wait_for(
            lambda: (
                self.attribute(self.target, "group", "current_size") == "2"
            ),
            "a second member",
        )
        self.assertNotEqual(
            address, self.attribute(self.target, "more", "alarm_url")
        )

    def test_a_g7_a_policy_without_its_group_refuses(self) -> None:
        source = self.two(scaling())

        refused = self.refused(self.ask_move, source, ["more"])

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_g7_a_server_refuses(self) -> None:
        source = self.two(
            template(server={"type": "OS::Heat::DeployedServer"})
        )

        refused = self.refused(self.ask_move, source, ["server"])

        self.assertEqual((409, "HTTPConflict"), refused)
