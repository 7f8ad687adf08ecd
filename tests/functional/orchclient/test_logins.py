"""Who asks, by the library: names and passwords; connections that break."""

import pathlib
import tempfile

import bcrypt
import openstack
import requests
from keystoneauth1 import session
from keystoneauth1.identity import v3

import orchclient
from orchclient import client
from orchclient import errors
from orchclient import packaging
from tests.functional import guarded
from tests.functional.orchclient import connecting
from tests.support import keystone
from tests.support import serving
from tests.support import world_templates

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"a": {"type": "OS::Heat::RandomString"}},
}


def _line(user: str, password: str) -> str:
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()
    return f"{user}:{hashed}\n"


class PasswordTests(serving.ServerTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        users = pathlib.Path(directory.name) / "htpasswd"
        users.write_text(_line("ann", "apple") + _line("bob", "bean"))
        cls.options = {
            "api": {
                "auth": "basic",
                "user_file": users,
                "basic_grants": "ann demo reader,member\n"
                "basic_grants = bob demo reader",
            }
        }
        super().setUpClass()

    def connect(self, user: str, password: str) -> client.Client:
        found = orchclient.connect(
            endpoint=self.system.endpoint,
            auth_type="http_basic",
            username=user,
            password=password,
            load_envvars=False,
        )
        self.addCleanup(found.close)
        return found

    def test_who_may_change_stacks_does(self) -> None:
        orch = self.connect("ann", "apple")

        stack = orch.stacks.create(
            "of-ann", packaging.Package(template=_TEMPLATE)
        )

        done = orch.waiters.wait(stack, interval_s=0.05, timeout_s=30)
        self.assertEqual("ann", done.requested_by)

    def test_who_may_only_look_is_refused(self) -> None:
        orch = self.connect("bob", "bean")

        self.assertRaises(
            errors.ForbiddenError,
            orch.stacks.create,
            "of-bob",
            packaging.Package(template=_TEMPLATE),
        )
        self.assertIsNone(orch.stacks.find("of-bob"))

    def test_a_wrong_password_is_told(self) -> None:
        orch = self.connect("ann", "pear")

        error = self.assertRaises(
            errors.UnauthorizedError, orch.stacks.show, "s"
        )

        self.assertEqual(401, error.status)  # type: ignore[attr-defined]

    def test_a_connection_of_openstacksdk_is_used(self) -> None:
        connection = openstack.connect(
            auth_type="http_basic",
            auth={
                "endpoint": self.system.endpoint,
                "username": "bob",
                "password": "bean",
            },
            load_envvars=False,
            load_yaml_config=False,
        )
        self.addCleanup(connection.close)

        with orchclient.from_connection(connection) as orch:
            self.assertIsNone(orch.stacks.find("no-such"))


class KeystoneTests(guarded.GuardedTestCase):
    """The catalog of the cloud says where Orch is."""

    def setUp(self) -> None:
        super().setUp()
        self.keystone.publish(self.system)

    def connect(self, user: str) -> client.Client:
        login = self.keystone.login(user)
        found = orchclient.connect(
            auth_type="password",
            region_name=keystone.REGION,
            load_envvars=False,
            **login.options,
        )
        self.addCleanup(found.close)
        return found

    def test_a_password_is_enough_to_find_the_service(self) -> None:
        orch = self.connect("member")

        stack = orch.stacks.create(
            self.name, packaging.Package(template=guarded.login())
        )
        done = orch.waiters.wait(stack, interval_s=0.05, timeout_s=60)

        self.assertEqual("member", done.requested_by)
        self.assertEqual(self.keystone.projects["demo"], stack.project_id)
        found = [
            each.status.state
            for each in orch.events.follow(self.name, until_idle=True)
        ]
        self.assertEqual("COMPLETE", found[-1])
        orch.stacks.delete(stack)
        orch.waiters.wait(stack, interval_s=0.05, timeout_s=60)

    def test_who_may_only_look_is_refused(self) -> None:
        orch = self.connect("reader")

        self.assertEqual([], list(orch.stacks.list(name=self.name)))
        self.assertRaises(
            errors.ForbiddenError,
            orch.stacks.create,
            self.name,
            packaging.Package(template=_TEMPLATE),
        )

    def test_a_wrong_password_is_refused_by_keystone(self) -> None:
        options = {**self.keystone.login("member").options, "password": "no"}
        orch = orchclient.connect(
            auth_type="password", load_envvars=False, **options
        )

        error = self.assertRaises(errors.LoginError, orch.stacks.show, "s")

        self.assertIn("401", str(error))

    def test_a_session_of_keystoneauth_is_used(self) -> None:
        options = self.keystone.login("reader").options
        login = session.Session(auth=v3.Password(**options))

        with orchclient.from_session(
            login, region_name=keystone.REGION
        ) as orch:
            self.assertIsNone(orch.stacks.find(self.name))


class _Losing(requests.adapters.HTTPAdapter):
    """Loses the answers to what changes something, once each."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: list[str] = []

    def send(  # type: ignore[override]
        self, request: requests.PreparedRequest, **more: object
    ) -> requests.Response:
        answer = super().send(request, **more)  # type: ignore[arg-type]
        key = f"{request.method} {request.headers.get('Idempotency-Key')}"
        if request.method != "GET" and key not in self.lost:
            self.lost.append(key)
            raise requests.exceptions.ConnectionError("lost")
        return answer


class LostAnswerTests(connecting.ClientTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.losing = _Losing()
        session = self.orch._sender._adapter.session.session
        session.mount("http://", self.losing)

    def test_what_was_asked_for_is_done_once(self) -> None:
        stack = self.orch.stacks.create(
            self.name, connecting.Package(template=world_templates.chain())
        )
        self.wait(stack)
        self.orch.stacks.suspend(stack)
        self.wait(stack)
        self.orch.stacks.resume(stack)
        self.wait(stack)
        plan = self.orch.plans.create(
            stack,
            "update",
            connecting.Package(template=world_templates.chain("new")),
        )
        self.wait(stack, self.orch.plans.apply(plan))
        self.orch.snapshots.create(stack)
        self.wait(stack)
        self.orch.stacks.delete(stack)
        self.wait(stack)

        self.assertEqual(7, len(self.losing.lost))
        self.assertEqual(
            ["DELETE", "SNAPSHOT", "UPDATE", "RESUME", "SUSPEND", "CREATE"],
            [each.action for each in self.orch.operations.list(stack)],
        )

    def test_a_change_waits_for_the_state_that_is_known(self) -> None:
        stack = self.create()
        seen = self.orch.stacks.show(stack)
        self.orch.stacks.update(
            stack,
            connecting.Package(template=world_templates.chain("new")),
            if_match=seen.etag,
        )
        self.wait(stack)

        self.assertRegex(seen.etag or "", r'^"[0-9a-f]{32}-[0-9a-f]{16}"$')
        self.assertRaises(
            errors.PreconditionFailedError,
            self.orch.stacks.delete,
            stack,
            if_match=seen.etag,
        )
        self.assertEqual("UPDATE_COMPLETE", self.status(stack))
