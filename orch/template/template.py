"""A template read for one stack: what others ask of the language."""

import collections.abc
import functools
import typing

from orch.model import flat_fields
from orch.model import marked
from orch.plugin import function
from orch.plugin import sinks
from orch.template import errors
from orch.template import inputs as identity_
from orch.template import load_request as setting_
from orch.template import outputs
from orch.template import problems
from orch.template import resolve
from orch.template import secret_literals
from orch.template import service_constraints
from orch.template import source as source_
from orch.template import validated as checked_
from orch.template import validation_answer as template_validation_answer
from orch.template import world as world_
from orch.template.environment import environment as environment_
from orch.template.environment import installation as installation_
from orch.template.language import versions
from orch.template.nested import inputs as nested_inputs_module
from orch.template.parameters import values as parameters_
from orch.template.resources import declaration
from orch.template.resources import nested_type
from orch.template.resources import type_info
from orch.template.text import document as document_


def redact_environment(
    shown: collections.abc.Mapping[str, object], schemas: source_.Schemas
) -> dict[str, object]:
    """Return an environment, hidden values as asterisks.

    :param shown: what
        :meth:`orch.template.environment.environment.Environment.as_dict` gives
    :param schemas: of the parameters of the template, by name
    """
    listed = shown["event_sinks"]
    assert isinstance(listed, list)
    masked = {
        **shown,
        "event_sinks": [sinks.redact_sink(one) for one in listed],
    }
    for section in ("parameters", "parameter_defaults"):
        values = shown[section]
        assert isinstance(values, dict)
        masked[section] = {
            name: parameters_.HIDDEN
            if name in schemas and schemas[name].is_hidden
            else value
            for name, value in values.items()
        }
    return masked


_NAMED_KINDS: typing.Final = frozenset(
    {errors.Circular, errors.ReferenceInvalid, errors.SchemaInvalid}
)
"""Errors that whoever only asks about a template gets under their own names.
All others are :class:`errors.ValidationFailed` there."""


