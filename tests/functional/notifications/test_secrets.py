"""Secrets that nobody wrote down are neither on the bus nor at a sink.

These are what a resource has made up, at any depth of the tree, and addresses
that are proof by themselves.
"""

import json
import typing

from tests.functional.notifications import notification_case
from tests.support import rest
from tests.support import waiting
from tests.support import webhooks
from tests.support import world_templates

Json = notification_case.Json

_MADE: typing.Final[Json] = {"get_attr": ["rs", "value"]}
_DEEP: typing.Final[Json] = {"get_attr": ["low", "said"]}
_ADDRESS: typing.Final[Json] = {"get_resource": "handle"}
_STRING: typing.Final = "OS::Heat::RandomString"
_LOW: typing.Final = json.dumps(
    {
        "heat_template_version": "2021-04-16",
        "parameters": {
            "given": {"type": "string"},
            "open": {"type": "string", "default": "open"},
        },
        "resources": {
            "rs": {"type": _STRING},
            "deep": world_templates.declare_resource(
                label={"get_param": "given"}, value={"get_param": "open"}
            ),
        },
        "outputs": {"said": {"value": _MADE}},
    }
)
_OUTPUTS: typing.Final[Json] = {
    "made": _MADE,
    "deep": _DEEP,
    "address": _ADDRESS,
    "both": {"list_join": ["'", ["curl ", _ADDRESS]]},
    "digest": {"digest": ["md5", _MADE]},
    "again": {"get_attr": ["reader", "label"]},
    "db_password": "said by a user",
    "plain": "plain",
}


def _making() -> Json:
    return {
        **world_templates.template(
            rs={"type": _STRING},
            handle={"type": "AWS::CloudFormation::WaitConditionHandle"},
            reader=world_templates.declare_resource(
                label=_MADE, value="seen by all"
            ),
            again=world_templates.declare_resource(
                label={"get_attr": ["reader", "label"]}
            ),
            caller=world_templates.declare_resource("rs", label=_ADDRESS),
            low={"type": "low.yaml", "properties": {"given": _MADE}},
            above=world_templates.declare_resource(
                label=_DEEP, value="seen by all"
            ),
        ),
        "outputs": {name: {"value": each} for name, each in _OUTPUTS.items()},
    }


class SecretsTests(notification_case.NotificationTestCase):
    options: typing.ClassVar[dict[str, typing.Any]] = {
        **notification_case.NotificationTestCase.options,
        "egress": {"allowed_networks": "127.0.0.0/8"},
    }
    notifications: typing.ClassVar[dict[str, object]] = {
        "template": "full",
        "outputs": "true",
        "resources": "true",
    }

    def make(self, **more: object) -> tuple[rest.Stack, Json]:
        """Return a stack that is there, and its outputs as users see them."""
        stack = self.created(_making(), files={"low.yaml": _LOW}, **more)
        return stack, typing.cast(Json, self.client.outputs(stack))

    def secrets(self, shown: Json) -> list[str]:
        found = [shown[name] for name in ("made", "deep", "digest")]
        proof = shown["address"].partition("Signature=")[2]
        self.assertEqual({32}, {len(each) for each in found})
        self.assertNotEqual("", proof)
        return [*found, proof]

    def test_none_is_on_the_bus_at_any_depth(self) -> None:
        stack, shown = self.make()
        ended = self.hear_one(stack, "create.end")

        for each in self.listener.heard:
            for secret in self.secrets(shown):
                self.assertNotIn(
                    secret,
                    json.dumps(each.payload),
                    f"{each.event_type} {each.payload['path']}",
                )
        self.assertEqual(
            {
                **dict.fromkeys(_OUTPUTS, "******"),
                "both": "curl '******",
                # What it reads is stored nowhere.
                "deep": None,
                "plain": "plain",
            },
            ended["outputs"],
        )

    def test_what_is_none_is_told(self) -> None:
        stack, _ = self.make()
        self.hear(stack, "create.end")

        told = {
            str(each.payload["path"]).partition("/")[2]: typing.cast(
                Json, each.payload["properties"]
            )
            for each in self.listener.heard
            if each.payload["root_id"] == stack.id
            and each.event_type == "orchestration.resource.create.end"
        }
        for name in ("reader", "again", "caller", "above", "low/deep"):
            self.assertEqual("******", told[name]["label"], name)
        self.assertEqual("seen by all", told["reader"]["value"])
        self.assertEqual("seen by all", told["above"]["value"])
        self.assertEqual("open", told["low/deep"]["value"])

    def test_none_is_in_what_is_told_of_a_failure(self) -> None:
        self.check_failure(_MADE)

    def test_nor_is_one_that_no_attribute_tells(self) -> None:
        self.check_failure({"get_resource": "rs"})

    def check_failure(self, secret: Json) -> None:
        """Check what is told of a resource that is refused for its value.

        What has made that is gone before most of it leaves.
        """
        number = {"type": "number", "value": secret}
        stack = self.client.create(
            self.name,
            world_templates.template(
                rs={"type": _STRING},
                number={"type": "OS::Heat::Value", "properties": number},
            ),
            disable_rollback=False,
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")
        heard = self.hear(stack, "create.error", "rollback.end")

        told = {
            each.event_type.removeprefix("orchestration."): each.payload
            for each in heard
            if each.payload["state"] == "CREATE_FAILED"
        }
        self.assertEqual(
            {"resource.create.error", "stack.create.error"}, set(told)
        )
        (failed,) = typing.cast(
            list[Json], told["stack.create.error"]["failed_resources"]
        )
        events = [
            each["resource_status_reason"]
            for each in self.client.events(stack)
            if each["resource_status"] == "CREATE_FAILED"
        ]
        self.assertEqual(2, len(events))
        for each in (
            failed["reason"],
            *(payload["state_reason"] for payload in told.values()),
            *events,
        ):
            self.assertTrue(str(each).endswith("float: '******'"), each)

    def test_none_is_told_to_a_sink(self) -> None:
        service = self.useFixture(webhooks.Service())
        sinks = [{"type": "webhook", "target": service.url}]
        stack, shown = self.make(environment={"event_sinks": sinks})

        def find() -> list[Json] | None:
            told = [json.loads(each.body) for each in list(service.requests)]
            payloads = [each["payload"] for each in told]
            is_over = any(
                each["stack_id"] == stack.id
                and each["resource_name"] == stack.name
                and each["resource_status"] == "COMPLETE"
                for each in payloads
            )
            return payloads if is_over else None

        heard = waiting.wait_for(find, "the end at the sink", limit_s=60)

        assert heard is not None
        for each in heard:
            for secret in self.secrets(shown):
                self.assertNotIn(secret, json.dumps(each))
        by_name = {each["resource_name"]: each for each in heard}
        self.assertEqual(
            {"label": "******", "value": "seen by all"},
            {
                name: by_name["reader"]["resource_properties"][name]
                for name in ("label", "value")
            },
        )
