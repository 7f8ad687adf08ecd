"""``OS::Heat::Delay``: time that passes between two other resources."""

import collections.abc
import random
import typing

from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import type_files
from orch.resources.heat import durable_timeout


@type_files.described("OS::Heat::Delay")
class Delay(no_physical_resource.NoPhysicalResource):
    """A wait, constant or random, in the actions that it is declared for."""

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Answer yes only for a delay that never waits."""
        return not (properties.get("min_wait") or properties.get("max_jitter"))

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return the physical name; the wait is ``is_created``'s."""
        return context.physical_name

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the time of the creation is over."""
        return self._wait(context, "CREATE")

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Do nothing: the new wait counts from the next action on."""

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the time of putting to rest is over."""
        return self._wait(context, "SUSPEND")

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the time of waking is over."""
        return self._wait(context, "RESUME")

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the time of the removal is over."""
        return self._wait(context, "DELETE")

    def _wait(
        self, context: call_context.Context, action: str
    ) -> call_context.Pending | None:
        actions = context.properties["actions"]
        if action not in typing.cast("list[str]", actions):
            return call_context.DONE
        wait_s = wait_seconds(context.token, action, context.properties)
        return durable_timeout.remaining_s(
            context.started_at, wait_s, self.clock.now()
        )


def wait_seconds(
    token: str,
    action: str,
    properties: collections.abc.Mapping[str, object],
) -> float:
    """Return the seconds to wait: each time the same for one resource.

    The random part is drawn from resource and action, so that a worker who
    takes over waits for the same moment.
    """
    minimum = typing.cast("float", properties["min_wait"])
    jitter = typing.cast("float", properties["max_jitter"])
    multiplier = typing.cast("float", properties["jitter_multiplier"])
    source = random.Random(f"{token}/{action}")  # noqa: S311 - no secret
    return minimum + multiplier * source.uniform(0, jitter)
