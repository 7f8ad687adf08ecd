"""Reads the secrets of a tree, unless its templates tell that it has none."""

import collections
import typing

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import telling_rows
from orch.engine import stored
from orch.engine.secrets import generated
from orch.engine.secrets import stack_masks
from orch.model import stack
from orch.model import states
from orch.template import template

_MOST_STACKS: typing.Final = 32
"""Of a tree with more stacks the resources are looked at, always."""
_MOST_KEPT: typing.Final = 4096


class MadeSecrets:
    """Keeps which templates have no resource that makes up a secret.

    One thread uses it.
    """

    def __init__(self) -> None:
        """Know of no template."""
        self._without: collections.OrderedDict[stored.Key, None] = (
            collections.OrderedDict()
        )

    def know(self, subject: stack.Stack, bound: template.Template) -> None:
        """Look at a template of a stack, which is read already."""
        if not generated.may_make(bound):
            self._without[stored.key_of(subject)] = None
            if len(self._without) > _MOST_KEPT:
                self._without.popitem(last=False)

    def read(
        self, connection: db_engine.Connection, root_id: ids.StackId
    ) -> frozenset[str]:
        """Return the secrets that resources of a tree have made up by now."""
        found = telling_rows.list_bound(connection, root_id, _MOST_STACKS + 1)
        if len(found) <= _MOST_STACKS and all(map(self._has_none, found)):
            return frozenset()
        return stack_masks.made_up(connection, root_id)

    def _has_none(self, found: telling_rows.Bound) -> bool:
        """Answer whether all that stands is of a template without secrets.

        What an update has left that failed may be of any template before.
        """
        is_of_it = found.action is states.Action.CREATE or (
            found.action in states.BRINGING_ABOUT
            and found.status is states.Status.COMPLETE
        )
        return is_of_it and (
            stored.Key(
                found.stack_id, found.template_hash, found.environment_hash
            )
            in self._without
        )
