"""What changes a stack is nothing that a page of the web can send."""

import re
import time
import urllib.parse

from falcon import testing

from orch.api import settings
from orch.api.cfn import app
from tests.unit.api import fakes
from tests.unit.api.cfn import test_app


class ChangesTest(test_app.AppTestCase):
    limits = settings.Settings(is_local=True)

    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.identify"] = fakes.IDENTITY
        self.bus.answers["stack.delete"] = None

    def signed_4(self) -> dict[str, str]:
        """Return headers with a signature of version 4 in good form."""
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        return {
            "X-Amz-Date": date,
            "Authorization": "AWS4-HMAC-SHA256 Credential="
            f"demo/{date[:8]}/any/cloudformation/aws4_request,"
            f" SignedHeaders=host, Signature={'0' * 64}",
        }

    def signed_2(self, **parameters: str) -> str:
        """Return a form with a signature of version 2 in good form."""
        return urllib.parse.urlencode(
            {
                **parameters,
                "AWSAccessKeyId": "demo",
                "SignatureMethod": "HmacSHA256",
                "SignatureVersion": "2",
                "Signature": "A" * 43 + "=",
                "Timestamp": time.strftime(
                    "%Y-%m-%dT%H:%M:%SZ", time.gmtime()
                ),
            }
        )

    def send(
        self, method: str, text: str, headers: dict[str, str] | None = None
    ) -> testing.Result:
        """Return the answer to parameters, wherever the method has them."""
        place = "query_string" if method == "GET" else "body"
        return self.api.simulate_request(
            method,
            "/v1/",
            headers={
                "Host": "localhost",
                "Content-Type": "application/x-www-form-urlencoded",
                **(headers or {}),
            },
            **{place: text},
        )

    def test_all_other_actions_read(self) -> None:
        self.assertEqual(
            {"Describe", "Estimate", "Get", "List", "Validate"},
            {
                re.match("[A-Z][a-z]+", name)[0]
                for name in _actions() - set(app.CHANGES)
            },
        )

    def test_no_address_changes_a_stack(self) -> None:
        for action in app.CHANGES:
            asked = {"Action": action, "StackName": "web"}
            for answer in (
                self.send("GET", self.signed_2(**asked)),
                self.send(
                    "GET", urllib.parse.urlencode(asked), self.signed_4()
                ),
            ):
                self.assertEqual((403, "AccessDenied"), self.code(answer))
                self.assertIn("POST", answer.text)
        self.assertEqual([], self.bus.calls)

    def test_no_form_changes_a_stack(self) -> None:
        for action in app.CHANGES:
            asked = self.signed_2(Action=action, StackName="web")

            answer = self.send("POST", asked)

            self.assertEqual((403, "AccessDenied"), self.code(answer))
            self.assertIn("version 4", answer.text)
        self.assertEqual([], self.bus.calls)

    def test_a_form_that_is_signed_in_its_header_does(self) -> None:
        answer = self.send(
            "POST", "Action=DeleteStack&StackName=web", self.signed_4()
        )

        self.assertEqual(200, answer.status_code, answer.text)
        self.assertIn("stack.delete", [each.name for each in self.bus.calls])

    def test_reading_needs_no_header(self) -> None:
        for method in ("GET", "POST"):
            answer = self.send(method, self.signed_2(Action="ListStacks"))

            self.assertEqual(200, answer.status_code, answer.text)


def _actions() -> set[str]:
    return set(app.TABLE)
