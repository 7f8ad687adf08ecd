"""A queue in which projects take turns.

A project that queues much waits behind itself: the work of another project is
next after the one that is taken now, however much was queued before it.
"""

import collections
import collections.abc
import typing

Item = typing.TypeVar("Item")


class ProjectTurns(typing.Generic[Item]):
    """What waits, by project; in order within a project.

    Threads may share one only under a lock of theirs.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._queues: dict[str, collections.deque[Item]] = {}

    def __len__(self) -> int:
        """Return how much waits."""
        return sum(map(len, self._queues.values()))

    def __contains__(self, item: object) -> bool:
        return any(item in each for each in self._queues.values())

    def put(self, project_id: str, item: Item) -> None:
        """Queue something as the last of its project."""
        self._queues.setdefault(project_id, collections.deque()).append(item)

    def take(
        self, excluded: collections.abc.Container[str] = ()
    ) -> Item | None:
        """Take the oldest of the project whose turn it is.

        :param excluded: projects that have no turn now
        :returns: ``None`` where nothing of other projects waits
        """
        free = (each for each in self._queues if each not in excluded)
        project_id = next(free, None)
        if project_id is None:
            return None
        queue = self._queues.pop(project_id)
        item = queue.popleft()
        if queue:
            # Behind all others.
            self._queues[project_id] = queue
        return item

    def remove(self, item: Item) -> None:
        """Remove something that waits.

        :raises ValueError: it does not wait
        """
        for project_id, queue in self._queues.items():
            if item in queue:
                queue.remove(item)
                if not queue:
                    del self._queues[project_id]
                return
        raise ValueError(f"{item!r} does not wait")

    def first(self) -> collections.abc.Iterator[Item]:
        """Yield what each project has queued first."""
        for queue in self._queues.values():
            yield queue[0]
