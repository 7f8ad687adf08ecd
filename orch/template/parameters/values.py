"""The parameters of one stack: schemas, values, and what is shown of them."""

import collections.abc
import dataclasses
import typing

from orch import redacted
from orch.context import function_time
from orch.context import hidden_values
from orch.template import errors
from orch.template import inputs
from orch.template import problems
from orch.template import world
from orch.template.environment import environment as environment_
from orch.template.language import formats
from orch.template.language import scope
from orch.template.parameters import schema as parameter_schema
from orch.template.text import document

HIDDEN: typing.Final = redacted.TEXT
_REGION = "ap-southeast-1"

Given = collections.abc.Mapping[str, object]


def pseudo_parameters(
    format_: formats.Format, identity: inputs.Identity
) -> dict[str, str]:
    """Return the parameters that every template has, with their values."""
    if format_.kind == "cfn":
        return {
            "AWS::Region": _REGION,
            "AWS::StackId": identity.arn,
            "AWS::StackName": identity.stack_name,
        }
    return {
        "OS::project_id": identity.project_id,
        "OS::stack_id": identity.stack_id,
        "OS::stack_name": identity.stack_name,
    }


@dataclasses.dataclass(frozen=True)
class UserValues:
    """What users gave, before it is read by the schemas.

    :ivar defaults: they replace the defaults of the template
    :ivar origins: where in an environment a value was written
    :ivar default_origins: the same of the defaults
    """

    values: Given
    defaults: Given
    origins: environment_.Origins = dataclasses.field(default_factory=dict)
    default_origins: environment_.Origins = dataclasses.field(
        default_factory=dict
    )

    def origin(self, name: str) -> document.Origin | None:
        """Return where the value that counts was written.

        :returns: ``None`` when it came with the request or the template
        """
        if self.values.get(name) is not None or name not in self.defaults:
            return self.origins.get(name)
        return self.default_origins.get(name)


