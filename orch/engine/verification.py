"""How strictly an operation verifies what it adopts, and what it remembers.

What a request says holds until a later one says otherwise: no operation
adopts a physical resource that was refused, because its request is silent.
"""

import typing

from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.engine import ownership
from orch.model import adoption
from orch.model import operation
from orch.rpc import contract

_REMEMBERED: typing.Final = (
    adoption.VERIFY,
    adoption.OTHER_TYPES,
    adoption.CHILD_STACKS,
)


def options_of(request: contract.AdoptionOptions) -> dict[str, object]:
    """Return the options of an operation that a request names.

    :raises orch.errors.Invalid: the request names no known level
    """
    options: dict[str, object] = {}
    if request.get("verify"):
        options[adoption.VERIFY] = _level(str(request["verify"])).value
    if request.get("allows_owned"):
        options[adoption.OWNED] = True
    return options


def remember(
    connection: db_engine.Connection, wanted: operation.Operation
) -> operation.Operation:
    """Return an operation with what earlier requests said of adoptions.

    That is while the adoption of a resource of the stack is not complete; what
    the operation says itself takes precedence.
    """
    if not resources.has_unadopted(connection, wanted.stack_id):
        return wanted
    known: dict[str, object] = {}
    for each in operations.list_(connection, wanted.stack_id):
        for key in _REMEMBERED:
            if key in each.options:
                known[key] = each.options[key]
    return ownership.with_options(wanted, {**known, **wanted.options})


def _level(word: str) -> adoption.Verify:
    try:
        return adoption.Verify(word)
    except ValueError:
        allowed = ", ".join(each.value for each in adoption.Verify)
        raise errors.Invalid(
            f"adopt_verify is {word[:80]!r}; it must be one of {allowed}."
        ) from None
