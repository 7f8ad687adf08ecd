"""What consumers hear of configs on their way to servers."""

import json
import typing

from tests.functional import deploying
from tests.functional.notifications import notification_case
from tests.support import listeners
from tests.support import waiting

Json = notification_case.Json

_PREFIX: typing.Final = "orchestration.deployment."
_SECRET: typing.Final = "open sesame"


class DeploymentTests(notification_case.NotificationTestCase):
    def hear_of(self, key: str, value: str, last: str) -> list[Json]:
        """Return what is heard of deployments, once ``last`` was."""

        def find() -> list[listeners.Heard] | None:
            heard = [
                each
                for each in self.listener.heard
                if each.event_type.startswith(_PREFIX)
                and each.payload[key] == value
            ]
            kinds = {each.event_type for each in heard}
            return heard if _PREFIX + last in kinds else None

        found = waiting.wait_for(find, last, limit_s=60)
        assert found is not None
        self.assertNotIn(_SECRET, json.dumps([each.payload for each in found]))
        return [
            {**each.payload, "kind": each.event_type.removeprefix(_PREFIX)}
            for each in found
        ]

    def post(self, path: str, key: str, body: Json) -> Json:
        answer = typing.cast(Json, self.client.ask("POST", path, body))
        return typing.cast(Json, answer[key])

    def test_what_a_caller_deploys_is_told_of(self) -> None:
        config = self.post(
            "/software_configs",
            "software_config",
            {"name": "c", "group": "script", "config": _SECRET},
        )
        made = self.post(
            "/software_deployments",
            "software_deployment",
            {
                "config_id": config["id"],
                "server_id": "web-1",
                "action": "CREATE",
                "status": "IN_PROGRESS",
                "input_values": {"word": _SECRET},
            },
        )
        path = f"/software_deployments/{made['id']}"
        self.client.ask(
            "PUT",
            path,
            {
                "config_id": config["id"],
                "status": "COMPLETE",
                "output_values": {"said": _SECRET},
            },
        )
        self.client.ask("DELETE", path)

        heard = self.hear_of("deployment_id", made["id"], "deleted")

        self.assertEqual(
            [
                ("created", "IN_PROGRESS"),
                ("updated", "COMPLETE"),
                ("deleted", "COMPLETE"),
            ],
            [(each["kind"], each["status"]) for each in heard],
        )
        for each in heard:
            self.assertEqual(
                ("web-1", config["id"], None),
                (each["server_id"], each["config_id"], each["stack_identity"]),
            )
        versions = [each["version"] for each in heard]
        self.assertEqual(sorted(set(versions)), versions)

    def test_those_of_a_stack_are_told_up_to_their_signal(self) -> None:
        stack = self.client.create(self.name, deploying.template())
        agent = deploying.Agent(self.client, stack)
        agent.send_result(agent.fetch(), result=_SECRET)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.delete(stack)

        heard = self.hear_of("stack_identity", stack.id, "deleted")

        self.assertEqual(
            ["created", "signalled", "deleted"],
            [each["kind"] for each in heard],
        )
        self.assertEqual("COMPLETE", heard[1]["status"])
        rows = {each["resource_id"] for each in heard}
        self.assertEqual(1, len(rows - {None}))
