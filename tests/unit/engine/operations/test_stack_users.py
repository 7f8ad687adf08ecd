"""Who is heard as what, and what happens when a server cannot be told."""

import dataclasses
import typing

import fixtures

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.engine.operations import software_deployments
from orch.engine.operations import stack_users
from orch.model import software
from orch.model import stack
from tests import base

_DEPLOYMENT = software.Deployment(
    id="d",
    project_id="demo",
    server_id="web",
    config_id="c",
    created_at=clock.Timestamp(1),
)


@dataclasses.dataclass
class _Stack:
    project_id: str = "demo"


class _Down:
    """A database that gives no answer."""

    def query(self, work: object) -> object:
        raise errors.Transient("no answer")


@dataclasses.dataclass
class _Deps:
    types: object = None
    database: object = dataclasses.field(default_factory=_Down)


class HeardTests(base.TestCase):
    def heard(self, **caller: typing.Any) -> request.RequestContext:
        subject = typing.cast(stack.Stack, _Stack())
        self.asked = request.RequestContext(request_id="req-1", **caller)
        return stack_users.heard_as(self.asked, subject)

    def test_members_and_administrators_are_heard_as_they_are(self) -> None:
        for caller in ({"project_id": "demo"}, {"is_admin": True}):
            self.assertIs(self.heard(**caller), self.asked)

    def test_a_stack_user_is_nobody_in_the_project_of_the_stack(self) -> None:
        found = self.heard(
            project_id="own",
            user_id="u",
            user_name=ids.new(),
            roles=["heat_stack_user"],
            auth_token="t",
        )

        self.assertEqual(
            ("demo", None, None, [], None, "req-1"),
            (
                found.project_id,
                found.user_id,
                found.user_name,
                found.roles,
                found.auth_token,
                found.request_id,
            ),
        )


class UntoldTests(base.TestCase):
    def test_a_server_that_cannot_be_told_is_in_the_log(self) -> None:
        log = self.useFixture(fixtures.FakeLogger())

        software_deployments._publish(
            typing.cast(dependencies.Dependencies, _Deps()), _DEPLOYMENT
        )

        self.assertIn("the server web does not know", log.output)
        self.assertIn("no answer", log.output)
