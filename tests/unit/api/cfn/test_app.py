"""The application over a bus that answers from a table."""

import time
import typing
import urllib.parse
from xml.etree import ElementTree

from falcon import testing

from orch import errors
from orch.api import errors as api_errors
from orch.api import settings
from orch.api.cfn import app
from orch.api.cfn import responses
from orch.context import request
from tests import base
from tests.unit.api import fakes

_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class AppTestCase(base.TestCase):
    limits: typing.ClassVar[settings.Settings] = settings.Settings()

    def setUp(self) -> None:
        super().setUp()
        self.bus = fakes.Bus()
        self.bus.answers["stack.list"] = []
        self.api = testing.TestClient(app.build_app(self.bus, self.limits))

    def ask(
        self, headers: dict[str, str] | None = None, **parameters: str
    ) -> testing.Result:
        """Return the answer to a form in good form, signed by anybody."""
        signed = {
            "AWSAccessKeyId": "demo",
            "SignatureMethod": "HmacSHA256",
            "SignatureVersion": "2",
            "Signature": "A" * 43 + "=",
            "Timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            **parameters,
        }
        return self.api.simulate_post(
            "/v1/",
            body=urllib.parse.urlencode(signed),
            headers=_FORM | (headers or {}),
        )

    def code(self, answer: testing.Result) -> tuple[int, str]:
        """Return status and code of an error."""
        root = ElementTree.fromstring(answer.content)
        names = {"": responses.NAMESPACE}
        found = root.findtext("Error/Code", namespaces=names)
        assert found is not None, answer.text
        return answer.status_code, found


class AppTest(AppTestCase):
    def test_the_access_key_names_the_project(self) -> None:
        self.assertEqual(200, self.ask(Action="ListStacks").status_code)

        (call,) = self.bus.calls
        self.assertEqual("demo", call.ctxt.project_id)
        self.assertEqual(request.CallWaiting(0.0), call.ctxt.waiting)

    def test_a_crash_tells_nothing(self) -> None:
        self.bus.answers["stack.list"] = ValueError("s3cret")

        answer = self.ask(Action="ListStacks")

        self.assertEqual((500, "InternalFailure"), self.code(answer))
        self.assertNotIn("s3cret", answer.text)

    def test_who_is_unknown_is_told_how_to_say_it(self) -> None:
        self.bus.answers["stack.list"] = api_errors.Unauthenticated(
            "who?", "Keystone"
        )

        answer = self.ask(Action="ListStacks")

        self.assertEqual(
            (403, "MissingAuthenticationToken"), self.code(answer)
        )
        self.assertEqual("Keystone", answer.headers["WWW-Authenticate"])

    def test_workers_that_say_nothing_are_told_of(self) -> None:
        self.bus.answers["stack.list"] = errors.Unavailable("no answer")

        self.assertEqual(
            (503, "ServiceUnavailable"),
            self.code(self.ask(Action="ListStacks")),
        )

    def test_a_full_page_names_the_next(self) -> None:
        self.bus.answers["stack.list"] = [fakes.STACK] * 100

        answer = self.ask(Action="ListStacks", ContentType="JSON")
        found = answer.json["ListStacksResponse"]["ListStacksResult"]
        self.bus.calls.clear()
        self.ask(Action="ListStacks", NextToken=found["NextToken"])

        query = self.bus.sent("stack.list")["query"]
        assert isinstance(query, dict)
        self.assertEqual(fakes.STACK_ID, query["marker"])

    def test_a_stack_that_goes_meanwhile_is_left_out(self) -> None:
        self.bus.answers["stack.list"] = [fakes.STACK]
        self.bus.answers["stack.show"] = errors.NotFound("gone")

        answer = self.ask(Action="DescribeStacks", ContentType="JSON")

        told = answer.json["DescribeStacksResponse"]["DescribeStacksResult"]
        self.assertEqual({"Stacks": []}, told)

    def test_health_is_for_everyone(self) -> None:
        self.assertEqual(
            200, self.api.simulate_get("/healthcheck").status_code
        )


class LimitsTest(AppTestCase):
    limits = settings.Settings(
        max_json_body_size=200,
        requests_per_minute=1,
        request_burst=2,
        hidden_stack_tags=("secret",),
        is_local=True,
    )

    def ask(
        self, headers: dict[str, str] | None = None, **parameters: str
    ) -> testing.Result:
        return super().ask(
            {"Host": "localhost", **(headers or {})}, **parameters
        )

    def test_projects_are_slowed_down(self) -> None:
        found = [self.ask(Action="ListStacks") for _ in range(3)]

        self.assertEqual([200, 200, 400], [one.status_code for one in found])
        self.assertEqual((400, "Throttling"), self.code(found[2]))
        self.assertIn("Retry-After", found[2].headers)

    def test_forms_have_a_size(self) -> None:
        answer = self.ask(Action="CreateStack", TemplateBody="x" * 700)

        self.assertEqual((400, "LimitExceededException"), self.code(answer))

    def test_hidden_stacks_are_not_listed(self) -> None:
        self.ask(Action="ListStacks")

        query = self.bus.sent("stack.list")["query"]
        assert isinstance(query, dict)
        self.assertEqual(["secret"], query["not_tags_any"])

    def test_other_names_of_this_machine_are_refused(self) -> None:
        answer = self.ask({"Host": "evil.example"}, Action="ListStacks")

        self.assertEqual((403, "AccessDenied"), self.code(answer))


class BuildTest(base.TestCase):
    def test_names_and_passwords_check_no_signatures(self) -> None:
        self.assertRaises(
            app.SignaturesUnsupported,
            app.build_app,
            fakes.Bus(),
            settings.Settings(auth="basic"),
        )
