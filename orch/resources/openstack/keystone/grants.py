"""Roles that users and groups have in projects and domains.

Keystone grants a role as often as it is asked, and revokes one that is not
granted with 404: both may be asked again. Roles that others have granted are
left alone, and are no drift.
"""

import collections.abc

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import association
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

_SCOPES = ("project", "domain")


class RoleHolder(base.OpenStackResource):
    """A user or a group with roles; each is in a project or a domain."""

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a role without one scope, or with two.

        :raises orch.errors.Invalid: there is one
        """
        given = properties.get("roles")
        for role in wire.to_list(given):
            if not isinstance(role, collections.abc.Mapping):
                continue  # It is not known yet.
            scopes = [key for key in _SCOPES if role.get(key)]
            if len(scopes) != 1:
                raise errors.Invalid(
                    f"The role {role.get('role')} needs either a project or a"
                    f" domain, and has {' and '.join(scopes) or 'none'}."
                )

    def resolve_element(
        self,
        context: call_context.Context,
        field: type_table.Field,
        item: object,
    ) -> elements.Values:
        """Return role, scope and its id; of another property, the id."""
        found = super().resolve_element(context, field, item)
        role = found["item"]
        if not isinstance(role, dict):
            return found
        scope = next(key for key in _SCOPES if role.get(key))
        return _grant(role["role"], scope, role[scope])

    def read_elements(
        self,
        context: call_context.Context,
        field: type_table.Field,
        body: wire.Body,
    ) -> elements.Found | None:
        """Return the roles that are granted now; of another property, ids."""
        if field.name != "roles":
            return super().read_elements(context, field, body)
        found = self.api_collection(context).ask(
            "GET",
            "/role_assignments",
            None,
            {f"{self.table.key}.id": self.id_of(context)},
        )
        grants = [
            _grant(each["role"]["id"], scope, each["scope"][scope]["id"])
            for each in found.get("role_assignments", ())
            for scope in _SCOPES
            if scope in each["scope"]
        ]
        return {wire.to_key(each): each for each in grants}


class RoleAssignment(RoleHolder, association.Association):
    """Roles of a user or a group that is created elsewhere."""


def _grant(role: str, scope: str, scope_id: str) -> elements.Values:
    return {"role": role, "scope": f"{scope}s", "scope_id": scope_id}
