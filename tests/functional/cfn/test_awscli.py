"""The unmodified ``aws`` command."""

import json
import os
import pathlib
import subprocess
import tempfile
import typing

from tests import base
from tests.functional import guarded
from tests.functional.cfn import querying
from tests.functional.cfn import test_actions
from tests.functional.cfn import test_signatures
from tests.support import apart
from tests.support import waiting

_AWS = apart.AWS.find()
_LIMIT_S = 120


class Running(base.TestCase):
    """Runs the command.

    :ivar template: a file that it reads
    """

    port: typing.ClassVar[int]
    limit_s = 600

    def setUp(self) -> None:
        super().setUp()
        if _AWS is None:
            self.skipTest("no aws command: python -m tools.apart aws")
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.template = pathlib.Path(self.directory.name) / "template.json"
        self.key = querying.Key()

    def run_aws(self, *arguments: str) -> typing.Any:
        """Return what the command prints, as JSON."""
        done = self.complete(*arguments)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout) if done.stdout.strip() else None

    def complete(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run it to its end."""
        return subprocess.run(
            (
                str(_AWS),
                "cloudformation",
                *arguments,
                *("--endpoint-url", querying.endpoint(self.port)),
                *("--output", "json"),
            ),
            env={
                "PATH": os.environ["PATH"],
                "HOME": self.directory.name,
                "AWS_ACCESS_KEY_ID": self.key.access,
                "AWS_SECRET_ACCESS_KEY": self.key.secret,
                "AWS_DEFAULT_REGION": querying.REGION,
                "AWS_EC2_METADATA_DISABLED": "true",
                "AWS_PAGER": "",
            },
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )


class TestCommand(Running, test_actions.CfnTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.template.write_text(test_actions.BODY)

    def test_every_action(self) -> None:
        body = f"file://{self.template}"
        named = ("--stack-name", self.name)
        word = "ParameterKey=Word,ParameterValue={}"
        declared = self.run_aws("validate-template", "--template-body", body)
        self.assertEqual("says a word", declared["Description"])
        cost = self.run_aws("estimate-template-cost", "--template-body", body)
        self.assertIn("Url", cost)

        made = self.run_aws(
            *("create-stack", *named, "--template-body", body),
            *("--parameters", word.format("one")),
        )
        self.run_aws("wait", "stack-create-complete", *named)
        shown = self.run_aws("describe-stacks", *named)["Stacks"][0]
        self.assertEqual(made["StackId"], shown["StackId"])
        self.assertEqual("CREATE_COMPLETE", shown["StackStatus"])
        listed = self.run_aws("list-stacks")["StackSummaries"]
        self.assertIn(self.name, [each["StackName"] for each in listed])
        got = self.run_aws("get-template", *named)["TemplateBody"]
        self.assertEqual(test_actions.TEMPLATE["Outputs"], got["Outputs"])

        rows = self.run_aws("list-stack-resources", *named)
        physical = rows["StackResourceSummaries"][0]["PhysicalResourceId"]
        found = self.run_aws(
            *("describe-stack-resources", "--physical-resource-id", physical)
        )
        self.assertEqual(
            made["StackId"], found["StackResources"][0]["StackId"]
        )
        one = self.run_aws(
            *("describe-stack-resource", *named),
            *("--logical-resource-id", "thing"),
        )
        self.assertIn("note", one["StackResourceDetail"]["Metadata"])
        events = self.run_aws("describe-stack-events", *named)["StackEvents"]
        self.assertEqual("CREATE_COMPLETE", events[0]["ResourceStatus"])

        self.world.order(self.name, "update", "thing")
        self.run_aws(
            *("update-stack", *named, "--use-previous-template"),
            *("--parameters", word.format("two")),
        )
        self.wait_for_act("updated", "thing")
        self.run_aws("cancel-update-stack", *named)
        self.world.release(self.name)
        self.wait("UPDATE_ROLLBACK_COMPLETE")

        self.run_aws("delete-stack", *named)
        self.run_aws("wait", "stack-delete-complete", *named)
        waiting.wait_for(lambda: not self.names(), "the thing to go")

    def test_deploy(self) -> None:
        named = ("--stack-name", self.name)
        deploy = ("deploy", *named, "--template-file", str(self.template))

        done = self.complete(*deploy, "--parameter-overrides", "Word=one")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("CREATE_COMPLETE", self.shown()["StackStatus"])
        self.assertEqual({"thing": "one"}, self.labels())

        done = self.complete(*deploy, "--no-fail-on-empty-changeset")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(b"No changes to deploy", done.stdout)

        done = self.complete(
            *deploy,
            *("--parameter-overrides", "Word=two", "--no-execute-changeset"),
        )
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"thing": "one"}, self.labels())
        (saved, *_) = self.run_aws("list-change-sets", *named)["Summaries"]
        self.assertEqual("AVAILABLE", saved["ExecutionStatus"])

        done = self.complete(*deploy, "--parameter-overrides", "Word=two")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("UPDATE_COMPLETE", self.shown()["StackStatus"])
        self.assertEqual({"thing": "two"}, self.labels())


class TestWithKeystone(Running, test_signatures.SignedTestCase):
    """Its requests are signed with EC2 credentials of a real Keystone."""

    def write(self, wanted: guarded.Json) -> str:
        self.template.write_text(json.dumps(wanted))
        return f"file://{self.template}"

    def test_a_life(self) -> None:
        self.key = self.keys["member"]
        named = ("--stack-name", self.name)
        body = self.write(test_signatures.VALUE)

        self.run_aws("create-stack", *named, "--template-body", body)
        self.run_aws("wait", "stack-create-complete", *named)
        body = self.write({**test_signatures.VALUE, "description": "new"})
        self.run_aws("update-stack", *named, "--template-body", body)
        self.run_aws("wait", "stack-update-complete", *named)
        (shown,) = self.run_aws("describe-stacks", *named)["Stacks"]
        self.assertEqual("new", shown["Description"])
        self.run_aws("delete-stack", *named)
        self.run_aws("wait", "stack-delete-complete", *named)

    def test_who_may_not_is_told(self) -> None:
        body = self.write(guarded.login())
        for key, words in (
            (self.keys["reader"], "AccessDenied"),
            (self.keys["member"], "log in with a password"),
            (querying.Key("nobody", "x"), "InvalidClientTokenId"),
            (
                querying.Key(self.keys["member"].access, "wrong"),
                "SignatureDoesNotMatch",
            ),
        ):
            self.key = key
            done = self.complete(
                *("create-stack", "--stack-name", self.name),
                *("--template-body", body),
            )
            self.assertNotEqual(0, done.returncode)
            self.assertIn(words, done.stderr.decode())
