"""What the rows say of the stacks in one stack."""

import collections.abc
import functools

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stack_lists
from orch.db.repositories import stacks
from orch.engine.nested import accept
from orch.model import adoption
from orch.model import stack
from orch.model import states
from orch.plugin import nested_stack


def members_of_document(
    document: collections.abc.Mapping[str, object],
) -> list[nested_stack.Member]:
    """Return what a document says of the resources of a stack.

    They are in the order in which they were made, where it tells that.

    :raises orch.model.adoption.BadDocument: it is laid out wrongly
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
            # It stands, whatever it is: no member has an empty definition.
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
    """Reads the stacks in a stack; what is sound only once."""

    def __init__(
        self, database: db_engine.Database, stack_id: ids.StackId
    ) -> None:
        """Look at one stack; nothing is read yet."""
        self._database = database
        self._stack_id = stack_id

    @functools.cached_property
    def _children_at_start(self) -> dict[str, stack.Stack]:
        """The inner stacks as they were when they were first looked at."""
        found = self._database.query(
            lambda connection: stacks.list_children(connection, self._stack_id)
        )
        return {each.id: each for each in found}

    @functools.cached_property
    def _unsound(self) -> set[ids.StackId]:
        if not self._children_at_start:
            return set()
        return self._database.query(
            lambda connection: stack_lists.find_unsound(
                connection, self._stack_id
            )
        )

    def find(self, stack_id: str) -> stack.Stack | None:
        """Return an inner stack as it is now; one that is gone too."""
        return self._database.query(
            lambda connection: stacks.find(connection, ids.StackId(stack_id))
        )

    def find_settled(self, stack_id: str) -> stack.Stack | None:
        """Return an inner stack; one that was not complete as it is now.

        What a worker that is lost has begun goes on meanwhile.
        """
        found = self._children_at_start.get(stack_id)
        if found is not None and found.status is states.Status.COMPLETE:
            return found
        return self.find(stack_id) if stack_id else None

    def is_unsound(self, found: stack.Stack) -> bool:
        """Answer whether something in it is amiss, at any depth."""
        return found.id in self._unsound

    def is_as_declared(self, found: stack.Stack) -> bool:
        """Answer whether a complete stack is what its own template says.

        An act that ended well says nothing of an update before it that did
        not.
        """
        if found.action in states.BRINGING_ABOUT:
            return True
        ran = self._database.query(
            lambda connection: operations.list_(connection, found.id)
        )
        last = [each for each in ran if each.action in states.BRINGING_ABOUT]
        return bool(last) and last[-1].state is states.OperationState.COMPLETE

    def find_snapshot(self, stack_id: str, parent_id: str) -> str | None:
        """Return the snapshot of an inner stack within that of this one.

        :param parent_id: of the latter
        """

        def look(connection: db_engine.Connection) -> str | None:
            for each in snapshots.list_(connection, ids.StackId(stack_id)):
                operation = operations.get(connection, each.operation_id)
                if accept.is_within(operation, ids.OperationId(parent_id)):
                    return each.id
            return None

        return self._database.query(look)
