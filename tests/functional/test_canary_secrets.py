"""Secrets of every source appear in no redacted output.

What the functions of the template language make of a secret is looked for as
well: its parts of six characters and more, and texts that are computed of it.
Answers that Heat gives in plain are checked to be unchanged.
"""

import json
import re
import typing

import requests

from tests.functional import canary_stacks
from tests.functional import observing
from tests.functional import test_secrets
from tests.functional.search import finding
from tests.support import canaries
from tests.support import move_bodies
from tests.support import rest
from tests.support import waiting
from tests.support import webhooks
from tests.unit.resources.http import service

Json = canaries.Json

_PLAIN: typing.Final = re.compile(
    r"/stacks/[^/]+/[^/?]+(/(template|environment|files|export|abandon)"
    r"|/outputs/[^/]+|/resources/[^/]+(/metadata)?)?(\?.*)?$"
)
"""The end of addresses that answer with values as they are."""
_REDACTED: typing.Final = (
    "/events?nested_depth=3",
    "/operations",
    "/plans",
    "/drift",
    "/drift/policy",
    "/resources?nested_depth=3",
)
"""Addresses below a stack that answer with no secret."""
_CHANGED: typing.Final = ("compared", "compared_digest", "compared_made")
_SECRETS: typing.Final = {
    "hidden": canary_stacks.HIDDEN,
    "carried": canary_stacks.CARRIED,
    "named": canary_stacks.NAMED,
    "own": canary_stacks.OWN,
}


class Echo(service.Service):
    """Refuses each request, and quotes it, until it is told to accept."""

    accepts = False

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        """Return the answer to a request, status and document."""
        if self.accepts or method != "POST":
            return 200, {"id": "1"}
        return 400, {"refused": body}


class CanaryTestCase(test_secrets.SecretsTestCase):
    """Stacks whose values are all known, and the texts to look for.

    :ivar words: the texts
    """

    limit_s = 300
    searchers = 1
    more: typing.ClassVar[Json] = {
        "notifications": {
            "template": "full",
            "outputs": "true",
            "resources": "true",
        },
    }

    def setUp(self) -> None:
        super().setUp()
        self.words = ()
        self.sink = self.useFixture(webhooks.Service())

    def record_answer(self, answer: requests.Response, **more: object) -> None:
        method = answer.request.method
        is_plain = method == "GET" and _PLAIN.search(str(answer.url))
        if not is_plain or answer.status_code >= 400:
            super().record_answer(answer)

    def body(self, template: Json, word: str) -> Json:
        """Return the body of a request for a stack."""
        sink = {"type": "webhook", "target": self.sink.url}
        parameters = {"word": word, "carried": canary_stacks.CARRIED}
        if "Resources" in template:
            parameters = {
                key.title(): each for key, each in parameters.items()
            }
        return {
            "template": template,
            "files": {**canary_stacks.FILES, **canary_stacks.CFN_FILES},
            "environment": {
                "parameters": parameters,
                "event_sinks": [sink],
            },
        }

    def look_for(self, values: object) -> None:
        """Add the pieces of texts to those that are looked for."""
        self.words = tuple({*self.words, *canaries.find_pieces(values)})

    def look_at_all(self, stack: rest.Stack) -> None:
        """Ask for what is redacted; of the events of a resource, the last."""
        for place in _REDACTED:
            self.client.ask("GET", stack.path + place)
        for each in self.operations(stack):
            self.client.ask("GET", f"{stack.path}/operations/{each['id']}")
        events = {
            str(each["resource_name"]): each
            for each in self.client.events(stack)
        }
        for name, each in events.items():
            place = f"/resources/{name}/events/{each['id']}"
            self.client.ask("GET", stack.path + place)

    def wait_until_notified(self, stack: rest.Stack, status: str) -> None:
        """Return once bus, sink and index have the end of an action."""
        action, _, end = status.rpartition("_")
        kind = "end" if end == "COMPLETE" else "error"
        last_kind = stack.id, f"orchestration.stack.{action.lower()}.{kind}"
        last = (stack.name, action, end)

        def is_sent() -> bool:
            payloads = [
                json.loads(each.body)["payload"]
                for each in list(self.sink.requests)
            ]
            keys = ("resource_name", "resource_action", "resource_status")
            return last in {tuple(p[key] for key in keys) for p in payloads}

        waiting.wait_for(lambda: last_kind in self.listener.kinds(), last_kind)
        waiting.wait_for(is_sent, f"{last} at the sink", limit_s=60)
        query = f"path:{stack.name} kind:stack status:{status}"
        waiting.wait_for(
            lambda: (
                stack.name in finding.paths(finding.search(self.client, query))
            ),
            "the index",
            limit_s=60,
        )

    def wait_until_drifted(self, stack: rest.Stack, *names: str) -> None:
        """Change these resources, and return once that is known."""
        for name in names:
            self.world.relabel(self.name, name, "other")
        self.client.ask("POST", f"{stack.path}/actions", {"observe": None})
        waiting.wait_for(
            lambda: observing.drifted(self.client, stack) == sorted(names),
            "drift",
        )

    def check_redacted(self, stack: rest.Stack) -> None:
        """Check that no text is in any redacted output.

        :param stack: one that a search finds by its name
        """
        self.assertNotEqual((), self.words)
        name = f"name:{stack.name} kind:stack"
        expected = finding.paths(finding.search(self.client, name))
        self.assertIn(stack.name, expected)
        for start in range(0, len(self.words), 8):
            quoted = [f'"{each}"' for each in self.words[start : start + 8]]
            query = " OR ".join([f"({name})", *quoted])
            found = finding.paths(finding.search(self.client, query))
            self.assertEqual(expected, found, query)
            del self.said[-1]
        self.assertEqual([], self.find_leaks())

    def find_leaks(self) -> list[str]:
        """Return each place that has a text which is looked for, sorted."""
        heard = self.listener.heard
        sent = [each.body.decode() for each in list(self.sink.requests)]
        lines = [
            f"{member.log.name} {line}"
            for member in self.system.members
            for line in member.log.read_text().splitlines()
        ]
        for each in (heard, sent, self.said, lines):
            self.assertNotEqual([], each)
        words = re.compile("|".join(self.words))
        return sorted(
            {
                f"{text[:90]} … {text[max(0, place - 200) : place + 40]}"
                for text in (
                    *(f"{each.event_type} {each.payload}" for each in heard),
                    *(f"sink {each}" for each in sent),
                    *self.said,
                    *lines,
                    *self.rows(),
                )
                for match in words.finditer(text)
                for place in [match.start()]
            }
        )


