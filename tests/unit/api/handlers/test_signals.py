"""Addresses whose seal is all the proof that they need."""

import urllib.parse

from falcon import testing

from orch.api import settings
from orch.context import request
from orch.context import seals
from orch.rpc import contract
from tests.unit.api import fakes

KEY, OLDER = "k" * 32, "o" * 32
ARN = f"arn:openstack:heat::demo:stacks/web/{fakes.STACK_ID}/resources/handle"
TAKEN: contract.Signalled = {"accepted": None, "answer": {"1": "x"}}
LONG_AGO, MUCH_LATER = 1000, 99_999_999_999


def address(
    kind: str = "signal",
    *,
    key: str = KEY,
    expires_at: int = 0,
    arn: str = ARN,
) -> str:
    """Return an address that we made."""
    what = seals.Sealed(
        kind, "demo", "web", fakes.STACK_ID, "handle", "r-1", expires_at
    )
    query = {
        "Resource": "r-1",
        "Expires": expires_at,
        "Signature": seals.seal_address(key, what),
    }
    path = urllib.parse.quote(arn)
    return f"/v1/{kind}/{path}?{urllib.parse.urlencode(query)}"


class SignalsTest(fakes.ApiTestCase):
    settings = settings.Settings(signal_keys=(KEY, OLDER))

    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["resource.signal"] = TAKEN

    def send(
        self, url: str, body: str = "{}", method: str = "POST"
    ) -> testing.Result:
        return self.api.simulate_request(method, url, body=body)

    def test_a_genuine_one_asks_for_its_incarnation_only(self) -> None:
        answer = self.send(address(), '{"status": "SUCCESS"}')

        (sent,) = self.bus.calls
        self.assertEqual(200, answer.status_code)
        self.assertEqual(request.CallWaiting(0.0), sent.ctxt.waiting)
        self.assertIsNone(answer.json)
        self.assertEqual(
            {
                "stack_id": fakes.STACK_ID,
                "name": "handle",
                "details": {"status": "SUCCESS"},
                "resource_id": "r-1",
            },
            sent.args,
        )
        self.assertEqual(
            ("demo", [], False),
            (sent.ctxt.project_id, sent.ctxt.roles, sent.ctxt.is_admin),
        )

    def test_that_of_a_wait_condition_answers_what_came(self) -> None:
        answer = self.send(address("waitcondition"), method="PUT")

        self.assertEqual(
            {"resource": "handle", "metadata": {"1": "x"}}, answer.json
        )

    def test_what_may_go_on_is_woken(self) -> None:
        self.bus.answers["resource.signal"] = {
            "accepted": fakes.ACCEPTED,
            "answer": None,
        }
        self.send(address())

        (cast,) = self.bus.casts
        self.assertEqual(
            ("operation.run", {"operation_id": "op-1"}),
            (cast.name, cast.args),
        )

    def test_an_older_key_opens_too(self) -> None:
        self.assertEqual(200, self.send(address(key=OLDER)).status_code)

    def test_what_is_not_ours_asks_no_worker(self) -> None:
        signed = address()
        for url in (
            address(key="x" * 32),
            address(expires_at=LONG_AGO),
            address(arn=ARN + "x"),
            address(arn=ARN.replace("/resources", "")),
            address(arn="arn:" + "x" * 5000),
            signed.replace("Resource=r-1", "Resource=r-2"),
            signed.replace("Expires=0", "Expires=٣"),
            signed.replace("Expires=0", "Expires=1" + "0" * 5000),
            signed.partition("?")[0],
            signed + "&Signature=x",
        ):
            answer = self.send(url)
            self.assertEqual(403, answer.status_code, url[-200:])
        self.assertEqual([], self.bus.calls)

    def test_one_that_expires_later_is_open(self) -> None:
        url = address(expires_at=MUCH_LATER)

        self.assertEqual(200, self.send(url).status_code)

    def test_each_kind_has_its_method(self) -> None:
        self.assertEqual(405, self.send(address(), method="PUT").status_code)
        answer = self.send(address("waitcondition"))
        self.assertEqual(
            (405, "PUT"), (answer.status_code, answer.headers["allow"])
        )
        self.assertEqual([], self.bus.calls)

    def test_a_body_that_is_no_json_asks_no_worker(self) -> None:
        self.assertEqual(400, self.send(address(), "{").status_code)
        self.assertEqual([], self.bus.calls)

    def test_a_project_called_signal_is_a_project(self) -> None:
        self.bus.answers["stack.list"] = []

        answer = self.api.simulate_get("/v1/signal/stacks")

        self.assertEqual({"stacks": []}, answer.json)
        self.assertEqual("signal", self.bus.calls[0].ctxt.project_id)


class NoKeyTest(fakes.ApiTestCase):
    def test_without_a_key_nothing_is_open(self) -> None:
        answer = self.api.simulate_post(address(key=""))

        self.assertEqual(403, answer.status_code)
        self.assertEqual([], self.bus.calls)
