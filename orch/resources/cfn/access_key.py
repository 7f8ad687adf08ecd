"""``AWS::IAM::AccessKey``: an access key of a stack user."""

import collections.abc
import typing
import uuid

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import stack_users
from orch.plugin import type_files
from orch.resources.cfn import user

Values = collections.abc.Mapping[str, object]

_USER: typing.Final = "UserName"
_SECRET: typing.Final = "SecretAccessKey"  # noqa: S105 - a name, no secret


class KeyGone(reality.Vanished):
    """The access key was removed from Keystone by another client."""

    code = "orch.resource.access_key_gone"


@type_files.described("AWS::IAM::AccessKey")
class AccessKey(stack_users.StackUserResource, resource.Resource):
    """An EC2 credential of a user that is a resource of the same stack.

    Its physical id is the access key; the secret is read from Keystone
    whenever it is read.
    """

    has_reality = True
    refers_to = _USER

    @property
    def lacks(self) -> str | None:
        """Return that there are no users, where there are none."""
        if self.has_stack_users:
            return None
        return (
            "They belong to users of stacks, which this installation does not"
            f" make: {stack_users.SERVED_BY}."
        )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Make the key; one that an earlier attempt made is taken.

        :raises orch.errors.Invalid: the stack has no such user
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        referred = context.referred
        if referred is None or referred.type_name != user.TYPE:
            raise errors.Invalid(
                f"{_USER} must name a resource of the type {user.TYPE} of the"
                f" same stack, and {context.properties[_USER]} is none"
            )
        access = _access_of(context)
        self.stack_users.make_key(referred.token, access)
        return access

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Find the key that an earlier attempt made."""
        access = _access_of(context)
        found = self.stack_users.find_secret(access)
        return None if found is None else access

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Make another key, for the user that was made here."""
        return call_context.AdoptedResource(
            physical_id=self.create(context),
            data={},
            metadata=given.metadata,
        )

    def get_reality(self, context: call_context.Context) -> Values:
        """Look whether the key is there.

        :raises KeyGone: it is not
        """
        if self.stack_users.find_secret(_access_of(context)) is None:
            raise KeyGone("Keystone has no such access key any more")
        return dict(context.properties)

    def delete(self, context: call_context.Context) -> None:
        """Remove the key; already gone is success."""
        self.stack_users.remove_key(_access_of(context))

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return whose it is, and the secret."""
        found: dict[str, object] = {_USER: context.properties.get(_USER)}
        if _SECRET in names:
            found[_SECRET] = self.stack_users.find_secret(_access_of(context))
        return found


def _access_of(context: call_context.Context) -> str:
    """Return the access key: the token as Keystone writes its own."""
    return uuid.UUID(context.token).hex
