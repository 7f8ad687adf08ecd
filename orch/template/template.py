"""A template read for one stack: what others ask of the language."""

import collections.abc
import functools
import typing

from orch.plugin import holder
from orch.template import answer
from orch.template import availability
from orch.template import body as body_
from orch.template import checking
from orch.template import declaration
from orch.template import document as document_
from orch.template import environment as environment_
from orch.template import errors
from orch.template import facades
from orch.template import identity as identity_
from orch.template import inputs as inputs_
from orch.template import installation as installation_
from orch.template import kinds
from orch.template import limits as limits_
from orch.template import nested_type
from orch.template import nesting
from orch.template import opening
from orch.template import outputs
from orch.template import parameters as parameters_
from orch.template import problems
from orch.template import registry
from orch.template import resolving
from orch.template import setting as setting_
from orch.template import source as source_
from orch.template import tree
from orch.template import versions
from orch.template import world as world_

_TOLD: typing.Final = frozenset(
    {errors.Circular, errors.ReferenceInvalid, errors.SchemaInvalid}
)
"""Errors that whoever only asks about a template gets under their own names.
All others are :class:`errors.ValidationFailed` there."""


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
        setting: setting_.Setting,
        defaults: parameters_.Given,
    ) -> None:
        self._defaults = defaults
        self._document = document
        self._version = version
        self._environment = environment
        self._parameters = parameters
        self._setting = setting
        self._source = source_.Source(document, version, parameters.schemas)

    @classmethod
    def load(
        cls,
        inputs: inputs_.Inputs,
        types: kinds.Types,
        identity: identity_.Identity,
        limits: limits_.Limits,
        *,
        is_strict: bool = True,
        installed: installation_.Installation = installation_.NOTHING,
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
        opened = opening.read(inputs, identity, limits, report, installed)
        if opened is None:
            raise report.error()
        defaults = installed.nested_defaults(
            opened.environment.parameter_defaults
        )
        files = {**installed.files, **inputs.files}
        around = inputs.around or inputs_.NOTHING_AROUND
        library = nested_type.Library(files, defaults, limits)
        setting = setting_.Setting(
            types,
            registry.TypeMap(
                opened.environment.resource_registry,
                files,
                installed={
                    name: target
                    for name, target in installed.resource_registry.items()
                    if name not in around.without
                },
                is_served=lambda name: types.find(name) is not None,
            ),
            inputs.files,
            library,
            kinds.Kinds(types, library),
            identity,
            limits,
            around.depth,
            around.facade if inputs.around else None,
            around.without,
        )
        loaded = cls(
            opened.document,
            opened.version,
            opened.environment,
            opened.parameters,
            setting,
            defaults,
        )
        if report.faults:
            loaded._add_faults(report, opened, is_strict)
            raise report.error()
        return loaded

    def _add_faults(
        self, report: problems.Report, opened: opening.Opened, is_strict: bool
    ) -> None:
        """Add what else is wrong, as far as that is certain."""
        if not opened.has_schemas:
            return
        is_strict = is_strict and opened.is_certain
        checked = self if is_strict else self._relaxed()
        report.extend(
            fault
            for fault in checked._checked.report.faults
            if opened.is_certain
            or not issubclass(fault.kind, errors.TypeUnknown)
        )

    def hooks(self, name: str) -> tuple[str, ...]:
        """Return where the operations of a resource stop and wait.

        Also of one that the template does not declare: it is to be removed.
        """
        return self._setting.type_map.hooks(name)

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
        shown = self._environment.as_stored()
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
        return self._source.description

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
        checked = self._checked
        checked.report.check()
        availability.check([self._body, *self._below.bodies()])

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
            body.scope(
                world,
                marks_unknown=marks_unknown,
                work=self._setting.limits.resource_work,
            ),
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

    def refers_to(self, name: str) -> bool:
        """Answer whether any part reads a resource, declared or not."""
        return any(each.resource == name for each in self._sound.references())

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
        relaxed = self._relaxed()
        report = relaxed._checked.report
        shown = {}
        if show_nested and not report.faults:
            shown = relaxed._level(tree.Tree.to_show(self._defaults)).shown(
                report
            )
        if report.faults:
            first = report.faults[0].kind
            raise report.error(
                first if first in _TOLD else errors.ValidationFailed
            )
        return answer.build(
            answer.Parts(
                self.description,
                relaxed._parameters,
                self._source.parameter_groups,
                shown,
            ),
            self.environment,
            relaxed.nested_types(),
        )

    def nested_type(self, type_name: str) -> nested_type.NestedType | None:
        """Return the template that a type is; ``None`` when it is none."""
        try:
            kind = self._setting.kinds.read(type_name)
        except problems.Fault:
            return None
        return kind.nested if kind else None

    def holds_stack(self, name: str) -> bool:
        """Answer whether a resource is a stack of its own."""
        return self._sound.resources.holds_stack(name)

    def nested_inputs(
        self,
        name: str,
        values: collections.abc.Mapping[str, object],
        metadata: collections.abc.Mapping[str, object],
        template: object = None,
    ) -> inputs_.Inputs:
        """Return what the stack that a resource holds is made of.

        :param values: of the parameters of that stack
        :param metadata: of the resource
        :param template: that of the stack; ``None`` for the file that is
            the type of the resource
        """
        declared = self.resources[name]
        setting = self._setting
        if template is None:
            found = self.nested_type(declared.type_name)
            assert found is not None
            template = found.source.document.root
        registry_, without = setting.type_map.entered(
            name, declared.declared_type
        )
        return inputs_.Inputs(
            template,
            {
                "resource_registry": registry.written(registry_),
                "parameter_defaults": dict(
                    self._environment.parameter_defaults
                ),
            },
            {key: one for key, one in values.items() if one is not None},
            setting.files,
            around=inputs_.Around(
                setting.depth + 1,
                facades.shown(declared, dict(metadata)),
                (*setting.without, *([without] if without else ())),
            ),
        )

    def nested_types(self) -> list[str]:
        """Return the templates among the files that resources are made of.

        Those of the installation are not told of.
        """
        return [
            parsed.declaration.type_name
            for parsed in self._sound.resources.parsed.values()
            if parsed.nested is not None
            and parsed.declaration.type_name in self._setting.files
        ]

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
            self._setting,
            self._defaults,
        )

    def _level(self, below: tree.Tree) -> nesting.Level:
        """Return the stacks in the stack."""
        return nesting.Level(
            below,
            self._body,
            self._setting,
            is_deep=self._parameters.is_strict,
        )

    @functools.cached_property
    def _body(self) -> body_.Body:
        """The body as parsed, with what is wrong in it."""
        return setting_.read_body(
            self._source, self._parameters, self._setting
        )

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
                self._body,
                self._level(self._below),
                self._parameters.is_strict,
            ).check()
        return self._body

    @functools.cached_property
    def _below(self) -> tree.Tree:
        """The stacks below, as far as they were looked at."""
        return tree.Tree.to_check(self._defaults, self._setting.files)

    @functools.cached_property
    def _attributes(self) -> dict[str, frozenset[str]]:
        """The attributes that are read, by name of the resource.

        Of a resource whose template says what stands for it, that as well:
        the members of a group are referred to from outside of its template.
        """
        read: dict[str, set[str]] = {
            name: {holder.key((nested_type.STACK_ID,))}
            for name, each in self._sound.resources.parsed.items()
            if each.nested is not None and each.nested.has_stack_id
        }
        for reference in self._sound.references():
            names = read.setdefault(reference.resource, set())
            if reference.attribute is not None:
                path: holder.Path = (reference.attribute,)
                if self._sound.resources.holds_stack(reference.resource):
                    path = (*path, *reference.path)
                names.add(holder.key(path))
            elif reference.is_open:
                names.update(
                    self._sound.resources.attribute_names(reference.resource)
                )
        return {name: frozenset(names) for name, names in read.items()}
