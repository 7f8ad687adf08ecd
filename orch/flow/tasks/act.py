"""Acts on a resource that stands: suspend, resume, check."""

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
    """How a plug-in is asked for an act.

    :ivar methods: names of the plug-in's methods, start and watch; a type
        that overrides neither has nothing to do
    """

    start: Start
    watch: Watch
    methods: tuple[str, str]


def _start_nothing(
    plugin: resource.Resource, context: call_context.Context
) -> None:
    """Start nothing: to look is all there is to do."""


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
    """Answer whether a type does anything when it is asked for an act.

    A type that tells what its things are is checked by that.
    """
    if kind is plan.Kind.CHECK and plugin.has_reality:
        return True
    return any(
        getattr(type(plugin), name) is not getattr(resource.Resource, name)
        for name in _ACTS[kind].methods
    )


class ActTask(base.ChangeTask):
    """Starts the act, then waits until it has come about."""

    @property
    def _act(self) -> _Act:
        return _ACTS[self.change.kind]

    def pre_execute(self) -> None:
        """Find out whether the type does anything at all.

        :raises base.Unfinished: there is nothing to look at
        """
        if self.change.unfinished:
            raise base.Unfinished(
                f"{self.change.unfinished} failed before:"
                f" {self._row().status_reason}"
            )
        plugin = self._resources.plugin(self._row())
        self.is_effect_free = not is_known(plugin, self.change.kind)

    def begin(self) -> base.Step:
        """Ask for the act; say of a check that it was none."""
        plugin, context = self._resources.context(self._row())
        kind = self.change.kind
        if kind is plan.Kind.CHECK and not is_known(plugin, kind):
            return base.Step(
                reason=f"CHECK not supported for {self.change.type_name}"
            )
        self._act.start(plugin, context)
        return self._watch(plugin, context)

    def poll(self) -> base.Step:
        """Look whether it has come about."""
        return self._watch(*self._resources.context(self._row()))

    def _watch(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        answer = self._act.watch(plugin, context)
        return base.Step(
            pending=base.check_pending(answer, self._act.methods[1])
        )
