"""Queries of the resources of a stack, stored and live."""

import collections.abc
import dataclasses

from orch import errors as base_errors
from orch import ids
from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.engine import resource_values
from orch.engine.drift import query as drift_query
from orch.engine.forwarding import agent_metadata
from orch.engine.lifecycle import query
from orch.engine.queries import attributes
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.queries import stack_user_access
from orch.engine.resources import facts as resource_facts
from orch.flow.state import contexts
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.rpc import contract
from orch.template import template

Values = collections.abc.Mapping[str, object]


def resolve_metadata(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    row: resource.Resource,
) -> Values:
    """Return the metadata of a resource, resolved from its template.

    The stored metadata are returned where they refer to nothing, while the
    resource is not complete, and where a value cannot be resolved now. Call it
    outside of a transaction: plug-ins may be called.
    """
    if not row.is_complete:
        return row.metadata
    try:
        parsed_template = deps.database.query(
            lambda connection: deps.templates.load(connection, stack)
        )
        if not parsed_template.has_live_metadata(row.name):
            return row.metadata
        return _resolved(deps, ctxt, stack, parsed_template, row.name)
    except outside.REFUSALS:
        raise
    except base_errors.OrchError:
        return row.metadata


def _resolved(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    parsed_template: template.Template,
    name: str,
) -> Values:
    values = resource_values.StoredValues(
        stack,
        resource_values.StackRows(deps.database, stack.id),
        deps.types_of(stack, parsed_template, ctxt),
        ctxt,
        deps.reads.begin(),
    )
    return parsed_template.resolve_metadata(name, values)


def find_stack(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    physical_id: str,
) -> contract.StackIdentity:
    """Return the stack of the resource that has a physical id.

    Where several have it, the newest resource of the caller's project counts.

    :raises orch.engine.queries.errors.ResourceNotFound: this caller has no
        such resource
    """

    def work(
        connection: db_engine.Connection,
    ) -> contract.StackIdentity | None:
        for row in resources.list_physical(connection, physical_id):
            if not row.is_current:
                continue
            try:
                stack = lookup.get_stack(connection, ctxt, row.stack_id)
            except base_errors.NotFound:
                continue
            if stack.deleted_at is None and (
                stack.project_id == ctxt.project_id
            ):
                return lookup.identity_of(stack)
        return None

    is_sound = lookup.is_storable(physical_id)
    found = deps.database.query(work) if is_sound else None
    if found is None:
        raise errors.ResourceNotFound(
            f"No resource has the physical id {physical_id[:255]}."
        )
    return found


Filters = collections.abc.Mapping[str, collections.abc.Sequence[str]]

_COLUMNS = {
    "type": "type_name",
    "status": "status",
    "name": "name",
    "action": "action",
    "id": "id",
    "physical_resource_id": "physical_id",
}


_Found = tuple[stack_model.Stack, resource.Resource]


_Listed = tuple[
    stack_model.Stack,
    collections.abc.Sequence[resource.ResourceSummary],
    lookup.ChildIdentities,
]
"""A stack of a list, with its resources and its child stacks: whole rows where
attributes are to be read."""


def list_resources(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    *,
    with_attributes: bool,
    filters: Filters,
    nested_depth: int = 0,
) -> list[contract.ResourceFacts]:
    """Return the resources of a stack by name, without deleted ones.

    What was replaced and still exists comes before what replaced it: clients
    that key a list by name take the last.

    :param nested_depth: levels of child stacks to list too
    :param filters: ``type``, ``status``, ``name``, ``action``, ``id``,
        ``physical_resource_id``, each with the values allowed
    :raises orch.errors.NotFound: this caller has no such stack
    """
    read_rows = (
        resources.list_ if with_attributes else resources.list_summaries
    )

    def work(
        connection: db_engine.Connection,
    ) -> list[_Listed]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        return [
            (
                each,
                read_rows(connection, each.id),
                lookup.children_of(connection, each),
            )
            for each in lookup.stacks_below(connection, stack, nested_depth)
        ]

    budget = deps.reads.begin()
    found = []
    for stack, listed, children in deps.database.query(work):
        current = resource_facts.newest_by_name(listed)
        standing = {row.id for row in current}
        rows = resource_facts.listed_incarnations(
            listed,
            is_idle=stack.status is not states.Status.IN_PROGRESS,
        )
        required_by = resource_facts.requiring_names(
            (row.name, row.requires) for row in current
        )
        identity = lookup.identity_of(stack)
        for row in _chosen(rows, filters):
            facts = resource_facts.resource_facts(
                row,
                identity,
                required_by,
                children=children,
                parent_resource=stack.parent_resource,
                is_replaced=row.id not in standing,
            )
            if isinstance(row, resource.Resource):
                facts["attributes"] = attributes.read_attributes(
                    deps, ctxt, stack, row, budget
                )
            found.append(facts)
    return found


