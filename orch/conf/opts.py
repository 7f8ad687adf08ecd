"""All groups of options, for the processes and for the sample generator."""

import itertools

from oslo_config import cfg

from orch.conf import adoption
from orch.conf import api
from orch.conf import api_cfn
from orch.conf import clients
from orch.conf import credentials
from orch.conf import egress
from orch.conf import encryption
from orch.conf import engine
from orch.conf import environment
from orch.conf import event_sinks
from orch.conf import http_resource
from orch.conf import lifecycle
from orch.conf import limits
from orch.conf import local
from orch.conf import metrics
from orch.conf import notifications
from orch.conf import observer
from orch.conf import search
from orch.conf import signals
from orch.conf import yaql

_MODULES = (
    limits,
    adoption,
    environment,
    api,
    api_cfn,
    engine,
    notifications,
    metrics,
    yaql,
    local,
    http_resource,
    signals,
    clients,
    credentials,
    encryption,
    egress,
    lifecycle,
    observer,
    event_sinks,
    search,
)


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options of every group known to ``conf``."""
    for module in _MODULES:
        module.register(conf)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options of every group, for ``oslo-config-generator``."""
    return list(
        itertools.chain.from_iterable(
            module.list_opts() for module in _MODULES
        )
    )
