"""What may be wrong with a template and what comes with it."""

import collections.abc

from orch import errors

Advice = str | collections.abc.Callable[[], str]
"""What to do about an error; worked out only when it is shown."""


class TemplateRefused(errors.Invalid):
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


class TemplateInvalid(TemplateRefused):
    """The template is understood, and says something that is wrong."""

    code = "orch.template.invalid"


class TypeUnknown(TemplateInvalid):
    """A resource is of a type that nothing serves."""

    code = "orch.template.type_unknown"


class FormatInvalid(TemplateRefused):
    """The text is no template at all: not YAML, no map, no version."""

    code = "orch.template.format"


class VersionInvalid(TemplateRefused):
    """The template names no version, two, or one that is not known."""

    code = "orch.template.version"


class SchemaInvalid(TemplateRefused):
    """The definition of a parameter is wrong."""

    code = "orch.template.schema"


class ParameterMissing(TemplateRefused):
    """A parameter has neither a value nor a default."""

    code = "orch.template.parameter_missing"


class ParameterUnknown(TemplateRefused):
    """A value was given for a parameter that the template does not have."""

    code = "orch.template.parameter_unknown"


class ReferenceInvalid(TemplateRefused):
    """A resource is named that the template does not have."""

    code = "orch.template.reference"


class AttributeInvalid(TemplateRefused):
    """An attribute is named that the resource does not have."""

    code = "orch.template.attribute"


class Circular(TemplateRefused):
    """Resources require each other in a circle."""

    code = "orch.template.circular"


class TooLarge(errors.LimitExceeded):
    """The template is larger, deeper or more work than is allowed."""

    code = "orch.template.limit"


class WorkExceeded(TooLarge):
    """Functions make more than they may, or take longer."""


class EnvironmentInvalid(TemplateRefused):
    """The environment is not YAML, no map, or has an unknown section."""

    code = "orch.template.environment.environment"


class MergeConflict(TemplateRefused):
    """Two environment files merge one parameter in different ways."""

    code = "orch.template.merge_conflict"


class MergeImpossible(TemplateRefused):
    """Values of a parameter cannot be merged."""

    code = "orch.template.merge_strategy"


class HookInvalid(TemplateRefused):
    """The environment asks for a hook that does not exist."""

    code = "orch.template.hook"


class RestrictedActionInvalid(TemplateRefused):
    """The environment restricts an action that cannot be restricted."""

    code = "orch.template.restricted_action"


class ValidationFailed(TemplateRefused):
    """A template that was only to be looked at is wrong."""

    code = "orch.template.validate_failed"


class FacadeInvalid(TemplateInvalid):
    """A template does not match the type that it replaces."""

    code = "orch.template.facade"


class TypeUnavailable(TemplateRefused):
    """Resources have types that are known, and that nothing serves here."""

    code = "orch.template.type_unavailable"


class FunctionFailed(TemplateRefused):
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
