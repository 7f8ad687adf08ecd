"""A real Keystone with a few users, one for all tests of a process.

It starts when the first test needs it and ends with the process. Its tables
are in SQLite; it needs no other server.
"""

import atexit
import collections.abc
import contextlib
import dataclasses
import functools
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing

import openstack
import requests
from openstack import connection

from tests.support import ports
from tests.support import systems

PASSWORD: typing.Final = "canary-password-6a0e"
"""Of all users; a word that tests look for where it must not stand."""
REGION: typing.Final = "RegionOne"
SERVICE: typing.Final = "orch"
"""The user that Orch itself logs in as."""
OTHERS: typing.Final = "others"
"""A project of which nobody but ``stranger`` is a member."""

_ROLES = ("heat_stack_user", "heat_stack_owner")
_USERS: typing.Final = {
    "reader": ("demo", ("reader",)),
    "member": ("demo", ("member",)),
    "colleague": ("demo", ("member",)),
    "guest": ("demo", ("heat_stack_user",)),
    "chief": ("demo", ("admin",)),
    "stranger": (OTHERS, ("member",)),
    # Keystone lets nobody else remove what was left to it.
    SERVICE: ("service", ("service", "admin")),
}
"""User to project and roles there."""
_START_S = 240
_STOP_S = 10
_ANSWER_S = 10
_PAUSE_S = 0.1


@dataclasses.dataclass(frozen=True)
class Login:
    """A user in a project, as clients log in."""

    auth_url: str
    user: str
    project: str

    @property
    def options(self) -> dict[str, str]:
        """Return what keystoneauth's password plug-in wants."""
        return {
            "auth_url": self.auth_url,
            "username": self.user,
            "password": PASSWORD,
            "project_name": self.project,
            "user_domain_id": "default",
            "project_domain_id": "default",
        }

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that the openstack command reads."""
        named = {f"OS_{key.upper()}": each for key, each in self._all.items()}
        return {**named, "OS_REGION_NAME": REGION}

    @property
    def _all(self) -> dict[str, str]:
        return {**self.options, "identity_api_version": "3"}

    def connect(self) -> connection.Connection:
        """Return a connection that logs in so."""
        return openstack.connect(
            load_yaml_config=False,
            load_envvars=False,
            region_name=REGION,
            auth=self.options,
        )


class Keystone:
    """A running server.

    :ivar url: its address, with the version
    :ivar admin: a connection of who may all
    :ivar projects: ids by name
    :ivar users: ids by name
    """

    def __init__(self) -> None:
        self._directory = pathlib.Path(tempfile.mkdtemp(prefix="orch-tests-"))
        self._port = ports.find_free()
        self.url = f"http://127.0.0.1:{self._port}/v3"
        self._process: subprocess.Popen[bytes] | None = None
        self._start()
        self.admin = Login(self.url, "admin", "admin").connect()
        self.projects: dict[str, str] = {}
        self.users: dict[str, str] = {}
        self._populate()
        self._service = self.login(SERVICE).connect()
        self._tokens: dict[str, str] = {}

    def close(self) -> None:
        """End it, and remove all of it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(_STOP_S)
            self._process = None
        shutil.rmtree(self._directory, ignore_errors=True)

    def login(self, user: str) -> Login:
        """Return how a user logs in to the user's project."""
        project = "admin" if user == "admin" else _USERS[user][0]
        return Login(self.url, user, project)

    def token(self, user: str) -> str:
        """Return a token of a user, the same each time."""
        if user not in self._tokens:
            self._tokens[user] = self.fresh_token(user)
        return self._tokens[user]

    def fresh_token(self, user: str) -> str:
        """Return a token that nobody else has."""
        return str(self.login(user).connect().authorize())

    def options(self, **trustee: object) -> dict[str, dict[str, object]]:
        """Return the options of an Orch that this one guards.

        :param trustee: further options of that group
        """
        own: dict[str, object] = {
            "auth_type": "password",
            "auth_url": self.url,
            "username": SERVICE,
            "password": PASSWORD,
            "user_domain_id": "default",
            "project_name": "service",
            "project_domain_id": "default",
        }
        return {
            "api": {"auth": "keystone"},
            "keystone_authtoken": {
                **own,
                "www_authenticate_uri": self.url,
                "service_token_roles_required": True,
            },
            "trustee": {**own, **trustee},
            "clients": {"region_name": REGION},
        }

    def publish(self, system: systems.System) -> None:
        """Let the catalogue say where an Orch is, and no other."""
        identity = self.admin.identity
        service = identity.find_service("orch")
        if service is None:
            service = identity.create_service(
                name="orch", type="orchestration"
            )
        for old in identity.endpoints(service_id=service.id):
            identity.delete_endpoint(old)
        identity.create_endpoint(
            service_id=service.id,
            interface="public",
            region_id=REGION,
            url=f"http://127.0.0.1:{system.port}/v1/%(project_id)s",
        )

    def trusts(self) -> list[str]:
        """Return the ids of the trusts to Orch."""
        found = self._service.session.get(
            f"{self.url}/OS-TRUST/trusts",
            params={"trustee_user_id": self.users[SERVICE]},
        )
        return [each["id"] for each in found.json()["trusts"]]

    def remove_trusts(self) -> None:
        """Remove what the stacks of servers that have ended left."""
        for trust_id in self.trusts():
            self._service.session.delete(
                f"{self.url}/OS-TRUST/trusts/{trust_id}", raise_exc=False
            )

    @contextlib.contextmanager
    def paused(self) -> collections.abc.Iterator[None]:
        """Let it take connections, and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    @contextlib.contextmanager
    def stopped(self) -> collections.abc.Iterator[None]:
        """Let nobody have its address; it is the same one afterwards."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(_STOP_S)
        try:
            yield
        finally:
            self._start()

    def _start(self) -> None:
        home = self._directory / "home"
        home.mkdir(exist_ok=True)
        log = self._directory / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                (
                    sys.executable,
                    *("-m", "tests.support.keystone_server"),
                    str(home),
                    str(self._port),
                ),
                cwd=pathlib.Path(__file__).parents[2],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        limit = time.monotonic() + _START_S
        while not self._is_answering():
            is_late = time.monotonic() > limit
            if is_late or self._process.poll() is not None:
                text = log.read_text(encoding="utf-8", errors="replace")
                self.close()
                raise AssertionError(f"Keystone did not start:\n{text}")
            time.sleep(_PAUSE_S)

    def _is_answering(self) -> bool:
        try:
            return requests.get(self.url, timeout=_ANSWER_S).ok
        except requests.RequestException:
            return False

    def _populate(self) -> None:
        identity = self.admin.identity
        for name in _ROLES:
            identity.create_role(name=name)
        roles = {each.name: each for each in identity.roles()}
        for project in ("demo", OTHERS, "service"):
            self.projects[project] = identity.create_project(
                name=project, domain_id="default"
            ).id
        for user, (project, named) in _USERS.items():
            self.users[user] = identity.create_user(
                name=user, password=PASSWORD, domain_id="default"
            ).id
            for role in named:
                identity.assign_project_role_to_user(
                    self.projects[project], self.users[user], roles[role]
                )


@functools.cache
def shared() -> Keystone:
    """Return the one of this process; it ends with the process."""
    started = Keystone()
    atexit.register(started.close)
    return started
