"""The metadata of a resource, with what others show now.

Servers poll their metadata to learn of what has changed beside them: a load
balancer, of the members of a group that a signal has resized.
"""

import collections.abc

from orch import errors
from orch.context import request
from orch.engine import dependencies
from orch.engine import stored_world
from orch.model import resource
from orch.model import stack
from orch.template import template

Values = collections.abc.Mapping[str, object]


def of(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    subject: stack.Stack,
    row: resource.Resource,
) -> Values:
    """Return the metadata of a resource, as its template says them.

    Those of its row where they refer to nothing, while the resource is not
    complete, and where a value cannot be worked out now. Call it outside of
    a transaction: plug-ins may be asked.
    """
    if not row.is_complete:
        return row.metadata
    try:
        bound = deps.database.query(
            lambda connection: deps.templates.load(connection, subject)
        )
        if not bound.has_live_metadata(row.name):
            return row.metadata
        return _resolved(deps, ctxt, subject, bound, row.name)
    except errors.OrchError:
        return row.metadata


def _resolved(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    subject: stack.Stack,
    bound: template.Template,
    name: str,
) -> Values:
    seen = stored_world.StoredWorld(
        subject,
        stored_world.Rows(deps.database, subject.id),
        deps.types_of(subject, bound, ctxt),
        ctxt,
        deps.reads.begin(),
    )
    return bound.resolve_metadata(name, seen)
