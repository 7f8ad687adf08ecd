"""Who is heard as what, and what happens when a server cannot be told."""

import dataclasses
import typing

import fixtures

from orch import clock
from orch import errors
from orch import ids
from orch.api import settings
from orch.conf import load
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine.queries import lookup
from orch.engine.queries import stack_user_access
from orch.engine.software import deployments
from orch.model import software
from orch.model import stack as stack_model
from orch.plugin import registry
from orch.policies import enforcer
from orch.resources.cfn import user
from tests import base
from tests.unit.resources import stack_users as users

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
    reads: object = None
    database: object = dataclasses.field(default_factory=_Down)
    rules: object = None


class HeardTests(base.TestCase):
    def heard(
        self,
        access: request.OtherProjects = request.OtherProjects.MISSING,
        **caller: typing.Any,
    ) -> request.RequestContext:
        stack = typing.cast(stack_model.Stack, _Stack())
        self.operation = request.RequestContext(request_id="req-1", **caller)
        self.operation.other_projects = access
        return stack_user_access.signal_context(self.operation, stack)

    def test_members_and_administrators_are_heard_as_they_are(self) -> None:
        self.assertIs(self.heard(project_id="demo"), self.operation)
        self.assertIs(
            self.heard(access=request.OtherProjects.ALLOWED), self.operation
        )

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


class _Nothing(list[object]):
    """An answer without rows."""

    def all(self) -> list[object]:
        return self


class _Rows:
    """A database without any row, which counts what it is asked.

    :ivar asked: how many statements it has had
    """

    def __init__(self) -> None:
        self.operation = 0

    def execute(self, *statement: object) -> _Nothing:
        self.operation += 1
        return _Nothing()


class _SilentUsers(users.Users):
    """Keystone is down."""

    def find_name(self, project_id: str) -> str | None:
        raise errors.Transient("no answer")


class UserProjectTests(base.TestCase):
    """Nothing is stored for a project that cannot be checked."""

    def refusal(
        self, keystone: users.Users, limit_s: float = 60
    ) -> errors.OrchError:
        types = registry.ResourceTypes.of([user.User], load.load([], []))
        for plugin in types.served():
            assert isinstance(plugin, user.User)
            plugin.use_stack_users(keystone)
        deps = _Deps(
            types=types,
            reads=plugin_reads.PluginReads(limit_s=limit_s),
            rules=enforcer.Enforcer(
                settings.no_options(), clock.SystemClock()
            ),
        )
        return self.assertRaises(
            errors.OrchError,
            deployments.create_deployment,
            typing.cast(dependencies.Dependencies, deps),
            request.RequestContext(project_id="demo"),
            {
                "config_id": ids.new(),
                "server_id": "web",
                "stack_user_project_id": "other",
            },
        )

    def test_without_an_answer_it_is_to_be_sent_again(self) -> None:
        for keystone, limit_s in ((_SilentUsers(), 60), (users.Users(), 0)):
            found = self.refusal(keystone, limit_s)
            self.assertIsInstance(found, errors.Unavailable)

    def test_a_project_of_no_user_is_refused(self) -> None:
        self.assertIsInstance(self.refusal(users.Users()), errors.Invalid)


class StrangerTests(base.TestCase):
    """Who is no user of any stack makes nobody look for one."""

    def setUp(self) -> None:
        super().setUp()
        self.rows = _Rows()
        self.types = registry.ResourceTypes.of([user.User], load.load([], []))

    def operation(self, domain_id: str) -> tuple[int, int]:
        """Return how often a caller lets look for an id, and for a name."""
        deps = typing.cast(dependencies.Dependencies, _Deps(types=self.types))
        rows = typing.cast(db_engine.Connection, self.rows)
        caller = request.RequestContext(
            project_id="demo", user_name="ann", user_domain_id=domain_id
        )
        for get in (
            stack_user_access.get_stack,
            stack_user_access.get_signalled,
        ):
            self.assertRaises(
                lookup.StackNotFound,
                get,
                deps,
                rows,
                caller,
                ids.new(),
                "server",
            )
        by_id, self.rows.operation = self.rows.operation, 0
        self.assertIsNone(
            stack_user_access.find_named(deps, rows, caller, "shop")
        )
        return by_id, self.rows.operation

    def test_without_a_domain_there_are_none(self) -> None:
        self.assertEqual((2, 0), self.operation("stacks"))

    def test_who_lives_elsewhere_is_none(self) -> None:
        for plugin in self.types.served():
            assert isinstance(plugin, user.User)
            plugin.use_stack_users(users.Users())

        self.assertEqual((2, 0), self.operation("default"))
        self.assertEqual((4, 1), self.operation("stacks"))


class UntoldTests(base.TestCase):
    def test_a_server_that_cannot_be_told_is_in_the_log(self) -> None:
        log = self.useFixture(fixtures.FakeLogger())

        deployments._publish(
            typing.cast(dependencies.Dependencies, _Deps()), _DEPLOYMENT
        )

        self.assertIn("the server web does not know", log.output)
        self.assertIn("no answer", log.output)
