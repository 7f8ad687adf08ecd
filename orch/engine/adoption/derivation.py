"""Find the child stacks whose inputs a document can leave out.

The adoption of a child stack makes its template, files and environment of the
resource that holds it. A document has them only where the result would differ
from what the child stack has.
"""

import collections.abc
import functools

from orch import ids
from orch.context import deadline
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.nested import stack_type
from orch.flow.state import contexts
from orch.model import resource
from orch.model import stack
from orch.template import template

Hashes = tuple[str, str]
"""Content hashes of a template and of its environment."""

Derived = collections.abc.Mapping[ids.StackId, Hashes]
"""Child stacks with the inputs that an adoption would give them."""

ChildStacks = collections.abc.Mapping[ids.StackId, stack.Stack]
Rows = collections.abc.Sequence[resource.Resource]


def find_derived(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: ids.StackId,
) -> Derived:
    """Return the child stacks, at all depths, that get their own inputs back.

    Call it outside of transactions. While an operation of the stack is open
    none is returned: what they are to have is changing.
    """

    def look(connection: db_engine.Connection) -> stack.Stack | None:
        is_idle = not operations.find_open(connection, stack_id)
        return stacks.find(connection, stack_id) if is_idle else None

    found: dict[ids.StackId, Hashes] = {}
    root = deps.database.query(look)
    if root is not None:
        _collect(deps, ctxt, root, found)
    return found


def is_derived(derived: Derived, found: stack.Stack) -> bool:
    """Whether a child stack has the inputs that its adoption would give it."""
    hashes = (found.template_hash, found.environment_hash)
    return derived.get(found.id) == hashes


def list_children(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> ChildStacks:
    """Return the child stacks that exist, by id."""
    return {
        each.id: each
        for each in stacks.list_children(connection, stack_id)
        if each.deleted_at is None
    }


def find_child(
    children: ChildStacks, row: resource.Resource
) -> stack.Stack | None:
    """Return the child stack that a resource holds, if it holds one."""
    return children.get(ids.StackId(row.physical_id or row.id))


def _collect(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    parent: stack.Stack,
    found: dict[ids.StackId, Hashes],
) -> dict[str, object]:
    """Add the child stacks of a stack; return the outline of its document."""
    deadline.check()
    rows, children = deps.database.query(
        functools.partial(_read_stack, parent)
    )
    outline = {
        row.name: _outline_entry(row, find_child(children, row))
        for row in rows
        if row.is_current
    }
    if children:
        _collect_children(deps, ctxt, parent, rows, children, found)
    return {"resources": outline}


def _collect_children(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    parent: stack.Stack,
    rows: Rows,
    children: ChildStacks,
    found: dict[ids.StackId, Hashes],
) -> None:
    parsed_template = deps.database.query(
        lambda connection: deps.templates.find(connection, parent)
    )
    types = deps.types_of(parent, parsed_template, ctxt, rows)
    for row in rows:
        child = find_child(children, row) if row.is_current else None
        if child is None:
            continue
        outline = _collect(deps, ctxt, child, found)
        plugin = types.find(row.plugin_type)
        if (
            _is_declared(parsed_template, row)
            and isinstance(plugin, stack_type.StackType)
            and plugin.is_derived(
                contexts.build_context(parent, row, ctxt), outline, child
            )
        ):
            found[child.id] = (child.template_hash, child.environment_hash)


def _read_stack(
    parent: stack.Stack, connection: db_engine.Connection
) -> tuple[Rows, ChildStacks]:
    return (
        resources.list_(connection, parent.id),
        list_children(connection, parent.id),
    )


def _is_declared(
    parsed_template: template.Template | None, row: resource.Resource
) -> bool:
    """Whether the template of the parent declares a resource."""
    return (
        parsed_template is not None and row.name in parsed_template.resources
    )


def _outline_entry(
    row: resource.Resource, child: stack.Stack | None
) -> dict[str, object]:
    """Return the entry of a resource, as far as groups depend on it."""
    if child is not None:
        return {"resources": {}, "created_at": row.created_at}
    return {
        "resource_id": row.physical_id,
        "type": row.type_name,
        "created_at": row.created_at,
    }
