"""All lifecycle plug-ins of a worker, in the order of their calls.

They are found and loaded in ``lifecycle_loading``; the engine calls them.
"""

import collections.abc
import dataclasses
import enum
import functools
import typing

from orch import errors
from orch.graph import graph
from orch.model import lifecycle as lifecycle_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import registry

_DEFAULT_TIME_LIMIT_S: typing.Final = 60.0

MAX_TIME_LIMIT_S: typing.Final = 86400.0
"""Seconds that the call of a plug-in may take at most: a day."""


class Enforcement(enum.StrEnum):
    """What a denial of a plug-in does.

    ``ADVISORY``: it is a warning. ``SOFT_MANDATORY``: it counts, unless a
    caller who has the right overrides it with a reason. ``MANDATORY``: it
    counts.
    """

    ADVISORY = lifecycle_model.ADVISORY
    SOFT_MANDATORY = lifecycle_model.SOFT_MANDATORY
    MANDATORY = lifecycle_model.MANDATORY


class CannotLoad(errors.OrchError):
    """A lifecycle plug-in cannot be used as the options require."""

    code = "orch.lifecycle.cannot_load"


class PluginCycle(CannotLoad):
    """Lifecycle plug-ins declare an order that has a cycle."""

    code = "orch.lifecycle.cycle"


@dataclasses.dataclass(frozen=True, slots=True)
class OrderedPlugin:
    """A loaded plug-in, and how it is called here.

    :ivar time_limit_s: seconds that one call may take
    :ivar is_fail_open: its own failures are warnings
    :ivar is_legacy: it was written for Heat
    :ivar load_error: why its code could not be loaded; ``plugin`` is then a
        replacement that warns; ``None`` for all others
    :ivar settings_digest: of its section of the settings file
    :ivar enforcement: what a denial does
    """

    plugin: lifecycle.LifecyclePlugin
    time_limit_s: float = _DEFAULT_TIME_LIMIT_S
    is_fail_open: bool = False
    is_legacy: bool = False
    load_error: str | None = None
    settings_digest: str = ""
    enforcement: Enforcement = Enforcement.MANDATORY

    @classmethod
    def of(
        cls,
        plugin: lifecycle.LifecyclePlugin,
        time_limit_s: float,
        is_fail_open: bool,
        is_legacy: bool = False,
        settings_digest: str = "",
        enforcement: Enforcement = Enforcement.MANDATORY,
    ) -> typing.Self:
        """Return the member of a plug-in.

        :raises orch.plugin.registry.BadPlugin: its attributes are not valid
        """
        _check(plugin)
        own = plugin.time_limit_s
        return cls(
            plugin,
            time_limit_s if own is None else own,
            is_fail_open,
            is_legacy,
            settings_digest=settings_digest,
            enforcement=enforcement,
        )

    @property
    def name(self) -> str:
        """Return the plug-in's name."""
        return self.plugin.name

    def has_op(self, phase: str) -> bool:
        """Whether the plug-in has a pre-op, or a post-op, of its own.

        :param phase: ``pre`` or ``post``
        """
        name = f"{phase}_operation"
        function = getattr(getattr(self.plugin, name), "__func__", None)
        return function is not getattr(lifecycle.LifecyclePlugin, name)

    @property
    def is_recorded(self) -> bool:
        """Whether it must be stored that the pre-op may be called.

        It must where a post-op has to follow a call whose worker was lost.
        """
        is_pure = not self.plugin.pre_has_effects
        return not is_pure and self.has_op("pre") and self.has_op("post")


