"""Reads a template and all that comes with it, and reports on all of it.

A template is then parsed in a context: what holds for it beside what is
written in it.

What is found here is wrong in the documents themselves: text that cannot be
read, unknown versions, sections of an environment, definitions of
parameters. Where one document is wrong the others are read all the same.
"""

import collections.abc
import dataclasses

from orch.model import flat_fields
from orch.template import body as body_
from orch.template import errors
from orch.template import inputs as identity_
from orch.template import problems
from orch.template import resource_count
from orch.template import source as source_
from orch.template.environment import environment as environment_
from orch.template.environment import form
from orch.template.environment import installation as installation_
from orch.template.environment import registry
from orch.template.language import scope
from orch.template.language import versions
from orch.template.parameters import values as parameters_
from orch.template.resources import nested_type
from orch.template.resources import type_info as kinds_
from orch.template.text import document as document_

_INDEPENDENT_FAULTS = (
    form.SINKS,
    form.ENCRYPTED,
    form.STRATEGIES,
)
"""Sections that say nothing of types and parameters."""


@dataclasses.dataclass(frozen=True)
class LoadedRequest:
    """A template with its environment and parameters, ready to be parsed.

    :ivar has_schemas: the definitions of all parameters are right
    :ivar is_certain: parameters and types are what the user meant, though
        something else may be wrong with the environment
    """

    document: document_.Document
    version: versions.Version
    environment: environment_.Environment
    parameters: parameters_.Parameters
    has_schemas: bool = True
    is_certain: bool = True


def load_request(
    inputs: identity_.Inputs,
    identity: identity_.Identity,
    limits: identity_.Limits,
    report: problems.Report,
    installed: installation_.Installation = installation_.NO_INSTALLATION,
) -> LoadedRequest | None:
    """Return what could be read; ``None`` when the template could not.

    :param report: told of all that is wrong, in the order in which Heat
        looks
    :param installed: what holds below the environment of the request
    :raises orch.template.errors.EnvironmentInvalid: the values of the request
        itself are no map
    :raises orch.template.errors.TooLarge: a document is larger than allowed
    """
    document = source_.read_document(
        inputs.template, limits, report, source=inputs.source
    )
    environments, found = form.read_environments(inputs, limits)
    early = (
        []
        if inputs.environment_files
        else [
            # They show before the template is looked into.
            fault
            for fault in found
            if fault.kind is errors.EnvironmentInvalid and len(fault.path) < 2
        ]
    )
    late = [fault for fault in found if fault not in early]
    report.extend(early)
    version = (
        None if document is None else source_.read_version(document, report)
    )
    if document is None or version is None:
        report.extend(late)
        return None
    section = document.root.get(version.format.resources)
    if isinstance(section, dict) and 0 <= limits.resources < len(section):
        raise errors.TooLarge(resource_count.TOO_MANY)
    before = len(report.faults)
    schemas: source_.Schemas = source_.read_schemas(document, version, report)
    has_schemas = len(report.faults) == before
    report.extend(late)
    if not isinstance(inputs.parameters, collections.abc.Mapping):
        raise errors.EnvironmentInvalid("The parameters must be a map.")
    environment = environment_.merge_environments(
        environments,
        inputs.parameters,
        {name: one.type.name for name, one in schemas.items()},
        report,
        are_files=bool(inputs.environment_files),
    )
    document_.check_object(dict(environment.parameters), limits)
    defaults = installed.defaults(
        environment.parameter_defaults, is_nested=inputs.around is not None
    )
    if inputs.around is not None:
        schemas = source_.with_defaults(schemas, defaults)
    parameters = parameters_.Parameters(
        schemas,
        parameters_.UserValues(
            environment.parameters,
            defaults,
            environment.origins,
            environment.default_origins,
        ),
        parameters_.pseudo_parameters(version.format, identity),
        limits=limits,
        sensitive=inputs.around.sensitive_parameters if inputs.around else (),
    )
    name = version.format.parameters
    declared = document.root.get(name)
    for fault in parameters.unknown(
        name, declared if isinstance(declared, dict) else ()
    ):
        fault.document = fault.document or document
        report.add(fault)
    return LoadedRequest(
        document,
        version,
        environment,
        parameters,
        has_schemas,
        all(map(_is_independent, found)),
    )


def _is_independent(fault: problems.Fault) -> bool:
    """Answer whether types and parameters are right in spite of a fault."""
    if issubclass(
        fault.kind, errors.HookInvalid | errors.RestrictedActionInvalid
    ):
        return True
    return bool(fault.path) and fault.path[0] in _INDEPENDENT_FAULTS


@dataclasses.dataclass(frozen=True)
class LoadContext:
    """What one template is read in.

    :ivar files: texts that came with the request, by name
    :ivar library: the templates among them
    :ivar kinds: what is known of types, those templates included
    :ivar around: what it knows of the stacks around that of the template
    """

    types: kinds_.Types
    type_map: registry.TypeMap
    files: collections.abc.Mapping[str, str]
    library: nested_type.Library
    kinds: kinds_.TypeCatalogue
    identity: identity_.Identity
    limits: identity_.Limits
    around: identity_.ParentContext = identity_.NO_PARENT


def context_of_request(
    inputs: identity_.Inputs,
    environment: environment_.Environment,
    types: kinds_.Types,
    identity: identity_.Identity,
    limits: identity_.Limits,
    installed: installation_.Installation,
    defaults: parameters_.Given,
) -> LoadContext:
    """Return what the template of a request is read in.

    :param environment: the merged one
    :param installed: what holds below the environment of the request
    :param defaults: of the parameters of nested templates
    """
    files = {**installed.files, **inputs.files}
    around = inputs.around or identity_.NO_PARENT
    library = nested_type.Library(files, defaults, limits)
    type_map = registry.TypeMap(
        environment.resource_registry,
        files,
        installed={
            name: target
            for name, target in installed.resource_registry.items()
            if name not in around.without
        },
        is_served=lambda name: types.find(name) is not None,
    )
    return LoadContext(
        types,
        type_map,
        inputs.files,
        library,
        kinds_.TypeCatalogue(types, library, type_map),
        identity,
        limits,
        around,
    )


def sensitive_parameters(
    schemas: source_.Schemas, context: LoadContext
) -> frozenset[str]:
    """Return the parameters whose values are sensitive.

    Those that the template hides, or that were given something sensitive.
    """
    return frozenset(
        (
            *context.around.sensitive_parameters,
            *(name for name, schema in schemas.items() if schema.is_hidden),
        )
    )


def begin_body(
    source: source_.Source,
    parameters: parameters_.Parameters,
    context: LoadContext,
) -> body_.Body:
    """Return the body of a template before any of it is parsed."""
    limits = context.limits
    section = source.version.format.mappings
    mappings = source.document.root.get(section) if section else None
    return body_.Body(
        source.document,
        source.version,
        scope.Statics(
            parameters,
            context.files,
            mappings if isinstance(mappings, dict) else {},
            (limits.yaql_iterations, limits.yaql_memory),
            sensitive_parameters(source.schemas, context).union(
                filter(flat_fields.is_secret, source.schemas)
            ),
            context.around,
        ),
        context.kinds,
        context.type_map,
        limits,
    )
