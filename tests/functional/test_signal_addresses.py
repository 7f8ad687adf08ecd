"""Addresses that take signals without a token, and what opens them."""

import json
import pathlib
import time
import typing
import urllib.parse

import requests

from tests.functional import signalling
from tests.support import rest

Json = dict[str, typing.Any]


def altered(url: str, **changed: str) -> str:
    """Return the address with other values in its query."""
    parts = urllib.parse.urlsplit(url)
    query = dict(urllib.parse.parse_qsl(parts.query))
    query.update(changed)
    query = {name: value for name, value in query.items() if value}
    return parts._replace(query=urllib.parse.urlencode(query)).geturl()


class WaitConditionAddressTests(signalling.SignalTestCase):
    def test_put_completes_the_condition(self) -> None:
        stack = self.create(signalling.cfn())
        answer = self.put(self.reference(stack), signalling.SUCCESS)
        self.client.wait(stack, "CREATE_COMPLETE")

        entry = {"Status": "SUCCESS", "Reason": "done", "Data": "d"}
        self.assertEqual(200, answer.status_code)
        self.assertEqual(
            {"resource": "Handle", "metadata": {"1": entry}}, answer.json()
        )
        self.assertEqual({"data": '{"1": "d"}'}, self.client.outputs(stack))
        self.assertEqual(
            [("COMPLETE", "Signal: status:SUCCESS reason:done")],
            self.signals(stack, "Handle"),
        )

    def test_the_same_once_more_changes_nothing(self) -> None:
        stack = self.create(signalling.cfn())
        url = self.reference(stack)
        answers = [self.put(url, signalling.SUCCESS) for _ in range(10)]
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [200] * 10, [answer.status_code for answer in answers]
        )
        self.assertEqual(1, len(self.signals(stack, "Handle")))

    def test_a_failure_fails_it(self) -> None:
        stack = self.create(signalling.cfn())
        failure = {"Status": "FAILURE", "Reason": "boom"}
        self.put(self.reference(stack), {**signalling.SUCCESS, **failure})
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Resource CREATE failed: WaitConditionFailure:"
            " resources.Condition: boom",
            shown["stack_status_reason"],
        )

    def test_what_has_another_form_is_refused(self) -> None:
        stack = self.create(signalling.cfn())
        url = self.reference(stack)
        found = [
            self.put(url, body).status_code
            for body in (
                None,
                {"Status": "SUCCESS"},
                {**signalling.SUCCESS, "More": 1},
                {**signalling.SUCCESS, "Status": "success"},
            )
        ]
        no_json = requests.put(url, data=b"{", timeout=10)

        self.assertEqual([400] * 4, found)
        self.assertEqual(400, no_json.status_code)
        self.assertEqual([], self.taken(stack))

    def test_an_address_that_was_altered_is_refused(self) -> None:
        stack, other = (self.create(signalling.cfn()) for _ in range(2))
        url, foreign = self.reference(stack), self.reference(other)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        signature = query["Signature"]
        flipped = ("A" if signature[0] != "A" else "B") + signature[1:]
        foreign_query = urllib.parse.urlsplit(foreign).query
        wrong = {
            "seal": altered(url, Signature=flipped),
            "no seal": altered(url, Signature=""),
            "short seal": altered(url, Signature=signature[:10]),
            "odd seal": altered(url, Signature="é" * 43),
            "later expiry": altered(url, Expires="99999999999"),
            "no expiry": altered(url, Expires=""),
            "odd expiry": altered(url, Expires="-1"),
            "incarnation": altered(url, Resource=stack.id),
            "no incarnation": altered(url, Resource=""),
            "stack id": url.replace(stack.id, other.id),
            "stack name": url.replace(f"/{stack.name}/", "/elsewhere/"),
            "project": url.replace(
                urllib.parse.quote("::demo:"), urllib.parse.quote("::other:")
            ),
            "resource": url.replace("resources/Handle", "resources/Other"),
            "foreign seal": url.split("?")[0] + "?" + foreign_query,
            "kind": url.replace("/v1/waitcondition/", "/v1/signal/"),
        }
        for what, each in wrong.items():
            self.assertNotEqual(url, each, what)
            method = "POST" if what == "kind" else "PUT"
            answer = requests.request(
                method, each, json=signalling.SUCCESS, timeout=10
            )
            self.assertEqual(403, answer.status_code, what)
            self.assertEqual("Forbidden", answer.json()["error"]["type"])
        other_method = requests.post(url, json=signalling.SUCCESS, timeout=10)

        self.assertEqual(405, other_method.status_code)
        self.assertEqual([], self.taken(stack))
        self.assertEqual([], self.taken(other))

    def test_without_its_resource_it_opens_nothing(self) -> None:
        stack = self.create(signalling.cfn())
        url = self.reference(stack)
        self.put(url, signalling.SUCCESS)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(404, self.put(url, signalling.SUCCESS).status_code)

    def test_a_revoked_one_opens_nothing_and_the_api_still_does(self) -> None:
        stack = self.create(signalling.cfn())
        url = self.reference(stack)
        path = f"{stack.path}/resources/Handle/signal"
        for _ in range(2):
            self.assertIsNone(self.client.ask("DELETE", path))
        answer = self.put(url, signalling.SUCCESS)
        before = self.taken(stack)
        self.signal(stack, "Handle", signalling.SUCCESS)
        self.client.wait(stack, "CREATE_COMPLETE")
        refused = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "DELETE",
            path.replace("Handle", "Other"),
        )

        self.assertEqual(403, answer.status_code)
        self.assertIn("revoked", answer.json()["error"]["message"])
        self.assertEqual([], before)
        self.assertEqual(400, refused.status)

    def test_it_needs_no_account_and_lets_nothing_else_through(self) -> None:
        stack = self.create(signalling.cfn())
        url = self.reference(stack)
        answer = requests.put(
            url,
            json=signalling.SUCCESS,
            headers={"X-Roles": "nobody", "Origin": "http://web.example"},
            timeout=10,
        )
        cleared = requests.put(
            url, json={"unset_hook": "pre-create"}, timeout=10
        )

        self.assertEqual(200, answer.status_code)
        self.assertEqual(400, cleared.status_code)
        self.assertEqual("ResourceFailure", cleared.json()["error"]["type"])

    def test_odd_names_come_through(self) -> None:
        template = signalling.cfn()
        resources = template["resources"]
        resources["Händle 1%2F?&"] = resources.pop("Handle")
        refers = {"get_resource": "Händle 1%2F?&"}
        resources["Condition"]["properties"]["Handle"] = refers
        resources["Shown"]["properties"]["value"] = refers
        stack = self.create(template)
        answer = self.put(self.reference(stack), signalling.SUCCESS)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(200, answer.status_code)
        self.assertEqual("Händle 1%2F?&", answer.json()["resource"])

    def taken(self, stack: rest.Stack) -> list[str]:
        """Return the ids of the signals that its handle has taken."""
        path = f"{stack.path}/resources/Handle/metadata"
        return sorted(typing.cast(Json, self.client.get(path, "metadata")))


