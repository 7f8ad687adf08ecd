"""Stack users: logins for software inside the servers of a stack.

Such a user is in a domain of Keystone that the operator has reserved for
them, in a project of its own, and may do nothing but what its resource lets
it do here. Its name there is the token of that resource, which no caller can
give to another one. Plug-ins know neither Keystone nor the administrator of
the domain: the worker passes them :class:`Users` before the first call.
"""

import abc
import collections.abc
import dataclasses
import secrets
import typing

from orch import errors
from orch.context import request
from orch.plugin import call_context
from orch.plugin import resource

Names = collections.abc.Sequence[str]

_STRONG: typing.Final = "aA1!"
"""Characters that rules for passwords usually require."""

SERVED_BY: typing.Final = (
    "set auth in [api] to keystone, and stack_user_domain_id to the domain of"
    " Keystone that such users are to live in"
)


class NoUsers(errors.Permanent):
    """No stack users can be created by this installation."""

    code = "orch.stack_user.none"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The login of a user, without the password.

    :ivar project_id: the one project that the user can log in to
    :ivar auth_url: where servers reach Keystone, its version 3
    :ivar region_name: whose endpoints it shall use; empty for any
    """

    user_id: str
    username: str
    project_id: str
    auth_url: str
    region_name: str


class Users(typing.Protocol):
    """Creates stack users, and access keys for them.

    Every call may be repeated; existing users and keys are used as they are.
    All raise what :func:`orch.clients.rest.send_request` does.
    """

    def make(
        self,
        name: str,
        description: str,
        password: str,
        *,
        is_known: bool = False,
    ) -> Login:
        """Create a user of that name, with this password from now on.

        :param is_known: a user who is there has it already. Keystone takes
            no token of the second in which a password is set.
        """

    def has(self, name: str) -> bool:
        """Whether a user of that name exists."""

    def allow(self, name: str, *, is_allowed: bool) -> None:
        """Enable or disable the login of the user."""

    def remove(self, name: str) -> None:
        """Remove the user with its keys and its project; gone is success."""

    def make_key(self, name: str, access: str) -> None:
        """Give the user an access key of that id.

        :raises orch.clients.rest.CloudNotFound: there is no such user
        """

    def find_secret(self, access: str) -> str | None:
        """Return the secret of an access key; ``None`` if it is unknown."""

    def remove_key(self, access: str) -> None:
        """Remove an access key; already gone is success."""

    def find_name(self, project_id: str) -> str | None:
        """Return the name of the user whose project has this id."""

    def is_one(self, caller: request.RequestContext) -> bool:
        """Whether a caller is one of these users; it only computes."""


class StackUserResource(resource.Resource, abc.ABC):
    """Base of the types that create users, or keys for them."""

    _users: Users | None = None

    def use_stack_users(self, users: Users) -> None:
        """Set the object that creates users; called once, by the worker."""
        self._users = users

    def creates_once(self, context: call_context.Context) -> bool:
        """Return true: the token is the name of the user."""
        return True

    @property
    def has_stack_users(self) -> bool:
        """Whether this installation creates stack users."""
        return self._users is not None

    @property
    def stack_users(self) -> Users:
        """The object that creates stack users.

        :raises NoUsers: this installation creates none
        """
        if self._users is None:
            raise NoUsers(
                f"{self.type_name} needs users of stacks, which this"
                f" installation does not make: {SERVED_BY}"
            )
        return self._users

    def is_user(self, caller: request.RequestContext) -> bool:
        """Whether a caller is a user of any stack; it only computes."""
        return self._users is not None and self._users.is_one(caller)


class HasStackUser(StackUserResource, abc.ABC):
    """Base of the types whose resources may have a user."""

    def has_user(self, context: call_context.Context) -> bool:
        """Whether a resource has a user; it only computes."""
        return True

    def is_of_caller(self, context: call_context.Context) -> bool:
        """Whether the caller is the user of a resource."""
        return (
            self.is_user(context.request)
            and context.request.user_name == context.token
            and self.has_user(context)
        )

    def policies(self, context: call_context.Context) -> Names | None:
        """Return the names of the user's policies.

        :returns: ``None``: the user may reach its resource alone. Else it
            may reach what all of the policies allow, and without any all of
            its stack.
        """
        return None


class StackUserPolicy(resource.Resource, abc.ABC):
    """Base of the types that restrict what users may access."""

    @abc.abstractmethod
    def allows(
        self, properties: collections.abc.Mapping[str, object], name: str
    ) -> bool:
        """Whether a policy allows access to the resource of that name."""


def new_password() -> str:
    """Return a new random password."""
    return f"{_STRONG}{secrets.token_urlsafe(32)}"


def new_secret() -> str:
    """Return a new random secret of an access key."""
    return secrets.token_hex(20)
