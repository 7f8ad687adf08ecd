"""Facts of the types on OpenStack: one JSON file a service.

The form of the files stands in :mod:`orch.plugin.facts`.
"""

import functools
import importlib.resources
import typing

import orjson

from orch.plugin import facts

_SUFFIX: typing.Final = ".json"


@functools.cache
def _file(service: str) -> facts.Facts:
    place = importlib.resources.files(__name__) / f"{service}{_SUFFIX}"
    return facts.check_mapping(orjson.loads(place.read_bytes()))


def load_facts(type_name: str) -> facts.Facts:
    """Return the facts of a type.

    :param type_name: ``OS::<Service>::<Noun>``
    :raises orch.plugin.facts.BadFacts: they have another form
    :raises KeyError: there are none
    """
    service = type_name.split("::")[1].lower()
    return facts.check_mapping(_file(service)[type_name])