class SignalAddressTests(signalling.SignalTestCase):
    def test_post_takes_anything_or_nothing(self) -> None:
        stack = self.begin(signalling.waiting(count=3))
        url = str(self.attributes(stack, "handle")["endpoint"])
        answers = [
            requests.post(url, timeout=10),
            requests.post(url, json={"data": 1}, timeout=10),
            requests.post(
                url,
                data='{"status": "SUCCESS", "id": "x"}',
                headers={"Content-Type": "application/x-www-form-urlencoded"},
                timeout=10,
            ),
        ]
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [(200, b"null")] * 3,
            [(each.status_code, each.content) for each in answers],
        )
        self.assertEqual(
            {"data": '{"1": null, "2": 1, "x": null}'},
            self.client.outputs(stack),
        )

    def test_the_cfn_way_has_an_address_for_put(self) -> None:
        stack = self.begin(signalling.waiting(signal_transport="CFN_SIGNAL"))
        shown = self.attributes(stack, "handle")
        answer = requests.put(
            json.loads(shown["signal"])["alarm_url"],
            json={"data": "x"},
            timeout=10,
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(200, answer.status_code)
        self.assertEqual((None, None), (shown["endpoint"], shown["curl_cli"]))

    def test_no_way_leaves_the_api_itself(self) -> None:
        stack = self.begin(signalling.waiting(signal_transport="NO_SIGNAL"))
        shown = self.attributes(stack, "handle")
        self.signal(stack, "handle", None)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(("{}", None), (shown["signal"], shown["endpoint"]))


class ExpiryTests(signalling.SignalTestCase):
    options: typing.ClassVar = {"signals": {"url_lifetime": 3}}

    def test_an_address_expires(self) -> None:
        stack = self.begin(signalling.waiting(count=2))
        url = str(self.attributes(stack, "handle")["endpoint"])
        early = requests.post(url, timeout=10)
        limit = time.monotonic() + 15
        late = early
        while late.status_code == 200:
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.3)
            late = requests.post(url, json={"id": 1}, timeout=10)

        self.assertEqual(200, early.status_code)
        self.assertEqual(403, late.status_code)
        self.assertIn("expired", late.json()["error"]["message"])


class KeyTests(signalling.SignalTestCase):
    def test_the_key_is_its_own_and_stays(self) -> None:
        stack = self.begin(signalling.waiting())
        url = str(self.attributes(stack, "handle")["endpoint"])
        place = pathlib.Path(self.running.directory) / "state" / "signals.key"
        mode = place.stat().st_mode & 0o777
        self.system.server.kill()
        self.system.start()
        answer = requests.post(url, timeout=10)

        self.assertEqual(0o600, mode)
        self.assertEqual(200, answer.status_code)


class RotationTests(signalling.SignalTestCase):
    options: typing.ClassVar = {
        "signals": {"seal_keys": "a" * 32, "url_base": "https://api.example"}
    }

    def test_an_older_key_opens_and_a_lost_one_does_not(self) -> None:
        stack = self.begin(signalling.waiting(count=2))
        given = str(self.attributes(stack, "handle")["endpoint"])
        self.assertTrue(given.startswith("https://api.example/v1/signal/arn"))
        parts = urllib.parse.urlsplit(self.client.endpoint)
        found = []
        for keys in (f"{'b' * 32},{'a' * 32}", "b" * 32):
            self.restart_with(keys)
            parts = urllib.parse.urlsplit(self.system.client.endpoint)
            url = urllib.parse.urlsplit(given)._replace(
                scheme="http", netloc=parts.netloc
            )
            found.append(requests.post(url.geturl(), timeout=10).status_code)

        self.assertEqual([200, 403], found)

    def restart_with(self, keys: str) -> None:
        """Start the server again with other keys in its file."""
        self.system.server.kill()
        for place in pathlib.Path(self.running.directory).glob("*.conf"):
            lines = place.read_text().splitlines()
            place.write_text(
                "\n".join(
                    f"seal_keys = {keys}"
                    if line.startswith("seal_keys")
                    else line
                    for line in lines
                )
            )
        self.system.start()
