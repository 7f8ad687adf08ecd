"""``OS::Heat::TestResource``: waits, fails or does nothing, as declared."""

import collections.abc
import time
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import type_files
from orch.resources.heat import durable_timeout


class Failed(errors.Permanent):
    """The template lets it fail."""

    code = "orch.heat.test_failed"
    # Its name is part of the reason that Heat shows.
    shown_as = "ValueError"


@type_files.described("OS::Heat::TestResource")
class TestResource(no_physical_resource.NoPhysicalResource):
    """A resource without a service, for trying out templates and engines."""

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Answer yes unless it waits or fails somewhere."""
        return not (
            properties.get("fail")
            or properties.get("wait_secs")
            or properties.get("attr_wait_secs")
            or properties.get("action_wait_secs")
        )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return the physical name; fail at once if told so without a wait.

        :raises Failed: it was told to fail
        """
        if not _wait_s(context.properties, "create"):
            _fail_if_requested(context)
        return context.physical_name

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it has waited as long as it was told.

        :raises Failed: it was told to fail after the wait
        """
        return self._finish(context, "create")

    def needs_replacement(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Answer as ``update_replace`` says, where the value changes."""
        return "value" in changed and bool(after.get("update_replace"))

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Do nothing; fail at once if told so without a wait.

        :raises Failed: it was told to fail
        """
        if not _wait_s(context.properties, "update"):
            _fail_if_requested(context)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it has waited as long as it was told.

        :raises Failed: it was told to fail after the wait
        """
        return self._finish(context, "update")

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer that it is well; to be asked does not wait."""
        return call_context.DONE

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it has waited as long as it was told."""
        return self._wait(context, "delete")

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return ``output``, after the wait that was asked for."""
        wait_s = context.properties.get("attr_wait_secs")
        if wait_s:
            time.sleep(max(0.0, typing.cast("float", wait_s)))
        return {"output": context.properties.get("value")}

    def _finish(
        self, context: call_context.Context, action: str
    ) -> call_context.Pending | None:
        """Wait as long as it was told, then fail if it was told to."""
        pending = self._wait(context, action)
        if pending is None:
            _fail_if_requested(context)
        return pending

    def _wait(
        self, context: call_context.Context, action: str
    ) -> call_context.Pending | None:
        wait_s = _wait_s(context.properties, action)
        if not wait_s:
            return call_context.DONE
        return durable_timeout.remaining_s(
            context.started_at, wait_s, self.clock.now()
        )


def _wait_s(
    properties: collections.abc.Mapping[str, object], action: str
) -> float:
    """Return the seconds an action takes: its own, else those of all."""
    single = properties.get("action_wait_secs")
    if single:
        own = typing.cast("collections.abc.Mapping[str, float | None]", single)
        wait_s = own.get(action)
        if wait_s is not None:
            return wait_s
    return typing.cast("float | None", properties.get("wait_secs")) or 0


def _fail_if_requested(context: call_context.Context) -> None:
    if context.properties.get("fail"):
        raise Failed(f"Test Resource failed {context.name}")
