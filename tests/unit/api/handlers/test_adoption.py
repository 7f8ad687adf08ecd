"""What requests that adopt, export and abandon become on the bus."""

import dataclasses
import pathlib
import typing

import fixtures
from falcon import testing
from oslo_config import cfg

from orch import errors
from orch.api import app
from orch.context import request as request_context
from tests.unit.api import fakes

STACK = f"/v1/demo/stacks/web/{fakes.STACK_ID}"
DOCUMENT = {"name": "web", "resources": {}}
ACCEPTED = {"identity": fakes.IDENTITY, "operation_id": "o"}


class AdoptTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["adoption.adopt"] = ACCEPTED
        self.bus.answers["stack.update"] = ACCEPTED

    def adopt(self, status: int = 201, **body: object) -> dict[str, object]:
        request = {"stack_name": "web", "adopt_stack_data": "{}", **body}
        self.ask("POST", "/v1/demo/stacks", status, json=request)
        if status != 201:
            return {}
        return self.bus.sent("adoption.adopt")

    def test_the_document_passes_as_it_came(self) -> None:
        sent = self.adopt(parameters={"a": 1}, files={"f": "t"})

        self.assertEqual(("web", "{}"), (sent["name"], sent["data"]))
        self.assertEqual(
            {"parameters": {"a": 1}, "files": {"f": "t"}}, sent["inputs"]
        )
        self.assertEqual(({}, {}), (sent["options"], sent["request"]))
        (cast,) = self.bus.casts
        self.assertEqual({"operation_id": "o"}, cast.args)

    def test_a11_the_timeout_of_heats_client_counts(self) -> None:
        self.assertEqual({"timeout_mins": 7}, self.adopt(timeout=7)["options"])

    def test_the_other_name_of_the_timeout_comes_first(self) -> None:
        sent = self.adopt(timeout=7, timeout_mins=8)

        self.assertEqual({"timeout_mins": 8}, sent["options"])

    def test_how_things_are_taken_over_passes(self) -> None:
        sent = self.adopt(
            adopt_verify="refuse", adopt_missing="create", adopt_owned="true"
        )

        self.assertEqual(
            {
                "verify": "refuse",
                "creates_missing": True,
                "allows_owned": True,
            },
            sent["request"],
        )

    def test_what_is_neither_map_nor_text_is_refused(self) -> None:
        for wrong in ([], 7, True):
            self.adopt(400, adopt_stack_data=wrong)
        self.adopt(400, adopt_missing="perhaps")
        self.adopt(400, adopt_owned="perhaps")
        self.assertEqual([], self.bus.calls)

    def test_an_update_passes_ids(self) -> None:
        body = {"template": {}, "external_ids": {"a": "x"}}

        self.ask("PUT", STACK, 202, json={**body, "adopt_verify": "take"})

        self.assertEqual(
            {"external_ids": {"a": "x"}, "adoption": {"verify": "take"}},
            self.bus.sent("stack.update")["options"],
        )


