"""What may be wrong with a template and what comes with it."""

import collections.abc

from orch import errors

Advice = str | collections.abc.Callable[[], str]
"""What to do about an error; worked out only when somebody is told."""


class Refused(errors.Invalid):
    """Base of all errors of a template, its environment and parameters.

    :ivar advice: what to do about it, where that is known
    """

    code = "orch.template.error"

    def __init__(
        self,
        message: str,
        problems: collections.abc.Sequence[errors.Problem] = (),
        advice: Advice = "",
    ) -> None:
        super().__init__(message, problems)
        self.advice = advice


class TemplateInvalid(Refused):
    """The template is understood, and says something that is wrong."""

    code = "orch.template.invalid"


class TypeUnknown(TemplateInvalid):
    """A resource is of a type that nothing serves."""

    code = "orch.template.type_unknown"


class FormatInvalid(Refused):
    """The text is no template at all: not YAML, no map, no version."""

    code = "orch.template.format"


class VersionInvalid(Refused):
    """The template names no version, two, or one that is not known."""

    code = "orch.template.version"


class SchemaInvalid(Refused):
    """The definition of a parameter is wrong."""

    code = "orch.template.schema"


class ParameterMissing(Refused):
    """A parameter has neither a value nor a default."""

    code = "orch.template.parameter_missing"


class ParameterUnknown(Refused):
    """A value was given for a parameter that the template does not have."""

    code = "orch.template.parameter_unknown"


class ReferenceInvalid(Refused):
    """A resource is named that the template does not have."""

    code = "orch.template.reference"


class AttributeInvalid(Refused):
    """An attribute is named that the resource does not have."""

    code = "orch.template.attribute"


class Circular(Refused):
    """Resources require each other in a circle."""

    code = "orch.template.circular"


class TooLarge(errors.LimitExceeded):
    """The template is larger, deeper or more work than is allowed."""

    code = "orch.template.limit"


class EnvironmentInvalid(Refused):
    """The environment is not YAML, no map, or has an unknown section."""

    code = "orch.template.environment.environment"


class MergeConflict(Refused):
    """Two environment files merge one parameter in different ways."""

    code = "orch.template.merge_conflict"


class MergeImpossible(Refused):
    """Values of a parameter cannot be merged."""

    code = "orch.template.merge_strategy"


class HookInvalid(Refused):
    """The environment asks for a hook that does not exist."""

    code = "orch.template.hook"


class RestrictedActionInvalid(Refused):
    """The environment restricts an action that cannot be restricted."""

    code = "orch.template.restricted_action"


class ValidationFailed(Refused):
    """A template that was only to be looked at is wrong."""

    code = "orch.template.validate_failed"


class FacadeInvalid(TemplateInvalid):
    """A template is not like the type that it stands in for."""

    code = "orch.template.facade"


class TypeUnavailable(Refused):
    """Resources have types that are known, and that nothing serves here."""

    code = "orch.template.type_unavailable"


class FunctionFailed(Refused):
    """A function cannot work out its value; the text says why."""

    code = "orch.template.function"


Path = tuple[str | int, ...]
"""Where in a template: keys and positions from its root."""


def dotted(path: collections.abc.Iterable[str | int]) -> str:
    """Return the path as people read it, ``resources.web.networks[0]``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
