"""``orch-search``: updates the search index, and answers queries."""

import importlib
import sys
import typing

from oslo_config import cfg

from orch.cmd import indexes
from orch.cmd import metrics
from orch.cmd import process
from orch.rpc import transport
from orch.rpc.clients import documents
from orch.search import service
from orch.search.sources import engine

_GRACE_S = 5.0


def main() -> typing.NoReturn:
    """Search until a signal comes."""
    process.run_command(_search)


def _search() -> None:
    signals = process.Signals()
    conf = process.read_options("orch-search", sys.argv[1:])
    searcher = build_search(conf, transport.build_transport(conf))
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
    index = indexes.open_index(conf)
    if conf.search.source == "heat":
        heat = importlib.import_module("orch.search.sources.heat")
        program = heat.HeatSource(conf)
        return service.Service(
            conf,
            index,
            program,
            bus,
            conf.host,
            complete=program.complete,
            is_alone=is_alone,
        )
    caller = transport.Caller(
        transport.build_transport(conf), conf.api.rpc_timeout
    )
    source = engine.EngineSource(documents.Documents(caller))
    return service.Service(
        conf, index, source, bus, conf.host, is_alone=is_alone
    )
