"""``orch-manage lifecycle``: which plug-ins are in force, and who has them."""

import argparse
import collections.abc

from oslo_config import cfg

from orch.cmd import columns
from orch.cmd import process
from orch.cmd import tables
from orch.db import engine as db_engine
from orch.db.repositories import plugin_settings as stored
from orch.db.repositories import services
from orch.engine.services import heartbeat
from orch.model import plugin_settings
from orch.model import service
from orch.plugin import lifecycle_loading
from orch.plugin import lifecycle_order

_HEAD = (
    *("NAME", "ORDINAL", "SCOPE", "VERBS", "TIME LIMIT", "LEVEL", "ERRORS"),
    "NOTE",
)
_OLD = (
    "it is of an earlier release, and takes operations whatever plug-ins and"
    " settings it has"
)

Workers = collections.abc.Sequence[service.Service]


def list_plugins(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Print one row a plug-in, in the order of their calls.

    :raises orch.cmd.process.Failure: the worker would not start with them
    """
    try:
        found = lifecycle_loading.load_plugins(conf)
    except lifecycle_order.CannotLoad as error:
        raise process.Failure(error.message) from error
    columns.show_rows([_HEAD, *(_row(each) for each in found.members)])


def show_settings(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Print the plug-in settings in force, and what each live worker has."""
    active, workers = tables.open_ready(conf).query(find_workers)
    if active is None:
        print("no worker has ever started")
    else:
        name = plugin_settings.shorten(active.fingerprint)
        print(f"number {active.number} ({name}) is in force")
    rows = [("WORKER", "HOST", "LOADED", "FINDS", "OPERATIONS")]
    for each in workers:
        trouble = find_trouble(active, each)
        taken = "taken"
        if trouble is not None:
            taken = "not taken" if each.settings_loaded else taken
            taken = f"{taken}: {trouble}"
        rows.append(
            (
                each.id,
                each.host,
                plugin_settings.shorten(each.settings_loaded),
                plugin_settings.shorten(each.settings_loadable),
                taken,
            )
        )
    columns.show_rows(rows)


def activate(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Put into force what the live workers find, where it is another.

    :raises orch.cmd.process.Failure: they find nothing else, or different
        ones, or some cannot load it, and that was not forced
    """
    database = tables.open_ready(conf)
    active, workers = database.query(find_workers)
    if active is None:
        raise process.Failure("no worker has ever started: start one first")
    fingerprint = _find_candidate(active, workers)
    left_out = [
        f"{each.host} ({each.id}): {_lacks(each)}"
        for each in workers
        if fingerprint not in (each.settings_loaded, each.settings_loadable)
    ]
    if left_out and not arguments.force:
        raise process.Failure(
            "nothing was activated, since some live workers cannot load"
            f" {plugin_settings.shorten(fingerprint)}: {'; '.join(left_out)}."
            " Install the same lifecycle plug-ins and settings there, stop"
            " them, or use --force: then they take no operations"
        )
    if not database.run(
        lambda connection: stored.activate(
            connection, active.number, fingerprint
        )
    ):
        raise process.Failure(
            "nothing was activated: another number was, at the same time; see"
            " `orch-manage lifecycle show`"
        )
    name = plugin_settings.shorten(fingerprint)
    print(f"number {active.number + 1} ({name}) is in force")
    for each in left_out:
        print(f"left out: {each}")


def find_workers(
    connection: db_engine.Connection,
) -> tuple[plugin_settings.PluginSettings | None, Workers]:
    """Return the plug-in settings in force, and the live workers."""
    workers = [
        each
        for each, is_up in services.list_(connection)
        if is_up and each.binary == heartbeat.BINARY
    ]
    return stored.find(connection), workers


def find_trouble(
    active: plugin_settings.PluginSettings | None, worker: service.Service
) -> str | None:
    """Return why a worker takes no operations, or takes too many."""
    if worker.settings_loaded is None:
        return None if active is None else _OLD
    return plugin_settings.find_trouble(active, worker.load_report)


def _find_candidate(
    active: plugin_settings.PluginSettings, workers: Workers
) -> str:
    """Return the fingerprint that workers find beside the one in force.

    :raises orch.cmd.process.Failure: there is none, or there are several
    """
    hosts: dict[str, list[str]] = {}
    for each in workers:
        if each.settings_loadable not in (None, active.fingerprint):
            hosts.setdefault(each.settings_loadable, []).append(each.host)
    if not hosts:
        broken = "".join(
            f"; {each.host}: {each.settings_error}"
            for each in workers
            if each.settings_error is not None
        )
        raise process.Failure(
            "there is nothing to activate: no live worker finds other plug-in"
            f" settings than number {active.number}, which is in force. A"
            f" changed file is noticed within seconds{broken}"
        )
    if len(hosts) > 1:
        listed = "; ".join(
            f"{plugin_settings.shorten(each)} on {', '.join(names)}"
            for each, names in sorted(hosts.items())
        )
        raise process.Failure(
            f"live workers find different plug-in settings: {listed}. Install"
            " the same ones on all, or stop those that have others"
        )
    (found,) = hosts
    return found


def _lacks(worker: service.Service) -> str:
    """Return what a worker has instead."""
    if worker.settings_loaded is None:
        return _OLD
    if worker.settings_error is not None:
        return worker.settings_error
    return f"it finds {plugin_settings.shorten(worker.settings_loadable)}"


def _row(member: lifecycle_order.OrderedPlugin) -> tuple[str, ...]:
    plugin = member.plugin
    return (
        member.name,
        str(plugin.ordinal),
        plugin.scope.value,
        "all" if plugin.verbs is None else ",".join(sorted(plugin.verbs)),
        f"{member.time_limit_s:g} s",
        member.enforcement.value,
        "warn" if member.is_fail_open else "deny",
        _note(member),
    )


def _note(member: lifecycle_order.OrderedPlugin) -> str:
    if member.load_error is not None:
        return f"not loaded: {member.load_error}"
    return "written for Heat" if member.is_legacy else ""
