"""``AWS::IAM::User``: a login for servers, which may read their stack."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import stack_users
from orch.plugin import type_files

Values = collections.abc.Mapping[str, object]

TYPE: typing.Final = "AWS::IAM::User"

_POLICIES: typing.Final = "Policies"
_PROFILE: typing.Final = "LoginProfile"
_PASSWORD: typing.Final = "Password"  # noqa: S105 - a name, no secret


class UserGone(reality.Vanished):
    """The user was removed from Keystone by another client."""

    code = "orch.resource.user_gone"


@type_files.described("AWS::IAM::User")
class User(stack_users.HasStackUser, resource.Resource):
    """A user of the stack, who may read what policies allow.

    Its physical id is its name in Keystone.
    """

    has_reality = True

    @property
    def lacks(self) -> str | None:
        """Return that there are no users, where there are none."""
        if self.has_stack_users:
            return None
        return (
            "They are users of stacks, which this installation does not make:"
            f" {stack_users.SERVED_BY}."
        )

    def validate(self, properties: Values) -> None:
        """Refuse policies that are written down in place.

        :raises orch.errors.Invalid: one is no name
        """
        given = properties.get(_POLICIES) or ()
        texts = given if isinstance(given, list | tuple) else ()
        if not all(isinstance(each, str) for each in texts):
            raise errors.property_error(
                _POLICIES,
                "must be names of resources of the type"
                " OS::Heat::AccessPolicy; documents in place are not"
                " understood",
            )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Make the user; the same call again changes nothing but a password.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        self.validate(context.properties)
        self.stack_users.make(
            context.token,
            f"{context.name} of the stack {context.stack_id}",
            _password_of(context.properties) or stack_users.new_password(),
        )
        return context.token

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Find the user that an earlier attempt made, and complete it."""
        if not self.stack_users.has(context.token):
            return None
        return self.create(context)

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Make another user here: the one that is given is not ours."""
        return call_context.AdoptedResource(
            physical_id=self.create(context),
            data={},
            metadata=given.metadata,
        )

    def get_reality(self, context: call_context.Context) -> Values:
        """Look whether the user is there; Keystone tells none of the rest.

        :raises UserGone: it is not
        """
        if not self.stack_users.has(context.token):
            raise UserGone(f"Keystone has no user {context.token} any more")
        return {}

    def suspend(self, context: call_context.Context) -> None:
        """Disable all logins of the user."""
        self.stack_users.allow(context.token, is_allowed=False)

    def resume(self, context: call_context.Context) -> None:
        """Let the user log in again."""
        self.stack_users.allow(context.token, is_allowed=True)

    def delete(self, context: call_context.Context) -> None:
        """Remove the user with its access keys; already gone is success."""
        self.stack_users.remove(context.token)

    def policies(self, context: call_context.Context) -> stack_users.Names:
        """Return the names of its policies."""
        given = context.properties.get(_POLICIES)
        texts = given if isinstance(given, list | tuple) else ()
        return list(map(str, texts))


def _password_of(properties: Values) -> str | None:
    profile = properties.get(_PROFILE)
    found = profile.get(_PASSWORD) if isinstance(profile, dict) else None
    return str(found) if found else None