class CanaryTest(CanaryTestCase):
    def expect(self, secrets: Json) -> Json:
        """Return the outputs that the HOT template has, and look for them."""
        found = {
            f"{source}_{name}": row.expect(secret)
            for source, secret in secrets.items()
            for name, row in canaries.HOT_ROWS.items()
        }
        self.look_for(list(found.values()))
        self.look_for([*map(canaries.digest_text, secrets.values())])
        return found

    def created_hot(
        self, *sources: str, is_previewed: bool = False
    ) -> tuple[rest.Stack, Json, Json]:
        """Return a HOT stack, its template, and its outputs, as expected."""
        template = canary_stacks.write_template(sources)
        wanted = self.expect(
            {name: each for name, each in _SECRETS.items() if name in sources}
        )
        body = self.body(template, canary_stacks.HIDDEN)
        if is_previewed:
            self.client.ask(
                "POST", "/stacks/preview", {"stack_name": self.name, **body}
            )
        stack = self.client.create(self.name, **body)
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=90)
        shown = self.client.outputs(stack)
        made = str(shown["generated_as_it_is"])
        wanted |= self.expect({"generated": made})
        wanted |= {"made_id": made, "facade": {"told": canary_stacks.HIDDEN}}
        self.assertEqual(wanted, shown)
        return stack, template, wanted

    def test_hot_from_preview_to_drift(self) -> None:
        stack, template, wanted = self.created_hot(
            *canary_stacks.SOURCES, is_previewed=True
        )
        later = self.body(template, canary_stacks.LATER)
        wanted |= self.expect({"hidden": canary_stacks.LATER})
        self.client.ask("PUT", f"{stack.path}/preview", later)
        plan = self.client.ask(
            "POST", f"{stack.path}/plans", {"action": "update", **later}
        )
        plan_id = typing.cast(Json, plan)["plan"]["id"]
        self.client.ask("GET", f"{stack.path}/plans/{plan_id}")
        self.client.ask("PUT", stack.path, later)
        self.client.wait(stack, "UPDATE_COMPLETE", timeout_s=90)
        self.wait_until_drifted(stack, *_CHANGED)
        self.look_at_all(stack)
        self.wait_until_notified(stack, "UPDATE_COMPLETE")
        self.check_redacted(stack)

        wanted["facade"] = {"told": canary_stacks.LATER}
        self.assertEqual(wanted, self.client.outputs(stack))
        self.check_unchanged(stack, template, str(wanted["made_id"]))

    def check_unchanged(
        self, stack: rest.Stack, template: Json, made: str
    ) -> None:
        """Check that what Heat answers in plain arrives unchanged."""
        self.assertEqual(
            template, self.client.ask("GET", f"{stack.path}/template")
        )
        self.assertEqual(
            canary_stacks.FILES["low.yaml"],
            typing.cast(Json, self.client.ask("GET", f"{stack.path}/files"))[
                "low.yaml"
            ],
        )
        self.assertEqual(
            {"told": canary_stacks.LATER},
            self.client.get(
                f"{stack.path}/resources/low/metadata", "metadata"
            ),
        )
        environment = self.client.ask("GET", f"{stack.path}/environment")
        self.assertEqual(
            {"word": "******", "carried": "******"},
            typing.cast(Json, environment)["parameters"],
        )
        for name, value in (
            ("made", made),
            ("named", {"admin_pass": canary_stacks.NAMED}),
            ("generated_yaql_upper", made.upper()),
            ("hidden_yaql_upper", canary_stacks.LATER.upper()),
        ):
            shown = self.client.get(
                f"{stack.path}/resources/{name}", "resource"
            )
            self.assertEqual(
                {"value": value}, typing.cast(Json, shown)["attributes"]
            )

    def test_cloudformation(self) -> None:
        template = canary_stacks.write_cfn_template()
        body = self.body(template, canary_stacks.HIDDEN)
        wanted = {
            f"{source}{name}": row.expect(_SECRETS[source.lower()])
            for source in canary_stacks.CFN_SOURCES
            for name, row in canaries.CFN_ROWS.items()
        }
        self.look_for(list(wanted.values()))
        self.client.ask(
            "POST", "/stacks/preview", {"stack_name": self.name, **body}
        )
        stack = self.client.create(self.name, **body)
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=90)
        wanted["Facade"] = {"told": canary_stacks.HIDDEN}
        self.assertEqual(wanted, self.client.outputs(stack))
        later = self.body(template, canary_stacks.LATER)
        self.look_for(canary_stacks.LATER)
        self.client.ask("PUT", f"{stack.path}/preview", later)
        self.wait_until_drifted(stack, "Compared")
        self.look_at_all(stack)
        self.wait_until_notified(stack, "CREATE_COMPLETE")
        self.check_redacted(stack)
        self.assertEqual(
            template, self.client.ask("GET", f"{stack.path}/template")
        )

    def test_a_service_that_quotes_what_it_refuses(self) -> None:
        echo = self.useFixture(Echo())
        template = canary_stacks.write_refused(echo.url)
        self.look_for(
            [
                *(_SECRETS[name] for name in ("hidden", "carried", "named")),
                canaries.digest_text(canary_stacks.HIDDEN),
                canary_stacks.LATER,
            ]
        )
        stack = self.client.create(
            self.name, **self.body(template, canary_stacks.HIDDEN)
        )
        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn("refused", str(shown["stack_status_reason"]))
        self.said.append(str(shown["stack_status_reason"]))
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_FAILED")
        echo.accepts = True
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        made = self.client.outputs(stack)["made"]
        self.look_for(made)
        echo.accepts = False
        self.client.ask(
            "PUT", stack.path, self.body(template, canary_stacks.LATER)
        )
        shown = self.client.wait(stack, "UPDATE_FAILED")
        self.said.append(str(shown["stack_status_reason"]))
        self.look_at_all(stack)
        self.wait_until_notified(stack, "UPDATE_FAILED")
        self.check_redacted(stack)

    def test_adoption_and_moves(self) -> None:
        stack, _, wanted = self.created_hot("named", "generated")
        document = self.client.ask("GET", f"{stack.path}/export")
        self.assertNotIn(canary_stacks.HIDDEN, json.dumps(document))
        document = self.client.ask(
            "DELETE", f"{stack.path}/abandon?secrets=plain"
        )
        del self.said[-1]
        waiting.wait_for(lambda: self.is_gone(stack), "the stack is gone")
        data = {"adopt_stack_data": json.dumps(document)}
        name = f"{self.name}-again"
        self.client.ask(
            "POST", "/stacks/preview", {"stack_name": name, **data}
        )
        answer = self.client.ask(
            "POST", "/stacks", {"stack_name": name, **data}
        )
        again = rest.Stack(name, typing.cast(Json, answer)["stack"]["id"])
        self.client.wait(again, "ADOPT_COMPLETE", timeout_s=90)
        self.assertEqual(wanted, self.client.outputs(again))
        other = {"heat_template_version": canaries.HOT, "resources": {}}
        target = self.client.create(f"{self.name}-target", other)
        self.client.wait(target, "CREATE_COMPLETE")
        body = move_bodies.written(
            self.system.endpoint, again, target.name, ["moved"]
        )
        for end in ("move/preview", "move"):
            self.client.ask("POST", f"{again.path}/{end}", body)
        for each in (again, target):
            self.client.wait(each, "UPDATE_COMPLETE", timeout_s=90)
            self.look_at_all(each)
        self.wait_until_notified(again, "UPDATE_COMPLETE")
        self.check_redacted(again)
        shown = self.client.get(f"{target.path}/resources/moved", "resource")
        self.assertEqual(
            {"value": {"admin_pass": canary_stacks.NAMED}},
            typing.cast(Json, shown)["attributes"],
        )
