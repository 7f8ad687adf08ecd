"""What caused an operation, and who asked for it.

A signal and a repair act with the rights of a caller who has not asked for
them. Their stored contexts say so, and pass it on to all that follows from
the operation: its child operations and its rollback.
"""

import collections.abc
import dataclasses
import typing

Values = collections.abc.Mapping[str, object]

KEY: typing.Final = "origin"
"""Key of the origin in a stored context."""

REQUEST: typing.Final = "request"
SIGNAL: typing.Final = "signal"
REPAIR: typing.Final = "repair"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user; what is not known is ``None``."""

    user_id: str | None = None
    user_name: str | None = None
    roles: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Values) -> "User":
        """Return the user of a stored context or origin."""
        user_id = values.get("user_id") or values.get("user")
        name = values.get("user_name")
        roles = values.get("roles")
        return cls(
            user_id=str(user_id) if user_id else None,
            user_name=str(name) if name else None,
            roles=tuple(map(str, roles))
            if isinstance(roles, list | tuple)
            else (),
        )

    @property
    def label(self) -> str | None:
        """Return the user as people know it."""
        return self.user_name or self.user_id

    def to_stored(self) -> dict[str, object]:
        """Return what :meth:`of` takes."""
        return {
            "user_id": self.user_id,
            "user_name": self.user_name,
            "roles": list(self.roles),
        }


NO_USER: typing.Final = User()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The cause of an operation, and the users behind it.

    :ivar cause: ``REQUEST``, ``SIGNAL`` or ``REPAIR``
    :ivar requester: who asked; ``NO_USER`` for a repair
    :ivar policy_setter: who set the drift policy that a repair follows
    """

    cause: str = REQUEST
    requester: User = NO_USER
    policy_setter: User = NO_USER

    @classmethod
    def of(cls, context: Values) -> "Origin":
        """Return the origin of an operation with a stored context."""
        found = context.get(KEY)
        if not isinstance(found, collections.abc.Mapping):
            return cls(requester=User.of(context))
        return cls(
            cause=str(found["cause"]),
            requester=User.of(found["requester"]),
            policy_setter=User.of(found["policy_setter"]),
        )

    @property
    def responsible_ids(self) -> frozenset[str]:
        """Return the ids of the users who must not be the only approver."""
        users = (self.requester, self.policy_setter)
        return frozenset(each.user_id for each in users if each.user_id)

    def to_stored(self) -> dict[str, object]:
        """Return what a stored context has under :data:`KEY`."""
        return {
            "cause": self.cause,
            "requester": self.requester.to_stored(),
            "policy_setter": self.policy_setter.to_stored(),
        }
