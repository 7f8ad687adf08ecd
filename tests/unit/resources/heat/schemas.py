"""Compares declared schemas with the schemas that Heat's clients know."""

import collections.abc
import json

import testtools

from orch.plugin import resource
from orch.plugin import schema
from tests.support import shared

_UPDATES = {
    schema.OnUpdate.MODIFY: (True, False),
    schema.OnUpdate.REPLACE: (False, False),
    schema.OnUpdate.REFUSE: (False, True),
}


def known(case: testtools.TestCase, type_name: str) -> dict[str, object]:
    """Return Heat's schema of a type; the test is skipped without it."""
    name = "aws.json" if type_name.startswith("AWS::") else "os-heat.json"
    path = shared.TYPES / name
    if not path.is_file():
        case.skipTest(shared.missing(path))
    facts: dict[str, dict[str, object]] = json.loads(path.read_text())
    return facts[type_name]


def check(case: testtools.TestCase, plugin: type[resource.Resource]) -> None:
    """Fail unless a type declares what clients of Heat know of it."""
    facts = known(case, plugin.type_name)
    expected = {
        key: facts[key] for key in ("properties", "attributes", "support")
    }
    case.assertEqual(expected, described(plugin), plugin.type_name)


def described(plugin: type[resource.Resource]) -> dict[str, object]:
    """Return what our declaration says, in the form of those schemas."""
    return {
        "properties": _properties(plugin.properties),
        "attributes": {
            item.name: {} if item.type is None else {"type": str(item.type)}
            for item in plugin.attributes
            if not item.is_hidden
        },
        "support": plugin.support_status,
    }


def _properties(
    declared: collections.abc.Iterable[schema.Property],
) -> dict[str, object]:
    return {
        item.name: _property(item) for item in declared if not item.is_hidden
    }


def _property(item: schema.Property) -> dict[str, object]:
    update_allowed, immutable = _UPDATES[item.on_update]
    facts: dict[str, object] = {
        "type": str(item.type),
        "required": item.required,
        "update_allowed": update_allowed,
        "immutable": immutable,
    }
    if item.default is not None:
        facts["default"] = item.default
    if item.constraints:
        facts["constraints"] = [_constraint(one) for one in item.constraints]
    if item.items is not None:
        facts["schema"] = {"*": _property(item.items)}
    elif item.fields:
        facts["schema"] = _properties(item.fields)
    return facts


def _constraint(item: schema.Constraint) -> dict[str, object]:
    if isinstance(item, schema.AllowedValues):
        return {"allowed_values": list(item.values)}
    if isinstance(item, schema.CustomConstraint):
        return {"custom_constraint": item.name}
    if isinstance(item, schema.AllowedPattern):
        return {"allowed_pattern": item.pattern}
    assert isinstance(item, schema.Range | schema.Length)
    bounds = {"min": item.minimum, "max": item.maximum}
    return {
        type(item).__name__.lower(): {
            key: value for key, value in bounds.items() if value is not None
        }
    }
