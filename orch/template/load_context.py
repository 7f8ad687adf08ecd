"""What a template is read in, beside what is written in it."""

import collections.abc
import dataclasses

from orch.template import body as body_
from orch.template import identity as identity_
from orch.template import inputs as inputs_
from orch.template import limits as template_limits
from orch.template import source as source_
from orch.template.environment import environment as environment_
from orch.template.environment import installation as installation_
from orch.template.environment import registry
from orch.template.language import scope
from orch.template.parameters import values as parameters_
from orch.template.resources import nested_type
from orch.template.resources import type_info as kinds_


@dataclasses.dataclass(frozen=True)
class LoadContext:
    """What one template is read in.

    :ivar files: texts that came with the request, by name
    :ivar library: the templates among them
    :ivar kinds: what is known of types, those templates included
    :ivar depth: how many stacks are around that of the template
    :ivar facade: parts of the resource that holds the stack, if one does
    :ivar without: mappings of the installation that do not hold here
    """

    types: kinds_.Types
    type_map: registry.TypeMap
    files: collections.abc.Mapping[str, str]
    library: nested_type.Library
    kinds: kinds_.TypeCatalogue
    identity: identity_.Identity
    limits: template_limits.Limits
    depth: int = 0
    facade: collections.abc.Mapping[str, object] | None = None
    without: tuple[str, ...] = ()


def context_of_request(
    inputs: inputs_.Inputs,
    environment: environment_.Environment,
    types: kinds_.Types,
    identity: identity_.Identity,
    limits: template_limits.Limits,
    installed: installation_.Installation,
    defaults: parameters_.Given,
) -> LoadContext:
    """Return what the template of a request is read in.

    :param environment: the merged one
    :param installed: what holds below the environment of the request
    :param defaults: of the parameters of nested templates
    """
    files = {**installed.files, **inputs.files}
    around = inputs.around or inputs_.NO_PARENT
    library = nested_type.Library(files, defaults, limits)
    return LoadContext(
        types,
        registry.TypeMap(
            environment.resource_registry,
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
        kinds_.TypeCatalogue(types, library),
        identity,
        limits,
        around.depth,
        around.facade if inputs.around else None,
        around.without,
    )


def read_body(
    source: source_.Source,
    parameters: parameters_.Parameters,
    context: LoadContext,
) -> body_.Body:
    """Return the body of a template as parsed, with what is wrong in it."""
    body = begin_body(source, parameters, context)
    body.read(parameters)
    return body


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
            context.facade,
        ),
        context.kinds,
        context.type_map,
        limits.work,
    )