class Template:
    """A template with its environment and parameters.

    Cheap to load: resources and outputs are parsed when they are first
    asked for. All methods may be called from several threads.

    :ivar raw: the template as an object
    :ivar version: that it is written in
    :ivar parameters: schemas and values of the parameters
    :ivar description: what the template says of itself, as written
    """

    def __init__(
        self,
        document: document_.Document,
        version: versions.Version,
        environment: environment_.Environment,
        parameters: parameters_.Parameters,
        context: setting_.LoadContext,
        defaults: parameters_.Given,
    ) -> None:
        self.raw = document.root
        self.version = version
        self._document = document
        self.parameters = parameters
        self._environment = environment
        self._context = context
        self._source = source_.Source(document, version, parameters.schemas)
        self.description = self._source.description
        self._checked = checked_.ValidatedTemplate(
            self._source, parameters, context, defaults
        )

    @classmethod
    def load(
        cls,
        inputs: identity_.Inputs,
        types: type_info.Types,
        identity: identity_.Identity,
        limits: identity_.Limits,
        *,
        is_strict: bool = True,
        installed: installation_.Installation = installation_.NO_INSTALLATION,
    ) -> "Template":
        """Return the template; values and resources are not checked yet.

        When it raises, all that is wrong with values and resources is told
        as well, as far as that can be known.

        :param is_strict: values of parameters must be there and right
        :param installed: what holds below the environment of the request
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
        report = problems.Report()
        opened = setting_.load_request(
            inputs, identity, limits, report, installed
        )
        if opened is None:
            raise report.error()
        defaults = installed.defaults(
            opened.environment.parameter_defaults, is_nested=True
        )
        context = setting_.context_of_request(
            inputs,
            opened.environment,
            types,
            identity,
            limits,
            installed,
            defaults,
        )
        loaded = cls(
            opened.document,
            opened.version,
            opened.environment,
            opened.parameters,
            context,
            defaults,
        )
        if report.faults:
            loaded._add_faults(report, opened, is_strict)
            raise report.error()
        return loaded

    def _add_faults(
        self,
        report: problems.Report,
        opened: setting_.LoadedRequest,
        is_strict: bool,
    ) -> None:
        """Add what else is wrong, as far as that is certain."""
        if not opened.has_schemas:
            return
        is_strict = is_strict and opened.is_certain
        checked = self._checked if is_strict else self._checked.relaxed()
        report.extend(
            fault
            for fault in checked.whole.report.faults
            if opened.is_certain
            or not issubclass(fault.kind, errors.TypeUnknown)
        )

    def hooks(self, name: str) -> tuple[str, ...]:
        """Return where the operations of a resource stop and wait.

        Also of one that the template does not declare: it is to be removed.
        """
        return self._context.type_map.special(name).hooks

    @property
    def files(self) -> collections.abc.Mapping[str, str]:
        """The files that came with it, by name."""
        return self._context.files

    @property
    def environment(self) -> dict[str, object]:
        """The merged environment."""
        return self._environment.as_dict()

    @functools.cached_property
    def sensitive_parameters(self) -> frozenset[str]:
        """The names of the parameters whose values are sensitive."""
        return setting_.sensitive_parameters(
            self.parameters.schemas, self._context
        )

    @property
    def sensitive_parts(self) -> marked.Paths:
        """The paths of what is sensitive in the template itself."""
        return self._context.around.sensitive_parts

    @functools.cached_property
    def secret_parameters(self) -> frozenset[str]:
        """The names of those parameters, and of those that are secrets.

        By their name, or as a property that is sensitive gets them.
        """
        given = secret_literals.find_given(
            self.raw, self.version.format, self._context.kinds.secret_names
        )
        names = self.parameters.schemas
        return self.sensitive_parameters.union(
            filter(flat_fields.is_secret, names), names.keys() & {*given}
        )

    @functools.cached_property
    def secret_literals(self) -> marked.Paths:
        """The paths of the secrets that are written into the template."""
        return tuple(
            secret_literals.find_paths(
                self.raw,
                self.version.format,
                self._context.kinds.secret_names,
                self.secret_parameters,
            )
        )

    @property
    def event_sinks(self) -> list[collections.abc.Mapping[str, object]]:
        """The event sinks that the environment names, as it has them."""
        found = self._environment.event_sinks
        return [one for one in found if isinstance(one, dict)]

    @property
    def external_ids(self) -> collections.abc.Mapping[str, object]:
        """The ids in the environment, of what the request adopts."""
        return self._environment.external_ids

    def shown_environment(self) -> dict[str, object]:
        """Return the merged environment, hidden values as asterisks."""
        return redact_environment(
            self._environment.as_stored(), self.parameters.schemas
        )

    def shown_parameters(self) -> dict[str, str]:
        """Return all parameters as texts, hidden ones as asterisks."""
        return self.parameters.shown()

    @functools.cached_property
    def resources(
        self,
    ) -> collections.abc.Mapping[str, declaration.Declaration]:
        """The active resources, in the order of the template.

        :raises orch.errors.OrchError: the template is wrong
        """
        return {
            name: parsed.declaration
            for name, parsed in self._checked.sound.resources.parsed.items()
        }

    def validate(self, check_type: declaration.CheckType) -> None:
        """Refuse a template that cannot become a stack.

        :param check_type: checks the type of each resource;
            :func:`declaration.check_with_rows` where those that exist stay
        :raises orch.errors.Forbidden: the caller may not have one
        :raises orch.errors.OrchError: the first problem decides the type;
            ``problems`` has all of them
        """
        self._checked.whole.report.check()
        self._checked.check_permitted(check_type)
        self._checked.check_served()

    def estimate_size(self) -> float:
        """Return about how many resources its stack has, with those below.

        Members of a group count as the first one does; what is not known
        before the run counts as little as it can be.

        :returns: infinity where these stacks have to be counted one by one
        """
        return self._checked.estimate_size()

    def check_services(
        self, find_problems: service_constraints.FindProblems
    ) -> None:
        """Refuse values that services of the cloud do not know.

        Those of the stacks below are among them once it was validated.

        :param find_problems: asks the services; called once, or not at all
        :raises orch.errors.OrchError: ``problems`` has all of them
        """
        section = self.version.format.parameters
        found = [
            *service_constraints.constrained_parameters(
                self.parameters, self._document, section
            ),
            *service_constraints.constrained_properties(self._checked.sound),
        ]
        for body in self._checked.below.bodies():
            found.extend(service_constraints.constrained_properties(body))
        service_constraints.check_constrained(found, find_problems)

    def check_offered(
        self,
        find_missing: checked_.FindMissing,
        before: "Template | None" = None,
    ) -> None:
        """Refuse resources of services that the cloud does not have.

        :param before: the template until now, whose services are not checked
        :raises orch.template.errors.TypeUnavailable: it names all of them
        """
        known = before._checked.needed_services() if before else ()
        self._checked.check_offered(find_missing, known)

    def acting_types(self) -> list[str]:
        """Return the types of its resources that need a login of the stack.

        Those in stacks below are among them once it was validated.
        """
        return self._checked.acting_types()

    def resolve_properties(
        self,
        name: str,
        world: world_.World,
        *,
        marks_unknown: bool = False,
    ) -> marked.Marked:
        """Return the properties of a resource, coerced, defaults filled in.

        What is sensitive in them is marked. Of a resource that stands for an
        existing one (``external_id``) nothing has to be right: those that are
        known say how to read it.

        :param marks_unknown: what is not known yet becomes
            :data:`orch.template.world.UNKNOWN` where it stands
        :raises NotYetKnown: something is not known yet
        :raises orch.template.errors.TemplateInvalid: values are wrong
        """
        body = self._checked.sound
        parsed = body.resources.parsed[name]
        if parsed.declaration.external_id is not None:
            return resolve.Resolver(body).right(
                parsed, body.scope(world, marks_unknown=True)
            )
        report = problems.Report(self._document)
        values = resolve.Resolver(body).properties(
            parsed,
            body.scope(
                world,
                marks_unknown=marks_unknown,
                work=self._context.limits.resource_work,
            ),
            report.add,
        )
        report.check()
        return values

    def resolve_metadata(
        self, name: str, world: world_.World
    ) -> marked.Marked:
        """Return the metadata of a resource; what is sensitive is marked.

        :raises NotYetKnown: something is not known yet
        :raises orch.template.errors.TemplateRefused: a function failed
        """
        body = self._checked.sound
        parsed = body.resources.parsed[name].metadata
        value = parsed.value
        paths: marked.Paths = ()
        if isinstance(value, function.Node):
            scope = body.scope(world)
            value = parsed.resolve(scope)
            paths = scope.reads.take_paths()
        return marked.Marked(
            value if isinstance(value, dict) else {},
            (*paths, *marked.below(self.sensitive_parts, *parsed.path)),
        )

    def has_live_metadata(self, name: str) -> bool:
        """Answer whether metadata read what other resources show.

        Not those of a resource that the template does not declare.
        """
        parsed = self._checked.sound.resources.parsed.get(name)
        return parsed is not None and not parsed.metadata.is_static

    def resolve_outputs(
        self, world: world_.World, only: str | None = None
    ) -> list[outputs.Output]:
        """Return the outputs with values; each has its own error, if any.

        :param only: key of the one that is wanted; ``None`` for all
        """
        body = self._checked.sound
        return body.outputs.resolve(body.scope(world), only)

    def refers_to(self, name: str) -> bool:
        """Answer whether any part reads a resource, declared or not."""
        return any(
            each.resource == name for each in self._checked.sound.references()
        )

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
        :raises orch.template.errors.Circular: resources require each other
        :raises orch.template.errors.ReferenceInvalid: a resource requires
            one that is not there
        :raises orch.template.errors.SchemaInvalid: a parameter is defined
            wrongly
        """
        relaxed = self._checked.relaxed()
        report = relaxed.whole.report
        shown = {}
        if show_nested and not report.faults:
            shown = relaxed.shown_below(report)
        if report.faults:
            first = report.faults[0].kind
            raise report.error(
                first if first in _NAMED_KINDS else errors.ValidationFailed
            )
        return template_validation_answer.build_answer(
            template_validation_answer.TemplateParts(
                self.description,
                relaxed.parameters,
                self._source.parameter_groups,
                shown,
            ),
            redact_environment(self.environment, self.parameters.schemas),
            nested_inputs_module.nested_file_types(
                relaxed.sound, self._context
            ),
        )

    def nested_type(self, type_name: str) -> nested_type.NestedType | None:
        """Return the template that a type is; ``None`` when it is none."""
        return nested_inputs_module.find_nested_type(self._context, type_name)

    def is_nested_stack(self, name: str) -> bool:
        """Answer whether a resource is a stack of its own."""
        return self._checked.sound.resources.is_nested_stack(name)

    def nested_inputs(
        self,
        name: str,
        values: collections.abc.Mapping[str, object],
        metadata: collections.abc.Mapping[str, object],
        template: object = None,
    ) -> identity_.Inputs:
        """Return what the stack that a resource holds is made of.

        :param values: of the parameters of that stack
        :param metadata: of the resource
        :param template: that of the stack; ``None`` for the file that is
            the type of the resource
        """
        return nested_inputs_module.child_inputs(
            self.resources[name],
            values,
            metadata,
            template,
            self._context,
            self._environment,
        )

    @functools.cached_property
    def _attributes(self) -> dict[str, frozenset[str]]:
        """The attributes that are read, by name of the resource."""
        return self._checked.sound.attribute_uses()
