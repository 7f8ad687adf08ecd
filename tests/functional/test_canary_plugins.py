"""Errors of plug-ins that quote a secret, in each of their calls."""

import typing

from tests.functional import test_canary_secrets
from tests.support import canaries
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = canaries.Json

_WORD: typing.Final = "canarylinden1"
_MADE: typing.Final = "CANARYLINDEN1"
_SENT: typing.Final = "canaryrowan22"


def _declare(*failing: str) -> Json:
    """Return a resource whose label is made of a hidden parameter.

    :param failing: its calls that fail, and quote the label
    """
    made = {
        "yaql": {
            "expression": "$.data.toUpper()",
            "data": {"get_param": "word"},
        }
    }
    return {
        "type": "Test::World::Quoting",
        "properties": {"label": made, "failing": list(failing)},
    }


class CanaryPluginTest(test_canary_secrets.CanaryTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.look_for([_WORD, _MADE, _SENT])

    def body(self, template: Json, word: str = _WORD) -> Json:
        sink = {"type": "webhook", "target": self.sink.url}
        return {
            "template": template,
            "environment": {
                "parameters": {"word": word},
                "event_sinks": [sink],
            },
            "keep_going": True,
        }

    def template(self, **resources: Json) -> Json:
        return {
            **world_templates.template(**resources),
            "parameters": {"word": {"type": "string", "hidden": True}},
            "outputs": {
                name: {"value": {"get_attr": [name, "label"]}}
                for name in resources
            },
        }

    def act(self, stack: rest.Stack, action: str, status: str) -> None:
        self.client.ask("POST", f"{stack.path}/actions", {action: None})
        self.client.wait(stack, status)

    def check_refused(
        self, method: str, path: str, body: Json | None, expected: str
    ) -> None:
        error = self.assertRaises(
            rest.RefusedError, self.client.ask, method, path, body
        )
        self.assertIn(expected, str(error))

    def read_all(self, stack: rest.Stack, *names: str) -> None:
        """Read these resources and outputs, and what is below a stack."""
        for name in names:
            self.client.ask("GET", f"{stack.path}/resources/{name}")
            self.client.ask("GET", f"{stack.path}/outputs/{name}")
        for each in ("drift/template", "drift/history", "export"):
            self.client.ask("GET", f"{stack.path}/{each}")
        self.look_at_all(stack)

    def test_errors_that_quote_a_secret(self) -> None:
        written = self.template(
            attributes=_declare("read_attributes"),
            reality=_declare("get_reality"),
            check=_declare("check"),
            snapshot=_declare("snapshot"),
            update=_declare("update"),
            signal=_declare("handle_signal"),
            removal=_declare("delete_snapshot"),
            metadata=_declare("shown_metadata"),
            delete=_declare("delete"),
        )
        resources = written["resources"]
        stack = self.client.create(
            self.name,
            **self.body(self.template(**resources, create=_declare("create"))),
        )
        self.client.wait(stack, "CREATE_FAILED")
        self.client.ask("PUT", stack.path, self.body(written))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.act(stack, "check", "CHECK_FAILED")
        self.client.ask("POST", f"{stack.path}/snapshots", {"name": "kept"})
        self.client.wait(stack, "SNAPSHOT_FAILED")
        self.check_refused(
            "GET",
            f"{stack.path}/resources/metadata/metadata",
            None,
            "its log has the reason",
        )
        (kept,) = self.client.get(f"{stack.path}/snapshots", "snapshots")
        self.check_refused(
            "DELETE",
            f"{stack.path}/snapshots/{kept['id']}",
            None,
            "RuntimeError: delete_snapshot: no ******",
        )
        self.check_refused(
            "POST",
            f"{stack.path}/resources/signal/signal",
            {"sent": _SENT},
            "the engine's log has the reason",
        )
        self.client.ask("POST", f"{stack.path}/actions", {"observe": None})
        told = "RuntimeError: get_reality: no ******"
        waiting.wait_for(
            lambda: told in str(self.client.ask("GET", f"{stack.path}/drift")),
            "the observation",
        )
        self.read_all(stack, *(set(resources) - {"metadata"}))
        self.check_refused(
            "PUT",
            f"{stack.path}/preview",
            self.body(self.template(**resources, a=_declare("validate"))),
            "is not shown, as a sensitive value is in it",
        )
        for each in resources.values():
            each["properties"]["reads"] = ["x"]
        self.client.ask("PUT", f"{stack.path}/preview", self.body(written))
        self.client.ask("PUT", stack.path, self.body(written))
        self.client.wait(stack, "UPDATE_FAILED")
        self.check_all(stack, "UPDATE_FAILED")
        self.client.ask("DELETE", stack.path)
        self.client.wait(stack, "DELETE_FAILED")
        self.check_all(stack, "DELETE_FAILED")

    def test_a_request_that_fails_unexpectedly(self) -> None:
        written = self.template(restored=_declare("restored_properties"))
        stack = self.client.create(self.name, **self.body(written))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask("POST", f"{stack.path}/snapshots", {"name": "kept"})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        (kept,) = self.client.get(f"{stack.path}/snapshots", "snapshots")

        self.check_refused(
            "POST",
            f"{stack.path}/snapshots/{kept['id']}/restore",
            None,
            "its log has the reason",
        )

        self.check_log("restored_properties")
        self.check_all(stack, "SNAPSHOT_COMPLETE")

    def test_a_plan_that_fails_unexpectedly(self) -> None:
        written = self.template(replaced=_declare("needs_replacement"))
        stack = self.client.create(self.name, **self.body(written))
        self.client.wait(stack, "CREATE_COMPLETE")
        written["resources"]["replaced"]["properties"]["reads"] = ["x"]

        self.check_refused(
            "PUT",
            f"{stack.path}/preview",
            self.body(written),
            "its log has the reason",
        )
        self.client.ask("PUT", stack.path, self.body(written))
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(
            "The engine failed; its log says why.",
            shown["stack_status_reason"],
        )
        self.check_log("needs_replacement")
        self.check_all(stack, "UPDATE_FAILED")

    def check_log(self, call: str) -> None:
        """Check that the log has the error of a call, redacted."""
        self.assertIn(
            f"RedactedError: RuntimeError: {call}: no ******",
            "".join(member.log.read_text() for member in self.system.members),
        )

    def check_all(self, stack: rest.Stack, status: str) -> None:
        self.look_at_all(stack)
        self.wait_until_notified(stack, status)
        self.check_redacted(stack)
