"""What a plan under construction knows of resources before the run."""

from orch.planner import draft
from orch.template import world


class PlannedWorld:
    """Ids and attributes that the run will not change; others are unknown."""

    def __init__(self, known: draft.Knowledge, work: draft.Draft) -> None:
        """Read a plan under construction."""
        self._known = known
        self._work = work

    def reference_id(self, name: str) -> object:
        """Return what ``get_resource`` returns now and after the run."""
        row = self._work.current.get(name)
        if name in self._work.moving or row is None or not row.physical_id:
            raise world.NotYetKnown(f"resource {name} is to be made")
        return self._known.reference_id(row)

    def attribute(self, name: str, attribute: str) -> object:
        """Return an attribute that the run does not change."""
        row = self._work.current.get(name)
        if row is None or name in self._work.changing:
            raise world.NotYetKnown(f"resource {name} is to be changed")
        if attribute not in row.attributes:
            raise world.NotYetKnown(f"{attribute} of {name} is to be read")
        return row.attributes[attribute]

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        """Answer whether what was read of a resource is sensitive."""
        return self._known.is_sensitive(
            self._work.current[name], attribute, value
        )
