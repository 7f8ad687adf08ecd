"""What the parameters of CreateStack and UpdateStack ask for.

They become the body that the REST API takes, and are checked as such.
"""

import collections.abc
import typing

from orch.api.cfn import errors
from orch.api.cfn import parameters

Body = dict[str, typing.Any]

_TAGS = "Tags"
_ON_FAILURE: typing.Final = {
    "DO_NOTHING": True,
    "ROLLBACK": False,
    "DELETE": False,
}
"""Whether the failed stack is to stay as it is."""


def find_template(given: parameters.Parameters) -> Body:
    """Return where the template is; empty when it is nowhere.

    :raises orch.api.cfn.errors.InvalidCombination: it is in two places
    """
    body = given.find("TemplateBody")
    url = given.find("TemplateURL", "TemplateUrl")
    if body is not None and url is not None:
        raise errors.InvalidCombination(
            "TemplateBody and TemplateURL exclude each other."
        )
    if body is not None:
        return {"template": body}
    return {} if url is None else {"template_url": url}


def needed_template(given: parameters.Parameters) -> Body:
    """Return where the template is.

    :raises orch.api.cfn.errors.MissingParameter: nowhere
    """
    found = find_template(given)
    if not found:
        raise errors.MissingParameter(
            "TemplateBody or TemplateURL must be given."
        )
    return found


def disables_rollback(given: parameters.Parameters, name: str) -> bool | None:
    """Whether a failed stack is to stay as it is; ``None`` where not said.

    :param name: of the parameter that may say what is done then
    :raises orch.errors.Invalid: it is said twice, or wrong
    """
    disable = given.boolean("DisableRollback")
    on_failure = given.find(name)
    if disable is not None and on_failure is not None:
        raise errors.InvalidCombination(
            f"DisableRollback and {name} exclude each other."
        )
    if on_failure is None:
        return disable
    if on_failure not in _ON_FAILURE:
        raise errors.InvalidValue(
            f"{name} must be one of {', '.join(_ON_FAILURE)}."
        )
    return _ON_FAILURE[on_failure]


def create_body(given: parameters.Parameters) -> Body:
    """Return the body of a create.

    A failed stack is rolled back unless the request says otherwise.
    """
    disable = disables_rollback(given, "OnFailure")
    return {
        "stack_name": given.get("StackName"),
        **needed_template(given),
        **_shared(given),
        "disable_rollback": bool(disable),
        "parameters": _values(given.maps("Parameters")),
    }


def update_body(given: parameters.Parameters) -> tuple[Body, bool]:
    """Return the body of an update, and whether it is one of parts.

    One of parts keeps what it does not name: the template, or the values
    that have ``UsePreviousValue``.
    """
    uses_previous_template = bool(given.boolean("UsePreviousTemplate"))
    told = given.maps("Parameters")
    kept = [each for each in told if _uses_previous_value(each)]
    body: Body = {
        **(
            find_template(given)
            if uses_previous_template
            else needed_template(given)
        ),
        **_shared(given),
        "parameters": _values(
            each for each in told if not _uses_previous_value(each)
        ),
    }
    if uses_previous_template and (
        "template" in body or "template_url" in body
    ):
        raise errors.InvalidCombination(
            "UsePreviousTemplate and a template exclude each other."
        )
    disable = given.boolean("DisableRollback")
    if disable is not None:
        body["disable_rollback"] = disable
    return body, uses_previous_template or bool(kept)


def list_unnamed(
    given: parameters.Parameters, stored: collections.abc.Iterable[str]
) -> list[str]:
    """Return the stored values that an update of parts does not keep.

    :param stored: names of parameters of the stack
    """
    named = {each.get("ParameterKey") for each in given.maps("Parameters")}
    return [name for name in stored if "::" not in name and name not in named]


def _shared(given: parameters.Parameters) -> Body:
    tags = given.maps(_TAGS)
    return {
        "timeout_mins": given.find("TimeoutInMinutes"),
        **(
            {
                "tags": [
                    f"{each.get('Key', '')}={each.get('Value', '')}"
                    for each in tags
                ]
            }
            if tags
            else {}
        ),
    }


def _uses_previous_value(told: collections.abc.Mapping[str, str]) -> bool:
    given = told.get("UsePreviousValue", "false").lower()
    if given not in ("true", "false"):
        raise errors.InvalidValue("UsePreviousValue must be true or false.")
    return given == "true"


def _values(
    told: collections.abc.Iterable[collections.abc.Mapping[str, str]],
) -> dict[str, object]:
    found: dict[str, object] = {}
    for each in told:
        name = each.get("ParameterKey")
        if not name:
            raise errors.MissingParameter(
                "Each of Parameters must have a ParameterKey."
            )
        if name in found:
            raise errors.InvalidValue(f"The parameter {name} is given twice.")
        found[name] = each.get("ParameterValue", "")
    return found
