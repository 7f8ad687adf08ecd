"""Suspend, resume or check a resource that exists."""

import collections.abc
import dataclasses
import types

from orch.flow.tasks import base
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import resource

Start = collections.abc.Callable[
    [resource.Resource, call_context.Context], None
]
Watch = collections.abc.Callable[
    [resource.Resource, call_context.Context], call_context.Pending | None
]


@dataclasses.dataclass(frozen=True, slots=True)
class _Act:
    """The plug-in's methods for an action.

    :ivar methods: names of the plug-in's methods, start and watch; a type
        that overrides neither has nothing to do
    """

    start: Start
    watch: Watch
    methods: tuple[str, str]


def _start_nothing(
    plugin: resource.Resource, context: call_context.Context
) -> None:
    """Start nothing: a check only reads."""


_ACTS = types.MappingProxyType(
    {
        plan.Kind.SUSPEND: _Act(
            lambda plugin, context: plugin.suspend(context),
            lambda plugin, context: plugin.is_suspended(context),
            ("suspend", "is_suspended"),
        ),
        plan.Kind.RESUME: _Act(
            lambda plugin, context: plugin.resume(context),
            lambda plugin, context: plugin.is_resumed(context),
            ("resume", "is_resumed"),
        ),
        plan.Kind.CHECK: _Act(
            _start_nothing,
            lambda plugin, context: plugin.check(context),
            ("check", "check"),
        ),
    }
)


def is_known(plugin: resource.Resource, kind: plan.Kind) -> bool:
    """Whether a type implements an action.

    A type that reads its live properties is checked by those.
    """
    if kind is plan.Kind.CHECK and plugin.has_reality:
        return True
    return any(
        getattr(type(plugin), name) is not getattr(resource.Resource, name)
        for name in _ACTS[kind].methods
    )


class ActTask(base.ChangeTask):
    """Starts the action, then waits until it is complete."""

    @property
    def _act(self) -> _Act:
        return _ACTS[self.change.kind]

    def pre_execute(self) -> None:
        """Determine whether the type implements the action.

        :raises base.Unfinished: there is nothing to check
        """
        if self.change.unfinished:
            raise base.Unfinished(
                f"{self.change.unfinished} failed before:"
                f" {self._row().status_reason}"
            )
        plugin = self._resources.plugin(self._row())
        self.is_effect_free = not is_known(plugin, self.change.kind)

    def begin(self) -> base.Step:
        """Start the action; report a check that the type does not support."""
        plugin, context = self._resources.context(self._row())
        kind = self.change.kind
        if kind is plan.Kind.CHECK and not is_known(plugin, kind):
            return base.Step(
                reason=f"CHECK not supported for {self.change.type_name}"
            )
        self._act.start(plugin, context)
        return self._watch(plugin, context)

    def poll(self) -> base.Step:
        """Check whether the action is complete."""
        return self._watch(*self._resources.context(self._row()))

    def _watch(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        answer = self._act.watch(plugin, context)
        return base.Step(
            pending=base.check_pending(answer, self._act.methods[1])
        )
