"""The short set: one case for each type that acts on a cloud.

A case is a test that :func:`covers` marks with the types it is for. ``make
test-cloud`` runs these alone, ``make test-cloud-full`` all tests. A type that
is served without a case fails ``tests.unit.tools.test_short_set``, unless the
control plane does not have its service.
"""

import collections.abc
import dataclasses
import functools
import importlib
import pathlib
import pkgutil
import typing
import unittest
from unittest import mock

from orch.plugin import clouds
from orch.plugin import registry
from orch.resources.openstack import base
from tests.unit.resources import contexts

Test = collections.abc.Callable[[typing.Any], None]

_TYPES: typing.Final = "covered_types"
_PACKAGE: typing.Final = "tests.cloud"
_ABSENT: typing.Final = frozenset(
    {
        "alarming",
        "messaging",
        "baremetal",
        "container",
        "container-infrastructure-management",
        "database",
        "reservation",
        "shared-file-system",
        "workflow",
    }
)
"""Services that no control plane of the tests has."""
_ABSENT_PATHS: typing.Final = ("/l2-gateway", "/sfc/", "/taas/", "/vpn/")
"""Extensions of Neutron that no control plane of the tests has."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One test of the short set.

    :ivar name: of the test, as stestr has it
    :ivar types: the types that it is for
    :ivar services: types of the services that its class needs
    """

    name: str
    types: tuple[str, ...]
    services: frozenset[str]


def case_of(*types: str) -> collections.abc.Callable[[Test], Test]:
    """Put a test into the short set, as the case of these types.

    The test fails when no stack that it creates has one of them.
    """

    def mark(test: Test) -> Test:
        @functools.wraps(test)
        def play(self: typing.Any) -> None:
            with mock.patch.object(
                self.here, "create", wraps=self.here.create
            ) as create:
                test(self)
            created = set[str]().union(
                *(_types_in(call.args[1]) for call in create.call_args_list)
            )
            self.assertEqual(set(), set(types) - created, "never created")

        setattr(play, _TYPES, types)
        return play

    return mark


def _types_in(template: collections.abc.Mapping[str, typing.Any]) -> set[str]:
    return {str(each["type"]) for each in template["resources"].values()}


def cases() -> list[Case]:
    """Return the short set, sorted by name."""
    return sorted(_cases(), key=lambda case: case.name)


def _cases() -> collections.abc.Iterator[Case]:
    place = pathlib.Path(__file__).parent
    for found in pkgutil.iter_modules([str(place)], f"{_PACKAGE}."):
        module = importlib.import_module(found.name)
        for kind in vars(module).values():
            if not isinstance(kind, type) or kind.__module__ != found.name:
                continue
            if not issubclass(kind, unittest.TestCase):
                continue
            for name in unittest.defaultTestLoader.getTestCaseNames(kind):
                types = getattr(getattr(kind, name), _TYPES, ())
                if types:
                    services = getattr(kind, "services", ())
                    yield Case(
                        f"{found.name}.{kind.__qualname__}.{name}",
                        types,
                        frozenset(services),
                    )


def served_types() -> set[str]:
    """Return the names of all served types that can act on the cloud."""
    types = registry.ResourceTypes(contexts.options())
    return {
        plugin.type_name
        for plugin in types.served()
        if isinstance(plugin, clouds.CloudResource)
        and not plugin.is_variant
        and not (
            isinstance(plugin, base.OpenStackResource)
            and (
                plugin.table.service in _ABSENT
                or plugin.table.path.startswith(_ABSENT_PATHS)
            )
        )
    }
