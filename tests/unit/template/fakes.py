"""Resource types made of their published facts, and worlds to read."""

import collections.abc
import json
import uuid

from oslo_config import cfg

from orch import errors
from orch import ids
from orch.plugin import resource
from orch.plugin import schema
from orch.template import template as template_
from orch.template import world
from orch.template.parameters import types as parameter_types
from tests.support import shared

# What the published facts leave out: everything named "description", and
# attributes that Heat hides and still reads.
HIDDEN_ATTRIBUTES = {"OS::Nova::Server": ("first_address",)}
DESCRIBED = {"OS::Heat::SoftwareConfig", "OS::Heat::StructuredConfig"}


def constraint(fact: dict[str, object]) -> schema.Constraint:
    """Return a constraint of its published form."""
    ((kind, value),) = [
        (key, one) for key, one in fact.items() if key != "description"
    ]
    if kind == "range":
        return schema.Range(minimum=value.get("min"), maximum=value.get("max"))
    if kind == "length":
        return schema.Length(
            minimum=value.get("min"), maximum=value.get("max")
        )
    if kind == "modulo":
        return schema.Modulo(step=value["step"], offset=value["offset"])
    if kind == "allowed_values":
        return schema.AllowedValues(values=tuple(value))
    if kind == "allowed_pattern":
        return schema.AllowedPattern(pattern=value)
    return schema.CustomConstraint(name=value)


def property_(name: str, fact: dict[str, object]) -> schema.Property:
    """Return a property of its published form."""
    fields = fact.get("schema") or {}
    items = None
    if "*" in fields:
        items = property_("*", fields["*"])
        fields = {}
    return schema.Property(
        name,
        schema.Type(fact["type"]),
        required=fact["required"],
        default=fact.get("default"),
        constraints=tuple(map(constraint, fact.get("constraints") or ())),
        items=items,
        fields=tuple(property_(*one) for one in fields.items()),
    )


class FactResource(resource.Resource):
    """A type known by its facts alone."""

    def validate(self, properties):
        if self.type_name == "OS::Heat::Value":
            _check_value(properties)

    def attribute(self, name, values):
        if self.type_name == "OS::Heat::TestResource" and name == "output":
            return values["value"]
        return values.get(name)


def _check_value(properties):
    kind = properties.get("type")
    value = properties.get("value")
    if value is None or kind is None:
        return
    declared = schema.Type(
        {"json": "map", "comma_delimited_list": "list"}.get(kind, kind)
    )
    if declared is schema.Type.STRING and isinstance(value, list | dict):
        raise errors.Invalid(f"Value must be a string; got {value!r}")
    if declared is schema.Type.NUMBER:
        try:
            parameter_types.to_number(value)
        except (TypeError, ValueError) as error:
            raise errors.Invalid(str(error)) from None
    if declared is schema.Type.BOOLEAN and str(value).lower() not in (
        "true",
        "false",
    ):
        raise errors.Invalid(f'"{value}" is not a valid boolean')
    if declared is schema.Type.LIST and not isinstance(value, list):
        raise errors.Invalid(f'"{value!r}" is not a list')


def _describe(facts):
    """Give the inputs and outputs of a config their description back."""
    for name in ("inputs", "outputs"):
        fields = facts[name]["schema"]["*"]["schema"]
        fields["description"] = {"type": "string", "required": False}


class FactTypes:
    """All types of the published facts, made when they are asked for."""

    def __init__(self) -> None:
        self._facts: dict[str, dict[str, object]] = {}
        for path in sorted(shared.TYPES.glob("*.json")):
            self._facts.update(json.loads(path.read_text()))
        self._made: dict[str, resource.Resource] = {}

    def find(self, type_name):
        if type_name not in self._facts:
            return None
        if type_name not in self._made:
            self._made[type_name] = self._make(type_name)
        return self._made[type_name]

    def names(self):
        return sorted(self._facts)

    def _make(self, type_name):
        fact = self._facts[type_name]
        if type_name in DESCRIBED:
            _describe(fact["properties"])
        properties = [property_(*one) for one in fact["properties"].items()]
        if type_name == "OS::Heat::RandomString":
            properties.append(schema.Property("sequence", schema.Type.STRING))
        kind = type(
            type_name.rpartition(":")[2],
            (FactResource,),
            {
                "type_name": type_name,
                "properties": tuple(properties),
                "attributes": tuple(
                    schema.Attribute(name)
                    for name in (
                        *fact["attributes"],
                        *HIDDEN_ATTRIBUTES.get(type_name, ()),
                    )
                ),
                "accepts_any_property": type_name == "OS::Heat::None",
            },
        )
        return kind(cfg.ConfigOpts())


def kind(type_name, properties=(), attributes=(), **members):
    """Return an instance of a type made up for a test."""
    made = type(
        "Made",
        (resource.Resource,),
        {
            "type_name": type_name,
            "properties": tuple(properties),
            "attributes": tuple(attributes),
            **members,
        },
    )
    return made(cfg.ConfigOpts())


class Types:
    """A few types."""

    def __init__(self, *kinds):
        self._kinds = {one.type_name: one for one in kinds}

    def find(self, type_name):
        return self._kinds.get(type_name)

    def names(self):
        return sorted(self._kinds)


class Played(world.EmptyWorld):
    """A world in which every resource was made, one after the other."""

    def __init__(self, loaded: template_.Template, types, stack_name: str):
        self._loaded = loaded
        self._types = types
        self._stack_name = stack_name
        self.properties: dict[str, dict[str, object]] = {}
        self.metadata: dict[str, dict[str, object]] = {}
        self._ids = {
            name: ids.ResourceId(str(uuid.uuid4()))
            for name in loaded.resources
        }

    def play(self, order: collections.abc.Iterable[str]) -> None:
        """Resolve all resources in that order."""
        for name in order:
            self.properties[name] = self._loaded.resolve_properties(name, self)
            self.metadata[name] = self._loaded.resolve_metadata(name, self)

    def reference_id(self, name):
        declared = self._loaded.resources[name]
        if declared.external_id is not None:
            return declared.external_id
        if declared.type_name == "OS::Heat::None":
            return self._ids[name]
        short = ids.short(self._ids[name])
        return f"{self._stack_name}-{name}-{short}"

    def attribute(self, name, attribute):
        declared = self._loaded.resources[name]
        if attribute == "show":
            return None
        plugin = self._types.find(declared.type_name)
        return plugin.attribute(attribute, self.properties[name])
