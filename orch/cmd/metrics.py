"""Serve the metrics of a process on a port, if the options say so.

No process forks, so each counts for itself. Those of one machine have one
file of options: each takes the first port of a range that is free.
"""

import importlib
import importlib.metadata
import wsgiref.types

from oslo_config import cfg
from oslo_log import log

from orch.api import server
from orch.cmd import process
from orch.metrics import meters

LOG = log.getLogger(__name__)

_THREADS = 2
_LAST_PORT = 65535


def serve_metrics(
    conf: cfg.ConfigOpts, program: str, *reads: meters.Read
) -> list[process.Stop]:
    """Count from now on, and show it.

    :param program: its name, which is one of the metrics
    :param reads: return the gauges of its parts
    :returns: what to call to stop; nothing where metrics are off
    :raises orch.cmd.process.Failure: no port of the range can be had
    """
    if not conf.metrics.port:
        return []
    # Where metrics are off nothing of it is in the memory of the process.
    exposition = importlib.import_module("orch.metrics.exposition")
    counted = exposition.Collection(
        program, importlib.metadata.version("orch"), reads
    )
    try:
        served = _listen(conf, counted.application())
    except process.Failure:
        counted.end()
        raise
    LOG.info(
        "%s shows its metrics on http://%s:%d%s",
        program,
        served.host,
        served.port,
        exposition.PATH,
    )
    return [served.stop]


def _listen(
    conf: cfg.ConfigOpts, application: wsgiref.types.WSGIApplication
) -> server.Server:
    """Return what listens on the first port that is free."""
    host, first = conf.metrics.host, conf.metrics.port
    why: OSError | None = None
    last = min(first + conf.metrics.ports - 1, _LAST_PORT)
    for port in range(first, last + 1):
        try:
            return server.serve(
                application, host, port, _THREADS, max_body_size=0
            )
        except OSError as error:
            LOG.debug("port %d of the metrics: %s", port, error)
            why = error
    raise process.Failure(
        f"no port of {host} from {first} to {last} can be had for the"
        f" metrics: {why}; see [metrics]"
    )
