# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: moves."""

import collections.abc
import dataclasses

from orchclient import response_parser
from orchclient import stack_identity
from orchclient.values import plans


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A stack and its accepted operation, which is durable and has not run."""

    stack: stack_identity.StackIdentity
    operation_id: str

    @classmethod
    def of(cls, body: response_parser.Json) -> "Side":
        """Return the value that a body describes."""
        return cls(
            stack=stack_identity.get_stack(body, "stack"),
            operation_id=response_parser.required_text(body, "operation_id"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An accepted move: its resources and both stacks.

    :ivar resources: names in the source, to names in the target
    :ivar updates: of the root stacks; source and target have them themselves
        unless they are child stacks
    """

    resources: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    source: Side
    target: Side
    updates: tuple[Side, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "Move":
        """Return the value that a body describes."""
        return cls(
            resources=response_parser.get_text_map(body, "resources"),
            source=Side.of(response_parser.get_map(body, "source")),
            target=Side.of(response_parser.get_map(body, "target")),
            updates=response_parser.get_values(body, "updates", Side.of),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MoveUpdate:
    """What a root stack does after the move."""

    stack: stack_identity.StackIdentity
    plan: plans.Plan

    @classmethod
    def of(cls, body: response_parser.Json) -> "MoveUpdate":
        """Return the value that a body describes."""
        return cls(
            stack=stack_identity.get_stack(body, "stack"),
            plan=plans.Plan.of(body),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MovePreview:
    """What both stacks would do after the move.

    :ivar resources: names in the source, to names in the target
    :ivar updates: what the root stacks do, which brings it about
    """

    resources: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    source: plans.Plan
    target: plans.Plan
    updates: tuple[MoveUpdate, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "MovePreview":
        """Return the value that a body describes."""
        return cls(
            resources=response_parser.get_text_map(body, "resources"),
            source=plans.Plan.of(response_parser.get_map(body, "source")),
            target=plans.Plan.of(response_parser.get_map(body, "target")),
            updates=response_parser.get_values(body, "updates", MoveUpdate.of),
        )
