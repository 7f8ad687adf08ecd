"""The decisions of lifecycle plug-ins: a key-value store for each tree.

A key is a path in the tree and a plug-in, the value is JSON. What an operation
decides is written with its next write, and settled when it ends.

A plug-in that allots something scarce looks at what it has allotted to all
other trees. Its decision is then written at once, one operation after the
other; the plug-in is called again for the second operation, with the first
one's decisions.
"""

import collections.abc
import dataclasses

from oslo_log import log

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import mutexes
from orch.db.repositories import resources
from orch.engine import tree_paths
from orch.events import scaling
from orch.flow.state import conclusion as endings
from orch.flow.state import restoration
from orch.flow.state import store as state_store
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values

LOG = log.getLogger(__name__)

Values = collections.abc.Mapping[str, object]
ByPlugin = collections.abc.Mapping[str, Values]
"""Decisions by plug-in, then by path."""

_Unsaved = list[tuple[str, Values | None]]


def by_plugin(
    found: collections.abc.Iterable[model.Decision],
) -> dict[str, dict[str, object]]:
    """Return decisions of a tree by plug-in, then by path."""
    values: dict[str, dict[str, object]] = {}
    for each in found:
        values.setdefault(each.plugin, {})[each.path] = each.value
    return values


class TreeDecisions:
    """The decisions in the tree of one stack, as an operation knows them.

    :ivar path: of the stack in its tree
    :ivar values: by plug-in, then by path
    """

    def __init__(
        self, known: collections.abc.Iterable[model.Decision], path: str
    ) -> None:
        """Begin with what is stored.

        :param known: decisions in the tree
        """
        self.path = path
        self._known = list(known)
        self.values = by_plugin(self._known)
        self._unsaved: _Unsaved = []
        self._written_at_once: set[str] = set()

    @property
    def has_any(self) -> bool:
        """Whether decisions of the tree may be stored."""
        return bool(self.values or self._written_at_once)

    def put(self, plugin: str, values: Values) -> None:
        """Add a plug-in's decisions, by path, to the next write."""
        if values:
            self._unsaved.append((plugin, values))
            self.values.setdefault(plugin, {}).update(values)

    def withdraw(self, plugin: str, asked: operation_model.Operation) -> None:
        """Undo, with the next write, what a plug-in may have written at once.

        Its pre-op gave no verdict, but may have written its decisions: before
        it timed out, or until that is stored. Later it writes nothing. So may
        have a call of a worker that was lost.
        """
        if plugin not in self._written_at_once and plugin not in self.values:
            return
        self._unsaved.append((plugin, None))
        attempt = asked.id, asked.attempt
        before = (
            each.before
            if (each.operation_id, each.attempt) == attempt
            else each
            for each in self._known
            if each.plugin == plugin
        )
        self.values.pop(plugin, None)
        self.values |= by_plugin(each for each in before if each is not None)

    def for_resource(self, name: str) -> Values:
        """Return the decisions for a resource of the stack, by plug-in."""
        path = tree_paths.below(self.path, name)
        # A plug-in's thread may add another one meanwhile.
        return {
            plugin: values[path]
            for plugin, values in list(self.values.items())
            if path in values
        }

    def take(self) -> _Unsaved:
        """Return what is to be written, once; ``None`` for what is undone."""
        unsaved, self._unsaved = self._unsaved, []
        return unsaved

    def put_at_once(
        self,
        store: state_store.Store,
        view: lifecycle_operation.LifecycleOperation,
        plugin: str,
        values: Values,
        check_awaited: collections.abc.Callable[[], None],
    ) -> bool:
        """Write a plug-in's decisions if those that it read are current.

        Nothing is written for a plug-in that has not looked at other trees:
        its decisions are saved with the next write.

        :param values: by path in the tree
        :param check_awaited: raises an error, and nothing is written, where
            the operation goes on without the plug-in's answer
        :returns: whether they are; if not, ``view`` shows the current ones
            from now on
        :raises orch.db.errors.LeaseLost: another worker has the operation
        """
        elsewhere = lifecycle_operation.find_decisions_elsewhere(view, plugin)
        if elsewhere is None:
            return True
        root_id = store.stack.root_id
        shown = {
            (each.root_id, each.path): read_only_values.thaw(
                (each.value, *each.earlier)
            )
            for each in elsewhere
        }
        known = dict(self.values.get(plugin, {}))
        # They may be stored also where this does not return.
        self._written_at_once.add(plugin)

        def write(
            connection: db_engine.Connection,
        ) -> dict[str, object] | None:
            mutexes.pass_through(connection, "decisions", plugin)
            current = decisions.list_by_plugin(connection, plugin)
            own = {
                each.path: each.value
                for each in current
                if each.root_id == root_id
            }
            others = {
                (each.root_id, each.path): [each.value, *each.earlier_values]
                for each in current
                if each.root_id != root_id
            }
            check_awaited()
            if own != known or others != shown:
                return own
            decisions.save(
                connection, store.stack, store.operation, plugin, values
            )
            return None

        news = store.write_apart(write)
        if news is None:
            return True
        LOG.info(
            "operation %s: %s is asked again, as others have decided"
            " meanwhile",
            store.operation.id,
            plugin,
        )
        self.values.pop(plugin, None)
        if news:
            self.values[plugin] = news
        lifecycle_operation.renew_decisions(view)
        return False

    def list_gone(
        self, names: collections.abc.Collection[str]
    ) -> collections.abc.Iterable[str]:
        """Return the names of resources with decisions, but for these."""
        start = tree_paths.below(self.path, "")
        decided = {
            path.removeprefix(start).partition("/")[0]
            for values in self.values.values()
            for path in values
            if path != self.path and path.startswith(start)
        }
        return sorted(decided.difference(names))


