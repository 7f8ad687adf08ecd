"""No action shows or changes anything of another project.

Each is asked with what the left project has, in place of each parameter.
"""

import collections.abc
import itertools
import json
import time
import typing
import urllib.parse

from falcon import testing

from orch.api import settings
from orch.api.cfn import app
from tests.functional import two_projects
from tests.functional.rpc import test_projects_apart

_SHARE: typing.Final = 12
_TEMPLATE: typing.Final = json.dumps({"heat_template_version": "2021-04-16"})
_CHANGED: typing.Final = json.dumps(
    {"heat_template_version": "2021-04-16", "description": "changed"}
)
_STACK: typing.Final = {"StackName": "{name}"}
_RESOURCE: typing.Final = {**_STACK, "LogicalResourceId": "{resource}"}
_PHYSICAL: typing.Final = {"PhysicalResourceId": "{server_id}"}
_NEW: typing.Final = {"TemplateBody": _TEMPLATE}
_CHANGE_SET: typing.Final = {"StackName": "{target}", "ChangeSetName": "saved"}
_ACTIONS: typing.Final[dict[str, dict[str, str]]] = {
    "ListStacks": {},
    "DescribeStacks": _STACK,
    "DescribeStackEvents": _STACK,
    "DescribeStackResource": _RESOURCE,
    "DescribeStackResources": _RESOURCE,
    "ListStackResources": _STACK,
    "GetTemplate": _STACK,
    "ValidateTemplate": _NEW,
    "EstimateTemplateCost": _NEW,
    "GetTemplateSummary": _STACK,
    "DescribeChangeSet": _CHANGE_SET,
    "ListChangeSets": {"StackName": "{target}"},
    "CreateChangeSet": {
        "StackName": "{target}",
        "ChangeSetName": "other",
        **_NEW,
    },
    "ExecuteChangeSet": _CHANGE_SET,
    "DeleteChangeSet": _CHANGE_SET,
    "CreateStack": {"StackName": "fresh", **_NEW},
    "UpdateStack": {"StackName": "{target}", **_NEW},
    "CancelUpdateStack": _STACK,
    "DeleteStack": {"StackName": "{target}"},
}
"""Good parameters of each action, in the order in which they are asked."""
_REFUSED: typing.Final = {"CancelUpdateStack"}
"""Actions that no good request succeeds with: no update is in progress."""
_MORE: typing.Final = ("NextToken", "ClientRequestToken", "PhysicalResourceId")
"""Parameters that are tried with each action."""


class ApartTests(test_projects_apart.CopyTestCase):
    """A member of the right project signs with the name of the project."""

    def test_no_action_shows_or_changes_what_another_project_has(self) -> None:
        served = app.TABLE
        self.assertEqual(served.keys(), _ACTIONS.keys())
        refused = set()
        self.restart()
        for action, parts in _ACTIONS.items():
            good = {key: self.filled(part) for key, part in parts.items()}
            for given in self.offers(good):
                self.ask(action, given)
            if action in app.CHANGES:
                self.restart()
            if self.ask(action, good).status_code != 200:
                refused.add(action)
        self.assertEqual(_REFUSED, refused)
        self.check_apart()

    def filled(self, text: str) -> str:
        """Return a parameter of the right project."""
        for key, value in self.own.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    def offers(
        self, good: dict[str, str]
    ) -> collections.abc.Iterator[dict[str, str]]:
        """Yield parameters with names, ids and ARNs of the left project."""
        theirs = self.theirs
        arns = [
            f"arn:openstack:heat::{project}:stacks/{theirs['name']}"
            f"/{theirs['stack_id']}"
            for project in (two_projects.LEFT, two_projects.RIGHT)
        ]
        arns.append(
            f"arn:openstack:heat::{two_projects.RIGHT}:changeSet/saved"
            f"/{theirs['stack_id']}/{theirs['plan_id']}"
        )
        for key in (*good, *_MORE):
            for mark in (*arns, *itertools.islice(self.turns, _SHARE)):
                if key != "TemplateBody":
                    yield {**good, key: mark}
        for stack in (*arns, theirs["name"], theirs["stack_id"]):
            yield {
                **good,
                "StackName": stack,
                "LogicalResourceId": theirs["resource"],
            }
        yield {"PhysicalResourceId": theirs["server_id"]}

    def ask(self, action: str, given: dict[str, str]) -> testing.Result:
        """Send a request; check that the answer tells nothing."""
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        answer = self.client.simulate_post(
            "/v1/",
            body=urllib.parse.urlencode({"Action": action, **given}),
            headers={
                "Host": "localhost",
                "Content-Type": "application/x-www-form-urlencoded",
                "X-Roles": "member",
                "X-Amz-Date": date,
                "Authorization": "AWS4-HMAC-SHA256 Credential="
                f"{two_projects.RIGHT}/{date[:8]}/any/cloudformation"
                f"/aws4_request, SignedHeaders=host, Signature={'0' * 64}",
            },
        )
        self.assertLess(answer.status_code, 500, (action, given, answer.text))
        told = set(given.values())
        if action in app.CHANGES and answer.status_code == 200:
            self.stored |= told
        for found in (each for each in self.marks if each in answer.text):
            is_told = any(found in each for each in told)
            if not is_told and not self.is_stored(found):
                self.fail(f"{found} in {action}({given}): {answer.text}")
        return answer

    def restart(self) -> None:
        super().restart()
        self.client = testing.TestClient(
            app.build_app(self.direct, settings.Settings(is_local=True))
        )
        saved = {**_CHANGE_SET, "TemplateBody": _CHANGED}
        self.ask(
            "CreateChangeSet",
            {key: self.filled(part) for key, part in saved.items()},
        )
