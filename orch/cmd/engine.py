"""``orch-engine``: one worker; start as many as the load needs."""

import sys
import typing

from orch.cmd import durability
from orch.cmd import keys
from orch.cmd import metrics
from orch.cmd import process
from orch.cmd import tables
from orch.engine import service
from orch.plugin import registry
from orch.rpc import transport

_GRACE_S = 5.0


def main() -> typing.NoReturn:
    """Work until a signal comes."""
    process.run_command(_work)


def _work() -> None:
    signals = process.Signals()
    conf = process.read_options("orch-engine", sys.argv[1:])
    keys.check_documents(conf)
    database = tables.open_ready(conf)
    keys.check_values(database)
    bus = transport.build_transport(conf)
    worker = service.Service(
        conf, database, bus, registry.ResourceTypes(conf), conf.host
    )
    durability.report_mismatches(conf, bus.broker)
    measured = metrics.serve_metrics(conf, "orch-engine", *worker.gauges)
    worker.start()
    process.serve_until_signal(
        signals,
        [lambda: worker.stop(_GRACE_S), *measured, database.dispose],
        f"orch-engine works on {conf.host}",
    )
