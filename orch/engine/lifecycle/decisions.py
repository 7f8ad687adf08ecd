"""Save decisions that are valid only if no other operation decided meanwhile.

A plug-in that allots something scarce looks at what it has allotted to all
other trees. Its decision is then written at once, one operation after the
other; the plug-in is called again for the second operation, with the first
one's decisions.
"""

import collections.abc

from oslo_log import log

from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import mutexes
from orch.engine.lifecycle import journal as books
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values

LOG = log.getLogger(__name__)

Values = collections.abc.Mapping[str, object]


def save_decisions(
    store: store.Store,
    book: books.Journal,
    view: lifecycle_operation.LifecycleOperation,
    plugin: str,
    values: Values,
) -> bool:
    """Save a plug-in's decisions if those that it read are still current.

    Nothing is written for a plug-in that has not looked at other trees: its
    decisions are saved with the next write.

    :param values: by path in the tree
    :returns: whether they are; if not, ``view`` shows the current ones from
        now on
    :raises orch.db.errors.LeaseLost: another worker has the operation
    """
    elsewhere = lifecycle_operation.find_decisions_elsewhere(view, plugin)
    if elsewhere is None:
        return True
    root_id = store.stack.root_id
    shown = {(each.root_id, each.path): _key_of(each) for each in elsewhere}
    known = book.known_of(plugin)
    # From now on there may be decisions to take back, even if the call is
    # abandoned while they are written.
    book.expect_decisions()

    def write(connection: db_engine.Connection) -> Values | None:
        mutexes.pass_through(connection, "decisions", plugin)
        found = decisions.list_by_plugin(connection, plugin)
        own = {
            each.path: each.value
            for each in found
            if _is_in_tree(each, root_id)
        }
        others = {
            (each.root_id, each.path): (each.value, [*each.earlier_values])
            for each in found
            if not _is_in_tree(each, root_id)
        }
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
        "operation %s: %s is asked again, as others have decided meanwhile",
        store.operation.id,
        plugin,
    )
    book.learn(plugin, news)
    lifecycle_operation.renew_decisions(view)
    return False


def _is_in_tree(each: model.Decision, root_id: str) -> bool:
    return each.root_id == root_id


def _key_of(
    each: lifecycle_operation.StoredDecision,
) -> tuple[object, list[object]]:
    return read_only_values.thaw(each.value), [
        read_only_values.thaw(x) for x in each.earlier
    ]
