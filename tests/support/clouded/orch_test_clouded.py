"""A type that logs in to the cloud, and shows as whom."""

import collections.abc

import keystoneauth1.exceptions
from keystoneauth1 import session as sessions

from orch import errors
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import schema


class Login(clouds.CloudResource):
    """Nothing; but whoever makes or looks at it logs in.

    Its data say as whom it was made, its attributes as whom it is looked at.
    """

    type_name = "Test::Cloud::Login"
    properties = (
        schema.Property(
            "word",
            schema.Type.STRING,
            default="",
            on_update=schema.OnUpdate.MODIFY,
        ),
    )
    attributes = (
        schema.Attribute("user"),
        schema.Attribute("project"),
        schema.Attribute("roles"),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        self._observe(context)
        return context.token

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        return None

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        self._observe(context)
        return None

    def check(self, context: call_context.Context) -> None:
        self._observe(context)

    def delete(self, context: call_context.Context) -> None:
        self._observe(context)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        seen = self._observe(context)
        return {name: seen[name] for name in names}

    def _observe(self, context: call_context.Context) -> dict[str, object]:
        held: sessions.Session = self.cloud(context).session
        try:
            access = held.auth.get_access(held)
            # A token that was issued may have been revoked since.
            held.get(f"{held.auth.auth_url}/auth/projects")
        except keystoneauth1.exceptions.ClientException as error:
            raise errors.Permanent(f"cannot log in: {error}") from error
        return {
            "user": access.user_id,
            "project": access.project_id,
            "roles": sorted(access.role_names),
        }
