"""What a move is, once it was read: values, and nothing that acts."""

import collections.abc
import dataclasses

from orch import ids
from orch.engine.moves import rows as move_rows
from orch.engine.plan_tree import nested
from orch.engine.stack_inputs import store
from orch.model import resource
from orch.model import stack as stack_model
from orch.template import inputs as template_inputs
from orch.template import template


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """A stack that is to be declared otherwise.

    :ivar stack: as it was looked at
    :ivar given: what describes it once all has moved
    :ivar parsed_template: the template of that
    :ivar rows: its resources as they were looked at
    """

    stack: stack_model.Stack
    given: template_inputs.Inputs
    parsed_template: template.Template
    rows: tuple[resource.Resource, ...]

    @property
    def is_outermost(self) -> bool:
        """Whether no other stack holds it."""
        return self.stack.parent_id is None

    @property
    def hashes(self) -> tuple[str, str]:
        """The content hashes of its template and its environment."""
        return store.documents_of_request(
            self.given, self.parsed_template.raw
        ).hashes


@dataclasses.dataclass(frozen=True, slots=True)
class Move:
    """What moves.

    :ivar names: names in the source, to in the target
    :ivar moving: its rows as they are, but for names of one another
    :ivar moved: the same rows, in the same order, as they are then
    :ivar outermost: the stacks to be updated, by id: the source and the
        target, or those that they are in; one when that is the same
    :ivar between: the stacks between an outermost one and an inner one
    :ivar plans: what all of these do then, by id of the stack
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
        """All stacks that are declared otherwise then, by id."""
        found = (
            *(self.source, self.target),
            *(*self.outermost.values(), *self.between),
        )
        return {each.stack.id: each for each in found}

    @property
    def deeper(self) -> int:
        """By how many levels what moves lies deeper then."""
        return self.target.stack.depth - self.source.stack.depth
