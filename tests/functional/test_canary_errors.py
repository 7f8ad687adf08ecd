"""Errors, previews and physical ids show nothing that a secret was made into.

Each error is one of everyday: a value of the wrong type, a function with the
wrong arguments, a service that quotes what it refuses.
"""

import json
import typing

from tests.functional import canary_stacks
from tests.functional import test_canary_secrets
from tests.support import canaries
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = canaries.Json

_WORD = "canarymaple1"
_LATER = "canarybirch22"
_PARAMETERS = {"word": {"type": "string", "hidden": True}}
_HIDDEN = {"get_param": "word"}
_LOW = {
    "heat_template_version": canaries.HOT,
    "parameters": {
        "number": {"type": "number", "default": 1},
        "short": {
            "type": "string",
            "default": "",
            "constraints": [{"length": {"max": 3}}],
        },
    },
    "resources": {},
}


def upper(value: object) -> Json:
    """Return an expression that makes something new of a value."""
    expression = "$.data.toUpper()"
    return {"yaql": {"expression": expression, "data": value}}


def wrong_resources(value: object) -> dict[str, Json]:
    """Return resources that cannot be made with a text as that value."""
    thing = world_templates.declare_resource
    group = {"count": 1, "resource_def": {"type": value}}
    member = {"type": "Test::World::Thing", "properties": {"refs": value}}
    return {
        "type": thing(delay_before_s=value),
        "list": thing(refs=value),
        "allowed": thing(failure=value),
        "integer": {
            "type": "OS::Heat::RandomString",
            "properties": {"length": value},
        },
        "int": thing(
            label={"yaql": {"expression": "int($.data)", "data": value}}
        ),
        "key": thing(
            label={"yaql": {"expression": "dict(a=>1)[$.data]", "data": value}}
        ),
        "url": thing(
            label={"make_url": {"scheme": "a", "host": "b", "port": value}}
        ),
        "merged": canary_stacks.declare_value(
            {"map_merge": [{"a": "b"}, value]}
        ),
        "replaced": canary_stacks.declare_value(
            {"map_replace": [{"a": "b"}, {"values": [value]}]}
        ),
        "collides": canary_stacks.declare_value(
            {
                "map_replace": [
                    {"a": 1, "b": 2},
                    {"keys": {"a": value, "b": value}},
                ]
            }
        ),
        "digest": thing(label={"digest": [value, "x"]}),
        "concat": thing(refs={"list_concat": [["x"], value]}),
        "below": {"type": "low.yaml", "properties": {"number": value}},
        "short": {"type": "low.yaml", "properties": {"short": value}},
        "count": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": value, "resource_def": member},
        },
        "member": {"type": "OS::Heat::ResourceGroup", "properties": group},
        "stack": {
            "type": "OS::Heat::Stack",
            "properties": {
                "template": json.dumps(_LOW),
                "parameters": {"number": value, "short": value},
            },
        },
        "members": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": member},
        },
    }


def template(**resources: Json) -> Json:
    """Return a template with the hidden parameter ``word``."""
    return {
        **world_templates.template(**resources),
        "parameters": _PARAMETERS,
        "conditions": canaries.CONDITIONS,
    }


