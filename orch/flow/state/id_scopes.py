"""The scopes of the physical ids of rows, as they are stored."""

import collections.abc
import hashlib

from oslo_log import log

from orch import redacted
from orch.context import request
from orch.model import resource as model_resource
from orch.plugin import id_scopes
from orch.plugin import logged_errors
from orch.plugin import registry
from orch.plugin import resource

LOG = log.getLogger(__name__)

Values = collections.abc.Mapping[str, object]


def account_of(
    project_id: str, requested_by: request.RequestContext
) -> id_scopes.Account:
    """Return in whose name services act on the resources of a stack."""
    return id_scopes.Account(project_id, requested_by.user_id)


def names_everywhere(plugin: resource.Resource | None) -> bool:
    """Whether the ids of a type name one physical resource as they are.

    So do those of child stacks, which have no plug-in.
    """
    return (
        plugin is None
        or type(plugin).get_id_scope is resource.Resource.get_id_scope
    )


def find_scope(
    plugin: resource.Resource | None,
    account: id_scopes.Account,
    properties: Values,
) -> str | None:
    """Return the stored form of a scope; ``None`` where it is not known."""
    if plugin is None or names_everywhere(plugin):
        return id_scopes.EVERYWHERE
    try:
        scope = plugin.get_id_scope(account, properties)
    except Exception as error:
        secrets = logged_errors.find_secrets(properties)
        LOG.error(
            "%s cannot name a scope of ids",
            plugin.type_name,
            exc_info=redacted.redact_trace(
                error, logged_errors.redact_error(error, (), *secrets)
            ),
        )
        return None
    return hashlib.sha256(scope.encode()).hexdigest() if scope else scope


def with_scope(
    types: registry.Types,
    account: id_scopes.Account,
    row: model_resource.Resource,
) -> model_resource.Resource:
    """Return a row with the scope of the physical id that it has."""
    if row.physical_id is None or row.external_id is not None:
        return row
    plugin = types.find(row.plugin_type)
    scope = find_scope(plugin, account, row.properties)
    if scope == row.id_scope:
        return row
    return model_resource.replace(row, {"id_scope": scope})
