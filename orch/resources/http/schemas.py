"""The properties of ``Orch::HTTP::Resource``."""

import collections.abc
import typing

from orch.model import marked
from orch.plugin import facts
from orch.plugin import type_files

Map = collections.abc.Mapping[str, object]

TYPE: typing.Final = "Orch::HTTP::Resource"
PROPERTIES: typing.Final = {
    each.name: each
    for each in facts.read_properties(
        type_files.read_type(__package__, TYPE)["properties"]
    )
}
CREATE = PROPERTIES["create"]
READ = PROPERTIES["read"]
LIST = PROPERTIES["list"]
UPDATE = PROPERTIES["update"]
COMPARISON = PROPERTIES["comparison"]
DELETE = PROPERTIES["delete"]
FIND = PROPERTIES["find"]
SUSPEND = PROPERTIES["suspend"]
RESUME = PROPERTIES["resume"]
READY = PROPERTIES["ready"]
TLS = PROPERTIES["tls"]
ERROR_STATUSES = PROPERTIES["error_statuses"]
URL = PROPERTIES["url"]
HEADERS = PROPERTIES["headers"]
_LOOKUP: typing.Final = (HEADERS, READ, LIST, FIND, READY, ERROR_STATUSES, TLS)
_LOOKUP_FIELDS: typing.Final = ("is_idempotent", "id_pointer")


def renew_lookup(before: Map, after: Map) -> Map:
    """Return properties in which those that only look have newer values.

    :param before: those that the creation was begun with
    :param after: those that are desired now
    """
    names = [each.name for each in _LOOKUP]
    renewed = {name: after[name] for name in names if name in after}
    create = _renew_fields(before.get(CREATE.name), after.get(CREATE.name))
    if create is not None:
        renewed[CREATE.name] = create
    kept = {name: before[name] for name in before if name not in names}
    marks = (
        path for values in (before, after) for path in marked.paths_of(values)
    )
    return marked.Marked({**kept, **renewed}, marks)


def _renew_fields(before: object, after: object) -> Map | None:
    """Return how it is created, with newer values of how that is repeated.

    :returns: ``None`` where one of the two is not known
    """
    if not isinstance(before, collections.abc.Mapping) or not isinstance(
        after, collections.abc.Mapping
    ):
        return None
    return {
        **before,
        **{name: after[name] for name in _LOOKUP_FIELDS if name in after},
    }
