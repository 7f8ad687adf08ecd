"""The values of a move that was read and checked."""

import collections.abc
import dataclasses

from orch import ids
from orch.engine.moves import rows as move_rows
from orch.engine.plan_tree import nested
from orch.engine.stack_inputs import store
from orch.model import resource
from orch.model import stack as stack_model
from orch.template import inputs
from orch.template import template


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """A stack whose declaration changes with a move.

    :ivar stack: as it was read
    :ivar given: its inputs after the move
    :ivar parsed_template: its template after the move
    :ivar rows: its resources as they were read
    """

    stack: stack_model.Stack
    given: inputs.Inputs
    parsed_template: template.Template
    rows: tuple[resource.Resource, ...]

    @property
    def is_outermost(self) -> bool:
        """Whether the stack has no parent."""
        return self.stack.parent_id is None

    @property
    def hashes(self) -> tuple[str, str]:
        """The content hashes of its template and its environment."""
        return store.documents_of_request(
            self.given, self.parsed_template.raw
        ).hashes


@dataclasses.dataclass(frozen=True, slots=True)
class Move:
    """The resources that move, and the stacks that change.

    :ivar names: names in the source, to names in the target
    :ivar moving: the rows as they are, but for references to one another
    :ivar moved: the same rows, in the same order, after the move
    :ivar outermost: the stacks to be updated, by id: the source and the
        target, or their roots; one when both have the same
    :ivar between: the stacks between a root and a child
    :ivar plans: the plans of all these stacks, by id of the stack
    """

    source: Side
    target: Side
    names: move_rows.Names
    moving: tuple[resource.Resource, ...]
    moved: tuple[resource.Resource, ...]
    outermost: collections.abc.Mapping[ids.StackId, Side]
    between: tuple[Side, ...]
    plans: collections.abc.Mapping[ids.StackId, nested.PlannedStack]

    @property
    def sides(self) -> dict[ids.StackId, Side]:
        """All stacks whose declaration changes, by id."""
        found = (
            *(self.source, self.target),
            *(*self.outermost.values(), *self.between),
        )
        return {each.stack.id: each for each in found}

    @property
    def deeper(self) -> int:
        """The levels by which the resources are deeper after the move."""
        return self.target.stack.depth - self.source.stack.depth
