"""Builds the parts of a process from its options."""

import importlib.metadata
import ipaddress

from oslo_config import cfg

from orch.api import app
from orch.api import server as api_server
from orch.cmd import process
from orch.context import seals
from orch.rpc import transport


def settings(conf: cfg.ConfigOpts) -> app.Settings:
    """Return what the API wants to know of the options."""
    return app.Settings(
        max_json_body_size=conf.max_json_body_size,
        max_template_size=conf.max_template_size,
        page_limit=conf.api.page_limit,
        auth=conf.api.auth,
        is_local=conf.api.auth == "none" and _is_loopback(conf.api.host),
        public_url=conf.api.public_url,
        template_url_timeout_s=conf.api.template_url_timeout,
        stopping_timeout_s=conf.api.rpc_timeout,
        signal_keys=signal_keys(conf),
        revision=importlib.metadata.version("orch"),
        policy=conf,
    )


def signal_keys(conf: cfg.ConfigOpts) -> tuple[str, ...]:
    """Return the keys of the seals of addresses for signals.

    :raises orch.cmd.process.Failure: one of them is too short to be secret
    """
    keys = tuple(conf.signals.seal_keys)
    if any(len(key) < seals.SHORTEST_KEY for key in keys):
        raise process.Failure(
            f"a key in [signals] seal_keys has fewer than {seals.SHORTEST_KEY}"
            " characters; use for example the output of openssl rand -hex 32"
        )
    return keys


def _is_loopback(host: str) -> bool:
    """Answer whether nobody but this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve_api(
    conf: cfg.ConfigOpts, bus: transport.Transport
) -> api_server.Server:
    """Return the API once it serves.

    :raises orch.cmd.process.Failure: the address cannot be had
    """
    caller = transport.Caller(bus, conf.api.rpc_timeout)
    try:
        return api_server.serve(
            app.build(caller, settings(conf), bus.broker.is_reachable),
            conf.api.host,
            conf.api.port,
            conf.api.threads,
            max_body_size=conf.max_json_body_size,
        )
    except OSError as error:
        raise process.Failure(
            f"cannot listen on {conf.api.host}:{conf.api.port}: {error}"
        ) from error
