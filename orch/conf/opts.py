"""All groups of options, for the processes and for the sample generator."""

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

_SECTIONS = (
    limits.SECTION,
    adoption.DEFAULTS,
    adoption.SECTION,
    environment.SECTION,
    api.SECTION,
    api_cfn.SECTION,
    engine.SECTION,
    notifications.SECTION,
    metrics.SECTION,
    yaql.SECTION,
    local.SECTION,
    http_resource.SECTION,
    signals.SECTION,
    clients.SECTION,
    credentials.DEFAULTS,
    credentials.SECTION,
    encryption.SECTION,
    egress.SECTION,
    lifecycle.SECTION,
    observer.SECTION,
    event_sinks.SECTION,
    search.SECTION,
)


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options of every section known to ``conf``."""
    for section in _SECTIONS:
        section.register(conf)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options of every section, for ``oslo-config-generator``."""
    return [(section.name, list(section.options)) for section in _SECTIONS]
