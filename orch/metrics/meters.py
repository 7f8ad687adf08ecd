"""Counters, histograms and gauges, before anybody collects them.

Here is no library: a meter that nobody collects does nothing, at the price
of one comparison. Values of labels are few and known: names of actions, of
types, of plug-ins; never of stacks, projects or users.
"""

import collections.abc
import typing

Labels = tuple[str, ...]

Take = collections.abc.Callable[[Labels, float], None]
"""Takes values of the labels, and by how much it grows or what was seen."""


class Counter:
    """How often something has happened; it only grows.

    :ivar name: as it is collected, ``_total`` at its end
    :ivar text: what it counts, for people
    :ivar labels: names of its labels
    """

    def __init__(self, name: str, text: str, *labels: str) -> None:
        """Count nothing yet."""
        self.name = name
        self.text = text
        self.labels = labels
        self._take: Take | None = None

    @property
    def is_collected(self) -> bool:
        """Answer whether anybody wants to know.

        For who has to work to find out the values of the labels.
        """
        return self._take is not None

    def count(self, *values: str, by: float = 1.0) -> None:
        """Know that it has happened; from any thread.

        :param values: of the labels, in their order
        """
        take = self._take
        if take is not None:
            take(values, by)

    def collect(self, take: Take | None) -> None:
        """Hand over what is counted from now on; ``None`` drops it."""
        self._take = take


class Histogram:
    """How long something took, how often it took up to so long.

    :ivar name: as it is collected, ``_seconds`` at its end
    :ivar text: what takes so long, for people
    :ivar labels: names of its labels
    :ivar bounds: seconds, growing
    """

    def __init__(
        self,
        name: str,
        text: str,
        *labels: str,
        bounds: collections.abc.Sequence[float],
    ) -> None:
        """Have seen nothing yet."""
        self.name = name
        self.text = text
        self.labels = labels
        self.bounds = tuple(bounds)
        self._take: Take | None = None

    def observe(self, seconds: float, *values: str) -> None:
        """Know that it took so long; from any thread.

        :param seconds: what two clocks make negative counts as 0
        :param values: of the labels, in their order
        """
        take = self._take
        if take is not None:
            take(values, max(seconds, 0.0))

    def collect(self, take: Take | None) -> None:
        """Hand over what is observed from now on; ``None`` drops it."""
        self._take = take


class Gauge(typing.NamedTuple):
    """How much there is of something, which is read when somebody asks.

    :ivar name: as it is collected
    :ivar text: what there is so much of, for people
    :ivar labels: names of its labels
    """

    name: str
    text: str
    labels: Labels = ()


class Reading(typing.NamedTuple):
    """How much there is now.

    :ivar values: of the labels, in their order
    """

    gauge: Gauge
    value: float
    values: Labels = ()


Read = collections.abc.Callable[[], collections.abc.Iterable[Reading]]
"""Reads gauges; what it raises leaves them out this time."""
