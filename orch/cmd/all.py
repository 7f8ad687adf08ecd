"""``orch-all``: everything in one process, for one machine.

SQLite in the state directory, the bus inside the process, the API on the
loopback address. Unless the options say otherwise it asks for no login, serves
the user who runs it alone, and allows local resource types. It needs no
broker, no other database, no configuration and no root.
"""

import argparse
import importlib
import os
import pathlib
import secrets
import sys
import typing

from oslo_config import cfg
from oslo_db import options as db_options
from oslo_log import log

from orch.cmd import assembly
from orch.cmd import indexes
from orch.cmd import keys
from orch.cmd import log_lines
from orch.cmd import metrics
from orch.cmd import process
from orch.cmd import search
from orch.cmd import state_directory
from orch.conf import load
from orch.db import engine as db_engine
from orch.db import revision
from orch.engine import credentials
from orch.engine import service
from orch.engine.adoption import sealing
from orch.plugin import registry
from orch.rpc import options
from orch.rpc import transport
from orch.search import service as search_service

LOG = log.getLogger(__name__)

_HOST = "127.0.0.1"
_HERE = [_HOST, "localhost", "::1"]
_LOOPBACK = ["127.0.0.0/8", "::1/128"]
_BUS = "orch-inproc://"
_GRACE_S = 5.0

# One process with one writer to its database needs fewer threads.
_SMALL = (
    ("api", "threads", 4),
    ("engine", "rpc_threads", 6),
    ("engine", "event_loops", 1),
    ("search", "threads", 1),
)


def main() -> typing.NoReturn:
    """Serve and work until a signal comes."""
    process.run_command(_run)


def _run() -> None:
    signals = process.Signals()
    arguments = _parse(sys.argv[1:])
    with state_directory.lock_directory(arguments.state_dir):
        conf = _options(arguments)
        log_lines.start_log(conf, "orch-all")
        keys.check_documents(conf)
        database = db_engine.Database.from_conf(conf)
        _bring_forward(conf, database)
        keys.check_values(database)
        worker = service.Service(
            conf,
            database,
            transport.build_transport(conf),
            registry.ResourceTypes(conf),
            conf.host,
        )
        searcher = _build_search(conf)
        if searcher is not None:
            database.on_change.append(searcher.wake)
        gauges = [*worker.gauges, *([searcher.gauges] if searcher else [])]
        measured = metrics.serve_metrics(conf, "orch-all", *gauges)
        worker.start()
        if searcher is not None:
            searcher.start()
        bus = transport.build_transport(conf)
        served = assembly.serve_api(conf, bus)
        conf.set_override("port", served.port, group="api")
        place = f"{served.host}:{served.port}"
        said = f"orch-all listens on http://{place}/v1/PROJECT"
        ends: list[process.Stop] = [served.stop]
        if arguments.cfn_port is not None:
            cfn = assembly.serve_api_cfn(conf, bus)
            said += f" and http://{cfn.host}:{cfn.port}/v1/"
            ends.append(cfn.stop)
        if searcher is not None:
            ends.append(lambda: searcher.stop(_GRACE_S))
        print(f"{said}, state in {arguments.state_dir}", flush=True)
        _warn_root(conf)
        process.serve_until_signal(
            signals,
            [
                *ends,
                lambda: worker.stop(_GRACE_S),
                *measured,
                database.dispose,
            ],
            said,
        )


def _warn_root(conf: cfg.ConfigOpts) -> None:
    """Warn a user who starts this as root about what is done as root."""
    if os.geteuid():
        return
    said = "orch-all runs as root"
    if conf.local.enabled:
        said += ", and so do all commands of its stacks"
    said += ": start it as a user of its own"
    LOG.warning("%s", said)
    print(said, flush=True)


def _build_search(conf: cfg.ConfigOpts) -> search_service.Service | None:
    """Return what searches, unless the options say not to."""
    if not conf.search.embedded:
        return None
    # An index in a file is this process's, as the lock of its directory is.
    return search.build_search(
        conf,
        transport.build_transport(conf),
        is_alone=(conf.search.connection or "").startswith("sqlite"),
    )


