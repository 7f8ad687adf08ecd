"""Watch a creation, and judge what an earlier attempt of it has left.

That may be usable by now, still be built, or have failed. Only an error that
tells so is a verdict: what cannot be asked about is never replaced.
"""

import collections.abc
import contextlib
import dataclasses

from orch import errors
from orch.flow.state import store
from orch.flow.tasks import base
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource


class EarlierCreation:
    """The creation of one change, which an earlier attempt may have begun."""

    def __init__(self, change: plan.Change, resources: store.Store) -> None:
        """Ask nothing yet."""
        self._change = change
        self._resources = resources

    def watch(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once the physical resource is usable.

        One that was begun with other properties is usable, too, where it is
        so by the desired ones: they may say how to look at it.

        :raises base.Useless: it has to be replaced
        """
        if not self._change.replaces_failed:
            return _watch(plugin, context)
        try:
            with self.judged(plugin, context):
                pending = _watch(plugin, context)
        except errors.Permanent:
            if self._is_usable_as_desired(plugin, context):
                return call_context.DONE
            raise
        if pending is not None and self._is_usable_as_desired(plugin, context):
            return call_context.DONE
        return pending

    @contextlib.contextmanager
    def judged(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> collections.abc.Iterator[None]:
        """Raise Useless in place of an error that is a verdict.

        :raises base.Useless: what is left of an earlier attempt has failed,
            or is gone
        """
        try:
            yield
        except (errors.Permanent, errors.NotFound) as error:
            if not self._change.replaces_failed:
                raise
            is_gone = _is_gone(plugin, context, error)
            if not is_gone and not _is_verdict(error):
                raise
            useless = base.Useless(error.message)
            useless.verdict, useless.is_gone = error, is_gone
            raise useless from error

    def _is_usable_as_desired(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> bool:
        """Whether it is usable by other properties than those of its start."""
        desired = self._resources.desired_state.find_properties(
            self._change.name
        )
        if desired is None or desired == context.properties:
            return False
        try:
            return (
                _watch(
                    plugin, dataclasses.replace(context, properties=desired)
                )
                is None
            )
        except errors.OrchError:
            return False


def _watch(
    plugin: resource.Resource, context: call_context.Context
) -> call_context.Pending | None:
    return base.check_pending(plugin.is_created(context), "is_created")


def _is_verdict(error: errors.OrchError) -> bool:
    return isinstance(error, errors.Permanent) and error.is_verdict


def _is_gone(
    plugin: resource.Resource,
    context: call_context.Context,
    error: errors.OrchError,
) -> bool:
    """Whether the physical resource does not exist any more."""
    if isinstance(error, reality.Vanished | errors.NotFound):
        return True
    if not plugin.has_reality:
        return False
    try:
        plugin.get_reality(context)
    except reality.Vanished:
        return True
    except errors.OrchError:
        return False
    return False
