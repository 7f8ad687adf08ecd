"""What travels of a plan: its changes, property by property."""

import collections.abc
import dataclasses

from orch import ids
from orch.engine.execution import planning
from orch.engine.secrets import masks as masks_
from orch.model import resource
from orch.planner import plan
from orch.rpc import contract

_COMPARED = frozenset({plan.Kind.CREATE, plan.Kind.UPDATE, plan.Kind.ADOPT})

Values = collections.abc.Mapping[str, object]
InnerOf = collections.abc.Callable[[plan.Change], contract.PlanFacts | None]


def facts(
    wanted: plan.Plan,
    loaded: planning.Loaded,
    action: str,
    masks: masks_.Masks,
    inner_of: InnerOf,
) -> contract.PlanFacts:
    """Return a plan as it is shown.

    :param loaded: what it was made from
    :param masks: cover what nobody may see
    :param inner_of: gives the plan of the stack that a resource is
    """
    rows = {row.id: row for row in loaded.rows}
    shape = _Shape(wanted, rows, masks, inner_of)
    return contract.PlanFacts(
        action=action,
        text=wanted.describe(),
        changes=[shape.change(each) for each in wanted.changes],
        unchanged=list(wanted.unchanged),
        returns=[each.name for each in wanted.returns],
        skipped=[each.name for each in wanted.skipped],
        orphans=[each.name for each in wanted.orphans],
        warnings=[_warning(each, masks) for each in wanted.unread],
    )


def _warning(each: plan.Unread, masks: masks_.Masks) -> str:
    return masks.covered(
        f"{each.name} could not be read, so the plan goes by its stored"
        f" properties: {each.reason}"
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    """What the changes of one plan are shown with.

    :ivar rows: what existed, by id
    """

    wanted: plan.Plan
    rows: collections.abc.Mapping[ids.ResourceId, resource.Resource]
    masks: masks_.Masks
    inner_of: InnerOf

    def change(self, change: plan.Change) -> contract.ChangeFacts:
        """Return one change."""
        row = self.rows.get(change.resource_id)
        inner = self.inner_of(change)
        found = contract.ChangeFacts(
            key=change.key,
            kind=change.kind.value,
            resource_name=change.name,
            resource_type=change.type_name,
            physical_id=row.physical_id if row else None,
            replaces=self._replaced(change),
            reason=change.reason,
            after=list(change.requires),
            is_certain=change.is_certain,
            properties=self._properties(change, row),
        )
        if inner is not None:
            found["inner"] = inner
        return found

    def _replaced(self, change: plan.Change) -> str | None:
        if change.replaces is None:
            return None
        return self.rows[change.replaces].physical_id

    def _properties(
        self, change: plan.Change, row: resource.Resource | None
    ) -> dict[str, contract.PropertyChange]:
        if change.kind in plan.REMOVING:
            assert row is not None
            return self._compared(change.name, row.properties, None)
        if change.kind not in _COMPARED:
            return {}
        if change.keeps_properties and row is not None:
            return self._compared(change.name, None, row.properties)
        found = self.wanted.differences.get(change.name)
        if found is None:
            return {}
        if found.before is None:
            return self._compared(change.name, None, found.after)
        return self._compared(
            change.name,
            found.before,
            found.after,
            found.changed,
            found.replacing,
        )

    def _compared(
        self,
        resource_name: str,
        before: Values | None,
        after: Values | None,
        changed: collections.abc.Collection[str] | None = None,
        replacing: collections.abc.Collection[str] = (),
    ) -> dict[str, contract.PropertyChange]:
        """Return old and new of properties; a side that is not there lacks.

        :param changed: names of those to show; ``None`` for all with a value
        """
        names = {**(before or {}), **(after or {})}
        shown: dict[str, contract.PropertyChange] = {}
        for name in names:
            if changed is not None and name not in changed:
                continue
            if changed is None and names[name] is None:
                continue
            is_hidden = self.masks.hides(resource_name, name, names)
            each = contract.PropertyChange(needs_replacement=name in replacing)
            if before is not None and name in before:
                each["old"] = self.masks.shown(
                    before[name], is_hidden=is_hidden
                )
            if after is not None and name in after:
                each["new"] = self.masks.shown(
                    after[name], is_hidden=is_hidden
                )
            shown[name] = each
        return shown
