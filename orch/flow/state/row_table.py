"""The rows of a stack in memory, and which of them are not written yet.

Loops and the threads of calls use it at the same time; each method is one
step for all of them.
"""

import collections.abc
import threading

from orch import errors
from orch import ids
from orch.model import resource
from orch.model import states

_UNCHANGING = frozenset(
    {
        states.Action.CHECK,
        states.Action.SUSPEND,
        states.Action.RESUME,
        states.Action.SNAPSHOT,
    }
)
"""Actions after which the properties are as they were."""


class RowTable(collections.abc.Mapping[ids.ResourceId, resource.Resource]):
    """All incarnations of a stack's resources, by id.

    :ivar current_ids: the current incarnation of each name
    """

    def __init__(
        self, rows: collections.abc.Iterable[resource.Resource]
    ) -> None:
        """Load the stored rows; none has to be written yet."""
        self._rows = {row.id: row for row in rows}
        self.current_ids = {
            row.name: row.id
            for row in self._rows.values()
            if row.replaced_by is None
        }
        self._dirty: dict[ids.ResourceId, None] = {}
        self._before: dict[ids.ResourceId, resource.Resource] = {}
        self._lock = threading.RLock()

    def __getitem__(self, resource_id: ids.ResourceId) -> resource.Resource:
        return self._rows[resource_id]

    def __iter__(self) -> collections.abc.Iterator[ids.ResourceId]:
        return iter(tuple(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def current(self, name: str) -> resource.Resource:
        """Return the current incarnation of a name.

        :raises orch.errors.NotFound: there is none
        """
        try:
            return self._rows[self.current_ids[name]]
        except KeyError:
            raise errors.NotFound(
                f"the resource {name} does not exist yet"
            ) from None

    def insert(self, row: resource.Resource) -> None:
        """Make a new incarnation the current one of its name."""
        self.replace(row)
        self.current_ids[row.name] = row.id

    def replace(self, row: resource.Resource) -> None:
        """Replace a row; it is written with the next tick."""
        with self._lock:
            self._rows[row.id] = row
            self._dirty[row.id] = None

    def put(self, resource_id: ids.ResourceId, **changed: object) -> None:
        """Change columns of a row; they are written with the next tick."""
        with self._lock:
            self.remember(resource_id, **changed)
            self._dirty[resource_id] = None

    def remember(self, resource_id: ids.ResourceId, **known: object) -> None:
        """Change columns of a row that are written once it has begun."""
        with self._lock:
            row = self._rows[resource_id]
            if "updated_at" in known and "changed_at" not in known:
                known["changed_at"] = _changed_at(row, known)
            self._rows[resource_id] = resource.replace(row, known)

    def save_before(self, resource_id: ids.ResourceId) -> None:
        """Save a row as it is, in case its intent is taken back.

        A row that was saved since the last calls stays as saved.
        """
        self._before.setdefault(resource_id, self._rows[resource_id])

    def take_back(self, resource_id: ids.ResourceId) -> resource.Resource:
        """Return the row as it was before its intent, if it has one."""
        with self._lock:
            before = self._before.pop(resource_id, None)
            if before is not None:
                self.replace(before)
            return self._rows[resource_id]

    def forget_intents(self) -> None:
        """Drop the saved rows of intents: their calls are made."""
        self._before.clear()

    def take_dirty(self) -> list[resource.Resource]:
        """Return the rows that have to be written; they count as written."""
        with self._lock:
            dirty = [self._rows[each] for each in self._dirty]
            self._dirty.clear()
            return dirty


def _changed_at(
    row: resource.Resource, columns: collections.abc.Mapping[str, object]
) -> object:
    """Return when a row was last changed, once it has these columns."""
    if columns.get("action", row.action) not in _UNCHANGING:
        is_unchanged = "action" not in columns and row.has_begun_unchanging
        return row.changed_at if is_unchanged else columns["updated_at"]
    if row.changed_at is None and row.action not in _UNCHANGING:
        return row.updated_at
    return row.changed_at
