"""The form of a resource in a template: which keys, of which types."""

import collections.abc

from orch.template import errors
from orch.template import problems
from orch.template.language import formats

_PARTS: tuple[tuple[str, tuple[type, ...], str], ...] = (
    ("type", (str,), "string"),
    ("properties", (dict,), "object"),
    ("metadata", (dict,), "object"),
    ("depends_on", (str, list), "list or string"),
    ("deletion_policy", (str, dict), "string"),
    ("update_policy", (dict,), "object"),
    ("description", (str,), "string"),
    ("condition", (str, bool, dict), "string_or_boolean"),
    ("external_id", (str, dict), "string"),
)
_MAX_NAME_LENGTH = 255


def resource_faults(
    name: str, written: object, format_: formats.Format
) -> collections.abc.Iterator[problems.Fault]:
    """Return what is wrong with the form of one resource."""
    path: errors.Path = (format_.resources, name)
    if not name or "/" in name:
        yield problems.Fault(
            path, f'Resource name "{name}" must not be empty or contain "/"'
        )
    yield from _name_faults("Resource name", name, path)
    if not isinstance(written, dict):
        yield problems.Fault(
            path,
            f'"{format_.resources}" must contain a map of resource maps.'
            f" Found a [{type(written).__name__}] instead",
        )
        return
    keys = format_.resource
    if keys.type not in written:
        yield problems.Fault(
            path,
            f"Each resource must contain a {keys.type} key.",
            advice=problems.suggest_rename(keys.type, written),
        )
    elif written[keys.type] == "":
        yield problems.Fault(path, f'Resource "{name}" has no type')
    else:
        yield from _name_faults(
            "Resource type", written[keys.type], (*path, keys.type)
        )
    known = set()
    for part, types, word in _PARTS:
        key = getattr(keys, part)
        known.add(key)
        if key in written and not isinstance(written[key], types):
            yield problems.Fault(
                (*path, key), f"Resource {name} {key} type must be {word}"
            )
    if format_.is_strict and not written.keys() <= known:
        for key in written.keys() - known:
            yield problems.Fault(
                (*path, key),
                f"Invalid keyword(s) inside a resource definition: {key}",
                advice=problems.suggest_name(key, known - {None}),
            )


def _name_faults(
    what: str, name: object, path: errors.Path
) -> collections.abc.Iterator[problems.Fault]:
    """Return why nothing can be known by that name, if so."""
    if not isinstance(name, str):
        return
    if len(name) > _MAX_NAME_LENGTH:
        yield problems.Fault(
            path,
            f'{what} "{name[:40]}…" is longer than {_MAX_NAME_LENGTH}'
            " characters",
        )
    if any(ord(each) < 32 or 0xD800 <= ord(each) < 0xE000 for each in name):
        yield problems.Fault(
            path, f"{what} {name[:80]!r} holds a character that is no text"
        )


def depends_on(
    name: str, written: object, path: errors.Path
) -> tuple[str, ...]:
    """Return the names in a ``depends_on``, which is a name or a list.

    :raises problems.Fault: something in the list is no name
    """
    if isinstance(written, str):
        return (written,)
    assert isinstance(written, list)
    for place, one in enumerate(written):
        if not isinstance(one, str):
            raise problems.Fault(
                (*path, place),
                f"Resource {name} depends_on must be a list of strings",
            )
    return tuple(written)
