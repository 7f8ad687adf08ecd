"""Base of the policies that change the size of a group at a signal."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.plugin import addresses
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import signals
from orch.resources.groups import adjustment

Values = collections.abc.Mapping[str, object]

_ADJUSTED: typing.Final = "adjusted_at"
"""In what signals leave: when this policy last changed its group."""

_ALARM: typing.Final = "alarm"


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """Names of the properties in one kind of policy."""

    group: str
    adjustment_type: str
    adjustment: str
    min_step: str
    cooldown: str


class NoGroup(errors.Permanent):
    """A policy names no group of its stack whose size signals can change."""

    code = "orch.scaling_policy.no_group"


class ScalingPolicy(no_physical_resource.EffectFreeResource):
    """Changes the size of a group by its adjustment, once a signal.

    The cooldown counts from the moment in which an adjustment was accepted.
    Signals that come before its end change nothing, and no event tells of
    them.
    """

    names: typing.ClassVar[Names]
    adjustment_types: typing.ClassVar[collections.abc.Mapping[str, str]]
    """The words of the property, and those of :mod:`sizes` for them."""

    takes_signals = True

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return the physical name; there is nothing behind it.

        :raises NoGroup: the group that it names cannot be scaled, or is none
        """
        found = context.referred
        if found is None or not found.is_scalable:
            name = self.names.group
            what = f"the {found.type_name}" if found else "no resource"
            raise NoGroup(
                f"{name} names {context.properties[name]}, which is {what}"
                " of this stack: set it to get_resource of a group that has"
                " a smallest and a largest size"
            )
        return context.physical_name

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Do nothing: the next signal counts by the new properties."""

    def handle_signal(
        self, context: call_context.Context, details: object
    ) -> signals.SignalResult:
        """Ask for another size of the group, unless it is too early.

        An alarm says in ``current``, or ``state``, what it has come to; all
        but ``alarm`` change nothing.
        """
        given = context.properties
        now = self.clock.now()
        cooldown_s = given.get(self.names.cooldown)
        last = context.signals.get(_ADJUSTED)
        if _state(details) != _ALARM or adjustment.is_too_early(
            now, last, cooldown_s
        ):
            return signals.SignalResult()
        resize = signals.Resize(
            group=str(given[self.names.group]),
            adjustment_type=self.adjustment_types[
                str(given[self.names.adjustment_type])
            ],
            adjustment=typing.cast("float", given[self.names.adjustment]),
            min_step=typing.cast("int | None", given.get(self.names.min_step)),
        )
        return signals.SignalResult(
            signal_data={_ADJUSTED: now},
            reason=f"Signal: {resize.adjustment_type} {resize.adjustment:g}",
            resize=resize,
        )

    def given_address(self, context: call_context.Context) -> str | None:
        """Return the address that alarms are given."""
        return self.address(context) if context.physical_id else None

    def address(self, context: call_context.Context) -> str:
        """Return where a signal needs no account.

        :raises orch.plugin.addresses.NoKey: no address can be sealed
        """
        return addresses.Addresses(self.conf).signal(context)


def _state(details: object) -> str:
    """Return what an alarm has come to; what says nothing is one."""
    if not isinstance(details, collections.abc.Mapping):
        return _ALARM
    return str(details.get("current", details.get("state", _ALARM))).lower()
