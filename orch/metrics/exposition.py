"""Collect the metrics of a process and expose them to Prometheus.

The one room with its library, which is loaded where metrics are on only.
"""

import collections.abc
import contextlib
import functools
import logging
import types
import typing
import wsgiref.types

import prometheus_client
from prometheus_client import metrics_core
from prometheus_client import registry as registries

from orch.metrics import catalogue
from orch.metrics import meters

LOG = logging.getLogger(__name__)

PATH: typing.Final = "/metrics"

_ABOUT: typing.Final = meters.Gauge(
    "orch_process_info",
    "Always 1; says which program of which version this is.",
    ("program", "version"),
)


class Collection(contextlib.AbstractContextManager["Collection"]):
    """All metrics of this process, from now until :meth:`end`.

    There is one at a time: a later one takes over.
    """

    def __init__(
        self,
        program: str,
        version: str,
        reads: collections.abc.Iterable[meters.Read] = (),
    ) -> None:
        """Start to count.

        :param reads: return the gauges of the parts of the process
        """
        # Names and moments of their own would double what is scraped.
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
        about = meters.Reading(_ABOUT, 1.0, (program, version))
        # What is not described is not found by its name (``?name[]=``).
        self._registry = registries.CollectorRegistry(auto_describe=True)
        prometheus_client.ProcessCollector(registry=self._registry)
        self._registry.register(_Gauges([lambda: [about], *reads]))
        for each in catalogue.COUNTERS:
            counter = prometheus_client.Counter(
                each.name, each.text, each.labels, registry=self._registry
            )
            each.collect(_taking(each, counter, "inc"))
        for one in catalogue.HISTOGRAMS:
            histogram = prometheus_client.Histogram(
                one.name,
                one.text,
                one.labels,
                buckets=one.bounds,
                registry=self._registry,
            )
            one.collect(_taking(one, histogram, "observe"))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """Stop counting."""
        for each in (*catalogue.COUNTERS, *catalogue.HISTOGRAMS):
            each.collect(None)

    def application(self) -> wsgiref.types.WSGIApplication:
        """Return the application that serves :data:`PATH`."""
        shown = prometheus_client.make_wsgi_app(self._registry)

        def serve(
            environ: wsgiref.types.WSGIEnvironment,
            start_response: wsgiref.types.StartResponse,
        ) -> collections.abc.Iterable[bytes]:
            if environ.get("PATH_INFO") == PATH:
                answer: collections.abc.Iterable[bytes]
                answer = shown(environ, start_response)
                return answer
            head = [("Content-Type", "text/plain; charset=utf-8")]
            start_response("404 Not Found", head)
            return [f"There is nothing here; see {PATH}\n".encode()]

        return serve

    def text(self) -> str:
        """Return all metrics as text, as in a scrape."""
        return prometheus_client.generate_latest(self._registry).decode()


def _taking(
    meter: meters.Counter | meters.Histogram,
    made: prometheus_client.Counter | prometheus_client.Histogram,
    method: str,
) -> meters.Take:
    """Return what passes values of labels, and a number, to a method."""
    if not meter.labels:
        return lambda values, number: getattr(made, method)(number)
    # A look-up of ours is quicker than one of the library's.
    of = functools.cache(lambda values: getattr(made.labels(*values), method))
    return lambda values, number: of(values)(number)


class _Gauges(registries.Collector):
    """Reads the gauges at each scrape."""

    def __init__(self, reads: collections.abc.Sequence[meters.Read]) -> None:
        self._reads = reads

    def describe(self) -> collections.abc.Iterable[metrics_core.Metric]:
        """Return all possible gauges, without reading any."""
        return map(_family, (_ABOUT, *catalogue.GAUGES))

    def collect(self) -> collections.abc.Iterable[metrics_core.Metric]:
        """Return the gauges that can be read; errors of others are logged."""
        found: dict[str, metrics_core.GaugeMetricFamily] = {}
        for read in self._reads:
            try:
                readings = list(read())
            except Exception as error:
                LOG.warning("some gauges cannot be read: %s", error)
                continue
            for gauge, value, values in readings:
                family = found.get(gauge.name)
                if family is None:
                    family = found[gauge.name] = _family(gauge)
                family.add_metric(values, value)
        return found.values()


def _family(gauge: meters.Gauge) -> metrics_core.GaugeMetricFamily:
    return metrics_core.GaugeMetricFamily(
        gauge.name, gauge.text, labels=gauge.labels
    )
