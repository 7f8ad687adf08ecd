"""What requests say of adopting and abandoning."""

import typing

from orch import errors
from orch.api import query
from orch.api import web
from orch.api.schemas import stacks
from orch.rpc import contract

DATA: typing.Final = "adopt_stack_data"
"""Key of the document in the body that creates a stack."""

HAND_OVER: typing.Final = "hand_over"
"""Key of the abandoned stack in the body that creates a stack, and of the
project that a stack is handed over to in the body that abandons it."""

_ELSEWHERE: typing.Final = ("template", "template_url", DATA)
"""Keys of a creation that a hand-over brings itself."""

_PREPARE = "prepare"
_COMMIT = "commit"
_FORMS = ("plain", "sealed")
_LAYOUTS = ("plain", "compact")
_MISSING = {"fail": False, "create": True}


def data_of(body: stacks.Body) -> object:
    """Return the document of a stack, map or text; ``None`` for a creation.

    :raises orch.errors.Invalid: it is neither
    """
    data = body.get(DATA)
    if data is None or data == "":
        return None
    if not isinstance(data, str | dict):
        raise errors.Invalid(f"{DATA} must be a map, or a text of one.")
    return data


def hand_over_of(body: stacks.Body) -> str | None:
    """Return the abandoned stack to take over; ``None`` for a creation.

    :raises orch.errors.Invalid: it is no id, or something else describes the
        stack as well
    """
    found = body.get(HAND_OVER)
    if found is None:
        return None
    if not isinstance(found, str) or not found:
        raise errors.Invalid(
            f"{HAND_OVER} must be the id of the stack that is handed over."
        )
    given = [key for key in _ELSEWHERE if body.get(key) is not None]
    if given:
        raise errors.Invalid(
            f"{HAND_OVER} brings the template and the data of the stack:"
            f" leave out {', '.join(given)}."
        )
    return found


def take_over_of(
    name: str,
    hand_over: str,
    inputs: contract.StackInputs,
    body: stacks.Body,
) -> contract.TakeOverRequest:
    """Return what the body of a take-over asks for.

    :param hand_over: :func:`hand_over_of` the body
    :raises orch.errors.Invalid: a value is none of those allowed
    """
    return contract.TakeOverRequest(
        name=name,
        hand_over=hand_over,
        inputs=inputs,
        options=_options_of(body),
        request=parse_request(body),
    )


def request_of(
    name: str, data: object, inputs: contract.StackInputs, body: stacks.Body
) -> contract.AdoptionRequest:
    """Return what the body of an adoption asks for.

    :param data: :func:`data_of` the body
    :raises orch.errors.Invalid: a value is none of those allowed
    """
    return contract.AdoptionRequest(
        name=name,
        data=data,
        inputs=inputs,
        options=_options_of(body),
        request=parse_request(body),
    )


def parse_request(body: stacks.Body) -> contract.AdoptionOptions:
    """Return how things are taken over.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    request: contract.AdoptionOptions = {}
    if body.get("adopt_verify") is not None:
        request["verify"] = str(body["adopt_verify"])
    if body.get("adopt_missing") is not None:
        missing = body["adopt_missing"]
        if not isinstance(missing, str) or missing not in _MISSING:
            raise errors.Invalid("adopt_missing must be fail or create.")
        request["creates_missing"] = _MISSING[missing]
    if body.get("adopt_owned") is not None:
        request["allows_owned"] = query.parse_boolean(
            "adopt_owned", body["adopt_owned"]
        )
    return request


def _options_of(body: stacks.Body) -> contract.StackOptions:
    """Return how the operation runs; Heat's client says ``timeout``.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    if body.get("timeout_mins") is None and body.get("timeout") is not None:
        body = {**body, "timeout_mins": body["timeout"]}
    return {**stacks.options_of(body), **ids_of(body)}


def ids_of(body: stacks.Body) -> contract.StackOptions:
    """Return what a creation or an update says of what it adopts.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    options: contract.StackOptions = {}
    given = body.get("external_ids")
    if given and not isinstance(given, dict):
        raise errors.Invalid(
            "external_ids must be a map from names of resources to ids."
        )
    if given:
        options["external_ids"] = typing.cast(dict[str, object], given)
    request = parse_request(body)
    if request:
        options["adoption"] = request
    return options


def secrets_of(req: web.Request) -> contract.SecretsRequest:
    """Return in which form the document of a stack is to be, and secrets.

    :raises orch.errors.Invalid: a value is none of those allowed, or they
        contradict each other
    """
    request: contract.SecretsRequest = {}
    form, receiver = (
        query.find_parameter(req, "secrets"),
        query.find_parameter(req, "receiver"),
    )
    if form is not None:
        if form not in _FORMS:
            raise errors.Invalid("secrets must be plain or sealed.")
        request["form"] = form
    layout = query.find_parameter(req, "form")
    if layout is not None:
        if layout not in _LAYOUTS:
            raise errors.Invalid("form must be plain or compact.")
        request["layout"] = layout
    if receiver is not None:
        if form == "plain":
            raise errors.Invalid(
                "Secrets in clear text have no receiver: leave one of the two"
                " out."
            )
        request["receiver"] = receiver
    return request


def announcement_of(body: stacks.Body) -> dict[str, object]:
    """Return the announcement that the body brings.

    :raises orch.errors.Invalid: there is none
    """
    found = body.get("announcement")
    if not isinstance(found, dict):
        raise errors.Invalid(
            'Send {"announcement": …} as the installation that has adopted'
            " the stack answers to GET addresses."
        )
    return typing.cast(dict[str, object], found)


def receiver_of(body: stacks.Body) -> str | None:
    """Return the project that a stack is handed over to; ``None`` for none.

    :raises orch.errors.Invalid: the body names no project, or says more
    """
    if HAND_OVER not in body:
        return None
    found = body[HAND_OVER]
    is_alone = len(body) == 1 and isinstance(found, dict) and len(found) == 1
    project = found.get("project") if isinstance(found, dict) else None
    if not is_alone or not isinstance(project, str):
        raise errors.Invalid(
            'To hand a stack over send {"hand_over": {"project": ID}}, and'
            " nothing else."
        )
    return project


def step_of(body: stacks.Body) -> tuple[bool, str | None]:
    """Return whether the body commits, and what was prepared.

    :raises orch.errors.Invalid: it asks for neither step
    """
    if len(body) == 1:
        if _PREPARE in body:
            return False, None
        token = body.get(_COMMIT)
        if isinstance(token, str) and token:
            return True, token
    raise errors.Invalid(
        'Send {"prepare": null}, and then {"commit": TOKEN} with the token'
        " of the answer."
    )
