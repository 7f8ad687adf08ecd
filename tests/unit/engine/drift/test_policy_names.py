"""Names in drift policies, and the resources that they are of."""

import types
import typing

from oslo_config import cfg

from orch.engine.drift import policy_names
from orch.engine.drift import state
from orch.plugin import registry
from orch.plugin import schema_only
from tests import base

_KIND: typing.Final = schema_only.build_type(
    "Acme::Net", {"properties": {"labels": {"type": "map"}}}
)


class _SchemasOnly:
    """A worker that knows each type by its schema, and serves none."""

    def find(self, type_name: str) -> schema_only.SchemaOnlyResource:
        return _KIND(cfg.ConfigOpts())

    def get(self, type_name: str) -> typing.NoReturn:
        raise registry.UnknownType(type_name)


class SchemaOnlyTest(base.TestCase):
    def test_a_place_is_found_in_the_schema(self) -> None:
        row = types.SimpleNamespace(
            plugin_type="Acme::Net", properties={}, baseline=None
        )
        one = types.SimpleNamespace(
            path="net", row=row, observed=types.SimpleNamespace(live=None)
        )
        tree = types.SimpleNamespace(
            members=[types.SimpleNamespace(resources=[one])],
            watch=types.SimpleNamespace(policy={}),
        )

        policy_names.check_names(
            typing.cast(state.ObservedTree, tree),
            typing.cast(registry.Types, _SchemasOnly()),
            {"resources": {"net": {"properties": {"labels.a": "ignore"}}}},
        )
