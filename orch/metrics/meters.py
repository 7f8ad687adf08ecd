"""Counters, histograms and gauges, independent of their collection.

No library is used here: a meter that is not collected does nothing, at the
price of one comparison.

Values of labels are few and known: names of actions, of types, of plug-ins;
never of stacks, projects or users.
"""

import collections.abc
import typing

Labels = tuple[str, ...]

Take = collections.abc.Callable[[Labels, float], None]
"""Takes values of the labels, and the increment or the observed value."""


class _Meter:
    """What a counter and a histogram have in common.

    :ivar name: as it is collected
    :ivar text: what it counts or observes, for people
    :ivar labels: names of its labels
    """

    def __init__(self, name: str, text: str, *labels: str) -> None:
        """Take nothing yet."""
        self.name = name
        self.text = text
        self.labels = labels
        self._take: Take | None = None

    def collect(self, take: Take | None) -> None:
        """Pass values to ``take`` from now on; ``None`` stops that."""
        self._take = take


class Counter(_Meter):
    """A count of events; it only grows. Its name ends in ``_total``."""

    @property
    def is_collected(self) -> bool:
        """Whether the counter is collected.

        For callers whose values of the labels take work to compute.
        """
        return self._take is not None

    def count(self, *values: str, by: float = 1.0) -> None:
        """Count one event; from any thread.

        :param values: of the labels, in their order
        """
        take = self._take
        if take is not None:
            take(values, by)


class Histogram(_Meter):
    """A distribution of durations, in intervals.

    Its name ends in ``_seconds``.

    :ivar bounds: seconds, growing
    """

    def __init__(
        self,
        name: str,
        text: str,
        *labels: str,
        bounds: collections.abc.Sequence[float],
    ) -> None:
        """Start without any observation."""
        super().__init__(name, text, *labels)
        self.bounds = tuple(bounds)

    def observe(self, seconds: float, *values: str) -> None:
        """Observe a duration; from any thread.

        :param seconds: what two clocks make negative counts as 0
        :param values: of the labels, in their order
        """
        take = self._take
        if take is not None:
            take(values, max(seconds, 0.0))


class Gauge(typing.NamedTuple):
    """A current amount, which is read at each scrape.

    :ivar name: as it is collected
    :ivar text: what is measured, for people
    :ivar labels: names of its labels
    """

    name: str
    text: str
    labels: Labels = ()


class Reading(typing.NamedTuple):
    """The value of a gauge now.

    :ivar values: of the labels, in their order
    """

    gauge: Gauge
    value: float
    values: Labels = ()


Read = collections.abc.Callable[[], collections.abc.Iterable[Reading]]
"""Reads gauges; what it raises leaves them out this time."""
