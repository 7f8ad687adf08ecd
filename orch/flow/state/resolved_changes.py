"""What uncertain changes of a plan turned out to be."""

import dataclasses

from orch.planner import plan


class ResolvedChanges:
    """Knows the changes that became others, or nothing at all."""

    def __init__(self) -> None:
        """Take every change for what the plan says."""
        self._resolved: dict[str, plan.Change | None] = {}

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return what a change turned out to be; ``None`` for nothing."""
        if not self._resolved:
            return change
        return self._resolved.get(change.key, change)

    def resolve_change(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Know what an uncertain change turned out to be.

        :param kind: ``None`` when nothing is to be done; ``CREATE`` when the
            thing has to be replaced
        :returns: what :meth:`acting` gives from now on
        """
        resolved = None
        if kind is not None:
            resolved = dataclasses.replace(change, kind=kind)
        if resolved is not None and kind is plan.Kind.CREATE:
            assert change.replacement_id is not None
            resolved = dataclasses.replace(
                resolved,
                resource_id=change.replacement_id,
                replaces=change.resource_id,
            )
        self._resolved[change.key] = resolved
        return resolved
