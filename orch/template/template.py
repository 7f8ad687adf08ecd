"""A template read for one stack: what others ask of the language."""

import collections.abc
import functools

from orch.template import answer
from orch.template import body as body_
from orch.template import checking
from orch.template import declaration
from orch.template import document as document_
from orch.template import environment as environment_
from orch.template import errors
from orch.template import identity as identity_
from orch.template import inputs as inputs_
from orch.template import limits as limits_
from orch.template import loading
from orch.template import outputs
from orch.template import parameter_schema
from orch.template import parameters as parameters_
from orch.template import problems
from orch.template import registry
from orch.template import resolving
from orch.template import resources as resources_
from orch.template import scope as scope_
from orch.template import versions
from orch.template import world as world_

NO_DESCRIPTION = "No description"


class Template:
    """A template with its environment and parameters.

    Cheap to load: resources and outputs are parsed when they are first
    asked for. All methods may be called from several threads.
    """

    def __init__(
        self,
        document: document_.Document,
        version: versions.Version,
        environment: environment_.Environment,
        parameters: parameters_.Parameters,
        context: "_Context",
    ) -> None:
        self._document = document
        self._version = version
        self._environment = environment
        self._parameters = parameters
        self._context = context

    @classmethod
    def load(
        cls,
        inputs: inputs_.Inputs,
        types: resources_.Types,
        identity: identity_.Identity,
        limits: limits_.Limits,
    ) -> "Template":
        """Return the template; values and resources are not checked yet.

        :raises orch.template.errors.FormatInvalid: it is no template
        :raises orch.template.errors.VersionInvalid: of no known version
        :raises orch.template.errors.SchemaInvalid: a parameter is defined
            wrongly
        :raises orch.template.errors.ParameterUnknown: a value is given for
            a parameter that it does not have
        :raises orch.template.errors.EnvironmentInvalid: the environment
            cannot be read
        :raises orch.template.errors.TooLarge: it is larger than allowed
        """
        document = loading.read(inputs.template, limits)
        version = versions.find(document.root)
        _check_count(document, version, limits)
        schemas = _schemas(document, version)
        kinds = {name: one.type.name for name, one in schemas.items()}
        environment = environment_.read(inputs, kinds, limits)
        type_map = registry.TypeMap(environment.resource_registry)
        parameters = parameters_.Parameters(
            schemas,
            parameters_.UserValues(
                environment.parameters, environment.parameter_defaults
            ),
            parameters_.pseudo(version.format, identity),
            work=limits.work,
        )
        report = problems.Report(document)
        for fault in parameters.unknown():
            report.add(fault)
        report.check()
        context = _Context(types, type_map, inputs.files, limits)
        return cls(document, version, environment, parameters, context)

    @property
    def raw(self) -> collections.abc.Mapping[str, object]:
        """The template as an object."""
        return self._document.root

    @property
    def version(self) -> versions.Version:
        """The version that it is written in."""
        return self._version

    @property
    def environment(self) -> dict[str, object]:
        """The merged environment."""
        return self._environment.as_dict()

    def shown_environment(self) -> dict[str, object]:
        """Return the merged environment, hidden values as asterisks."""
        shown = self.environment
        schemas = self._parameters.schemas
        for section in ("parameters", "parameter_defaults"):
            values = shown[section]
            assert isinstance(values, dict)
            shown[section] = {
                name: parameters_.HIDDEN
                if name in schemas and schemas[name].is_hidden
                else value
                for name, value in values.items()
            }
        return shown

    @property
    def description(self) -> object:
        """What the template says of itself, as written."""
        written = self.raw.get(self._version.format.description)
        return NO_DESCRIPTION if written is None else written

    @property
    def parameters(self) -> parameters_.Parameters:
        """Schemas and values of the parameters."""
        return self._parameters

    def shown_parameters(self) -> dict[str, str]:
        """Return all parameters as texts, hidden ones as asterisks."""
        return self._parameters.shown()

    @functools.cached_property
    def resources(
        self,
    ) -> collections.abc.Mapping[str, declaration.Declaration]:
        """The active resources, in the order of the template.

        :raises orch.errors.OrchError: the template is wrong
        """
        return {
            name: parsed.declaration
            for name, parsed in self._sound.resources.parsed.items()
        }

    def validate(self) -> None:
        """Refuse a template that cannot become a stack.

        :raises orch.errors.OrchError: the first problem decides the type;
            ``problems`` has all of them
        """
        self._checked.report.check()

    def resolve_properties(
        self,
        name: str,
        world: world_.World,
        *,
        marks_unknown: bool = False,
    ) -> dict[str, object]:
        """Return the properties of a resource, coerced, defaults filled in.

        Those of a resource that stands for an existing thing do not count.

        :param marks_unknown: what is not known yet becomes
            :data:`orch.template.world.UNKNOWN` where it stands
        :raises NotYetKnown: something is not known yet
        :raises orch.template.errors.TemplateInvalid: values are wrong
        """
        body = self._sound
        parsed = body.resources.parsed[name]
        if parsed.declaration.external_id is not None:
            return {}
        report = problems.Report(self._document)
        values = resolving.Resolver(body).properties(
            parsed,
            body.scope(world, marks_unknown=marks_unknown),
            report.add,
        )
        report.check()
        return values

    def resolve_metadata(
        self, name: str, world: world_.World
    ) -> dict[str, object]:
        """Return the metadata of a resource.

        :raises NotYetKnown: something is not known yet
        :raises orch.template.errors.Refused: a function failed
        """
        body = self._sound
        value = body.resources.parsed[name].metadata.resolve(body.scope(world))
        return value if isinstance(value, dict) else {}

    def resolve_outputs(
        self, world: world_.World, only: str | None = None
    ) -> list[outputs.Output]:
        """Return the outputs with values; each has its own error, if any.

        :param only: key of the one that is wanted; ``None`` for all
        """
        body = self._sound
        return body.outputs.resolve(body.scope(world), only)

    def output_names(self) -> list[tuple[str, object]]:
        """Return keys and descriptions of the outputs."""
        return self._sound.outputs.names()

    def attributes_read(self, name: str) -> frozenset[str]:
        """Return the attributes of a resource that anything here reads."""
        return self._attributes.get(name, frozenset())

    def validation_answer(
        self, show_nested: bool = False
    ) -> dict[str, object]:
        """Return Heat's answer of ``POST /validate``.

        Values of parameters may be missing or wrong: a client asks for the
        parameters, to fill in a form.

        :param show_nested: tell the parameters of nested templates too
        :raises orch.template.errors.ValidationFailed: the template is wrong
        """
        relaxed = self._relaxed()
        body = relaxed._checked
        if body.report.faults:
            raise body.report.error(errors.ValidationFailed)
        return answer.build(relaxed._answer_parts())

    def nested_types(self) -> list[str]:
        """Return the types of resources that are templates of their own."""
        return [
            parsed.declaration.type_name
            for parsed in self._sound.resources.parsed.values()
            if parsed.is_nested
        ]

    def _answer_parts(self) -> answer.Parts:
        groups = self._version.format.parameter_groups
        return answer.Parts(
            self.description,
            self._parameters,
            self._environment.as_dict(),
            self.nested_types(),
            self.raw.get(groups) if groups else None,
        )

    def _relaxed(self) -> "Template":
        parameters = parameters_.Parameters(
            self._parameters.schemas,
            self._parameters.given,
            self._parameters.pseudo,
            work=self._parameters.work,
            is_strict=False,
        )
        return Template(
            self._document,
            self._version,
            self._environment,
            parameters,
            self._context,
        )

    @functools.cached_property
    def _body(self) -> body_.Body:
        """The body as parsed, with what is wrong in it."""
        context = self._context
        format_ = self._version.format
        mappings = self.raw.get(format_.mappings or "")
        body = body_.Body(
            self._document,
            self._version,
            scope_.Statics(
                self._parameters,
                context.files,
                mappings if isinstance(mappings, dict) else {},
                (
                    context.limits.yaql_iterations,
                    context.limits.yaql_memory,
                ),
            ),
            context.types,
            context.type_map,
            context.limits.work,
        )
        body.read(self._parameters)
        return body

    @functools.cached_property
    def _sound(self) -> body_.Body:
        """The body of a template that is right as far as it was read."""
        self._body.report.check()
        return self._body

    @functools.cached_property
    def _checked(self) -> body_.Body:
        """The body, with all that is wrong in it."""
        if self._body.is_whole:
            checking.Checker(
                self._body, self._context.files, self._parameters.is_strict
            ).check()
        return self._body

    @functools.cached_property
    def _attributes(self) -> dict[str, frozenset[str]]:
        """The attributes that are read, by name of the resource."""
        read: dict[str, set[str]] = {}
        for reference in self._sound.references():
            names = read.setdefault(reference.resource, set())
            if reference.attribute is not None:
                names.add(reference.attribute)
            elif reference.is_open:
                names.update(
                    self._sound.resources.attribute_names(reference.resource)
                )
        return {name: frozenset(names) for name, names in read.items()}


