"""The context of one request, carried by RPC and stored by operations."""

import collections.abc
import typing

from oslo_context import context


class RequestContext(context.RequestContext):
    """Who asks, for which project, with which roles, under which id.

    The fields are oslo.context's: ``user_id``, ``user_name``, ``project_id``,
    ``roles``, ``request_id``, ``is_admin``, ``auth_token``.
    """

    def to_dict(self) -> dict[str, object]:
        """Return all that :meth:`from_dict` takes, the names included."""
        values: dict[str, object] = super().to_dict()
        values["user_name"] = self.user_name
        values["project_name"] = self.project_name
        values["domain_name"] = self.domain_name
        values["user_domain_name"] = self.user_domain_name
        values["project_domain_name"] = self.project_domain_name
        return values

    def to_stored(self) -> dict[str, object]:
        """Return what an operation keeps of its caller; never a token."""
        values: dict[str, object] = self.to_dict()
        values.pop("auth_token", None)
        values.pop("service_token", None)
        return values

    @classmethod
    def from_stored(
        cls, values: collections.abc.Mapping[str, object]
    ) -> typing.Self:
        """Return the context that :meth:`to_stored` wrote down."""
        return cls.from_dict(dict(values))
