"""Names by which resources that move refer to each other.

What ``get_resource`` gives may hold the name of the stack, and so is another
text in the target.
"""

import collections.abc
import dataclasses

from orch.context import request
from orch.engine.operations import moving_rows
from orch.flow import contexts
from orch.model import resource
from orch.model import stack
from orch.plugin import registry


def renamed(
    rows: collections.abc.Sequence[resource.Resource],
    names: moving_rows.Names,
    source: stack.Stack,
    target: stack.Stack,
    types: registry.Types,
    ctxt: request.RequestContext,
) -> list[resource.Resource]:
    """Return the rows, still in the source, with the names of the target.

    Only properties by which a type finds another resource are looked at.
    """
    after = _references(rows, names, source, target, types, ctxt)
    return [_renamed(row, after, types) for row in rows]


def _references(
    rows: collections.abc.Iterable[resource.Resource],
    names: moving_rows.Names,
    source: stack.Stack,
    target: stack.Stack,
    types: registry.Types,
    ctxt: request.RequestContext,
) -> dict[str, str]:
    """Return what is given in the target for what was in the source."""
    found = {}
    for row in rows:
        plugin = types.find(row.plugin_type)
        if plugin is None:
            continue
        there = dataclasses.replace(row, name=names[row.name])
        before, after = (
            plugin.reference_id(contexts.context_of(subject, each, ctxt))
            for subject, each in ((source, row), (target, there))
        )
        found.update({before: after, row.name: there.name})
    return found


def _renamed(
    row: resource.Resource,
    references: collections.abc.Mapping[str, str],
    types: registry.Types,
) -> resource.Resource:
    plugin = types.find(row.plugin_type)
    name = plugin and (plugin.refers_to or plugin.listens_to)
    value = row.properties.get(name) if name else None
    if not name or not isinstance(value, str):
        return row
    properties = {**row.properties, name: references.get(value, value)}
    return dataclasses.replace(row, properties=properties)
