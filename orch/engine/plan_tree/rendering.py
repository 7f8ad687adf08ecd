"""Render a plan for the API: its changes, property by property."""

import collections.abc
import dataclasses

from orch import ids
from orch.engine.execution import planning
from orch.engine.secrets import redaction
from orch.model import drift_place
from orch.model import resource
from orch.planner import plan as planner_plan
from orch.rpc import contract

_COMPARED = frozenset(
    {
        planner_plan.Kind.CREATE,
        planner_plan.Kind.UPDATE,
        planner_plan.Kind.ADOPT,
    }
)

Values = collections.abc.Mapping[str, object]
ChildPlanOf = collections.abc.Callable[
    [planner_plan.Change], contract.PlanFacts | None
]


def plan_facts(
    plan: planner_plan.Plan,
    loaded: planning.Loaded,
    action: str,
    redacts: redaction.Redaction,
    child_plan_of: ChildPlanOf,
    warnings: collections.abc.Iterable[str] = (),
) -> contract.PlanFacts:
    """Return a plan as the API shows it.

    :param loaded: the input of the plan
    :param redacts: redacts sensitive values
    :param child_plan_of: returns the plan of a resource's child stack
    :param warnings: of the request, beside those of the plan
    """
    rows = {row.id: row for row in loaded.rows}
    shape = _Shape(plan, rows, redacts, child_plan_of)
    return contract.PlanFacts(
        action=action,
        text=plan.describe(),
        changes=[shape.change(each) for each in plan.changes],
        unchanged=list(plan.unchanged),
        returns=[each.name for each in plan.returns],
        skipped=[each.name for each in plan.skipped],
        orphans=[each.name for each in plan.orphans],
        warnings=[
            *(_warning(each, redacts) for each in plan.unread),
            *warnings,
        ],
    )


def _warning(each: planner_plan.Unread, redacts: redaction.Redaction) -> str:
    return redacts.text(
        f"{each.name} could not be read, so the plan uses its stored"
        f" properties: {each.reason}"
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    """Renders the changes of one plan.

    :ivar rows: the existing rows, by id
    """

    plan: planner_plan.Plan
    rows: collections.abc.Mapping[ids.ResourceId, resource.Resource]
    redacts: redaction.Redaction
    child_plan_of: ChildPlanOf

    def change(self, change: planner_plan.Change) -> contract.ChangeFacts:
        """Return one change."""
        row = self.rows.get(change.resource_id)
        child = self.child_plan_of(change)
        found = contract.ChangeFacts(
            key=change.key,
            kind=change.kind.value,
            resource_name=change.name,
            resource_type=change.type_name,
            physical_id=self.redacts.physical_id(row.physical_id)
            if row
            else None,
            replaces=self._replaced(change),
            reason=change.reason,
            after=list(change.requires),
            is_certain=change.is_certain,
            properties=self._properties(change, row),
        )
        if child is not None:
            found["child_plan"] = child
        return found

    def _replaced(self, change: planner_plan.Change) -> str | None:
        if change.replaces is None:
            return None
        return self.redacts.physical_id(self.rows[change.replaces].physical_id)

    def _properties(
        self, change: planner_plan.Change, row: resource.Resource | None
    ) -> dict[str, contract.PropertyChange]:
        if change.kind in planner_plan.REMOVING:
            assert row is not None
            return self._compared(row.properties, None)
        if change.kind not in _COMPARED:
            return {}
        if change.preserves_properties and row is not None:
            return self._compared(None, row.properties)
        found = self.plan.differences.get(change.name)
        if found is None:
            return {}
        if found.before is None:
            return self._compared(None, found.after)
        return self._compared(
            found.before,
            found.after,
            found.changed,
            found.replacing,
        )

    def _compared(
        self,
        before: Values | None,
        after: Values | None,
        changed: collections.abc.Collection[str] | None = None,
        replacing: collections.abc.Collection[str] = (),
    ) -> dict[str, contract.PropertyChange]:
        """Return old and new values of properties; a missing side is omitted.

        :param changed: names of those to show; ``None`` for all with a value
        """
        names = {**(before or {}), **(after or {})}
        shown: dict[str, contract.PropertyChange] = {}
        for name in names:
            if changed is not None and name not in changed:
                continue
            if changed is None and names[name] is None:
                continue
            each = contract.PropertyChange(needs_replacement=name in replacing)
            if before is not None and name in before:
                each["old"] = self.redacts.part(before, name, before[name])
            if after is not None and name in after:
                each["new"] = self.redacts.part(after, name, after[name])
            places = _places(name, each.get("old"), each.get("new"))
            if places:
                each["places"] = places
            shown[name] = each
        return shown


def _places(name: str, old: object, new: object) -> list[contract.PlaceChange]:
    """Return the places at which two shown maps or lists differ."""
    if redaction.is_known_later(new):
        return []
    for kind in (collections.abc.Mapping, list):
        if isinstance(old, kind) and isinstance(new, kind):
            return [
                contract.PlaceChange(
                    place=each.name,
                    kind=each.kind,
                    index=each.index,
                    old=each.expected,
                    new=each.live,
                )
                for each in drift_place.list_differences(
                    name, old, new, redaction.is_known_later
                )
            ]
    return []
