"""What the planning steps look at, and what they write on."""

import collections.abc
import dataclasses
import typing

from orch import ids
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import states
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import resource as plugin_resource
from orch.template import world
from orch.template.resources import declaration

Values = collections.abc.Mapping[str, object]


class Knowledge(typing.Protocol):
    """What is known of the wanted and of the existing resources."""

    def plugin(self, type_name: str) -> plugin_resource.Resource:
        """Return the plug-in of a type.

        :raises orch.errors.NotFound: no plug-in serves it
        """

    def properties(self, name: str, world_view: world.World) -> Values:
        """Return what is wanted of a resource, unknown parts marked.

        :raises orch.errors.OrchError: a value is wrong
        """

    def metadata(
        self, name: str, world_view: world.World
    ) -> Values | world.Unknown:
        """Return the wanted metadata, or that it is not known yet.

        :raises orch.errors.OrchError: a function failed
        """

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that anything in the template reads."""

    def reference_id(self, row: resource.Resource) -> object:
        """Return what ``get_resource`` gives of an incarnation."""


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """All that a plan depends on.

    :ivar action: what the operation does
    :ivar desired: the active declarations by name; empty when all must go
    :ivar existing: every row of the stack, older incarnations too
    :ivar known: what values are compared by; without it what is complete
        counts as being as wanted
    :ivar operation_id: the operation; what it has done counts as done
    :ivar shows_all: differences are wanted of new resources too
    :ivar exclusions: what the operation was told to leave out
    :ivar snapshots: ids of the stack's snapshots, which go with the stack
    :ivar abandons: all things are let stand, and the snapshots too
    :ivar releases: things that this operation took over are let stand
    :ivar adopts: names of resources that hold what is to be adopted
    :ivar needs_ids: what is not there yet must not be made: an adoption
        without an id fails
    :ivar held: names of resources that an update stops before, changed or not
    :ivar survey: what the things are now; ``None`` to go by the rows
    :ivar new_id: gives the id of a new incarnation
    """

    action: states.Action
    desired: collections.abc.Mapping[str, declaration.Declaration]
    existing: collections.abc.Sequence[resource.Resource]
    known: Knowledge | None = None
    operation_id: ids.OperationId | None = None
    shows_all: bool = False
    exclusions: retry_exclusions.RetryExclusions = retry_exclusions.NOTHING
    snapshots: tuple[str, ...] = ()
    abandons: bool = False
    releases: ids.OperationId | None = None
    adopts: frozenset[str] = frozenset()
    needs_ids: bool = False
    held: frozenset[str] = frozenset()
    survey: surveys.Survey | None = None
    new_id: collections.abc.Callable[[], str] = ids.new

    def is_vanished(self, row: resource.Resource) -> bool:
        """Answer whether the thing was looked for and is not there."""
        return self.survey is not None and self.survey.is_vanished(row)

    def is_abandoned(self, row: resource.Resource) -> bool:
        """Answer whether the thing stands on when its resource goes.

        What stood before the stack, and was not taken over, is not touched.
        """
        if self.abandons or row.is_unadopted or row.is_abandoned:
            return True
        return self.releases is not None and row.adopted_by == self.releases


@dataclasses.dataclass(slots=True)
class Draft:
    """A plan in the making; each step adds to it.

    :ivar current: the incarnation that stands for a name, by name
    :ivar chosen: incarnations that stay or are gone on with
    :ivar creates: key of the change after which a name's resource stands
    :ivar deletes: keys of the changes that remove a name's incarnations
    :ivar moving: names whose ``get_resource`` comes out with the run
    :ivar changing: names whose attributes come out with the run
    :ivar edges: key to the keys that must be complete before
    :ivar weak: the same, where a change that did not come to its end may
        have let go of what it required: left out if they lead in a circle
    """

    current: dict[str, resource.Resource] = dataclasses.field(
        default_factory=dict
    )
    changes: dict[str, plan.Change] = dataclasses.field(default_factory=dict)
    chosen: set[ids.ResourceId] = dataclasses.field(default_factory=set)
    creates: dict[str, str] = dataclasses.field(default_factory=dict)
    deletes: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    moving: set[str] = dataclasses.field(default_factory=set)
    changing: set[str] = dataclasses.field(default_factory=set)
    edges: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    weak: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    unchanged: list[str] = dataclasses.field(default_factory=list)
    unread: list[plan.Unread] = dataclasses.field(default_factory=list)
    returns: list[plan.Return] = dataclasses.field(default_factory=list)
    skipped: list[plan.OmittedRow] = dataclasses.field(default_factory=list)
    differences: dict[str, plan.Difference] = dataclasses.field(
        default_factory=dict
    )

    def add(self, change: plan.Change) -> str:
        """Put a change into the plan and return its key.

        Of two changes after which a name's resource stands, the second one
        comes after the first.
        """
        key = change.key
        self.changes[key] = change
        self.edges[key] = []
        if change.kind in plan.REMOVING:
            self.deletes.setdefault(change.name, []).append(key)
            return key
        if change.name in self.creates:
            self.edges[key].append(self.creates[change.name])
        self.creates[change.name] = key
        return key
