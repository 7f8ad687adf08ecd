"""``orch-api``: the REST API; it has no way to the database."""

import sys
import typing

from orch.cmd import parts
from orch.cmd import process
from orch.rpc import transport


def main() -> typing.NoReturn:
    """Serve until a signal comes."""
    process.run(_serve)


def _serve() -> None:
    signals = process.Signals()
    conf = process.options("orch-api", sys.argv[1:])
    served = parts.serve_api(conf, transport.build(conf))
    process.serve(
        signals,
        [served.stop],
        f"orch-api listens on http://{served.host}:{served.port}",
    )