def show_resource(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    with_attributes: collections.abc.Iterable[str],
) -> contract.ResourceFacts:
    """Return a resource with its attributes, read live.

    :param with_attributes: names beyond those that the type declares
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[stack_model.Stack, resource.Resource, contract.ResourceFacts]:
        stack, row = _get(deps, connection, ctxt, stack_id, name)
        description, required_by = _describe(deps, connection, stack, row.name)
        facts: contract.ResourceFacts = {
            **resource_facts.resource_facts(
                row,
                lookup.identity_of(stack),
                {row.name: required_by},
                children=lookup.find_child(connection, row),
                parent_resource=stack.parent_resource,
            ),
            "description": description,
            "decisions": query.decisions_for(connection, stack, row.name),
        }
        facts["drift"] = drift_query.find_resource_drift(
            connection, deps, stack, row
        )
        return stack, row, facts

    stack, row, facts = deps.database.query(work)
    facts["metadata"] = _metadata(deps, ctxt, stack, row)
    facts["attributes"] = attributes.read_attributes(
        deps,
        ctxt,
        stack,
        row,
        deps.reads.begin(),
        with_attributes,
    )
    return facts


def show_metadata(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> dict[str, object]:
    """Return the metadata of a resource.

    Those of a server exist also when its stack was abandoned.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """
    try:
        stack, row = deps.database.query(
            lambda connection: _get(deps, connection, ctxt, stack_id, name)
        )
    except base_errors.NotFound:
        moved = agent_metadata.find_metadata(deps, ctxt, stack_id, name)
        if moved is None:
            raise
        return moved
    return _metadata(deps, ctxt, stack, row)


def _metadata(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    row: resource.Resource,
) -> dict[str, object]:
    """Return the metadata with the additions of the resource type."""
    values = resolve_metadata(deps, ctxt, stack, row)
    plugin = deps.types.find(row.plugin_type)
    if plugin is None:
        return dict(values)
    context = contexts.build_context(stack, row, ctxt)
    return dict(
        plugin.shown_metadata(dataclasses.replace(context, metadata=values))
    )


def _get(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> _Found:
    stack = stack_user_access.get_stack(deps, connection, ctxt, stack_id, name)
    row = _find_row(connection, stack.id, name)
    if row is not None:
        return stack, row
    if stack.deleted_at is None and _is_declared(
        deps, connection, stack, name
    ):
        raise errors.ResourceNotAvailable(
            f"The Resource ({name}) is not available."
        )
    raise errors.ResourceNotFound(
        f"The Resource ({name[:255]}) could not be found in Stack"
        f" {stack.name}."
    )


def _find_row(
    connection: db_engine.Connection, stack_id: ids.StackId, name: str
) -> resource.Resource | None:
    if not lookup.is_storable(name):
        return None
    found = resource_facts.newest_by_name(
        resources.list_named(connection, stack_id, name)
    )
    return found[-1] if found else None


def _is_declared(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    name: str,
) -> bool:
    try:
        return name in deps.templates.load(connection, stack).resources
    except base_errors.Invalid:
        return False


def _describe(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    name: str,
) -> tuple[str, list[str]]:
    """Return the description of a resource, and the names that require it.

    They are missing where today's plug-ins refuse the template.
    """
    try:
        declared = deps.templates.load(connection, stack).resources
    except base_errors.Invalid:
        return "", []
    return declared[name].description if name in declared else "", [
        other for other, each in declared.items() if name in each.requires
    ]


def _chosen(
    rows: collections.abc.Iterable[resource.ResourceSummary],
    filters: Filters,
) -> list[resource.ResourceSummary]:
    """Return the rows that have an allowed value in each filtered column."""
    wanted = [
        (_COLUMNS[key], frozenset(allowed))
        for key, allowed in filters.items()
        if key in _COLUMNS
    ]
    return [
        row
        for row in rows
        if all(getattr(row, column) in allowed for column, allowed in wanted)
    ]
