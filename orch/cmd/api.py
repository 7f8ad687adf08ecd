"""``orch-api``: the REST API; it does not connect to the database."""

import sys
import typing

from orch.cmd import assembly
from orch.cmd import durability
from orch.cmd import metrics
from orch.cmd import process
from orch.rpc import transport


def main() -> typing.NoReturn:
    """Serve until a signal comes."""
    process.run_command(_serve)


def _serve() -> None:
    signals = process.Signals()
    conf = process.read_options("orch-api", sys.argv[1:])
    measured = metrics.serve_metrics(conf, "orch-api")
    bus = transport.build_transport(conf)
    served = assembly.serve_api(conf, bus)
    durability.report_mismatches(conf, bus.broker)
    process.serve_until_signal(
        signals,
        [served.stop, *measured],
        f"orch-api listens on http://{served.host}:{served.port}",
    )
