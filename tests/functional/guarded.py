"""What tests of an Orch share that a real Keystone guards."""

import itertools
import os
import pathlib
import typing

import requests
from keystoneauth1 import session
from keystoneauth1.identity import v3
from openstack.identity.v3 import user as proxy

from tests.support import forks
from tests.support import keystone
from tests.support import processes
from tests.support import rest
from tests.support import serving
from tests.support import systems
from tests.support import waiting

PLUGIN = pathlib.Path(__file__).parents[1] / "support" / "clouded"
LOGIN = "Test::Cloud::Login"
SOON: typing.Final = {"clean_up_interval": 0.3}
_NUMBERS = itertools.count()

Json = dict[str, typing.Any]


def login(word: str = "") -> Json:
    """Return a template of one resource that logs in to the cloud."""
    return {
        "heat_template_version": "2021-04-16",
        "resources": {"login": {"type": LOGIN, "properties": {"word": word}}},
        "outputs": {
            name: {"value": {"get_attr": ["login", name]}}
            for name in ("user", "project", "roles")
        },
    }


class GuardedTestCase(serving.ServerTestCase):
    """The server asks Keystone who asks; clients log in as its users.

    :ivar name: of the stack of a test
    """

    limit_s = 240
    defaults = serving.options()
    method: typing.ClassVar[str] = "trusts"
    more: typing.ClassVar[systems.Options] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.keystone = keystone.shared()
        cls.options = {
            **cls.keystone.options(),
            "credentials": SOON,
            "DEFAULT": {
                "deferred_auth_method": cls.method,
                "enable_stack_abandon": True,
            },
            **cls.more,
        }
        super().setUpClass()

    @classmethod
    def environment(cls) -> dict[str, str]:
        path = os.environ.get("PYTHONPATH", "")
        return {"PYTHONPATH": f"{PLUGIN}{os.pathsep}{path}".rstrip(os.pathsep)}

    def setUp(self) -> None:
        super().setUp()
        self.keystone.remove_trusts()
        self.name = f"g{next(_NUMBERS)}"

    def client_of(
        self, user: str, *, token: str | None = None, project: str = "demo"
    ) -> rest.Client:
        """Return a client that bears a token of a user."""
        where = self.keystone.projects[project]
        client = rest.Client(
            f"http://127.0.0.1:{self.system.port}/v1/{where}",
            token=token or self.keystone.token(user),
        )
        self.addCleanup(client.close)
        return client

    def created(
        self, client: rest.Client, wanted: Json, **body: object
    ) -> rest.Stack:
        """Return a stack that is complete."""
        stack = client.create(self.name, wanted, **body)
        client.wait(stack, "CREATE_COMPLETE")
        return stack

    def delete(self, client: rest.Client, stack: rest.Stack) -> None:
        """Delete a stack; return once it is gone."""
        client.delete(stack)
        client.wait(stack, "DELETE_COMPLETE")

    def wait_for_trusts(self, count: int) -> list[str]:
        """Return the trusts to Orch, once there are so many."""
        waiting.wait_for(
            lambda: len(self.keystone.trusts()) == count,
            f"{count} trusts instead of {self.keystone.trusts()}",
        )
        return self.keystone.trusts()

    def send(self, method: str, path: str, **given: typing.Any) -> typing.Any:
        """Return the answer to a request without a token, as it is."""
        return requests.request(
            method,
            f"http://127.0.0.1:{self.system.port}{path}",
            timeout=30,
            **given,
        )


def token_of(options: dict[str, str]) -> str:
    """Return a token of who logs in with these options of a password."""
    return str(session.Session(auth=v3.Password(**options)).get_token())


def add_overseer(
    cloud: keystone.Keystone, name: str, *roles: str
) -> proxy.User:
    """Return a new user with roles on the whole system, and nowhere else."""
    identity = cloud.admin.identity
    user: proxy.User = identity.create_user(
        name=name, password=keystone.PASSWORD, domain_id="default"
    )
    known = {each.name: each.id for each in identity.roles()}
    for role in roles:
        cloud.admin.session.put(
            f"{cloud.url}/system/users/{user.id}/roles/{known[role]}"
        )
    return user


def overseeing(cloud: keystone.Keystone, name: str) -> dict[str, str]:
    """Return how such a user logs in to the whole system."""
    return {
        "auth_url": cloud.url,
        "username": name,
        "password": keystone.PASSWORD,
        "user_domain_id": "default",
        "system_scope": "all",
    }


def openstack(login_: keystone.Login, *arguments: str) -> processes.Done:
    """Run the unmodified command as somebody, to its end."""
    return run_openstack(login_.environment, *arguments)


def run_openstack(
    variables: dict[str, str], *arguments: str
) -> processes.Done:
    """Run the unmodified command with these variables, to its end."""
    return processes.complete(
        (processes.find("openstack"), *arguments),
        plain_environment() | variables,
        launch=forks.clients().launch,
    )


def plain_environment() -> dict[str, str]:
    """Return the variables of this process that say nothing of a cloud."""
    return {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("OS_")
    }
