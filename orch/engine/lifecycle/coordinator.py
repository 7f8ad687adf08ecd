"""Find which lifecycle plug-ins an operation calls, and which were called.

The calls themselves are in ``hook_sequence``.
"""

import functools
import typing

from orch import clock
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import operations
from orch.engine import tree_paths
from orch.engine.execution import planning
from orch.engine.lifecycle import hook_chain as chains
from orch.engine.lifecycle import hook_sequence as ceremonies
from orch.engine.lifecycle import journal as books
from orch.engine.lifecycle import request_info
from orch.engine.lifecycle import stack_views
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.plugin import lifecycle_order

MOVE: typing.Final = "move"

UNFINISHED: typing.Final = "lifecycle_left"
"""Option of an operation before which plug-ins must learn of earlier ones."""


class Coordinator:
    """Build the hook sequences of one worker's operations."""

    def __init__(
        self,
        *,
        database: db_engine.Database,
        members: lifecycle_order.PluginOrder,
        views: ceremonies.Views,
        clock_: clock.Clock,
        hold_limit_s: float,
    ) -> None:
        """Be ready for operations.

        :param hold_limit_s: seconds after which a hold counts as rejected,
            unless the plug-in sets a deadline
        """
        self._database = database
        self._members = members
        self._terms = ceremonies.HookSettings(
            members, views, clock_, hold_limit_s
        )

    def begin(
        self,
        operation: operation.Operation,
        loaded: planning.Loaded,
        store: store.Store,
        *,
        is_ending: bool = False,
    ) -> ceremonies.HookSequence | None:
        """Return the hook sequence of an operation, where it has arrived.

        :param is_ending: it cannot go on: plug-ins that were not called will
            not be
        :returns: ``None`` when there are no calls; that costs no query
        """
        if not self._members.members and not self._is_left(operation):
            return None
        stack = loaded.stack
        # An operation under its first lease has no earlier calls, unless it
        # has just failed in this worker.
        is_first = operation.fence <= 1 and not (
            is_ending or operation.options.get(UNFINISHED)
        )
        verb = request_info.verb_of(operation)
        members = self._members.chain(
            verb, is_part=operation.parent_id is not None
        )
        left, known, path = self._look(
            operation, stack, is_first=is_first, calls=bool(members)
        )
        chain = None
        owed = []
        cancelling = None
        for run in left:
            found = chains.HookChain(run, is_resumed=True)
            if (
                run.verb == ceremonies.CANCEL
                and run.attempt == operation.attempt
            ):
                cancelling = found
            elif run.verb != MOVE and run.attempt == operation.attempt:
                chain = found
            else:
                owed.append(found)
        if chain is None and members and not is_ending:
            chain = self._terms.new_chain(operation, verb, members)
        if chain is None and not owed and not known and cancelling is None:
            return None
        children = None
        if chain is not None and chain.run.stage is model.Stage.OPENING:
            children = self._database.query(
                lambda connection: stack_views.read_children(connection, stack)
            )
        book = books.Journal(known, path, self._terms.clock)
        book.serve(store)
        return ceremonies.HookSequence(
            self._terms,
            ceremonies.Situation(
                operation, loaded, store, path, book.decided, children
            ),
            book,
            chain,
            owed,
            cancelling,
            lambda: self._is_cut_short(operation),
        )

    def is_undecided(self, store: store.Store) -> bool:
        """Whether the tree has no decisions, and can get none.

        It can get none where all plug-ins are for root stacks only. Operations
        of child stacks need not look then.
        """
        if not self._members.members or not self._members.is_for_roots:
            return False
        return store.book is None or store.book.is_empty

    def _is_cut_short(self, operation: operation.Operation) -> bool:
        """Whether the parent's operation has cancelled an operation.

        It has where it is over, or cancelled itself.
        """
        parent_id = operation.parent_id
        if parent_id is None:
            return False
        found = self._database.query(
            lambda connection: operations.list_some(connection, [parent_id])
        )
        return not any(
            each.state in states.OPEN_STATES and each.stop_reason is None
            for each in found
        )

    def _look(
        self,
        operation: operation.Operation,
        stack: stack.Stack,
        *,
        is_first: bool,
        calls: bool,
    ) -> tuple[list[model.Run], list[model.Decision], str]:
        """Return the stored runs, decisions and path of an operation.

        :param calls: whether plug-ins are called around it
        """
        is_new = (
            is_first
            and operation.action is states.Action.CREATE
            and stack.parent_id is None
        )
        is_bare = is_first and operation.options.get(model.UNDECIDED)
        if is_new or (is_bare and not calls):
            return [], [], ""

        def look(
            connection: db_engine.Connection,
        ) -> tuple[list[model.Run], list[model.Decision], str]:
            left = (
                []
                if is_first
                else runs.list_of_attempt(
                    connection, operation.id, operation.attempt
                )
            )
            known = decisions.list_(connection, stack.root_id)
            path = ""
            if calls or left or known:
                path = tree_paths.path_of(connection, stack)
            return left, known, path

        return self._database.query(look)

    def _is_left(self, operation: operation.Operation) -> bool:
        """Whether workers with plug-ins may have left calls or decisions.

        Some workers may have plug-ins while others do not: an operation that
        one of those takes over is looked at by itself.
        """
        if self._has_left:
            return True
        if operation.fence <= 1 and not operation.options.get(UNFINISHED):
            return False
        return bool(
            self._database.query(
                lambda connection: runs.list_open(connection, operation.id)
            )
        )

    @functools.cached_property
    def _has_left(self) -> bool:
        """Whether calls or decisions were left when this worker started."""
        return self._database.query(
            lambda connection: (
                runs.has_open(connection) or decisions.has_any(connection)
            )
        )
