import base64
import hashlib
import hmac
import json
import pathlib
import typing

import fixtures

from orch import clock
from orch import errors
from orch.lifecycle_plugins import webhook
from orch.lifecycle_plugins import wire
from orch.plugin import lifecycle
from tests.support import patterns
from tests.support import webhooks
from tests.unit.lifecycle_plugins import judged
from tests.unit.resources import contexts

SECRET = "a secret of the operator"
DENIED = (200, b'{"ruling": "deny", "text": "no licence is left"}')


class WebhookTestCase(judged.PluginTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.secret = self.make_directory() / "secret"
        self.secret.write_text(SECRET + "\n")
        self.useFixture(
            fixtures.MonkeyPatch("orch.lifecycle_plugins.webhook._PAUSE_S", 0)
        )

    def settings(self, url: str, **more: object) -> dict[str, object]:
        return {
            "url": url,
            "allow_http": True,
            "secret_file": str(self.secret),
            "allowed_networks": ["127.0.0.0/8"],
            **more,
        }

    def plugin(
        self,
        service: webhooks.Service,
        moments: clock.Clock | None = None,
        **more: object,
    ) -> webhook.Webhook:
        return webhook.Webhook(
            "webhook:licences", self.settings(service.url, **more), moments
        )

    def serve(self, *answers: tuple[int, bytes]) -> webhooks.Service:
        return self.useFixture(webhooks.Service(*answers))

    def ask(self, plugin: webhook.Webhook) -> lifecycle.Verdict:
        return self.judge(plugin, patterns.make_operation(patterns.stack()))


class CallsTest(WebhookTestCase):
    def test_the_verdict_is_that_of_the_service(self) -> None:
        service = self.serve(DENIED)

        verdict = self.ask(self.plugin(service))

        self.assertEqual(lifecycle.deny("no licence is left"), verdict)
        body = json.loads(service.requests[0].body)
        self.assertEqual("pre", body["phase"])
        self.assertEqual("app", body["after"]["name"])

    def test_an_empty_answer_allows(self) -> None:
        verdict = self.ask(self.plugin(self.serve((204, b""))))

        self.assertEqual(lifecycle.allow(), verdict)

    def test_a_call_is_signed(self) -> None:
        service = self.serve()
        moments = contexts.FakeClock(1_700_000_000.7)

        self.ask(self.plugin(service, moments))

        request = service.requests[0]
        headers = {
            key.lower(): value for key, value in request.headers.items()
        }
        self.assertEqual(
            "operation-1.1.pre.webhook:licences", headers["webhook-id"]
        )
        self.assertEqual("1700000000", headers["webhook-timestamp"])
        content = b".".join(
            [headers["webhook-id"].encode(), b"1700000000", request.body]
        )
        expected = base64.b64encode(
            hmac.digest(SECRET.encode(), content, hashlib.sha256)
        ).decode()
        self.assertEqual(f"v1,{expected}", headers["webhook-signature"])

    def test_the_example_of_the_standard_is_signed_as_it_says(self) -> None:
        # https://github.com/standard-webhooks: the vector of its libraries.
        self.secret.write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        plugin = webhook.Webhook(
            "w",
            self.settings("http://127.0.0.1:1/"),
            contexts.FakeClock(1614265330),
        )

        found = plugin.sign(
            b'{"test": 2432232314}', "msg_p5jXN8AQM9LWM0D4loKWxJek"
        )

        self.assertEqual(
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            found["webhook-signature"],
        )

    def test_two_secrets_sign_while_one_follows_the_other(self) -> None:
        self.secret.write_text(f"{'n' * 16}\n{'o' * 16}\n")
        plugin = webhook.Webhook("w", self.settings("http://127.0.0.1:1/"))

        found = plugin.sign(b"{}", "id")["webhook-signature"]

        self.assertEqual(2, len(found.split(" ")))

    def test_a_secret_may_be_in_the_environment(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("HOOK_SECRET", SECRET))
        given = self.settings("http://127.0.0.1:1/", secret_env="HOOK_SECRET")
        del given["secret_file"]

        found = webhook.Webhook("w", given, contexts.FakeClock())

        self.assertEqual(
            webhook.Webhook(
                "w", self.settings("http://127.0.0.1:1/"), contexts.FakeClock()
            ).sign(b"{}", "id"),
            found.sign(b"{}", "id"),
        )

    def test_headers_of_the_connection_are_refused(self) -> None:
        """The settings name one that the client itself sets."""
        service = self.serve()
        error = self.assertRaises(
            errors.Invalid, self.plugin, service, headers={"Host": "x"}
        )

        self.assertIn("'Host'", error.message)

    def test_headers_of_the_operator_go_along(self) -> None:
        service = self.serve()

        self.ask(self.plugin(service, headers={"X-Team": "cloud"}))

        self.assertEqual("cloud", service.requests[0].headers["X-Team"])

    def test_the_outcome_is_told(self) -> None:
        service = self.serve()
        ended = lifecycle.OperationResult(
            outcome=lifecycle.Outcome.FAILED, reason="no room"
        )

        self.plugin(service).post_operation(
            patterns.make_operation(patterns.stack()), ended
        )

        body = json.loads(service.requests[0].body)
        self.assertEqual("post", body["phase"])
        self.assertEqual("no room", body["ended"]["reason"])

    def test_a_phase_may_be_left_out(self) -> None:
        service = self.serve(DENIED)
        operation = patterns.make_operation(patterns.stack())
        ended = lifecycle.OperationResult(
            outcome=lifecycle.Outcome.COMPLETE, reason=""
        )

        verdict = self.ask(self.plugin(service, phases=["post"]))
        self.plugin(service, phases=["pre"]).post_operation(operation, ended)

        self.assertEqual(lifecycle.allow(), verdict)
        self.assertEqual([], service.requests)


class FailuresTest(WebhookTestCase):
    def test_what_passes_by_itself_is_tried_again(self) -> None:
        service = self.serve((503, b"busy"), (429, b"slow"), DENIED)

        verdict = self.ask(self.plugin(service))

        self.assertEqual(lifecycle.Ruling.DENY, verdict.ruling)
        self.assertEqual(3, len(service.requests))
        ids = {each.headers["webhook-id"] for each in service.requests}
        self.assertEqual(1, len(ids))

    def test_it_is_tried_so_many_times(self) -> None:
        service = self.serve((503, b"busy"))

        error = self.assertRaises(
            errors.Transient, self.ask, self.plugin(service, attempts=3)
        )

        self.assertEqual(3, len(service.requests))
        self.assertIn("answered 503: busy (attempt 3)", error.message)

    def test_it_is_tried_while_there_is_time(self) -> None:
        service = self.serve((503, b"busy"))
        moments = contexts.FakeClock()
        plugin = self.plugin(service, moments, attempts=20, time_limit=10)
        sign = plugin.sign

        def slowly(call: bytes, call_id: str) -> dict[str, str]:
            moments.time += 4
            return sign(call, call_id)

        plugin.sign = slowly  # type: ignore[method-assign]
        error = self.assertRaises(errors.Transient, self.ask, plugin)

        self.assertEqual(3, len(service.requests))
        self.assertIn(
            "(attempt 3); the 10 s that it has are over", error.message
        )

    def test_a_refusal_is_not_tried_again(self) -> None:
        service = self.serve((403, b"who are you"))

        error = self.assertRaises(
            webhook.WebhookRefused, self.ask, self.plugin(service)
        )

        self.assertEqual(1, len(service.requests))
        self.assertIn("answered 403: who are you", error.message)

    def test_redirects_are_not_followed(self) -> None:
        service = self.serve((302, b""))
        service.headers = {"location": service.url}

        self.assertRaises(
            webhook.WebhookRefused, self.ask, self.plugin(service)
        )

        self.assertEqual(1, len(service.requests))

    def test_an_answer_that_is_no_verdict_is_an_error(self) -> None:
        service = self.serve((200, b"<html>"))

        self.assertRaises(wire.BadAnswer, self.ask, self.plugin(service))

    def test_a_long_answer_is_an_error(self) -> None:
        service = self.serve((200, b" " * (1024 * 1024 + 1)))

        error = self.assertRaises(
            webhook.WebhookRefused, self.ask, self.plugin(service)
        )

        self.assertIn("more than", error.message)

    def test_nobody_there_is_told_without_the_address(self) -> None:
        plugin = webhook.Webhook(
            "w",
            self.settings("http://127.0.0.1:1/?token=hidden", attempts=1),
        )

        error: typing.Any = self.assertRaises(
            errors.Transient, self.ask, plugin
        )

        self.assertIn("127.0.0.1:1 gave no answer", error.message)
        self.assertIn("the connection is refused there", error.message)
        self.assertNotIn("hidden", error.message)

    def test_closed_addresses_are_not_asked(self) -> None:
        service = self.serve()

        service.url = service.url.replace("127.0.0.1", "localhost")
        plugin = self.plugin(service, allowed_networks=[])

        error = self.assertRaises(webhook.WebhookRefused, self.ask, plugin)

        self.assertIn("allowed_networks of this plug-in", error.message)
        self.assertEqual([], service.requests)


class SettingsTest(WebhookTestCase):
    def refuse(self, url: str = "https://h.example/", **more: object) -> str:
        given = {
            key: value
            for key, value in self.settings(url, **more).items()
            if value is not None
        }
        error = self.assertRaises(errors.Invalid, webhook.Webhook, "w", given)
        return str(error.message)

    def test_http_has_to_be_allowed(self) -> None:
        told = self.refuse("http://h.example/", allow_http=None)

        self.assertIn("it has to be https", told)

    def test_wrong_settings_are_refused(self) -> None:
        self.assertIn("url", self.refuse("ftp://h.example/"))
        self.assertIn("url", self.refuse("https://ann:pw@h.example/"))
        self.assertIn("'utl'", self.refuse(utl="x"))
        self.assertIn("its settings", self.refuse(secret_file=None))
        self.assertIn("its settings", self.refuse(secret_env="X"))
        self.assertIn("allowed_networks", self.refuse(allowed_networks=["x"]))
        told = self.refuse("https://127.0.0.1/", allowed_networks=[])
        self.assertIn("url: 127.0.0.1 is on this machine", told)

    def test_secrets_are_there_and_long_enough(self) -> None:
        missing = pathlib.Path(self.secret.parent) / "missing"
        self.assertIn("cannot be read", self.refuse(secret_file=str(missing)))
        for text, told in (
            ("", "there is no secret"),
            ("short", "shorter than 16"),
            ("whsec_!", "no base64"),
        ):
            self.secret.write_text(text)
            self.assertIn(told, self.refuse())

    def test_settings_say_where_it_stands_and_when_it_is_asked(self) -> None:
        plugin = webhook.Webhook(
            "w",
            self.settings(
                "https://h.example/",
                ordinal=7,
                before="resource-counts",
                verbs=["create"],
                every_stack=True,
                previews=True,
                time_limit=12,
            ),
        )

        self.assertEqual(7, plugin.ordinal)
        self.assertEqual(("resource-counts",), plugin.before)
        self.assertEqual({"create"}, plugin.verbs)
        self.assertIs(lifecycle.Scope.EVERY_STACK, plugin.scope)
        self.assertIs(True, plugin.supports_preview)
        self.assertEqual(17, plugin.time_limit_s)

    def test_it_is_not_asked_in_previews_by_itself(self) -> None:
        plugin = webhook.Webhook("w", self.settings("https://h.example/"))

        self.assertIs(False, plugin.supports_preview)
        self.assertIs(lifecycle.Scope.ROOTS, plugin.scope)
