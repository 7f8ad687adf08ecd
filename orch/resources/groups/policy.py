"""Base of the policies that change the size of a group when signalled."""

import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import clock
from orch.plugin import addresses
from orch.plugin import resource
from orch.plugin import signals
from orch.resources.groups import sizes

Values = collections.abc.Mapping[str, object]

_ADJUSTED: typing.Final = "adjusted_at"
"""In what signals leave: when this policy last changed its group."""

_ALARM: typing.Final = "alarm"


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """How a kind of policy calls its properties."""

    group: str
    adjustment_type: str
    adjustment: str
    min_step: str
    cooldown: str


class Policy(resource.Resource):
    """Changes the size of a group by as much as it says, once a signal.

    The cooldown counts from the moment in which an adjustment was accepted.
    Signals that come before its end change nothing, and no event tells of
    them.
    """

    names: typing.ClassVar[Names]
    adjustment_types: typing.ClassVar[collections.abc.Mapping[str, str]]
    """The words of the property, and those of :mod:`sizes` for them."""

    takes_signals = True

    def __init__(
        self, conf: cfg.ConfigOpts, clock_: clock.Clock | None = None
    ) -> None:
        """Keep options and clock.

        :param clock_: tells how long ago the last adjustment was; the
            machine's when none is given
        """
        super().__init__(conf)
        self._clock = clock_ or clock.SystemClock()

    def is_effect_free(self, properties: Values) -> bool:
        """Answer yes: it says something, and does nothing by itself."""
        return True

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Return the physical name; there is nothing behind it."""
        return context.physical_name

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Answer that nothing is left: there is nothing in the world."""
        return None

    def update(
        self,
        context: resource.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Do nothing: the next signal counts by the new properties."""

    def handle_signal(
        self, context: resource.Context, details: object
    ) -> signals.Signalled:
        """Ask for another size of the group, unless it is too early.

        An alarm says in ``current``, or ``state``, what it has come to; all
        but ``alarm`` change nothing.
        """
        given = context.properties
        now = self._clock.now()
        cooldown_s = given.get(self.names.cooldown)
        last = context.signals.get(_ADJUSTED)
        if _state(details) != _ALARM or sizes.is_too_early(
            now, last, cooldown_s
        ):
            return signals.Signalled()
        asked = signals.Resize(
            group=str(given[self.names.group]),
            adjustment_type=self.adjustment_types[
                str(given[self.names.adjustment_type])
            ],
            adjustment=typing.cast("float", given[self.names.adjustment]),
            min_step=typing.cast("int | None", given.get(self.names.min_step)),
        )
        return signals.Signalled(
            kept={_ADJUSTED: now},
            reason=f"Signal: {asked.adjustment_type} {asked.adjustment:g}",
            resize=asked,
        )

    def address(self, context: resource.Context) -> str:
        """Return where a signal needs no account.

        :raises orch.plugin.addresses.NoKey: no address can be sealed
        """
        return addresses.Addresses(self.conf).signal(context)


def _state(details: object) -> str:
    """Return what an alarm has come to; what says nothing is one."""
    if not isinstance(details, collections.abc.Mapping):
        return _ALARM
    return str(details.get("current", details.get("state", _ALARM))).lower()
