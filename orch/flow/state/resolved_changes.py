"""What uncertain changes of a plan turned out to be."""

import dataclasses

from orch.planner import plan


class Turns:
    """Knows the changes that became others, or nothing at all."""

    def __init__(self) -> None:
        """Take every change for what the plan says."""
        self._turned: dict[str, plan.Change | None] = {}

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return what a change turned out to be; ``None`` for nothing."""
        if not self._turned:
            return change
        return self._turned.get(change.key, change)

    def turn(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Know what an uncertain change turned out to be.

        :param kind: ``None`` when nothing is to be done; ``CREATE`` when the
            thing has to be replaced
        :returns: what :meth:`acting` gives from now on
        """
        turned = None
        if kind is not None:
            turned = dataclasses.replace(change, kind=kind)
        if turned is not None and kind is plan.Kind.CREATE:
            assert change.replacement_id is not None
            turned = dataclasses.replace(
                turned,
                resource_id=change.replacement_id,
                replaces=change.resource_id,
            )
        self._turned[change.key] = turned
        return turned
