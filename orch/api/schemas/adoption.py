"""What requests say of adopting and abandoning."""

import functools
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

_REQUEST: typing.Final[dict[str, tuple[str, query.Parse]]] = {
    "adopt_verify": ("verify", str),
    "adopt_missing": ("creates_missing", lambda value: value == "create"),
    "adopt_owned": (
        "allows_owned",
        functools.partial(query.parse_boolean, "adopt_owned"),
    ),
}
_FORMS = ("plain", "sealed")
_LAYOUTS = ("plain", "compact")


def data_of(body: stacks.Body) -> object:
    """Return the document of a stack, map or text; ``None`` for a creation.

    An empty map is a document.
    """
    data: object = body.get(DATA)
    return None if data == "" else data


def hand_over_of(body: stacks.Body) -> str | None:
    """Return the abandoned stack to take over; ``None`` for a creation.

    :raises orch.errors.Invalid: something else describes the stack as well
    """
    found: str | None = body.get(HAND_OVER)
    given = [key for key in _ELSEWHERE if body.get(key) is not None]
    if found is not None and given:
        raise errors.Invalid(
            f"{HAND_OVER} brings the template and the data of the stack:"
            f" leave out {', '.join(given)}."
        )
    return found


def parse_request(body: stacks.Body) -> contract.AdoptionOptions:
    """Return how things are taken over.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    found = query.parse_values(body, _REQUEST)
    return typing.cast(contract.AdoptionOptions, found)


def options_of(
    body: stacks.Body, *, is_creation: bool
) -> contract.StackOptions:
    """Return how the operation runs that makes a stack.

    Of an adoption Heat's client sends the timeout as ``timeout``.

    :param is_creation: it is neither an adoption nor a take-over
    :raises orch.errors.Invalid: a value is none of those allowed
    """
    if not is_creation and body.get("timeout_mins") is None:
        body = {**body, "timeout_mins": body.get("timeout")}
    return {**stacks.options_of(body), **ids_of(body)}


def ids_of(body: stacks.Body) -> contract.StackOptions:
    """Return what a creation or an update says of what it adopts.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    options: contract.StackOptions = {}
    if body.get("external_ids"):
        options["external_ids"] = body["external_ids"]
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