class AbandonTest(fakes.ApiTestCase):
    settings = app.Settings(stopping_timeout_s=0.2)

    def setUp(self) -> None:
        super().setUp()
        self.facts = {
            "is_stopping": False,
            "token": "t",
            "document": DOCUMENT,
            "accepted": ACCEPTED,
        }

    def test_the_document_is_the_answer(self) -> None:
        self.bus.answers["adoption.commit"] = self.facts

        answer = self.ask("DELETE", f"{STACK}/abandon", 200)

        self.assertEqual(DOCUMENT, answer.json)
        (cast,) = self.bus.casts
        self.assertEqual({"operation_id": "o"}, cast.args)

    def test_an_end_without_end_is_a_conflict(self) -> None:
        self.bus.answers["adoption.commit"] = {"is_stopping": True}

        answer = self.ask("DELETE", f"{STACK}/abandon", 409)

        self.assert_error(answer, "ActionInProgress", "repeat the request")
        self.assertEqual([], self.bus.casts)

    def test_what_is_prepared_wakes_nobody(self) -> None:
        del self.facts["accepted"]
        self.bus.answers["adoption.prepare"] = self.facts

        answer = self.ask(
            "POST", f"{STACK}/abandon", 200, json={"prepare": None}
        )

        self.assertEqual(
            {"abandonment": {"token": "t", "document": DOCUMENT}}, answer.json
        )
        self.assertEqual([], self.bus.casts)

    def test_a_commit_passes_its_token(self) -> None:
        self.bus.answers["adoption.commit"] = self.facts

        self.ask("POST", f"{STACK}/abandon", 200, json={"commit": "t"})

        self.assertEqual("t", self.bus.sent("adoption.commit")["token"])

    def test_neither_step_is_refused(self) -> None:
        for body in (
            {},
            {"commit": ""},
            {"commit": 7},
            {"prepare": None, "commit": "t"},
        ):
            self.ask("POST", f"{STACK}/abandon", 400, json=body)

    def test_another_name_is_not_found(self) -> None:
        path = STACK.replace("web", "other")

        for method, below, verb in (
            ("DELETE", "abandon", "commit"),
            ("GET", "abandon", "show"),
            ("GET", "export", "export"),
        ):
            self.bus.answers[f"adoption.{verb}"] = errors.NotFound("other")
            self.ask(method, f"{path}/{below}", 404)
            address = request_context.StackAddress("other", fakes.STACK_ID)
            self.assertEqual(address, self.bus.calls[-1].ctxt.address)

    def test_a_g9_how_secrets_stand_passes(self) -> None:
        self.bus.answers["adoption.export"] = DOCUMENT

        for asked, request in (
            ("", {}),
            ("?secrets=plain", {"form": "plain"}),
            ("?secrets=sealed", {"form": "sealed"}),
            ("?receiver=k", {"receiver": "k"}),
        ):
            self.bus.calls.clear()
            self.ask("GET", f"{STACK}/export{asked}", 200)
            self.assertEqual(
                {**request, "allows_plain": True},
                self.bus.sent("adoption.export")["secrets"],
            )

    def test_a_g9_what_contradicts_itself_is_refused(self) -> None:
        for asked in ("secrets=no", "secrets=plain&receiver=k"):
            self.ask("GET", f"{STACK}/export?{asked}", 400)
        self.assertEqual([], self.bus.calls)

    def test_a_reader_gets_no_secrets(self) -> None:
        reader = {"X-Roles": "reader"}

        for method, below in (
            ("DELETE", "abandon"),
            ("GET", "abandon"),
            ("POST", "abandon"),
            ("GET", "export"),
        ):
            self.ask(method, f"{STACK}/{below}", 403, headers=reader)


class HandOverTest(fakes.ApiTestCase):
    BODY: typing.ClassVar[dict[str, object]] = {
        "hand_over": {"project": "other"}
    }

    def restrict(self, *rules: str) -> None:
        """Let nobody do what these rules are for."""
        file = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        policy = file / "policy.yaml"
        policy.write_text("".join(f'"{each}": "!"\n' for each in rules))
        conf = file / "orch.conf"
        conf.write_text(f"[oslo_policy]\npolicy_file = {policy}\n")
        options = cfg.ConfigOpts()
        options([], default_config_files=[str(conf)])
        limits = dataclasses.replace(self.settings, policy=options)
        self.api = testing.TestClient(app.build_app(self.bus, limits))

    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["hand_over.offer"] = {
            "is_stopping": False,
            "token": "t",
            "receiver_id": "other",
            "expires_at": 0.0,
            "accepted": ACCEPTED,
        }
        self.bus.answers["adoption.commit"] = {
            "is_stopping": False,
            "document": DOCUMENT,
        }

    def test_the_answer_has_no_document(self) -> None:
        answer = self.ask("POST", f"{STACK}/abandon", 200, json=self.BODY)

        self.assertEqual(
            {
                "abandonment": {
                    "token": "t",
                    "project": "other",
                    "expires_at": "1970-01-01T00:00:00Z",
                }
            },
            answer.json,
        )
        self.assertEqual(
            "other", self.bus.sent("hand_over.offer")["receiver_id"]
        )
        (cast,) = self.bus.casts
        self.assertEqual({"operation_id": "o"}, cast.args)

    def test_its_rule_is_its_own(self) -> None:
        self.restrict("stacks:abandon")

        self.ask("POST", f"{STACK}/abandon", 200, json=self.BODY)
        self.ask("POST", f"{STACK}/abandon", 403, json={"prepare": None})
        self.restrict("stacks:hand_over")
        self.ask("POST", f"{STACK}/abandon", 403, json=self.BODY)
        self.ask("POST", f"{STACK}/abandon", 200, json={"commit": "t"})
        self.ask("DELETE", f"/v1/demo/hand_overs/{fakes.STACK_ID}", 403)
