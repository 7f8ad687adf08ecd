"""Reads a template and all that comes with it, and reports on all of it.

What is found here is wrong in the documents themselves: text that cannot be
read, unknown versions, sections of an environment, definitions of
parameters. Where one document is wrong the others are read all the same.
"""

import collections.abc
import dataclasses

from orch.template import errors
from orch.template import identity as identity_
from orch.template import inputs as inputs_
from orch.template import limits as template_limits
from orch.template import problems
from orch.template import source
from orch.template.environment import environment as environment_
from orch.template.environment import form
from orch.template.environment import installation as installation_
from orch.template.language import versions
from orch.template.parameters import values as parameters_
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
    inputs: inputs_.Inputs,
    identity: identity_.Identity,
    limits: template_limits.Limits,
    report: problems.Report,
    installed: installation_.Installation = installation_.NO_INSTALLATION,
) -> LoadedRequest | None:
    """Return what could be read; ``None`` when the template could not.

    :param report: told of all that is wrong, in the order in which Heat
        looks
    :param installed: what holds below the environment of the request
    :raises orch.template.errors.TooLarge: a document is larger than allowed
    """
    document = source.read_document(
        inputs.template, limits, report, source=inputs.source
    )
    environments, found = form.read_environments(inputs, limits)
    early = [] if inputs.environment_files else list(filter(_is_early, found))
    late = [fault for fault in found if fault not in early]
    report.extend(early)
    version = (
        None if document is None else source.read_version(document, report)
    )
    if document is None or version is None:
        report.extend(late)
        return None
    _check_count(document, version, limits)
    before = len(report.faults)
    schemas: source.Schemas = source.read_schemas(document, version, report)
    has_schemas = len(report.faults) == before
    report.extend(late)
    environment = environment_.merge_environments(
        environments,
        _given(inputs),
        {name: one.type.name for name, one in schemas.items()},
        report,
        are_files=bool(inputs.environment_files),
    )
    document_.check_object(dict(environment.parameters), limits)
    given = parameters_.UserValues.from_environment(environment, installed)
    if inputs.around is not None:
        defaults = installed.nested_defaults(environment.parameter_defaults)
        schemas = source.with_defaults(schemas, defaults)
        given = dataclasses.replace(given, defaults=defaults)
    parameters = parameters_.Parameters(
        schemas,
        given,
        parameters_.pseudo_parameters(version.format, identity),
        work=limits.work,
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


def _is_early(fault: problems.Fault) -> bool:
    """Answer whether a fault shows before the template is looked into."""
    return fault.kind is errors.EnvironmentInvalid and len(fault.path) < 2


def _is_independent(fault: problems.Fault) -> bool:
    """Answer whether types and parameters are right in spite of a fault."""
    if issubclass(
        fault.kind, errors.HookInvalid | errors.RestrictedActionInvalid
    ):
        return True
    return bool(fault.path) and fault.path[0] in _INDEPENDENT_FAULTS


def _check_count(
    document: document_.Document,
    version: versions.Version,
    limits: template_limits.Limits,
) -> None:
    section = document.root.get(version.format.resources)
    if isinstance(section, dict) and 0 <= limits.resources < len(section):
        raise errors.TooLarge(
            "Request limit exceeded: Maximum resources per stack exceeded."
        )


def _given(inputs: inputs_.Inputs) -> collections.abc.Mapping[str, object]:
    """Return the values of the request itself.

    :raises orch.template.errors.EnvironmentInvalid: they are no map
    """
    if not isinstance(inputs.parameters, collections.abc.Mapping):
        raise errors.EnvironmentInvalid("The parameters must be a map.")
    return inputs.parameters