class _Context:
    """What a template needs beside itself."""

    def __init__(
        self,
        types: resources_.Types,
        type_map: registry.TypeMap,
        files: collections.abc.Mapping[str, str],
        limits: limits_.Limits,
    ) -> None:
        self.types = types
        self.type_map = type_map
        self.files = files
        self.limits = limits


def _check_count(
    document: document_.Document,
    version: versions.Version,
    limits: limits_.Limits,
) -> None:
    section = document.root.get(version.format.resources)
    if isinstance(section, dict) and 0 <= limits.resources < len(section):
        raise errors.TooLarge(
            "Request limit exceeded: Maximum resources per stack exceeded."
        )


def _schemas(
    document: document_.Document, version: versions.Version
) -> dict[str, parameter_schema.ParameterSchema]:
    """Return the schemas of all parameters, or raise all that is wrong."""
    name = version.format.parameters
    section = document.root.get(name) or {}
    report = problems.Report(document)
    if not isinstance(section, dict):
        report.add(
            problems.Fault(
                (name,),
                f'"{name}" must be a map. Found a'
                f" {type(section).__name__} instead",
            )
        )
        raise report.error()
    schemas = {}
    for key, written in section.items():
        try:
            schemas[key] = parameter_schema.read(key, written, version.format)
        except problems.Fault as fault:
            report.add(fault)
    report.check()
    return schemas
