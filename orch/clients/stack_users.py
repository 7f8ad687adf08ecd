"""Stack users in Keystone, and their EC2 credentials.

Each has a project of its own, of the same name: no other user has a role
there, and it is removed with its user.
"""

import collections.abc
import dataclasses
import functools
import hashlib
import json
import typing

from orch import errors
from orch.clients import rest
from orch.context import request
from orch.plugin import stack_users

if typing.TYPE_CHECKING:
    from openstack import connection

_VERSION: typing.Final = "3"
_EC2: typing.Final = "ec2"

Body = dict[str, object]


class NoDomain(rest.CloudRefused):
    """Keystone does not know the domain, or the role, of stack users."""

    code = "orch.stack_user.no_domain"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The domain of stack users; one of its id and name is enough.

    :ivar role: of each in its project
    :ivar region_name: whose endpoints they use; empty for any
    """

    domain_id: str = ""
    domain_name: str = ""
    role: str
    region_name: str = ""

    def is_one(self, caller: request.RequestContext) -> bool:
        """Whether a caller lives there."""
        if self.domain_id:
            return caller.user_domain_id == self.domain_id
        return bool(self.domain_name) and (
            caller.user_domain_name == self.domain_name
        )


class StackUsers:
    """Creates stack users; see :class:`orch.plugin.stack_users.Users`."""

    def __init__(
        self, cloud: "connection.Connection", settings: Settings
    ) -> None:
        """Speak to Keystone; nothing is sent yet.

        :param cloud: logs in as who administers the domain
        """
        self._service = rest.service_of(cloud, "identity", None, _VERSION)
        self._settings = settings

    def make(
        self,
        name: str,
        description: str,
        password: str,
        *,
        is_known: bool = False,
    ) -> stack_users.Login:
        """Return a user of that name, who has this password from now on.

        :param is_known: a user who is there has it already
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        message = {"name": name, "domain_id": self._domain_id}
        described = {"description": description[:255], "enabled": True}
        project = self._find_existing("project", {**message, **described})
        desired = {**message, **described, "password": password}
        user = self._find_existing(
            "user", desired, ["password"] if is_known else ()
        )
        self._ask(
            "PUT", f"/projects/{project}/users/{user}/roles/{self._role_id}"
        )
        return stack_users.Login(
            user_id=user,
            username=name,
            project_id=project,
            auth_url=self._address,
            region_name=self._settings.region_name,
        )

    def has(self, name: str) -> bool:
        """Whether there is a user of that name."""
        return self._find("user", name) is not None

    def allow(self, name: str, *, is_allowed: bool) -> None:
        """Let the user log in, or not any more.

        :raises orch.clients.rest.CloudNotFound: there is no such user
        """
        self._ask(
            "PATCH",
            f"/users/{self._get('user', name)}",
            {"user": {"enabled": is_allowed}},
        )

    def remove(self, name: str) -> None:
        """Remove the user with its keys and its project; gone is success."""
        for kind in ("user", "project"):
            found = self._find(kind, name)
            if found is not None:
                self._removed(f"/{kind}s/{found}")

    def make_key(self, name: str, access: str) -> None:
        """Let the user have an access key; one that is there stays.

        :raises orch.clients.rest.CloudNotFound: there is no such user
        """
        blob = {"access": access, "secret": stack_users.new_secret()}
        desired = {
            "type": _EC2,
            "user_id": self._get("user", name),
            "project_id": self._get("project", name),
            "blob": json.dumps(blob),
        }
        try:
            self._ask("POST", "/credentials", {"credential": desired})
        except errors.Busy:
            # 409: an earlier attempt has made it.
            if self.find_secret(access) is None:
                raise

    def find_secret(self, access: str) -> str | None:
        """Return the secret of an access key; ``None`` where there is none."""
        try:
            found = self._ask("GET", f"/credentials/{_id_of(access)}")
        except rest.CloudNotFound:
            return None
        blob = json.loads(str(_part(found, "credential").get("blob", "{}")))
        return str(blob["secret"]) if "secret" in blob else None

    def remove_key(self, access: str) -> None:
        """Remove an access key; already gone is success."""
        self._removed(f"/credentials/{_id_of(access)}")

    def find_name(self, project_id: str) -> str | None:
        """Return the name of the user whose project has this id.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        if not rest.is_found_by_path(project_id):
            return None
        path = f"/projects/{rest.path_segment(project_id)}"
        try:
            answer = self._ask("GET", path)
        except rest.CloudNotFound:
            return None
        found = _part(answer, "project")
        is_ours = found.get("domain_id") == self._domain_id
        return str(found["name"]) if is_ours else None

    def is_one(self, caller: request.RequestContext) -> bool:
        """Whether a caller is one of these users."""
        return self._settings.is_one(caller)

    def _find_existing(
        self,
        kind: str,
        desired: Body,
        given: collections.abc.Collection[str] = (),
    ) -> str:
        """Return the id of a resource that is as wanted from now on.

        :param given: what it has already if it is there
        """
        name = str(desired["name"])
        found = self._find(kind, name)
        if found is None:
            try:
                created = self._ask("POST", f"/{kind}s", {kind: desired})
                return str(_part(created, kind)["id"])
            except errors.Busy:
                # 409: another attempt was faster.
                found = self._find(kind, name)
                if found is None:
                    raise
        stays = {"domain_id", *given}
        changed = {
            key: value for key, value in desired.items() if key not in stays
        }
        self._ask("PATCH", f"/{kind}s/{found}", {kind: changed})
        return found

    def _get(self, kind: str, name: str) -> str:
        found = self._find(kind, name)
        if found is None:
            raise rest.CloudNotFound(
                f"Keystone has no {kind} {name} of a stack"
            )
        return found

    def _find(self, kind: str, name: str) -> str | None:
        params = {"name": name, "domain_id": self._domain_id}
        listed = self._ask("GET", f"/{kind}s", params=params).get(f"{kind}s")
        for each in listed if isinstance(listed, list) else ():
            return str(each["id"])
        return None

    @functools.cached_property
    def _domain_id(self) -> str:
        """The id of the domain.

        :raises NoDomain: Keystone does not know it
        """
        if self._settings.domain_id:
            return self._settings.domain_id
        return self._id_named("domain", self._settings.domain_name)

    @functools.cached_property
    def _role_id(self) -> str:
        """The id of the role.

        :raises NoDomain: Keystone does not know it
        """
        return self._id_named("role", self._settings.role)

    def _id_named(self, kind: str, name: str) -> str:
        listed = self._ask("GET", f"/{kind}s", params={"name": name})
        found = listed.get(f"{kind}s")
        for each in found if isinstance(found, list) else ():
            return str(each["id"])
        raise NoDomain(
            f"Keystone has no {kind} {name!r}, which users of stacks need"
        )

    @functools.cached_property
    def _address(self) -> str:
        """Where servers reach Keystone: what the catalogue says to all."""
        try:
            found = self._service.get_endpoint(interface="public")
        except Exception as error:
            raise rest.of_exception(
                error, "the address of identity"
            ) from error
        return str(found or rest.endpoint_of(self._service)).rstrip("/")

    def _removed(self, path: str) -> None:
        try:
            self._ask("DELETE", path)
        except rest.CloudNotFound:
            return

    def _ask(
        self,
        method: str,
        path: str,
        json: Body | None = None,
        *,
        params: collections.abc.Mapping[str, str] | None = None,
    ) -> Body:
        answer = rest.send_request(
            self._service,
            method,
            path,
            json=json,
            params=None if params is None else dict(params),
            is_secret=True,  # it has what logs in
        )
        return rest.read_body(answer) if answer.content else {}


def _part(answer: Body, name: str) -> Body:
    found = answer.get(name)
    if not isinstance(found, dict):
        raise rest.CloudRefused(f"Keystone answers without {name}")
    return found


def _id_of(access: str) -> str:
    """Return the id that Keystone gives to the EC2 credential of a key."""
    return hashlib.sha256(access.encode()).hexdigest()
