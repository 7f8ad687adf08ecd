"""Facts of the contract, as the wire shows them.

For all facts whose form is ours. What has a form of Heat's own has a view
that is written by hand.
"""

import collections.abc
import functools
import typing

from orch.api import links
from orch.api.views import timestamps
from orch.rpc.contract import fields
from orch.rpc.contract import rest

View = dict[str, object]
_Convert = collections.abc.Callable[[str, typing.Any], object]
"""Takes the base of addresses, and a value."""
_Put = collections.abc.Callable[
    [str, View, collections.abc.Mapping[str, object]], None
]
"""Takes the base of addresses, a body, and the facts to put into it."""


def view(
    facts: collections.abc.Mapping[str, typing.Any],
    kind: type,
    base_url: str = "",
) -> View:
    """Return the body that shows facts.

    :param kind: their class in ``orch.rpc.contract``
    :param base_url: of links to stacks, where the facts name stacks
    """
    body: View = {}
    for put in _puts(kind):
        put(base_url, body, facts)
    return body


def views(
    facts: collections.abc.Iterable[collections.abc.Mapping[str, typing.Any]],
    kind: type,
    base_url: str = "",
) -> list[View]:
    """Return the bodies that show a list of facts."""
    return [view(each, kind, base_url) for each in facts]


@functools.cache
def _puts(kind: type) -> tuple[_Put, ...]:
    return tuple(
        _put(field)
        for field in fields.fields(kind)
        if not field.declared.has(rest.HIDDEN)
    )


def _put(field: fields.Field) -> _Put:
    """Return what puts a field into a body."""
    stack = field.declared.find(rest.Stack)
    if stack is not None:
        return _put_stack(field.key, stack)
    if field.declared.has(rest.INLINE):
        return _put_inline(field)
    key, name = field.key, field.name
    convert = _find_convert(field.declared)
    default = field.declared.find(rest.Default)

    def put(
        base_url: str,
        body: View,
        facts: collections.abc.Mapping[str, object],
    ) -> None:
        if key in facts:
            value = facts[key]
            body[name] = value if convert is None else convert(base_url, value)
        elif default is not None:
            body[name] = default.value
        elif field.is_required:
            raise KeyError(key)

    return put


def _put_stack(key: str, mark: rest.Stack) -> _Put:
    def put(
        base_url: str,
        body: View,
        facts: collections.abc.Mapping[str, typing.Any],
    ) -> None:
        identity = facts[key]
        if mark.name:
            body[mark.name] = identity["stack_name"]
        if mark.id:
            body[mark.id] = identity["stack_id"]
        if mark.rel:
            found = typing.cast(
                "list[links.Link]", body.setdefault("links", [])
            )
            href = links.stack(base_url, identity)
            found.append(links.link(mark.rel, href))

    return put


def _put_inline(field: fields.Field) -> _Put:
    key, kind = field.key, typing.cast(type, field.declared.hint)

    def put(
        base_url: str,
        body: View,
        facts: collections.abc.Mapping[str, typing.Any],
    ) -> None:
        if key in facts or field.is_required:
            body.update(view(facts[key], kind, base_url))

    return put


def _find_convert(declared: fields.Declared) -> _Convert | None:
    """Return what converts values; ``None`` where they are shown as is."""
    convert = _find_plain_convert(declared)
    for_null = declared.find(rest.ForNull)
    if not declared.is_nullable or (convert is None and for_null is None):
        return convert
    null = None if for_null is None else for_null.value

    def convert_nullable(base_url: str, value: object) -> object:
        if value is None:
            return null
        return value if convert is None else convert(base_url, value)

    return convert_nullable


def _find_plain_convert(declared: fields.Declared) -> _Convert | None:
    if declared.has(rest.TIME):
        return lambda base_url, value: timestamps.format_time(value)
    if fields.is_facts(declared.hint):
        kind = declared.hint
        return lambda base_url, value: view(value, kind, base_url)
    if not declared.arguments:
        return None
    convert = _find_convert(fields.declared(declared.arguments[-1]))
    if convert is None:
        return None
    if declared.origin is dict:
        return lambda base_url, value: {
            key: convert(base_url, each) for key, each in value.items()
        }
    return lambda base_url, value: [convert(base_url, each) for each in value]