class PluginOrder:
    """Lifecycle plug-ins in the order of their calls; it never changes.

    :ivar members: all of them, in order
    :ivar fail_open: names of plug-ins whose failures are warnings
    :ivar emits_call_events: each call of one is an event of its stack
    """

    members: tuple[OrderedPlugin, ...]
    fail_open: frozenset[str]
    emits_call_events: bool

    def __init__(
        self,
        members: collections.abc.Iterable[OrderedPlugin],
        fail_open: collections.abc.Iterable[str] = (),
        *,
        emits_call_events: bool = False,
    ) -> None:
        """Put the members in order.

        The declarations *before* and *after* decide. Of those that may come
        next, the one with the lowest ordinal comes, then the one whose name
        sorts first.

        :param fail_open: names of plug-ins whose failures are warnings, also
            when they are no longer installed
        :raises CannotLoad: two of them have one name
        :raises PluginCycle: the declarations have a cycle
        """
        self.fail_open = frozenset(fail_open)
        self.emits_call_events = emits_call_events
        self.members = _order(tuple(members))
        self._by_name = {each.name: each for each in self.members}
        self._chains = functools.cache(self._find_chain)

    @classmethod
    def of(
        cls,
        plugins: collections.abc.Iterable[lifecycle.LifecyclePlugin],
        *,
        time_limit_s: float = _DEFAULT_TIME_LIMIT_S,
        fail_open: collections.abc.Collection[str] = (),
    ) -> typing.Self:
        """Return an order of exactly these; for tests and for embedding.

        :raises CannotLoad: two of them have one name
        :raises PluginCycle: what they declare circles
        """
        return cls(
            (
                OrderedPlugin.of(each, time_limit_s, each.name in fail_open)
                for each in plugins
            ),
            fail_open,
        )

    def chain(
        self, verb: str, *, is_part: bool = False
    ) -> tuple[OrderedPlugin, ...]:
        """Return the plug-ins to call for an operation, in order.

        :param verb: see
            :class:`orch.plugin.lifecycle_operation.OperationRequest`
        :param is_part: an operation of the parent stack requested it, for
            which the plug-ins for root stacks were called
        """
        return self._chains(verb, is_part)

    @property
    def is_for_roots(self) -> bool:
        """Whether no plug-in is called for parts of an operation."""
        return all(
            each.plugin.scope is lifecycle.Scope.ROOTS for each in self.members
        )

    def find(self, name: str) -> OrderedPlugin | None:
        """Return the member of that name, if one exists."""
        return self._by_name.get(name)

    def enforcement_of(self, name: str) -> Enforcement:
        """Return what a denial of a plug-in does.

        :param name: of a member, or of one that is no longer installed
        """
        member = self.find(name)
        return Enforcement.MANDATORY if member is None else member.enforcement

    def forgives(self, name: str) -> bool:
        """Whether the failures of a plug-in are warnings.

        :param name: of a member, or of one that is no longer installed
        """
        member = self.find(name)
        if member is not None:
            return member.is_fail_open
        return not self.fail_open.isdisjoint((name, entry_point_name(name)))

    def _find_chain(
        self, verb: str, is_part: bool
    ) -> tuple[OrderedPlugin, ...]:
        return tuple(
            each
            for each in self.members
            if (each.plugin.verbs is None or verb in each.plugin.verbs)
            and (
                not is_part or each.plugin.scope is lifecycle.Scope.EVERY_STACK
            )
        )


def entry_point_name(name: str) -> str:
    """Return the name of the entry point behind that of a plug-in."""
    return name.partition(":")[0]


def _check(plugin: lifecycle.LifecyclePlugin) -> None:
    """Raise BadPlugin if the attributes of a plug-in are not valid.

    A plug-in with a misspelt verb would never be called.

    :raises orch.plugin.registry.BadPlugin: they are not
    """
    if not isinstance(getattr(plugin, "name", None), str):
        raise registry.BadPlugin(
            "its constructor has to call that of LifecyclePlugin"
        )
    if not isinstance(plugin.ordinal, int):
        raise registry.BadPlugin("ordinal has to be a whole number")
    for which in ("before", "after"):
        if isinstance(getattr(plugin, which), str):
            raise registry.BadPlugin(f"{which} has to be a tuple of names")
    unknown = (plugin.verbs or frozenset()) - lifecycle_operation.VERBS
    if unknown:
        raise registry.BadPlugin(
            f"there is no verb {', '.join(sorted(unknown))}; there are"
            f" {', '.join(sorted(lifecycle_operation.VERBS))}"
        )
    if not isinstance(plugin.scope, lifecycle.Scope):
        raise registry.BadPlugin(
            "scope has to be lifecycle.Scope.ROOTS or EVERY_STACK"
        )
    own = plugin.time_limit_s
    if own is not None and not 0 < own <= MAX_TIME_LIMIT_S:
        raise registry.BadPlugin(
            "time_limit_s has to be more than 0, and at most"
            f" {MAX_TIME_LIMIT_S:.0f}"
        )


def _order(members: tuple[OrderedPlugin, ...]) -> tuple[OrderedPlugin, ...]:
    """Return the members in the order in which they are called.

    :raises CannotLoad: two of them have one name
    :raises PluginCycle: what they declare circles
    """
    named = {each.name: each for each in members}
    if len(named) < len(members):
        names = [each.name for each in members]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise CannotLoad(
            f"two lifecycle plug-ins have the name {', '.join(twice)}"
        )
    found = _requirements(members)
    cycle = found.find_cycle()
    if cycle:
        way = " after ".join([*cycle, cycle[0]])
        raise PluginCycle(
            f"the order of lifecycle plug-ins circles: {way}; one of these"
            " declarations of before and after has to go, or one of the"
            " plug-ins, by [lifecycle] disabled"
        )
    ordered = found.order_by(lambda name: (named[name].plugin.ordinal, name))
    return tuple(named[name] for name in ordered)


def _requirements(members: tuple[OrderedPlugin, ...]) -> graph.Graph[str]:
    """Return which member comes after which.

    A name without a label means those with one too.
    """
    found: graph.Graph[str] = graph.Graph()
    meant: dict[str, set[str]] = {}
    for each in members:
        found.add(each.name)
        for name in (each.name, entry_point_name(each.name)):
            meant.setdefault(name, set()).add(each.name)

    def others(
        each: OrderedPlugin, declared: collections.abc.Iterable[str]
    ) -> list[str]:
        names = {
            other
            for name in declared
            for other in meant.get(name, ())
            if other != each.name or name == other
        }
        return sorted(names)

    for each in members:
        for other in others(each, each.plugin.after):
            found.connect(each.name, other)
        for other in others(each, each.plugin.before):
            found.connect(other, each.name)
    return found


NO_PLUGINS: typing.Final = PluginOrder(())
"""No plug-in is called."""
