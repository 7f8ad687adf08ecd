"""Read the rows of child stacks, and members from a document."""

import collections.abc
import functools

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stack_lists
from orch.db.repositories import stacks
from orch.engine.nested import child_requests
from orch.flow.state import restoration
from orch.model import adoption
from orch.model import stack
from orch.model import states
from orch.plugin import nested_stack


def members_of_document(
    document: collections.abc.Mapping[str, object],
) -> list[nested_stack.Member]:
    """Return the resources of a stack that a document declares.

    They are in the order of their creation, where it states that.

    :raises orch.model.adoption.BadDocument: its layout is wrong
    """
    found = adoption.parse_document(document, needs_template=False)
    definitions = _definitions(found.template)
    return [
        nested_stack.Member(
            name=name,
            type_name=entry.type_name,
            physical_id=entry.physical_id,
            reference_id=entry.physical_id,
            is_failed=False,
            created_at=entry.created_at or clock.Timestamp(0.0),
            # It exists, whatever it is: no member has an empty definition.
            definition=definitions.get(name) or {"type": entry.type_name},
        )
        for name, entry in found.entries.items()
    ]


def _definitions(
    template: object,
) -> dict[str, collections.abc.Mapping[str, object]]:
    resources = _map(_map(template).get("resources"))
    return {name: _map(each) for name, each in resources.items()}


def _map(found: object) -> collections.abc.Mapping[str, object]:
    return found if isinstance(found, dict) else {}


class ChildRows:
    """Reads the child stacks of a stack; complete ones only once."""

    def __init__(
        self, database: db_engine.Database, stack_id: ids.StackId
    ) -> None:
        """Prepare to read the children of a stack; nothing is read yet."""
        self._database = database
        self._stack_id = stack_id

    @functools.cached_property
    def _children_at_start(self) -> dict[str, stack.Stack]:
        """The child stacks as they were when they were first read."""
        found = self._database.query(
            lambda connection: stacks.list_children(connection, self._stack_id)
        )
        return {each.id: each for each in found}

    @functools.cached_property
    def _unsound(self) -> set[ids.StackId]:
        if not self._children_at_start:
            return set()
        return self._database.query(self._find_unsound)

    def _find_unsound(
        self, connection: db_engine.Connection
    ) -> set[ids.StackId]:
        """Return the children that need an update.

        A stack whose operation did nothing is as it was before.
        """
        return {
            top
            for top, failed in stack_lists.find_unsound(
                connection, self._stack_id
            )
            if failed is None
            or restoration.stack_in_force(
                connection, stacks.get(connection, failed)
            ).status
            is states.Status.FAILED
        }

    def find(self, stack_id: str) -> stack.Stack | None:
        """Return a child stack as it is now; also one that is deleted."""
        return self._database.query(
            lambda connection: stacks.find(connection, ids.StackId(stack_id))
        )

    def find_settled(self, stack_id: str) -> stack.Stack | None:
        """Return a child stack; one that was not complete is read again.

        An operation that a lost worker has started goes on meanwhile. One
        that did nothing, as a plug-in denied it, leaves the state before it.
        """
        found = self._children_at_start.get(stack_id)
        if found is not None and found.status is states.Status.COMPLETE:
            return found
        found = self.find(stack_id) if stack_id else None
        if found is None:
            return None
        child = found
        return self._database.query(
            lambda connection: restoration.stack_in_force(connection, child)
        )

    def is_unsound(self, found: stack.Stack) -> bool:
        """Whether a resource or stack below is failed, gone or diverged."""
        return found.id in self._unsound

    def is_as_declared(self, found: stack.Stack) -> bool:
        """Whether a complete stack matches its own template.

        A later action that succeeded does not repair an update before it that
        failed.
        """
        if found.action in states.BRINGING_ABOUT:
            return True
        ran = self._database.query(
            lambda connection: operations.list_(connection, found.id)
        )
        last = [
            each
            for each in ran
            if each.action in states.BRINGING_ABOUT
            and restoration.SET_ASIDE not in each.options
        ]
        return bool(last) and last[-1].state is states.OperationState.COMPLETE

    def find_snapshot(self, stack_id: str, parent_id: str) -> str | None:
        """Return the snapshot of a child stack that a parent's snapshot made.

        :param parent_id: the id of the parent's snapshot operation
        """

        def look(connection: db_engine.Connection) -> str | None:
            for each in snapshots.list_(connection, ids.StackId(stack_id)):
                operation = operations.get(connection, each.operation_id)
                if child_requests.is_within(
                    operation, ids.OperationId(parent_id)
                ):
                    return each.id
            return None

        return self._database.query(look)
