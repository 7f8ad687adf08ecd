"""Read the current attributes of a resource, to show them."""

import collections.abc
import functools

from orch import errors
from orch.context import outside
from orch.context import request
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine import resource_values
from orch.model import resource
from orch.model import stack
from orch.plugin import resource as plugin_resource


def read_attributes(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    row: resource.Resource,
    budget: plugin_reads.ReadBudget,
    more: collections.abc.Iterable[str] = (),
) -> dict[str, object]:
    """Return all attributes; unreadable ones have the stored value or null.

    Values of hidden parameters are among them, as in Heat: attributes are for
    those who may see outputs too.

    Where the service shows the whole object, its keys are the attributes. Call
    it outside of a transaction: the plug-in is called.

    :param more: names beyond those that the type declares
    """
    parsed_template = deps.database.query(
        lambda connection: deps.templates.find(connection, stack)
    )
    types = deps.types_of(stack, parsed_template, ctxt)
    plugin = types.find(row.plugin_type)
    declared = [each.name for each in plugin.attributes] if plugin else []
    names = list(dict.fromkeys([*declared, *more]))
    known = dict.fromkeys(names) | {
        name: row.attributes[name] for name in names if name in row.attributes
    }
    if plugin is None or row.physical_id is None:
        return known
    read = functools.partial(
        resource_values.read_attributes,
        stack,
        row,
        read_rows=resource_values.StackRows(deps.database, stack.id).read_all,
        types=types,
        ctxt=ctxt,
        budget=budget,
    )
    shown = _read_shown(read)
    if shown is not None:
        missing = [name for name in more if name not in shown]
        return shown | _read_values(read, _readable(plugin, missing))
    return known | _read_values(read, _readable(plugin, names))


_Read = collections.abc.Callable[
    [collections.abc.Collection[str]], collections.abc.Mapping[str, object]
]
"""Reads live attributes of one resource in one call."""


def _read_shown(read: _Read) -> dict[str, object] | None:
    """Return the live object where it is a map."""
    try:
        found = read([plugin_resource.SHOW]).get(plugin_resource.SHOW)
    except outside.REFUSALS:
        raise
    except errors.OrchError:
        return None
    return found if isinstance(found, dict) else None


def _read_values(
    read: _Read, names: collections.abc.Sequence[str]
) -> dict[str, object]:
    """Return readable values; where one call for all fails, one by one."""
    if not names:
        return {}
    try:
        found = read(names)
    except outside.REFUSALS:
        raise
    except errors.OrchError:
        if len(names) == 1:
            return {}
        alone: dict[str, object] = {}
        for name in names:
            alone |= _read_values(read, [name])
        return alone
    return {name: found[name] for name in names if name in found}


def _readable(
    plugin: plugin_resource.Resource, names: collections.abc.Iterable[str]
) -> list[str]:
    """Return the names that the plug-in can read."""
    declared = {each.name for each in plugin.attributes}
    return [
        name
        for name in names
        if name in declared
        or plugin.accepts_any_property
        or plugin.shows_any_attribute
    ]
