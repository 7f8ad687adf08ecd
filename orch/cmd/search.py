"""``orch-search``: updates the search index, and answers queries."""

import sys
import typing

from oslo_config import cfg
from stevedore import driver
from stevedore import exception

from orch import errors
from orch.cmd import durability
from orch.cmd import indexes
from orch.cmd import metrics
from orch.cmd import process
from orch.rpc import transport
from orch.search import service
from orch.search.sources import port

_GRACE_S = 5.0


class UnknownSource(errors.Invalid):
    """No installed package has the source that the options name."""

    code = "orch.search.source_unknown"


def main() -> typing.NoReturn:
    """Search until a signal comes."""
    process.run_command(_search)


def _search() -> None:
    signals = process.Signals()
    conf = process.read_options("orch-search", sys.argv[1:])
    bus = transport.build_transport(conf)
    searcher = build_search(conf, bus)
    durability.report_mismatches(conf, bus.broker)
    measured = metrics.serve_metrics(conf, "orch-search", searcher.gauges)
    searcher.start()
    process.serve_until_signal(
        signals,
        [lambda: searcher.stop(_GRACE_S), *measured],
        f"orch-search searches on {conf.host}",
    )


def build_search(
    conf: cfg.ConfigOpts, bus: transport.Transport, *, is_alone: bool = False
) -> service.Service:
    """Return the search service; nothing of it runs yet.

    :param bus: serves its calls
    :param is_alone: no other process keeps the index that the options name
    :raises orch.errors.OrchError: there is no index as the options say, or
        no source
    """
    return service.Service(
        conf,
        indexes.open_index(conf),
        indexes.open_saved_store(conf),
        build_source(conf),
        bus,
        conf.host,
        is_alone=is_alone,
    )


def build_source(conf: cfg.ConfigOpts) -> port.Source:
    """Return the source that ``[search] source`` names.

    :raises UnknownSource: no installed package has it
    :raises orch.errors.OrchError: its options are wrong
    """
    name = conf.search.source
    try:
        found = driver.DriverManager[port.Factory](port.NAMESPACE, name)
    except exception.NoMatches as error:
        raise UnknownSource(
            f"[search] source names {name}, and no installed package has a"
            " source of that name: install the one that has, as"
            " orch-search-heat has heat."
        ) from error
    return typing.cast(port.Factory, found.driver)(conf)
