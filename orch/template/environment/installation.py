"""The environment of the installation: what holds below all environments.

An operator maps types and gives values for all stacks. What a user writes
in an environment counts before it, entry by entry.
"""

import collections.abc
import dataclasses
import typing
from urllib import parse

from orch.template import errors
from orch.template import inputs
from orch.template import problems
from orch.template.environment import form
from orch.template.environment import registry
from orch.template.text import document as document_

Map = collections.abc.Mapping[str, object]
Fetch = collections.abc.Callable[[str], str]
"""Returns the text behind a ``file`` URL; raises ``OSError``."""

_SECTIONS: typing.Final = (form.PARAMETERS, form.DEFAULTS, form.REGISTRY)
_OF_ONE_STACK: typing.Final = (form.SINKS, form.ENCRYPTED, form.STRATEGIES)
_RESERVED: typing.Final = (
    registry.RESOURCES,
    registry.BASE_URL,
    registry.HOOKS,
    registry.RESTRICTED,
)


@dataclasses.dataclass(frozen=True)
class Installation:
    """What an operator set for all stacks.

    :ivar parameters: values for the templates of stacks, as their defaults
    :ivar parameter_defaults: the same, also for stacks in stacks
    :ivar resource_registry: types by the types that they serve
    :ivar files: the templates that the registry names, by URL
    """

    parameters: Map = dataclasses.field(default_factory=dict)
    parameter_defaults: Map = dataclasses.field(default_factory=dict)
    resource_registry: Map = dataclasses.field(default_factory=dict)
    files: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )

    def defaults(
        self, given: Map, *, is_nested: bool = False
    ) -> dict[str, object]:
        """Return the defaults of the template of a stack, without ``null``.

        :param given: those of the user, which count before
        :param is_nested: those of stacks in stacks
        """
        below = {} if is_nested else self.parameters
        return {
            name: value
            for one in (self.parameter_defaults, below, given)
            for name, value in one.items()
            if value is not None
        }


NO_INSTALLATION: typing.Final = Installation()


def read_installation(
    texts: collections.abc.Mapping[str, str],
    fetch: Fetch,
    limits: inputs.Limits,
) -> Installation:
    """Return several environments as one, later ones upon earlier ones.

    :param texts: environments by ``file`` URL
    :raises orch.errors.Invalid: one is wrong; the problems name the places
    """
    documents, faults = form.read_files(texts.items(), limits)
    report = problems.Report()
    report.extend(faults)
    merged: dict[str, dict[str, object]] = {name: {} for name in _SECTIONS}
    files: dict[str, str] = {}
    for one in documents:
        report.extend(_form_faults(one))
        for name in _SECTIONS[:2]:
            merged[name].update(form.map_of(one.root, name))
        for key, target in form.map_of(one.root, form.REGISTRY).items():
            if isinstance(target, str):
                merged[form.REGISTRY][key] = _target(
                    one, key, target, files, fetch, report
                )
    report.check()
    return Installation(
        merged[form.PARAMETERS],
        merged[form.DEFAULTS],
        merged[form.REGISTRY],
        files,
    )


def _target(
    document: document_.Document,
    key: str,
    target: str,
    files: dict[str, str],
    fetch: Fetch,
    report: problems.Report,
) -> str:
    """Return what serves a type, and know the text of a template."""
    if not registry.is_template(target):
        return target
    url = parse.urljoin(document.file, target)
    try:
        if not url.startswith("file:"):
            raise OSError("only files of this machine can be templates here")
        files[url] = fetch(url)
    except (OSError, UnicodeError) as error:
        report.add(
            _fault(
                document,
                (form.REGISTRY, key),
                f'the template "{target}" cannot be read: {error}',
            )
        )
    return url


def _form_faults(
    document: document_.Document,
) -> collections.abc.Iterator[problems.Fault]:
    """Return what means something for a single stack only."""
    for name in document.root:
        if name in _OF_ONE_STACK:
            yield _fault(
                document, (name,), f'"{name}" cannot hold for all stacks'
            )
    for key in form.map_of(document.root, form.REGISTRY):
        if key in _RESERVED:
            yield _fault(
                document,
                (form.REGISTRY, key),
                f'"{key}" cannot hold for all stacks',
            )


def _fault(
    document: document_.Document, path: errors.Path, why: str
) -> problems.Fault:
    return problems.Fault(
        path,
        f"Environment not in valid format: {why}",
        errors.EnvironmentInvalid,
        document=document,
    )
