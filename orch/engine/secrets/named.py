"""Values that have the name of a secret, such as ``admin_pass``.

No template says that these are hidden; the names of keys and attributes do.
"""

import collections.abc
import typing
import weakref

from orch import redacted
from orch.model import flat_fields
from orch.template import template

_READING: typing.Final = frozenset({"get_attr", "Fn::GetAtt", "Fn::FindInMap"})
"""Functions with a path: a step of it may have the name of a secret."""
_DEFAULTS: typing.Final = frozenset({"default", "Default"})

_CACHE: weakref.WeakKeyDictionary[template.Template, frozenset[str]] = (
    weakref.WeakKeyDictionary()
)


def redact_named(
    values: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return values with ``******`` for each that has the name of a secret."""
    return {
        key: redacted.TEXT
        if each is not None and flat_fields.is_secret(str(key))
        else redact_in(each)
        for key, each in values.items()
    }


def redact_in(value: object) -> object:
    """Return a value; what has the name of a secret in it is redacted."""
    if isinstance(value, collections.abc.Mapping):
        return redact_named(value)
    if isinstance(value, list | tuple):
        return [redact_in(each) for each in value]
    return value


def reads_named(written: object) -> bool:
    """Whether an expression reads what has the name of a secret."""
    if isinstance(written, dict):
        return any(
            (key in _READING and _is_path_to_secret(each)) or reads_named(each)
            for key, each in written.items()
        )
    return isinstance(written, list) and any(map(reads_named, written))


def find_literals(parsed_template: template.Template) -> frozenset[str]:
    """Return the texts that a template has under names of secrets.

    Those of properties, of mappings and of defaults of parameters.
    """
    found = _CACHE.get(parsed_template)
    if found is None:
        found = _CACHE[parsed_template] = frozenset(_search(parsed_template))
    return found


def _is_path_to_secret(path: object) -> bool:
    if isinstance(path, str):
        return flat_fields.is_secret(path)
    return isinstance(path, list) and any(
        isinstance(each, str) and flat_fields.is_secret(each)
        for each in path[1:]
    )


def _search(
    parsed_template: template.Template,
) -> collections.abc.Iterator[str]:
    form = parsed_template.version.format
    raw = parsed_template.raw
    for declared in _values_of(raw.get(form.resources)):
        if isinstance(declared, dict):
            yield from _literals(declared.get(form.resource.properties))
    yield from _literals(raw.get("Mappings"))
    parameters = raw.get(form.parameters)
    if isinstance(parameters, dict):
        for name, declared in parameters.items():
            if isinstance(declared, dict) and flat_fields.is_secret(str(name)):
                for key in _DEFAULTS.intersection(declared):
                    yield from _texts(declared[key])


def _values_of(section: object) -> collections.abc.Iterable[object]:
    return section.values() if isinstance(section, dict) else ()


def _literals(written: object) -> collections.abc.Iterator[str]:
    if isinstance(written, dict):
        for key, each in written.items():
            if flat_fields.is_secret(str(key)):
                yield from _texts(each)
            yield from _literals(each)
    elif isinstance(written, list):
        for each in written:
            yield from _literals(each)


def _texts(written: object) -> collections.abc.Iterator[str]:
    """Return a text or number, or those of a list; a map is an expression."""
    for each in written if isinstance(written, list) else [written]:
        if isinstance(each, str | int | float) and not isinstance(each, bool):
            text = str(each)
            if len(text) >= redacted.SHORTEST:
                yield text
