"""The input of the planning steps, and the draft that they write."""

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
    """Desired values and plug-ins, as the planner queries them."""

    def plugin(self, type_name: str) -> plugin_resource.Resource:
        """Return the plug-in of a type.

        :raises orch.errors.NotFound: no plug-in serves it
        """

    def properties(self, name: str, world_view: world.World) -> Values:
        """Return the desired properties of a resource, unknown parts marked.

        :raises orch.errors.OrchError: a value is wrong
        """

    def metadata(
        self, name: str, world_view: world.World
    ) -> Values | world.Unknown:
        """Return the desired metadata, or that it is not known yet.

        :raises orch.errors.OrchError: a function failed
        """

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that the template reads of a resource."""

    def is_sensitive(
        self, row: resource.Resource, attribute: str | None, value: object
    ) -> bool:
        """Answer whether what was read of an incarnation is sensitive.

        :param attribute: ``None`` for what ``get_resource`` gives
        """

    def reference_id(self, row: resource.Resource) -> object:
        """Return what ``get_resource`` returns of an incarnation."""


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """All input that a plan depends on.

    :ivar action: what the operation does
    :ivar desired: the active declarations by name; empty when all must go
    :ivar existing: every row of the stack, older incarnations too
    :ivar known: gives the values to compare; without it a complete resource
        counts as having its desired state
    :ivar operation_id: the operation; what it has done counts as done
    :ivar shows_all: differences of new resources are shown, too
    :ivar exclusions: resources that the operation has to leave out
    :ivar snapshots: ids of the stack's snapshots, which go with the stack
    :ivar abandons: all physical resources are left, and the snapshots too
    :ivar releases: physical resources that this operation adopted are left
    :ivar adopts: names of resources to be adopted
    :ivar needs_ids: missing resources must not be created: an adoption
        without an id fails
    :ivar held: names of resources that an update stops before, changed or not
    :ivar survey: the observed state; ``None`` to compare with the rows
    :ivar new_id: returns the id of a new incarnation
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
        """Whether the survey found that the physical resource is gone."""
        return self.survey is not None and self.survey.is_vanished(row)

    def is_abandoned(self, row: resource.Resource) -> bool:
        """Whether the physical resource is left when its resource goes.

        One that existed before the stack, and was not adopted, is not touched.
        """
        if self.abandons or row.is_unadopted or row.is_abandoned:
            return True
        return self.releases is not None and row.adopted_by == self.releases


@dataclasses.dataclass(slots=True)
class Draft:
    """A plan under construction; each step adds to it.

    :ivar current: the current incarnation of each name
    :ivar chosen: incarnations that stay or are continued
    :ivar creates: key of the change that completes a name's resource
    :ivar deletes: keys of the changes that remove a name's incarnations
    :ivar moving: names whose ``get_resource`` is known only after the run
    :ivar changing: names whose attributes are known only after the run
    :ivar edges: key to the keys that must be complete before
    :ivar weak: the same, where a change that did not complete may have
        released what it required: omitted if they lead in a circle
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
        """Add a change to the plan and return its key.

        Of two changes that complete a name's resource, the second one comes
        after the first.
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
