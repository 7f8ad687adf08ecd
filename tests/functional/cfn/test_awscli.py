"""The unmodified ``aws`` command, which waits in shorter steps here."""

import json
import os
import pathlib
import subprocess
import tempfile
import typing

from tests import base
from tests.functional import guarded
from tests.functional import lifecycle
from tests.functional.cfn import querying
from tests.functional.cfn import test_actions
from tests.functional.cfn import test_change_sets
from tests.functional.cfn import test_signatures
from tests.support import apart
from tests.support import waiting

_AWS = apart.AWS.find()
_LIMIT_S = 120
SHORTER_PAUSES = """
import time
_pause = time.sleep
time.sleep = lambda seconds: _pause(min(seconds, 0.5))
"""
"""The command's Python runs it first; ``deploy`` looks each 30 s."""


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
        place = pathlib.Path(self.directory.name)
        self.template = place / "template.json"
        (place / "sitecustomize.py").write_text(SHORTER_PAUSES)
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
                "PYTHONPATH": self.directory.name,
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

    def test_deploy_of_a_stack_that_fails(self) -> None:
        named = ("--stack-name", self.name)
        deploy = ("deploy", *named, "--template-file", str(self.template))
        self.world.order(
            self.name, "create", "thing", how="permanent", moment="before"
        )

        done = self.complete(*deploy, "--parameter-overrides", "Word=one")

        self.assertEqual(255, done.returncode, done)
        self.assertIn(b"Failed to create/update the stack", done.stderr)
        self.assertEqual("ROLLBACK_COMPLETE", self.shown()["StackStatus"])
        self.assertEqual({}, self.labels())
        self.world.forgive(self.name)
        done = self.complete(*deploy, "--parameter-overrides", "Word=one")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"thing": "one"}, self.labels())

        self.world.order(
            self.name,
            "update",
            "thing",
            how="permanent",
            moment="before",
            times=1,
        )
        done = self.complete(*deploy, "--parameter-overrides", "Word=two")

        self.assertEqual(255, done.returncode, done)
        self.assertEqual(
            "UPDATE_ROLLBACK_COMPLETE", self.shown()["StackStatus"]
        )
        self.assertEqual({"thing": "one"}, self.labels())


class TestJudged(
    Running, lifecycle.LifecycleTestCase, test_change_sets.ChangeSetTestCase
):
    """The second plug-in denies what is deployed."""

    def setUp(self) -> None:
        super().setUp()
        self.template.write_text(test_actions.BODY)

    def deploy(self, word: str) -> subprocess.CompletedProcess[bytes]:
        return self.complete(
            *("deploy", "--stack-name", self.name),
            *("--template-file", str(self.template)),
            *("--parameter-overrides", f"Word={word}"),
        )

    def test_deploy_of_a_denied_stack_ends(self) -> None:
        self.plugins.order(2, "pre", "deny", verb="create", text="not now")

        done = self.deploy("one")

        self.assertEqual(255, done.returncode, done)
        self.assertIn(b"Failed to create/update the stack", done.stderr)
        self.assertIn("not now", self.shown()["StackStatusReason"])
        done = self.deploy("one")
        self.assertEqual(255, done.returncode, done)
        self.assertIn(b"its creation was denied", done.stderr)
        self.assertEqual([], self.names())

        self.plugins.forgive()
        self.run_aws("delete-stack", "--stack-name", self.name)
        self.run_aws(
            *("wait", "stack-delete-complete", "--stack-name", self.name)
        )
        done = self.deploy("one")
        self.assertEqual(0, done.returncode, done.stderr)

        self.plugins.order(2, "pre", "deny", verb="update", text="nor this")
        done = self.deploy("two")
        self.assertEqual(255, done.returncode, done)
        self.assertEqual("UPDATE_FAILED", self.shown()["StackStatus"])
        self.assertEqual({"thing": "one"}, self.labels())
        self.plugins.forgive()
        done = self.deploy("two")
        self.assertEqual(0, done.returncode, done.stderr)
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