class CanaryErrorTest(test_canary_secrets.CanaryTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.look_for([_WORD, _WORD.upper(), _LATER, _LATER.upper()])

    def body(self, template: Json, word: str = _WORD) -> Json:
        sink = {"type": "webhook", "target": self.sink.url}
        return {
            "template": template,
            "files": {"low.yaml": json.dumps(_LOW)},
            "environment": {
                "parameters": {"word": word},
                "event_sinks": [sink],
            },
            "keep_going": True,
        }

    def previewed(self, written: Json) -> Json:
        """Return the body of a request for a preview."""
        body = {**self.body(written), "stack_name": f"{self.name}-preview"}
        del body["keep_going"]
        return body

    def created(self, written: Json, status: str) -> rest.Stack:
        stack = self.client.create(self.name, **self.body(written))
        self.client.wait(stack, status, timeout_s=90)
        return stack

    def test_a_preview_that_is_refused(self) -> None:
        for name, declared in {
            **wrong_resources(upper(_HIDDEN)),
            "plugin": {
                "type": "Orch::HTTP::Resource",
                "properties": {
                    "url": upper(_HIDDEN),
                    "create": {"path": "/"},
                },
            },
        }.items():
            error = self.assertRaises(
                rest.RefusedError,
                self.client.ask,
                "POST",
                "/stacks/preview",
                self.previewed(template(**{name: declared})),
            )
            self.assertIn(
                ".number: : "
                if name == "stack"
                else "Property error: : resources.",
                str(error),
            )
        self.assertEqual([], self.find_in_messages())

    def test_what_is_not_sensitive_is_told(self) -> None:
        declared = world_templates.declare_resource(
            label=_HIDDEN, delay_before_s="plain"
        )
        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "POST",
            "/stacks/preview",
            self.previewed(template(a=declared)),
        )
        self.assertIn("could not convert string to float: 'plain'", str(error))

    def test_values_that_are_known_only_in_the_run(self) -> None:
        read = {"get_attr": ["carrier", "label"]}
        made = wrong_resources(upper(read))
        stack = self.created(
            template(
                carrier=world_templates.declare_resource(label=_HIDDEN),
                **made,
            ),
            "CREATE_FAILED",
        )
        self.look_at_all(stack)
        failed = {
            str(each["resource_name"])
            for each in self.client.events(stack)
            if each["resource_status"] == "CREATE_FAILED"
        }
        self.assertEqual({stack.name, *made}, failed)
        self.wait_until_notified(stack, "CREATE_FAILED")
        self.check_redacted(stack)

    def test_an_error_of_a_service_that_is_cut(self) -> None:
        secret = "".join(f"sg{number:03d}xq" for number in range(40))
        self.words = tuple(secret[at : at + 7] for at in range(0, 280, 7))
        echo = self.useFixture(test_canary_secrets.Echo())
        note = {"list_join": ["", ["p" * 180, _HIDDEN]]}
        declared = {
            "type": "Orch::HTTP::Resource",
            "properties": {
                "url": echo.url,
                "create": {"path": "/", "body": {"note": note}},
            },
        }
        stack = self.client.create(
            self.name, **self.body(template(a=declared), secret)
        )
        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn("******…", str(shown["stack_status_reason"]))
        self.look_at_all(stack)
        self.wait_until_notified(stack, "CREATE_FAILED")
        self.check_redacted(stack)

    def test_what_callers_quote(self) -> None:
        declared = template(
            handle={"type": "OS::Heat::WaitConditionHandle"},
            a=world_templates.declare_resource(label="a"),
        )
        stack = self.client.create(self.name, **self.body(declared))
        self.client.wait(stack, "CREATE_COMPLETE")
        said = f"it is {_WORD}"

        self.client.ask(
            "POST",
            f"{stack.path}/resources/handle/signal",
            {"id": "1", "status": "SUCCESS", "reason": said},
        )
        for _ in range(2):
            self.client.ask(
                "PATCH",
                f"{stack.path}/resources/a",
                {"mark_unhealthy": True, "resource_status_reason": said},
            )

        reasons = [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
        ]
        self.assertEqual(1, reasons.count("it is ******"))
        self.assertIn("Signal: status:SUCCESS reason:it is ******", reasons)
        self.look_at_all(stack)
        self.wait_until_notified(stack, "CREATE_COMPLETE")
        self.assertEqual([], self.find_leaks())

    def test_metadata_in_previews(self) -> None:
        named = "canarycedar33"
        self.look_for([named])
        stack = self.created(
            template(a=world_templates.declare_resource(label="x")),
            "CREATE_COMPLETE",
        )
        told = {"is": _HIDDEN, "of": [upper(_HIDDEN)], "private_key": named}
        written = template(
            a=world_templates.declare_resource(label="x"),
            b={
                **world_templates.declare_resource(label="y"),
                "metadata": {**told, "open": "plain"},
            },
        )
        found = self.client.ask(
            "PUT", f"{stack.path}/preview", self.body(written)
        )
        (added,) = typing.cast(Json, found)["resource_changes"]["added"]
        hidden = {"is": "******", "of": ["******"], "private_key": "******"}
        self.assertEqual({**hidden, "open": "plain"}, added["metadata"])
        self.client.ask(
            "POST",
            "/stacks/preview",
            self.previewed(written),
        )
        self.assertEqual([], self.find_in_messages())

    def test_pieces_of_a_sealed_address(self) -> None:
        sealed = {"get_resource": "handle"}
        thing = world_templates.declare_resource
        pieces = {"list_join": ["~", {"str_split": ["=", sealed]}]}
        stack = self.created(
            {
                **template(
                    handle={
                        "type": "AWS::CloudFormation::WaitConditionHandle"
                    },
                    pieces=thing(label=pieces),
                    last=thing(label={"str_split": ["=", sealed, 3]}),
                    whole=thing(label={"list_join": ["", ["URL=", sealed]]}),
                ),
                "outputs": {"sealed": {"value": sealed}},
            },
            "CREATE_COMPLETE",
        )
        address = str(self.client.outputs(stack)["sealed"])
        del self.said[-1]
        self.words = (address.rpartition("=")[2],)
        self.look_at_all(stack)
        self.wait_until_notified(stack, "CREATE_COMPLETE")
        self.check_redacted(stack)
        shown = self.client.get(f"{stack.path}/outputs/sealed", "output")
        self.assertNotIn("sensitive", typing.cast(Json, shown))

    def test_physical_ids(self) -> None:
        declared = {
            name: {
                "type": "Orch::Local::File",
                "properties": {
                    "path": {"list_join": ["", ["d/", value]]},
                    "content": "x",
                },
            }
            for name, value in (("a", _HIDDEN), ("b", upper(_HIDDEN)))
        }
        written = template(**declared)
        stack = self.created(written, "CREATE_COMPLETE")
        self.check_hidden_ids(stack)
        later = self.body(written, _LATER)
        for answer in (
            self.client.ask("PUT", f"{stack.path}/preview", later),
            self.client.ask(
                "POST", f"{stack.path}/plans", {"action": "update", **later}
            ),
        ):
            self.assertIn('"replaces": "******"', json.dumps(answer))
        self.client.ask("PUT", stack.path, later)
        self.client.wait(stack, "UPDATE_COMPLETE", timeout_s=90)
        self.check_hidden_ids(stack)
        self.client.ask("POST", f"{stack.path}/actions", {"observe": None})
        self.look_at_all(stack)
        # Users who remove what is left over need the ids of resources.
        self.said = [each for each in self.said if "/resources?" not in each]
        self.wait_until_notified(stack, "UPDATE_COMPLETE")
        self.client.ask("DELETE", stack.path)
        waiting.wait_for(lambda: self.is_gone(stack), "the stack is gone")
        self.assertEqual([], self.find_in_messages())

    def check_hidden_ids(self, stack: rest.Stack) -> None:
        """Check that events and notifications have no id in plain."""
        self.assertEqual(
            {"******"},
            {
                each["physical_resource_id"]
                for each in self.client.events(stack)
                if each["resource_name"] != stack.name
                and each["resource_status"] == "CREATE_COMPLETE"
            },
        )

    def find_in_messages(self) -> list[str]:
        """Return what was said or sent that has a text which is looked for."""
        messages = [
            *self.said,
            *(str(each.payload) for each in self.listener.heard),
            *(each.body.decode() for each in list(self.sink.requests)),
        ]
        return [
            each
            for each in messages
            if any(word in each for word in self.words)
        ]