def settle(
    connection: db_engine.Connection,
    store: state_store.Store,
    known: TreeDecisions,
    ending: endings.Conclusion,
    stop_reason: operation_model.StopReason | None,
    *,
    has_begun: bool,
) -> None:
    """Settle what an operation has decided, in the write of its end.

    Decisions are proved where it is complete, and put back where it has done
    nothing; those of a failed one stay until the next one.

    :param has_begun: the plan was begun, by this worker or an earlier one
    """
    operation, stack = store.operation, store.stack
    state = ending.operation_columns.get("state")
    if ending.stack_columns.get("deleted_at") is not None:
        decisions.release_all(connection, stack)
    elif state is states.OperationState.COMPLETE:
        if operation.action is states.Action.ROLLBACK:
            own = operation.id if operation.template_hash else None
            decisions.undo(connection, stack.id, own)
        decisions.prove(connection, stack.id)
        names = {
            row.name
            for row in store.rows.values()
            if row.is_current and not row.is_gone
        }
        for name in known.list_gone(names):
            decisions.release(connection, stack, known.path, name)
        _set_size(connection, stack, operation, is_undone=False)
    elif not has_begun or (
        stop_reason
        and not restoration.has_touched(operation, store.rows.values())
    ):
        decisions.put_back(connection, operation)
        if stop_reason is not operation_model.StopReason.SUPERSEDED:
            _set_size(connection, stack, operation, is_undone=True)


def _set_size(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    *,
    is_undone: bool,
) -> None:
    """Set a group to the size that a signal requested, or back.

    A signal gives the group its new size at once, and an operation of the
    group's stack follows. Where that is denied, the group goes back to its
    old size; where it completes after all, in a retry, to the new one.
    Nothing changes where no signal requested the operation, and where the
    size has changed otherwise.

    :param stack: the group's own stack
    :param is_undone: set it back to the size before the operation
    """
    found = scaling.find_data(operation)
    if found is None or stack.parent_id is None:
        return
    old, new = found
    if is_undone:
        old, new = new, old
    row = resources.find(connection, ids.ResourceId(stack.id), stack.parent_id)
    if row is not None and dict(row.data) == dict(old):
        resources.save_many(connection, [dataclasses.replace(row, data=new)])
