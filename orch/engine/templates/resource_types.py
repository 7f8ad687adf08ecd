"""Queries of the resource types that this worker serves."""

import collections.abc
import typing

from orch import errors as base_errors
from orch.context import request
from orch.engine import dependencies
from orch.engine.queries import errors
from orch.plugin import resource
from orch.template import type_facts
from orch.template.text import regex

_HIDDEN: typing.Final = "HIDDEN"
_MAX_PATTERN_CHARACTERS = 255


def list_types(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    filters: collections.abc.Mapping[str, str],
    with_description: bool,
) -> list[object]:
    """Return type names, or maps that hold a description too.

    Hidden types are not listed, nor types that this caller may not use.

    :param filters: ``name``, a regular expression that the beginning of the
        name must match; ``support_status``; ``version``, since when a type
        exists, which no type states, so that the list is empty
    :raises orch.errors.Invalid: the regular expression is not valid
    """
    if "version" in filters:
        return []
    statuses = deps.types.support_statuses()
    names: collections.abc.Iterable[str] = statuses
    if "name" in filters:
        names = _matching(filters["name"], names)
    support_status = filters.get("support_status")
    shown = [
        name
        for name in names
        if statuses[name] != _HIDDEN
        and support_status in (None, statuses[name])
        and deps.rules.allows_type(ctxt, name)
    ]
    if not with_description:
        return list(shown)
    return [
        {
            "resource_type": plugin.type_name,
            "description": type_facts.type_description(plugin),
        }
        for plugin in filter(None, map(deps.types.find, shown))
    ]


def show_type(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    type_name: str,
    with_description: bool,
) -> dict[str, object]:
    """Return the declared properties and attributes of a type.

    :raises orch.engine.queries.errors.TypeNotFound: the type is unknown, or
        this caller may not use it
    :raises orch.errors.NotSupported: it is hidden
    """
    return type_facts.type_facts(
        _get(deps, ctxt, type_name), with_description=with_description
    )


def type_template(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    type_name: str,
    template_type: str,
) -> dict[str, object]:
    """Return a template with one resource of the type.

    :param template_type: ``cfn`` or ``hot``
    :raises orch.engine.queries.errors.TypeNotFound: the type is unknown, or
        this caller may not use it
    :raises orch.errors.NotSupported: it is hidden
    """
    return type_facts.template_of_type(
        _get(deps, ctxt, type_name), template_type
    )


def _get(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    type_name: str,
) -> resource.Resource:
    found = deps.types.find(type_name)
    if found is None or not deps.rules.allows_type(ctxt, type_name):
        raise errors.TypeNotFound(
            f"The Resource Type ({type_name[:255]}) could not be found."
        )
    if found.support_status == _HIDDEN:
        raise base_errors.NotSupported(
            f"The type {type_name} is hidden: only old templates may use it."
        )
    return found


def _matching(pattern: str, names: collections.abc.Iterable[str]) -> list[str]:
    """Return the names whose beginning matches the pattern."""
    if len(pattern) > _MAX_PATTERN_CHARACTERS:
        raise base_errors.Invalid(
            f"The name is longer than {_MAX_PATTERN_CHARACTERS} characters."
        )
    try:
        compiled = regex.Pattern(pattern, 0, regex.spend_nothing)
        return [name for name in names if compiled.match(name)]
    except ValueError as error:
        raise base_errors.Invalid(
            f"The name {pattern!r} is no regular expression: {error}"
        ) from None