class Parameters:
    """The parameters of one stack.

    :ivar schemas: those of the template, in its order
    :ivar given: what users gave
    :ivar pseudo: values of the parameters that every template has
    :ivar is_strict: a parameter without a value is an error; otherwise it
        is ``None``
    :ivar sensitive: names of those that the template does not hide, and that
        were given something sensitive
    """

    def __init__(
        self,
        schemas: collections.abc.Mapping[
            str, parameter_schema.ParameterSchema
        ],
        given: UserValues,
        pseudo_values: collections.abc.Mapping[str, str],
        *,
        limits: inputs.Limits,
        is_strict: bool = True,
        sensitive: collections.abc.Iterable[str] = (),
    ) -> None:
        """Read no value yet.

        :param limits: of the patterns of constraints
        """
        self.schemas = schemas
        self.given = given
        self.is_strict = is_strict
        self.pseudo = pseudo_values
        self.limits = limits
        self._known: dict[str, object] = dict(pseudo_values)
        self._wrong: set[str] = set()
        self.sensitive = frozenset(sensitive)
        self.collect_hidden()

    def __contains__(self, name: object) -> bool:
        return name in self.schemas or name in self.pseudo

    def collect_hidden(self) -> None:
        """Have the hidden values redacted in errors of the request."""
        if any(schema.is_hidden for schema in self.schemas.values()):
            hidden_values.add(self._hidden_texts)

    def redacts(self, name: str) -> bool:
        """Answer whether errors may not quote the value of a parameter."""
        return name in self.sensitive or self.schemas[name].is_hidden

    def _hidden_texts(self) -> collections.abc.Iterator[str]:
        """Yield the hidden values, as given and as parsed, as texts."""
        for name, schema in self.schemas.items():
            if schema.is_hidden:
                for value in (
                    self.given.values.get(name),
                    self.default(name),
                    self._known.get(name),
                ):
                    if not world.has_unknown(value):
                        yield from redacted.find_texts(value)

    def default(self, name: str) -> object:
        """Return the default that counts; ``None`` for none."""
        given = self.given.defaults.get(name)
        return self.schemas[name].default if given is None else given

    def value(self, name: str) -> object:
        """Return the value of a parameter.

        :raises orch.template.errors.ParameterMissing: it has none
        :raises orch.template.errors.TemplateInvalid: it is not of its type
        :raises orch.template.world.NotYetKnown: it comes into being with a
            resource; or it is wrong, and that was told by :meth:`faults`
        """
        if name in self._wrong:
            raise world.NotYetKnown(f"The parameter {name} is wrong.")
        if name in self._known:
            return self._known[name]
        if name not in self.schemas:
            raise errors.ParameterMissing(
                f"The Parameter ({name}) was not provided.",
                advice=problems.suggest_name(
                    name, (*self.schemas, *self.pseudo)
                ),
            )
        value = self._parse(name)
        self._known[name] = value
        return value

    def faults(self, path: str) -> collections.abc.Iterator[problems.Fault]:
        """Return what is wrong with schemas and values, value by value.

        :param path: name of the section
        :raises orch.template.errors.TooLarge: their patterns take too long
        """
        budget = scope.Budget(self.limits)
        is_flawed = False
        for name, schema in self.schemas.items():
            with function_time.running():
                why = schema.flaw(budget.spend)
            if why:
                is_flawed = True
                yield problems.Fault((path, name), why, errors.SchemaInvalid)
        if is_flawed or not self.is_strict:
            return
        for name, schema in self.schemas.items():
            fault = self._value_fault((path, name), schema, budget)
            if fault is not None:
                self._wrong.add(name)
                yield self._placed(fault, name)

    def _value_fault(
        self,
        path: errors.Path,
        schema: parameter_schema.ParameterSchema,
        budget: scope.Budget,
    ) -> problems.Fault | None:
        """Return what is wrong with one value."""
        self._wrong.discard(schema.name)
        try:
            with function_time.running():
                why = schema.violation(
                    self.value(schema.name),
                    budget.spend,
                    is_hidden=self.redacts(schema.name),
                )
        except errors.TemplateRefused as error:
            return problems.fault_of(error, path)
        if not why:
            return None
        return problems.Fault(
            path, f"Parameter '{schema.name}' is invalid: {why}"
        )

    def _placed(self, fault: problems.Fault, name: str) -> problems.Fault:
        """Return a fault of a value with the place where that was written."""
        origin = self.given.origin(name)
        if origin is not None:
            fault.document, fault.path = origin.document, origin.path
        return fault

    def unknown(
        self, path: str, declared: collections.abc.Container[str] = ()
    ) -> collections.abc.Iterator[problems.Fault]:
        """Return a fault for each value that no parameter takes.

        :param path: name of the section
        :param declared: parameters whose definitions cannot be read
        """
        for name in self.given.values:
            if name not in self and name not in declared:
                fault = problems.Fault(
                    (path, name),
                    f"The Parameter ({name}) was not defined in template.",
                    errors.ParameterUnknown,
                    problems.suggest_name(name, self.schemas),
                )
                yield self._placed(fault, name)

    def shown(self) -> dict[str, str]:
        """Return all values as texts; hidden ones as asterisks."""
        texts = dict(self.pseudo)
        for name, schema in self.schemas.items():
            if schema.is_hidden:
                texts[name] = HIDDEN
                continue
            value = self.value(name)
            is_missing = value is None and not self.is_strict
            texts[name] = "" if is_missing else schema.type.text(value)
        return texts

    def _parse(self, name: str) -> object:
        given = self.given.values.get(name)
        if given is world.UNKNOWN:
            raise world.NotYetKnown(f"The parameter {name} is not known yet.")
        if given is None:
            given = self.default(name)
        if given is None:
            if not self.is_strict:
                return None
            raise errors.ParameterMissing(
                f"The Parameter ({name}) was not provided."
            )
        schema = self.schemas[name]
        try:
            return schema.type.parse(given)
        except (ValueError, TypeError, RecursionError) as error:
            if not self.is_strict:
                return given
            why = str(error)
            if self.redacts(name):
                why = f"{parameter_schema.NO_DEFAULT} is no {schema.type.name}"
            raise errors.TemplateInvalid(
                f"Parameter '{name}' is invalid: {why}"
            ) from None