def _bring_forward(conf: cfg.ConfigOpts, database: db_engine.Database) -> None:
    """Bring the tables to the revision that is needed.

    Another process does it, since what it takes would stay in the memory of
    this one. There is no thread yet that it could miss.

    :raises orch.cmd.process.Failure: they are not at it
    """
    if revision.current(database) != revision.head():
        database.dispose()
        child = os.fork()
        if not child:
            _upgrade_and_end(conf)
        os.waitpid(child, 0)
    found = revision.current(database)
    if found != revision.head():
        raise process.Failure(
            f"the database is at revision {found or 'none'}, this release"
            f" needs {revision.head()}, and it could not be upgraded: the"
            " messages before say why"
        )


def _upgrade_and_end(conf: cfg.ConfigOpts) -> typing.NoReturn:
    try:
        importlib.import_module("orch.db.migrate").upgrade(
            db_engine.Database.from_conf(conf)
        )
    except Exception:
        LOG.exception("the tables stay as they are")
    finally:
        os._exit(os.EX_OK)


def _parse(args: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="orch-all", description="Run all of Orch in one process."
    )
    parser.add_argument(
        "--port",
        type=int,
        help="port of the API on 127.0.0.1, 0 for any (default: 8004)",
    )
    parser.add_argument(
        "--cfn-port",
        type=int,
        help="port of the CloudFormation-compatible API on 127.0.0.1, 0 for"
        " any (default: it is not served)",
    )
    parser.add_argument(
        "--state-dir",
        type=_directory,
        default=_default_state_dir(),
        help="where the database is stored (default: %(default)s)",
    )
    parser.add_argument(
        "--local-root",
        type=_directory,
        help="where files, directories and processes of stacks live"
        " (default: local in the state directory)",
    )
    parser.add_argument(
        "--config-file",
        action="append",
        default=[],
        help="read options from this file; may be given several times",
    )
    return parser.parse_args(args)


def _directory(text: str) -> pathlib.Path:
    return pathlib.Path(text).expanduser().absolute()


def _default_state_dir() -> pathlib.Path:
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return _directory(data) / "orch"


def _options(arguments: argparse.Namespace) -> cfg.ConfigOpts:
    """Return options that keep everything in this process and directory.

    :raises orch.cmd.process.Failure: a file has a wrong option
    """
    try:
        conf = load.load([], arguments.config_file, prog="orch-all")
    except cfg.Error as error:
        raise process.Failure(str(error)) from error
    root = arguments.local_root or arguments.state_dir / "local"
    for group, name, value in _SMALL:
        conf.set_default(name, value, group=group)
    conf.set_default("enable_stack_adopt", True)
    conf.set_default("enable_stack_abandon", True)
    conf.set_default("root", str(root), group="local")
    place = arguments.state_dir / "signals.key"
    conf.set_default(
        "seal_keys",
        [state_directory.load_key(place, _seal_key)],
        group="signals",
    )
    place = arguments.state_dir / "adoption.key"
    conf.set_default(
        "private_keys",
        [state_directory.load_key(place, sealing.new_key)],
        group="adoption",
    )
    conf.set_default("forward_hosts", _HERE, group="adoption")
    place = arguments.state_dir / "credentials.key"
    conf.set_default(
        "encryption_keys",
        [state_directory.load_key(place, credentials.new_key)],
        group="credentials",
    )
    db_options.set_defaults(
        conf, f"sqlite:///{arguments.state_dir}/{state_directory.DATABASE}"
    )
    conf.set_default(
        "connection",
        f"sqlite:///{arguments.state_dir}/{indexes.FILE}",
        group="search",
    )
    conf.set_default("folder", f"{arguments.state_dir}/search", group="search")
    if arguments.local_root:
        conf.set_override("root", str(root), group="local")
    if arguments.port is not None:
        conf.set_override("port", arguments.port, group="api")
    if arguments.cfn_port is not None:
        conf.set_override("port", arguments.cfn_port, group="api_cfn")
    if conf.api.auth == "none":
        conf.set_override("host", _HOST, group="api")
        conf.set_override("host", _HOST, group="api_cfn")
        # Who asks is at home on this machine, and may run commands anyway.
        conf.set_default("enabled", True, group="local")
        conf.set_default("allowed_networks", _LOOPBACK, group="egress")
    options.register_options(conf)
    conf.set_override("transport_url", _BUS)
    if not conf.oslo_messaging_notifications.transport_url:
        # The search follows the database: nothing listens on this bus.
        conf.set_default("topics", [], group="notifications")
    return conf


def _seal_key() -> str:
    return secrets.token_urlsafe(48)
