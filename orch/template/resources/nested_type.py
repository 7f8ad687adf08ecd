"""Templates among the files of a request, read as types of resources.

The parameters of such a template are the properties of the type, its
outputs are the attributes.
"""

import collections.abc
import dataclasses
import typing

from orch.plugin import schema
from orch.template import errors
from orch.template import inputs
from orch.template import problems
from orch.template import source as source_
from orch.template.parameters import schema as parameter_schema

Values = collections.abc.Mapping[str, object]

STACK_ID: typing.Final = "OS::stack_id"
"""Output of a template whose value stands for a resource made of it."""


@dataclasses.dataclass(frozen=True)
class NestedType:
    """A template as a type of resources."""

    source: source_.Source
    properties: tuple[schema.Property, ...]
    attributes: tuple[schema.Attribute, ...]

    @property
    def has_stack_id(self) -> bool:
        """Whether the template says what stands for a resource of it."""
        return any(each.name == STACK_ID for each in self.attributes)


class Library:
    """The templates among the files; each is read once."""

    def __init__(
        self,
        files: collections.abc.Mapping[str, str],
        defaults: Values,
        limits: inputs.Limits,
    ) -> None:
        """Read nothing yet.

        :param files: texts by name
        :param defaults: of parameters, by name; they hold for all templates
        """
        self._files = files
        self._defaults = defaults
        self._limits = limits
        self._found: dict[str, NestedType | None] = {}
        self._faults: dict[str, list[problems.Fault]] = {}

    def find(self, name: str) -> NestedType | None:
        """Return a template; ``None`` when it cannot be read.

        :raises problems.Fault: there is no such file
        """
        if name not in self._found:
            if name not in self._files:
                raise problems.Fault(
                    (),
                    f'Could not fetch remote template "{name}": it is not'
                    " among the files that came with the template",
                    advice=problems.suggest_name(name, self._files),
                )
            self._found[name] = self._read(name)
        return self._found[name]

    def faults(self, name: str) -> collections.abc.Sequence[problems.Fault]:
        """Return why a template cannot be read, each time the same."""
        return self._faults.get(name, ())

    def _read(self, name: str) -> NestedType | None:
        found = problems.Report()
        try:
            source = source_.read_source(
                self._files[name], name, self._limits, found
            )
        except errors.TooLarge as error:
            source = None
            found.add(problems.fault_of(error, ()))
        self._faults[name] = [as_nested(fault) for fault in found.faults]
        return None if source is None else self._type(source)

    def _type(self, source: source_.Source) -> NestedType:
        section = source.document.root.get(source.version.format.outputs)
        return NestedType(
            source,
            tuple(
                _property(one, self._defaults.get(name))
                for name, one in source.schemas.items()
            ),
            tuple(map(schema.Attribute, section))
            if isinstance(section, dict)
            else (),
        )


def as_nested(fault: problems.Fault) -> problems.Fault:
    """Let a request fail validation by a fault, as Heat has it.

    Whatever is wrong in a template that a resource names makes that
    resource invalid.
    """
    fault.kind = errors.TemplateInvalid
    return fault


def _property(
    one: parameter_schema.ParameterSchema, default: object
) -> schema.Property:
    """Return a parameter as a property.

    It has no default of its own: what is not given stays absent, so that
    the template's own default counts.
    """
    return schema.Property(
        one.name,
        one.type.kind,
        str(one.description),
        required=one.default is None and default is None,
        on_update=schema.OnUpdate.MODIFY,
        constraints=one.constraints,
        is_sensitive=one.is_hidden,
        is_parameter=True,
    )
