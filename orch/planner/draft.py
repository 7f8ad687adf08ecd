"""What the planning steps look at, and what they write on."""

import collections.abc
import dataclasses

from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import plan
from orch.template import declaration


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """All that a plan depends on.

    :ivar action: what the operation does
    :ivar desired: the active declarations by name; empty when all must go
    :ivar existing: every row of the stack, older incarnations too
    :ivar new_id: gives the id of a new incarnation
    """

    action: states.Action
    desired: collections.abc.Mapping[str, declaration.Declaration]
    existing: collections.abc.Sequence[resource.Resource]
    new_id: collections.abc.Callable[[], str] = ids.new


@dataclasses.dataclass(slots=True)
class Draft:
    """A plan in the making; each step adds to it.

    :ivar current: the incarnation that stands for a name, by name
    :ivar creates: key of the change after which a name's resource stands
    :ivar deletes: keys of the changes that remove a name's incarnations
    :ivar edges: key to the keys that must be complete before
    """

    current: dict[str, resource.Resource] = dataclasses.field(
        default_factory=dict
    )
    changes: dict[str, plan.Change] = dataclasses.field(default_factory=dict)
    creates: dict[str, str] = dataclasses.field(default_factory=dict)
    deletes: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    edges: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    unchanged: list[str] = dataclasses.field(default_factory=list)

    def add(self, change: plan.Change) -> str:
        """Put a change into the plan and return its key."""
        key = change.key
        self.changes[key] = change
        self.edges[key] = []
        if change.kind in plan.MAKING:
            self.creates[change.name] = key
        else:
            self.deletes.setdefault(change.name, []).append(key)
        return key
