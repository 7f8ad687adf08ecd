"""Who has signed: EC2 credentials of a real Keystone."""

import calendar
import datetime
import json
import time
import typing
import unittest.mock
import urllib.parse

import botocore.exceptions
import requests
from botocore import auth

from tests.functional import guarded
from tests.functional.cfn import querying
from tests.support import ports
from tests.support import rest
from tests.support import waiting

VALUE: typing.Final = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "value": {"type": "OS::Heat::Value", "properties": {"value": "1"}}
    },
}
_WAITING: typing.Final = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "handle": {"type": "AWS::CloudFormation::WaitConditionHandle"},
        "ready": {
            "type": "AWS::CloudFormation::WaitCondition",
            "properties": {
                "Handle": {"get_resource": "handle"},
                "Timeout": 60,
            },
        },
    },
}
_SIGNAL: typing.Final = {
    "Status": "SUCCESS",
    "Reason": "stands",
    "Data": "d",
    "UniqueId": "1",
}


class SignedTestCase(guarded.GuardedTestCase):
    """Both APIs, guarded by Keystone; some users have access keys."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.port = ports.find_free()
        cls.arguments = ("--cfn-port", str(cls.port))
        super().setUpClass()
        cls.keys = {
            user: cls._key_of(user)
            for user in ("reader", "member", "guest", "stranger")
        }

    @classmethod
    def _key_of(cls, user: str) -> querying.Key:
        login = cls.keystone.login(user)
        answer = cls.keystone.admin.session.post(
            f"{cls.keystone.url}/users/{cls.keystone.users[user]}"
            "/credentials/OS-EC2",
            json={"tenant_id": cls.keystone.projects[login.project]},
        )
        found = answer.json()["credential"]
        return querying.Key(found["access"], found["secret"])

    def aws(self, user: str, **config: object) -> querying.Client:
        return querying.client(self.port, self.keys[user], **config)

    def made(self, wanted: guarded.Json = VALUE) -> rest.Stack:
        """Return a stack of the project, made with a token."""
        return self.client_of("member").create(self.name, wanted)

    def code(
        self, client: querying.Client, action: str, **given: object
    ) -> tuple[int, str]:
        error = self.assertRaises(
            botocore.exceptions.ClientError, getattr(client, action), **given
        )
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        return status, error.response["Error"]["Code"]


class TestSignatures(SignedTestCase):
    def test_version_4_says_who_asks(self) -> None:
        stack = self.made()

        for user in ("reader", "member"):
            found = self.aws(user).describe_stacks(StackName=self.name)
            arn = found["Stacks"][0]["StackId"]
            self.assertEqual(stack.id, arn.rpartition("/")[2])
        self.assertEqual(
            (400, "ValidationError"),
            self.code(
                self.aws("stranger"),
                "describe_stacks",
                StackName=self.name,
            ),
        )

    def test_roles_count(self) -> None:
        self.made()
        for user in ("reader", "guest"):
            self.assertEqual(
                (403, "AccessDenied"),
                self.code(self.aws(user), "delete_stack", StackName=self.name),
            )
        self.assertEqual(
            (403, "AccessDenied"),
            self.code(self.aws("guest"), "list_stacks"),
        )
        shown = self.aws("guest").describe_stack_resource(
            StackName=self.name, LogicalResourceId="value"
        )
        self.assertEqual(
            "OS::Heat::Value", shown["StackResourceDetail"]["ResourceType"]
        )

    def test_a_member_deletes(self) -> None:
        stack = self.made()
        self.client_of("member").wait(stack, "CREATE_COMPLETE")

        self.aws("member").delete_stack(StackName=self.name)

        self.client_of("member").wait(stack, "DELETE_COMPLETE")

    def test_a_member_creates_updates_and_deletes(self) -> None:
        """Keystone lets no key leave a trust; these need none."""
        aws, member = self.aws("member"), self.client_of("member")
        changed: guarded.Json = {**VALUE, "description": "changed"}

        made = aws.create_stack(
            StackName=self.name, TemplateBody=json.dumps(VALUE)
        )
        stack = rest.Stack(self.name, made["StackId"].rpartition("/")[2])
        member.wait(stack, "CREATE_COMPLETE")
        aws.update_stack(StackName=self.name, TemplateBody=json.dumps(changed))
        member.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual("changed", member.show(stack)["description"])
        aws.delete_stack(StackName=self.name)
        member.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.keystone.trusts())

    def test_what_acts_in_the_cloud_needs_another_login(self) -> None:
        inner = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "group": {
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 1,
                        "resource_def": {"type": guarded.LOGIN},
                    },
                }
            },
        }
        for wanted in (guarded.login(), inner):
            error = self.assertRaises(
                botocore.exceptions.ClientError,
                self.aws("member").create_stack,
                StackName=self.name,
                TemplateBody=json.dumps(wanted),
            )
            told = error.response["Error"]
            self.assertEqual("AccessDenied", told["Code"])
            self.assertIn("log in with a password", told["Message"])
            self.assertIn("those with EC2 keys too", told["Message"])
            self.assertIn(guarded.LOGIN, told["Message"])
        self.assertEqual(
            (400, "ValidationError"),
            self.code(
                self.aws("member"), "describe_stacks", StackName=self.name
            ),
        )

    def test_a_stack_without_a_credential_gets_one_by_a_token(self) -> None:
        aws, member = self.aws("member"), self.client_of("member")
        made = aws.create_stack(
            StackName=self.name, TemplateBody=json.dumps(VALUE)
        )
        stack = rest.Stack(self.name, made["StackId"].rpartition("/")[2])
        member.wait(stack, "CREATE_COMPLETE")
        acting = json.dumps(guarded.login("a"))
        self.assertEqual(
            (403, "AccessDenied"),
            self.code(
                aws,
                "update_stack",
                StackName=self.name,
                TemplateBody=acting,
            ),
        )

        member.ask("PUT", stack.path, {"template": guarded.login("a")})
        member.wait(stack, "UPDATE_COMPLETE")
        aws.update_stack(
            StackName=self.name, TemplateBody=json.dumps(guarded.login("b"))
        )
        member.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(1, len(self.keystone.trusts()))
        self.assertEqual(
            self.keystone.users["member"], member.outputs(stack)["user"]
        )
        aws.delete_stack(StackName=self.name)
        member.wait(stack, "DELETE_COMPLETE")

    def test_a_change_set_is_applied_by_a_token(self) -> None:
        aws, member = self.aws("member"), self.client_of("member")
        named = {"StackName": self.name, "ChangeSetName": "first"}
        made = aws.create_change_set(
            **named,
            ChangeSetType="CREATE",
            TemplateBody=json.dumps(guarded.login("a")),
        )
        stack = rest.Stack(self.name, made["StackId"].rpartition("/")[2])
        self.assertEqual(
            (403, "AccessDenied"),
            self.code(aws, "execute_change_set", **named),
        )

        plan_id = made["Id"].rpartition("/")[2]
        member.ask("POST", f"{stack.path}/plans/{plan_id}/apply")
        member.wait(stack, "CREATE_COMPLETE")
        aws.create_change_set(
            StackName=self.name,
            ChangeSetName="next",
            TemplateBody=json.dumps(guarded.login("b")),
        )
        aws.execute_change_set(StackName=self.name, ChangeSetName="next")
        member.wait(stack, "UPDATE_COMPLETE")

        aws.delete_stack(StackName=self.name)
        member.wait(stack, "DELETE_COMPLETE")

    def test_a_token_will_do_too(self) -> None:
        place = querying.endpoint(self.port)
        asked = {"Action": "ListStacks", "ContentType": "JSON"}

        good = requests.get(
            place,
            params=asked,
            headers={"X-Auth-Token": self.keystone.token("reader")},
            timeout=30,
        )
        wrong = requests.get(
            place, params=asked, headers={"X-Auth-Token": "x"}, timeout=30
        )

        self.assertEqual(200, good.status_code, good.text)
        self.assertEqual(403, wrong.status_code, wrong.text)
        self.assertEqual(
            "MissingAuthenticationToken",
            wrong.json()["ErrorResponse"]["Error"]["Code"],
        )

    def test_nobody_is_refused(self) -> None:
        answer = requests.get(
            querying.endpoint(self.port),
            params={"Action": "ListStacks"},
            timeout=30,
        )
        self.assertEqual(
            (403, "MissingAuthenticationToken"), querying.read_error(answer)
        )

    def test_a_wrong_secret_and_an_unknown_key_are_told(self) -> None:
        access = self.keys["member"].access
        for key, expected in (
            (querying.Key(access, "wrong"), "SignatureDoesNotMatch"),
            (querying.Key("0" * 32, "wrong"), "InvalidClientTokenId"),
        ):
            client = querying.client(self.port, key)
            self.assertEqual((403, expected), self.code(client, "list_stacks"))

    def test_what_was_altered_is_refused(self) -> None:
        asked = querying.signed(
            self.port, self.keys["member"], Action="ListStacks"
        )
        self.assertEqual(200, querying.send(asked).status_code)

        body = querying.send(asked, data="Action=DeleteStack&StackName=s")
        query = querying.send(asked, url=f"{asked.url}?StackName=s")
        host = querying.send(
            asked, headers={**asked.headers, "Host": "127.0.0.1:1"}
        )

        for answer, expected in (
            (body, (403, "SignatureDoesNotMatch")),
            (query, (400, "IncompleteSignature")),
            (host, (403, "SignatureDoesNotMatch")),
        ):
            self.assertEqual(expected, querying.read_error(answer))

    def test_a_signature_is_good_for_a_quarter_of_an_hour(self) -> None:
        for minutes, is_good in ((-14, True), (14, True), (-16, False)):
            moment = datetime.datetime.now(datetime.UTC).replace(
                tzinfo=None
            ) + datetime.timedelta(minutes=minutes)
            with unittest.mock.patch.object(
                auth, "get_current_datetime", lambda moment=moment: moment
            ):
                asked = querying.signed(
                    self.port, self.keys["member"], Action="ListStacks"
                )
            answer = querying.send(asked)
            if is_good:
                self.assertEqual(200, answer.status_code, answer.text)
            else:
                self.assertEqual(
                    (400, "RequestExpired"), querying.read_error(answer)
                )

    def query_2(self, key: querying.Key, **given: str) -> querying.Texts:
        return querying.version_2(
            "GET", querying.endpoint(self.port), key, **given
        )

    def get(self, parameters: querying.Texts) -> requests.Response:
        query = urllib.parse.urlencode(
            parameters, quote_via=urllib.parse.quote
        )
        return requests.get(
            f"{querying.endpoint(self.port)}?{query}", timeout=30
        )

    def test_version_2_says_who_asks(self) -> None:
        now = _ago(0)
        good = self.query_2(
            self.keys["member"], Action="ListStacks", Timestamp=now
        )
        self.assertEqual(200, self.get(good).status_code)

        altered = {**good, "Action": "DescribeStacks"}
        wrong = self.query_2(
            querying.Key(self.keys["member"].access, "wrong"),
            Action="ListStacks",
            Timestamp=now,
        )
        for given in (altered, wrong):
            self.assertEqual(
                (403, "SignatureDoesNotMatch"),
                querying.read_error(self.get(given)),
            )
        for minutes in (16, -16):
            old = self.query_2(
                self.keys["member"],
                Action="ListStacks",
                Timestamp=_ago(minutes),
            )
            self.assertEqual(
                (400, "RequestExpired"), querying.read_error(self.get(old))
            )
        endless = self.query_2(self.keys["member"], Action="ListStacks")
        self.assertEqual(
            (400, "IncompleteSignature"),
            querying.read_error(self.get(endless)),
        )


class TestWithoutCredentials(SignedTestCase):
    """Stacks are left no credential."""

    method = "none"

    def test_a_member_creates(self) -> None:
        made = self.aws("member").create_stack(
            StackName=self.name, TemplateBody=json.dumps(VALUE)
        )

        stack = rest.Stack(self.name, made["StackId"].rpartition("/")[2])
        self.client_of("member").wait(stack, "CREATE_COMPLETE")


class TestSignedSignals(SignedTestCase):
    """Addresses that are signed as Heat signs them."""

    def waiting(self) -> rest.Stack:
        """Return a stack that waits for a signal."""
        stack = self.made(_WAITING)
        client = self.client_of("member")
        waiting.wait_for(
            lambda: (
                client.resources(stack).get("ready", {}).get("resource_status")
                == "CREATE_IN_PROGRESS"
            ),
            "the condition to wait",
        )
        return stack

    def address(
        self,
        stack: rest.Stack,
        user: str,
        kind: str = "waitcondition",
        method: str = "PUT",
        port: int | None = None,
        **given: str,
    ) -> str:
        project = self.keystone.projects["demo"]
        arn = (
            f"arn:openstack:heat::{project}:stacks/{stack.name}/{stack.id}"
            "/resources/handle"
        )
        place = (
            f"http://127.0.0.1:{port or self.port}/v1/{kind}"
            f"/{urllib.parse.quote(arn, '')}"
        )
        signed = querying.version_2(method, place, self.keys[user], **given)
        query = urllib.parse.urlencode(signed, quote_via=urllib.parse.quote)
        return f"{place}?{query}"

    def test_a_condition_is_met_at_an_address_without_a_time(self) -> None:
        stack = self.waiting()

        answer = requests.put(
            self.address(stack, "guest"), json=_SIGNAL, timeout=30
        )

        self.assertEqual(200, answer.status_code, answer.text)
        self.assertEqual("handle", answer.json()["resource"])
        self.client_of("member").wait(stack, "CREATE_COMPLETE")

    def test_the_rest_api_takes_signed_addresses_too(self) -> None:
        stack = self.waiting()

        answer = requests.put(
            self.address(stack, "guest", port=self.system.port),
            json=_SIGNAL,
            timeout=30,
        )

        self.assertEqual(200, answer.status_code, answer.text)
        self.client_of("member").wait(stack, "CREATE_COMPLETE")

    def test_nobody_else_sends_signals(self) -> None:
        stack = self.waiting()
        good = self.address(stack, "guest")
        head, _, signature = good.rpartition("&Signature=")
        other = "B" if signature.startswith("A") else "A"
        for place, status, code in (
            (good.replace("handle", "ready"), 403, "SignatureDoesNotMatch"),
            (
                f"{head}&Signature={other}{signature[1:]}",
                403,
                "SignatureDoesNotMatch",
            ),
            (f"{head}&Signature=A{signature}", 400, "IncompleteSignature"),
            (self.address(stack, "stranger"), 403, "AccessDenied"),
        ):
            answer = requests.put(place, json=_SIGNAL, timeout=30)
            self.assertEqual(status, answer.status_code, answer.text)
            self.assertIn(f"<Code>{code}</Code>", answer.text)
        shown = self.client_of("member").resources(stack)["ready"]
        self.assertEqual("CREATE_IN_PROGRESS", shown["resource_status"])
        self.client_of("member").delete(stack)

    def test_an_address_for_signals_has_a_time(self) -> None:
        stack = self.waiting()

        def send(**given: str) -> tuple[int, str]:
            place = self.address(stack, "guest", "signal", "POST", **given)
            return querying.read_error(
                requests.post(place, data=json.dumps(_SIGNAL), timeout=30)
            )

        self.assertEqual((400, "IncompleteSignature"), send())
        self.assertEqual((400, "RequestExpired"), send(Timestamp=_ago(16)))
        good = self.address(
            stack, "guest", "signal", "POST", Timestamp=_ago(0)
        )
        answer = requests.post(good, data=json.dumps(_SIGNAL), timeout=30)
        self.assertEqual(200, answer.status_code, answer.text)
        self.client_of("member").wait(stack, "CREATE_COMPLETE")


def _ago(minutes: int) -> str:
    """Return a moment as clients write it."""
    moment = calendar.timegm(time.gmtime()) - 60 * minutes
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
