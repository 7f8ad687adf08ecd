"""Find which lifecycle plug-ins an operation calls, and which were called.

The calls themselves are in ``hook_caller``.
"""

import functools
import typing

from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import operations
from orch.engine import tree_paths
from orch.engine.execution import planning
from orch.engine.lifecycle import decisions as tree_decisions
from orch.engine.lifecycle import hook_caller
from orch.engine.lifecycle import journal as journals
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import transitions
from orch.flow.state import store as state_store
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.model import states

UNFINISHED: typing.Final = "lifecycle_left"
"""Option of an operation before which plug-ins must learn of earlier ones."""

_Found = tuple[list[model.Run], list[model.Decision], str]


class HookLoader:
    """Loads the calls around the operations of one worker."""

    def __init__(
        self, database: db_engine.Database, settings: situation.HookSettings
    ) -> None:
        """Be ready for operations."""
        self._database = database
        self._settings = settings

    def load(
        self,
        operation: operation_model.Operation,
        loaded: planning.Loaded,
        store: state_store.Store,
        *,
        is_ending: bool = False,
    ) -> hook_caller.HookCaller | None:
        """Return what calls the plug-ins of an operation from now on.

        :param is_ending: it cannot go on: plug-ins that were not called will
            not be
        :returns: ``None`` when there are no calls; that costs no query under
            the first lease of an operation, unless it is ending
        """
        # An operation under its first lease has no earlier calls, unless it
        # has just failed in this worker.
        is_first = operation.fence <= 1 and not (
            is_ending or operation.options.get(UNFINISHED)
        )
        verb = situation.verb_of(operation)
        members = self._settings.members.chain(
            verb, is_part=operation.parent_id is not None
        )
        left, known, path = self._look(
            operation, loaded.stack, is_first=is_first, calls=bool(members)
        )
        if not left and not known and (is_ending or not members):
            return None
        decided = tree_decisions.TreeDecisions(known, path)
        journal = journals.Journal(self._settings, store, decided)
        entries = [journal.add(each, each) for each in left]
        own = (
            each for each in entries if not (each.is_owed or each.is_cancel)
        )
        if is_ending:
            members = ()
        main = next(own, None) or journal.add_new(verb, members)
        # A hold may be older than the plug-ins that are in force now.
        main.run = transitions.extend(
            main.run, (each.name for each in members)
        )
        return hook_caller.HookCaller(
            self._settings,
            situation.Situation(
                operation, loaded, store, path, decided.values
            ),
            journal,
            main,
            functools.partial(self._is_cut_short, operation),
        )

    def is_undecided(self, store: state_store.Store) -> bool:
        """Whether the tree has no decisions, and can get none.

        It can get none where all plug-ins are for root stacks only. Operations
        of child stacks need not look then.
        """
        known = self._settings.members
        is_empty = store.book is None or store.book.is_empty
        return bool(known.members) and known.is_for_roots and is_empty

    def _is_cut_short(self, operation: operation_model.Operation) -> bool:
        """Whether the parent's operation has cancelled an operation.

        It has where it is over, or cancelled itself.
        """
        parent_id = operation.parent_id
        if parent_id is None:
            return False
        found = self._database.query(
            lambda connection: operations.find(connection, parent_id)
        )
        return (
            found is None
            or found.state not in states.OPEN_STATES
            or found.stop_reason is not None
        )

    def _look(
        self,
        operation: operation_model.Operation,
        stack: stack_model.Stack,
        *,
        is_first: bool,
        calls: bool,
    ) -> _Found:
        """Return the stored runs, decisions and path of an operation.

        :param calls: whether plug-ins are called around it
        """
        is_new = (
            operation.action is states.Action.CREATE
            and stack.parent_id is None
        )
        has_none = not calls and (
            self._is_unused or bool(operation.options.get(model.UNDECIDED))
        )
        if is_first and (is_new or has_none):
            return [], [], ""

        def look(connection: db_engine.Connection) -> _Found:
            left = (
                []
                if is_first
                else runs.list_of_attempt(
                    connection, operation.id, operation.attempt
                )
            )
            known = decisions.list_(connection, stack.root_id)
            is_shown = calls or left or known
            path = tree_paths.path_of(connection, stack) if is_shown else ""
            return left, known, path

        return self._database.query(look)

    @functools.cached_property
    def _is_unused(self) -> bool:
        """Whether there are neither plug-ins nor what they could have left.

        Other workers may have plug-ins: an operation of theirs that this one
        takes over is looked at by itself.
        """
        return not self._settings.members.members and self._database.query(
            lambda connection: (
                not (
                    runs.has_open(connection) or decisions.has_any(connection)
                )
            )
        )
