"""What travels when resources move from one stack to another."""

import typing

from orch.rpc.contract import identity
from orch.rpc.contract import plans


class MoveWish(typing.TypedDict):
    """What moves; the stack that it leaves is named beside.

    ``target``: name or id of the other stack. ``resources``: name here to
    name there. ``source_template``, ``target_template``: what the stacks
    declare from then on, map or text; null for the declaration to go along,
    with the values that its properties have now.
    """

    target: str
    resources: dict[str, str]
    source_template: object
    target_template: object


class Moved(typing.TypedDict):
    """What moves, ``resources``: name here to name there."""

    resources: dict[str, str]
    source: identity.Accepted
    target: identity.Accepted


class MovePreview(typing.TypedDict):
    """What a move would do: what the two stacks do when all has moved."""

    resources: dict[str, str]
    source: plans.PlanFacts
    target: plans.PlanFacts
