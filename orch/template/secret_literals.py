"""Secrets that are written into a template.

A secret is what has the name of one, ``admin_pass``, and what is given to a
property that its type declares as sensitive. Of an expression in such a place
all literals count. References stay: they only name what has the secret.
"""

import collections.abc
import typing

from orch.model import flat_fields
from orch.model import marked
from orch.template.language import formats

FindNames = collections.abc.Callable[[str], frozenset[str]]
"""Returns the names of the properties of a type that are sensitive."""

_Found = collections.abc.Iterator[tuple[marked.Path, object]]

_PARAMETER: typing.Final = frozenset({"get_param", "Ref"})
_REFERENCES: typing.Final = _PARAMETER | {
    *("get_attr", "get_resource", "get_file", "resource_facade"),
    *("Fn::GetAtt", "Fn::ResourceFacade"),
}
_DECLARATIONS: typing.Final = (
    ("type", "properties"),
    ("Type", "Properties"),
    ("resources", "resource_properties"),
)
"""Keys of types and of their properties in maps that declare resources."""


def find_paths(
    root: collections.abc.Mapping[str, object],
    keys: formats.Format,
    find_names: FindNames,
    parameters: collections.abc.Container[str] = (),
) -> collections.abc.Iterator[marked.Path]:
    """Yield the paths of all literals in a template that are secrets.

    :param parameters: names of those whose default is one
    """
    for section, declared in root.items():
        if not isinstance(declared, dict):
            yield from _literals(_walk(declared, (section,), find_names))
            continue
        for name, each in declared.items():
            path = (section, name)
            if section == keys.parameters and name in parameters:
                default = keys.parameter.default
                if isinstance(each, dict) and default in each:
                    yield (*path, default)
                    each = {**each, default: None}
            is_output = section == keys.outputs and flat_fields.is_secret(name)
            if is_output and isinstance(each, dict):
                value = each.get(keys.output.value)
                yield from _literals(
                    _secrets(value, (*path, keys.output.value))
                )
            else:
                yield from _literals(_walk(each, path, find_names))


def find_given(
    root: collections.abc.Mapping[str, object],
    keys: formats.Format,
    find_names: FindNames,
) -> collections.abc.Iterator[str]:
    """Yield the parameters that properties get which are sensitive."""
    resources = root.get(keys.resources)
    for _, part in _walk(resources, (), find_names, by_name=False):
        if isinstance(part, dict):
            ((function, arguments),) = part.items()
            if isinstance(arguments, list):
                arguments = arguments[0] if arguments else None
            if function in _PARAMETER and isinstance(arguments, str):
                yield arguments


def find_declared(
    values: collections.abc.Mapping[str, object], find_names: FindNames
) -> collections.abc.Iterator[marked.Path]:
    """Yield the paths of secrets in resources that properties declare."""
    found = _walk(dict(values), (), find_names, by_name=False)
    return (path for path, _ in found)


def _literals(found: _Found) -> collections.abc.Iterator[marked.Path]:
    return (path for path, part in found if not isinstance(part, dict))


def _walk(
    value: object,
    path: marked.Path,
    find_names: FindNames,
    names: frozenset[str] = frozenset(),
    *,
    by_name: bool = True,
) -> _Found:
    """Yield literals and references that are in secrets.

    :param names: of properties around that are sensitive
    :param by_name: the names of secrets count as well
    """
    if isinstance(value, dict):
        own = _names_in(value, find_names)
        for key, each in value.items():
            known = names | own[key] if key in own else names
            if key in names or (by_name and flat_fields.is_secret(str(key))):
                yield from _secrets(each, (*path, key))
            elif isinstance(each, dict | list):
                yield from _walk(
                    each, (*path, key), find_names, known, by_name=by_name
                )
    elif isinstance(value, list):
        for place, each in enumerate(value):
            if isinstance(each, dict | list):
                yield from _walk(
                    each, (*path, place), find_names, names, by_name=by_name
                )


def _names_in(
    value: dict[str, object], find_names: FindNames
) -> dict[str, frozenset[str]]:
    """Return the sensitive properties of what a map declares, if it does.

    :returns: by the key of all its properties
    """
    for type_key, key in _DECLARATIONS:
        found = value.get(type_key)
        types = found if isinstance(found, list) else [found]
        if key in value:
            names = (
                find_names(each) for each in types if isinstance(each, str)
            )
            return {key: frozenset().union(*names)}
    return {}


def _secrets(value: object, path: marked.Path) -> _Found:
    """Yield the literals and references of one secret."""
    if isinstance(value, dict):
        if len(value) == 1 and not _REFERENCES.isdisjoint(value):
            yield path, value
            return
        for key, each in value.items():
            yield from _secrets(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _secrets(each, (*path, place))
    elif value is not None:
        yield path, value
