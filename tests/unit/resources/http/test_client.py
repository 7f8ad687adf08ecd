import socket
import time

import fixtures

from orch import errors
from orch.clients import egress
from orch.resources.http import client
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.http import service


class ClientTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(service.Service())

    def send(self, path: str = "/x", **more: object) -> object:
        options = more.pop("options", {})
        assert isinstance(options, dict)
        facts = {
            "method": "GET",
            "url": f"{self.service.url}{path}",
            "headers": {},
            **more,
        }
        request = client.Request(**facts)  # type: ignore[arg-type]
        return client.Client(contexts.options(**options)).send(request)

    def answer(self, status: int, document: object = None) -> None:
        self.service.answers["GET", "/x"] = (status, document)

    def test_a_document_or_none_comes_back(self) -> None:
        self.answer(200, {"a": [1]})
        self.assertEqual({"a": [1]}, self.send())
        self.answer(204, None)
        self.assertIsNone(self.send())

    def test_statuses_are_told_apart(self) -> None:
        for status, kind in (
            (302, client.ServiceRefused),
            (400, client.ServiceRefused),
            (404, client.NotFound),
            (403, client.ServiceRefused),
            (408, client.RetryLater),
            (409, errors.Busy),
            (410, client.NotFound),
            (413, errors.QuotaExceeded),
            (423, errors.Busy),
            (425, client.RetryLater),
            (429, client.RetryLater),
            (500, client.RetryLater),
            (502, errors.Outage),
            (503, errors.Outage),
            (504, errors.Outage),
            (505, client.RetryLater),
            (507, errors.QuotaExceeded),
        ):
            self.answer(status, {"why": "because"})
            error = self.assertRaises(errors.OrchError, self.send)
            self.assertIs(kind, type(error), status)
            self.assertIn(f"answered {status}", error.message)
            self.assertIn("because", error.message)

    def test_a_service_may_mean_something_else_by_a_status(self) -> None:
        meant = client.ErrorStatuses(
            passing=[404, 503], busy=[412], quota=[403]
        )
        for status, kind in (
            (403, errors.QuotaExceeded),
            (404, client.RetryLater),
            (409, client.ServiceRefused),
            (412, errors.Busy),
            (413, client.ServiceRefused),
            (429, client.ServiceRefused),
            (503, client.RetryLater),
            (507, client.RetryLater),
        ):
            self.answer(status)
            error = self.assertRaises(
                errors.OrchError, self.send, errors=meant
            )
            self.assertIs(kind, type(error), status)

    def test_when_to_come_again_is_the_services_to_say(self) -> None:
        for text, after_s in (
            ("7", 7.0),
            (" 0 ", 0.0),
            ("999999", 3600.0),
            ("", None),
            ("-1", None),
            ("Fri, 20 Nov 2026 10:00:00 GMT", None),
        ):
            self.answer(503)
            self.service.headers = {"Retry-After": text}
            error = self.assertRaises(errors.Outage, self.send)
            self.assertEqual(after_s, error.after_s, text)

    def test_no_connection_is_an_outage_and_silence_is_not(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            url = f"http://127.0.0.1:{port}/"
            silent = self.assertRaises(
                errors.Transient,
                self.send,
                url=url,
                options={"read_timeout": 0.2},
            )
        closed = self.assertRaises(errors.Transient, self.send, url=url)
        unknown = self.assertRaises(
            errors.Transient, self.send, url="http://no-such-host.invalid/"
        )
        self.answer(0)
        hung_up = self.assertRaises(errors.Transient, self.send)

        self.assertIs(errors.Transient, type(silent))
        self.assertIs(errors.Outage, type(closed))
        self.assertIs(errors.Outage, type(unknown))
        self.assertIs(errors.Transient, type(hung_up))
        known = [each.is_over for each in (silent, closed, unknown, hung_up)]
        self.assertEqual([False, True, True, False], known)

    def test_a_gateway_that_gives_up_does_not_end_the_call(self) -> None:
        for status, is_over in ((500, True), (503, True), (502, False)):
            self.answer(status)
            error = self.assertRaises(errors.Transient, self.send)
            self.assertEqual(is_over, error.is_over, status)

    def test_only_the_statuses_asked_for_are_success(self) -> None:
        self.answer(200, {})
        self.assertRaises(client.ServiceRefused, self.send, statuses=[201])
        self.answer(404, {})
        self.assertEqual({}, self.send(statuses=[404]))

    def test_a_long_answer_is_quoted_in_part(self) -> None:
        self.answer(400, "x" * 1000)

        error = self.assertRaises(client.ServiceRefused, self.send)

        self.assertLess(len(error.message), 400)

    def test_secrets_in_a_query_are_not_quoted(self) -> None:
        error = self.assertRaises(client.NotFound, self.send, "/x?key=secret")

        self.assertNotIn("secret", error.message)

    def test_redirections_are_not_followed(self) -> None:
        self.answer(302, None)

        self.assertRaises(client.ServiceRefused, self.send)

        self.assertEqual(1, len(self.service.requests))

    def test_no_answer_is_transient(self) -> None:
        self.answer(0)
        self.assertRaises(errors.Transient, self.send)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        url = f"http://127.0.0.1:{port}/"
        self.assertRaises(errors.Transient, self.send, url=url)

    def test_an_answer_that_does_not_come_is_not_waited_for(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            error = self.assertRaises(
                errors.Transient,
                self.send,
                url=url,
                options={"read_timeout": 0.1},
            )
        self.assertIn("timed out", error.message)

    def test_an_answer_that_trickles_is_not_waited_for(self) -> None:
        listener = self.useFixture(service.Trickle())
        begun = time.monotonic()

        error = self.assertRaises(
            errors.Transient,
            self.send,
            url=listener.url,
            options={"read_timeout": 0.3},
        )

        self.assertLess(time.monotonic() - begun, 3)
        self.assertIn("not answered whole", error.message)

    def test_a_header_that_trickles_is_not_waited_for(self) -> None:
        """Its connection is closed, though bytes come all the time."""
        listener = self.useFixture(service.HeaderTrickle())

        error = self.assertRaises(
            errors.Transient,
            self.send,
            url=listener.url,
            options={"connect_timeout": 0.1, "read_timeout": 0.3},
        )

        self.assertIn("not answered whole", error.message)

    def test_a_reset_after_the_end_is_a_late_answer(self) -> None:
        """The reset may be seen before the end of the connection."""
        listener = self.useFixture(service.ResetHeader())
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.clients.deadlines.Deadline._break", lambda _: None
            )
        )

        error = self.assertRaises(
            errors.Transient,
            self.send,
            url=listener.url,
            options={"connect_timeout": 0.1, "read_timeout": 0.3},
        )

        self.assertIn("not answered whole", error.message)

    def test_an_answer_that_is_too_long_is_refused(self) -> None:
        self.answer(200, "x" * 2000)

        error = self.assertRaises(
            client.ServiceRefused, self.send, options={"max_response_kib": 1}
        )

        self.assertIn("more than 1 KiB", error.message)

    def test_an_answer_that_is_no_json_is_refused(self) -> None:
        for text, said in (
            ("<html>", "no JSON"),
            ("[" * 100000, "nested more than 200 deep"),
            ("[" * 201 + "]" * 201, "nested more than 200 deep"),
        ):
            self.answer(200, text)
            error = self.assertRaises(client.ServiceRefused, self.send)
            self.assertIn(said, error.message)

    def test_what_cannot_be_sent_is_refused(self) -> None:
        self.assertRaises(
            client.ServiceRefused, self.send, headers={"A": "b\r\nC: d"}
        )

    def test_a_certificate_that_nobody_signed_is_refused(self) -> None:
        url = self.service.url.replace("http://", "https://")

        error = self.assertRaises(errors.OrchError, self.send, url=url)

        self.assertIsInstance(error, client.ServiceRefused)

    def test_the_operators_fence_holds(self) -> None:
        self.assertRaises(
            errors.Forbidden,
            self.send,
            options={"allowed_urls": ["http://127.0.0.1:1/"]},
        )
        self.assertEqual([], self.service.requests)

    def test_the_machine_itself_is_closed_unless_it_is_named(self) -> None:
        conf = contexts.options()
        conf.clear_override("allowed_networks", "egress")
        wanted = client.Request(method="GET", url=self.service.url, headers={})

        self.assertRaises(
            egress.EgressRefused, client.Client(conf).send, wanted
        )
        self.assertEqual([], self.service.requests)

        conf.set_override("allowed_urls", [self.service.url], "http_resource")
        self.assertRaises(client.NotFound, client.Client(conf).send, wanted)
        self.assertEqual(1, len(self.service.requests))
