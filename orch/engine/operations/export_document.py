"""A stack as one document, laid out as Heat exports it.

What users gave as hidden parameters is covered: whoever may only look at a
snapshot learns no more than whoever looks at the stack.
"""

import collections.abc
import dataclasses

from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import stored
from orch.engine.operations import masks
from orch.engine.operations import template_masks
from orch.model import resource
from orch.model import snapshot
from orch.model import stack
from orch.model import states

Document = dict[str, object]


def of_snapshot(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    subject: stack.Stack,
    found: snapshot.Snapshot,
) -> Document:
    """Return the stack as it was when the snapshot was taken.

    Until it is taken there are no resources in it, and the state is that of
    the stack.
    """
    then = dataclasses.replace(
        subject,
        template_hash=found.template_hash,
        environment_hash=found.environment_hash,
    )
    if found.data is not None:
        then = dataclasses.replace(
            then,
            tags=tuple(found.tags()),
            action=states.Action.SNAPSHOT,
            status=found.status,
        )
    return document(deps, connection, then, found.resources())


def document(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    subject: stack.Stack,
    rows: collections.abc.Iterable[resource.Resource],
) -> Document:
    """Return the document of a stack.

    :param rows: the resources that stand for their names
    """
    bound = deps.templates.find(connection, subject)
    covers = template_masks.around(connection, deps.templates.find, subject)
    return {
        "name": subject.name,
        "id": subject.id,
        "action": subject.action.value,
        "status": subject.status.value,
        "template": stored.read_template(connection, subject),
        "environment": None
        if bound is None
        else template_masks.shown_environment(
            bound, template_masks.find_outer(connection, deps, subject)
        ),
        "files": stored.read_files(connection, subject),
        "tags": list(subject.tags),
        "project_id": subject.project_id,
        "stack_user_project_id": None,
        "resources": {row.name: _entry(row, covers) for row in rows},
    }


def _entry(row: resource.Resource, covers: masks.Masks) -> Document:
    """Return a resource; its data is what its plug-in keeps for itself."""
    data = {**row.data, **(row.kept or {})}
    is_hidden = covers.is_blind
    return {
        "name": row.name,
        "resource_id": row.physical_id,
        "type": row.type_name,
        "action": row.action.value,
        "status": row.status.value,
        "metadata": covers.shown(dict(row.metadata), is_hidden=is_hidden),
        "resource_data": covers.shown(data, is_hidden=is_hidden),
    }
