"""Tells plug-ins of calls that are about to come, several at once.

Calls are made one by one. A plug-in that can do more for less when it knows
of several is told of them before the first is made.
"""

import collections.abc
import threading
import typing

from oslo_log import log

from orch import errors
from orch import ids
from orch.flow.tasks import base
from orch.plugin import call_context
from orch.plugin import resource

LOG = log.getLogger(__name__)

_MIN_BATCH: typing.Final = 2

CheckFree = collections.abc.Callable[[ids.ResourceId], None]


class CreateBatches:
    """What the plug-ins are told before the calls that begin in one tick."""

    def __init__(
        self,
        atoms: collections.abc.Iterable[base.ChangeTask],
        check_free: CheckFree,
    ) -> None:
        """Tell nobody yet.

        :param atoms: those whose intent is durable and whose calls follow
        :param check_free: returns only if no earlier call for a resource
            goes on
        """
        self._check_free = check_free
        self._lock = threading.Lock()
        self._pending: dict[resource.Resource, list[call_context.Context]] = {}
        for atom in atoms:
            try:
                expected = atom.expected()
            except Exception as error:
                LOG.warning("%s is not told of: %s", atom.name, error)
                continue
            if expected is not None:
                plugin, context = expected
                self._pending.setdefault(plugin, []).append(context)

    def notify(self) -> None:
        """Return once the plug-ins are told, by the first that comes here.

        What goes wrong meanwhile each call finds by itself.
        """
        with self._lock:
            unrecorded, self._pending = self._pending, {}
            for plugin, contexts in unrecorded.items():
                self._notify(plugin, contexts)

    def _notify(
        self,
        plugin: resource.Resource,
        contexts: collections.abc.Sequence[call_context.Context],
    ) -> None:
        free = [each for each in contexts if self._is_free(each)]
        if len(free) < _MIN_BATCH:
            return
        try:
            plugin.expect(free)
        except Exception as error:
            LOG.warning("%s cannot do it at once: %s", plugin.type_name, error)

    def _is_free(self, context: call_context.Context) -> bool:
        try:
            self._check_free(ids.ResourceId(context.token))
        except errors.Transient:
            return False
        return True
